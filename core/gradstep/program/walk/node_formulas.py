"""Formulas of recorded operations: the result of each, and the gradient of each input."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.autograd.graph import Node
from gradstep.formula import Formula, latex_symbol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.autograd.graph import Edge

__all__ = ["backward_rule", "forward_rule", "gradient_rules", "input_names", "operand"]

_T = ".T"
"""Ends the name of an input that is recorded transposed."""


def forward_rule(node: Node) -> Formula:
    """Return the formula of an operation's result.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2, requires_grad=True)
        >>> forward_rule((100 * x).grad_fn).text
        'input * other'
    """
    text = node.own_formula()
    formula = Formula(text)
    return Formula(text, makes="result") if formula.latex else formula


def backward_rule(node: Node) -> Formula:
    r"""Return the formulas of the gradients of an operation's inputs.

    Inputs that need no gradient are omitted.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2, requires_grad=True)
        >>> backward_rule((x * 100).grad_fn).text
        'input: grad * other'
        >>> backward_rule((x * x).grad_fn).latex
        '\\bar{x} = g \\cdot y \\qquad \\bar{y} = g \\cdot x'
    """
    rules, wanted = gradient_rules(node), [edge is not None for edge in node.edges]
    one_for_all = len(rules) == 1
    present = [
        (name, rule)
        for place, (name, rule) in enumerate(rules.items())
        if one_for_all or (place < len(wanted) and wanted[place])
    ]
    text = "; ".join(f"{name}: {rule.text}" for name, rule in present)
    written = [rule.latex for _, rule in present]
    return Formula(text, r" \qquad ".join(written) if all(written) else "")


def gradient_rules(node: Node) -> Mapping[str, Formula]:
    """Return the formula of each input's gradient, by the input's name, in the order of the edges.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2, requires_grad=True)
        >>> {name: rule.text for name, rule in gradient_rules((100 * x).grad_fn).items()}
        {'input': 'grad * other', 'other': 'grad * input'}
    """
    return _rules_in(node.own_rule())


@lru_cache(maxsize=1024)
def _rules_in(text: str) -> Mapping[str, Formula]:
    parts = [part.partition(": ") for part in text.split("; ") if part]
    return MappingProxyType({name: _gradient(name, rule) for name, _, rule in parts})


def input_names(node: Node) -> dict[int, str]:
    """Return the names of an operation's inputs in its formulas, by index; -1 is the result.

    Example:
        >>> import gradstep
        >>> input_names((100 * gradstep.ones(2, requires_grad=True)).grad_fn)
        {0: 'input', 1: 'other', -1: 'result'}
    """
    names = {place: name.removesuffix(_T) for place, name in enumerate(gradient_rules(node))}
    return {**names, -1: "result"}


def operand(node: Node, place: int, value: Any) -> tuple[Edge, Any]:  # noqa: ANN401 - saved
    """Return where the gradient of an operation's input goes, and the input's value.

    Where the input is recorded transposed, as the weight of a linear layer, both are those of the
    tensor that was transposed, which the formulas name.

    Args:
        node: The operation.
        place: The index of the input.
        value: The saved value; None for none.
    """
    edge = node.edges[place] if 0 <= place < len(node.edges) else None
    names = tuple(gradient_rules(node))
    if not (0 <= place < len(names) and names[place].endswith(_T)):
        return edge, value
    before = edge.edges[0] if isinstance(edge, Node) else edge
    return before, None if value is None else value.T


def _gradient(name: str, text: str) -> Formula:
    right = Formula(text).latex
    left = latex_symbol(name.removesuffix(_T)) + (r"^\top" if name.endswith(_T) else "")
    return Formula(text, rf"\bar{{{left}}} = {right}" if right else "")
