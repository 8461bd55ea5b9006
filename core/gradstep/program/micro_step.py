"""MicroStep: the record of one step inside an Operation."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from gradstep.formula import Formula

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

    from numpy.typing import NDArray

    from gradstep.program.operation import Operation

__all__ = ["Arrays", "MicroStep", "MicroStepKind", "Walk", "kept"]

MicroStepKind = Literal[
    "module",
    "op",
    "node",
    "accumulate",
    "group",
    "parameter",
    "term",
    "evaluation",
    "operation",
    "iteration",
]
Arrays: TypeAlias = "Mapping[str, NDArray[Any]]"

_NO_FORMULA = Formula("", "")


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class MicroStep:
    """One step inside an Operation: what it read, what it made, and by which rule.

    Attributes:
        kind: In a Forward a "module" or an "op"; in a Backward a "node", or "accumulate" where a
            gradient arrives at a leaf; in a Step a "group", a "parameter" or a "term", and where it
            evaluates the loss itself an "iteration", an "evaluation", or an "operation" of that; in
            a Zero Grad a "parameter".
        title: What it is called, such as "MulBackward0", "model.0.weight" or "exp_avg".
        path: What it lies in, outermost first: `("optimizer", "group 0", "model.0.weight")`.
        formula: The rule, as text and as LaTeX; either is empty where there is none to tell.
        inputs: Copies of what it read, by the names that the formula uses where it has any. What
            was not there is not among them, see `none`.
            A node reads the gradient that comes in and what its operation had saved.
        outputs: Copies of what it made; of a node, the gradient that goes to each edge.
        none: Which of what it read, and of what it made, is None: a `.grad` before its first
            gradient, and one that was cleared.
        targets: Of a node, the id of the `GraphNode` that each output goes to.
        node: The id of the `GraphNode` concerned, in the graph of the loss; None without one.
        rules: The formula of each output that has one of its own; without any, `formula` says it.
        symbols: Which input a symbol of the formulas is, where it has another name among them.
        error: Why the Operation cannot go on from here; empty when it can.
        writes: Addresses at which the program may have changed since the micro-step before; None
            when it may have anywhere.
        within: The Operation of an evaluation of the loss that it lies in; None outside of one.
    """

    kind: MicroStepKind
    title: str
    path: tuple[str, ...] = ()
    formula: Formula = _NO_FORMULA
    inputs: Arrays = field(default_factory=_nothing)
    outputs: Arrays = field(default_factory=_nothing)
    node: int | None = None
    targets: tuple[int, ...] = ()
    rules: Mapping[str, Formula] = field(default_factory=_nothing)
    symbols: Mapping[str, str] = field(default_factory=_nothing)
    error: str = ""
    none: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    writes: tuple[str, ...] | None = ()
    within: Operation | None = None

    def bound(self, formula: Formula) -> dict[str, NDArray[Any]]:
        """Return the inputs by the symbols that a formula has for them; others are left out.

        Example:
            >>> step = MicroStep("node", "MulBackward0", inputs=kept([("incoming", 2.0)]),
            ...                  symbols={"grad": "incoming"})
            >>> step.bound(Formula("grad * other"))
            {'grad': array(2.)}
        """
        keys = {name: self.symbols.get(name, name) for name in formula.names}
        return {name: self.inputs[key] for name, key in keys.items() if key in self.inputs}

    @property
    def depth(self) -> int:
        """How many things it lies in."""
        return len(self.path)


Walk: TypeAlias = "Generator[MicroStep | Callable[[], MicroStep], None, None]"
"""Gives micro-steps, or what makes one for whoever looks at it: to be called before the walk goes
on to one that writes something."""


def kept(named: Iterable[tuple[str, Any]]) -> Arrays:
    """Return read-only copies by name; None is left out, and a name that comes again is numbered.

    Example:
        >>> kept([("x", 1.0), ("grad", None), ("x", 2.0)])
        mappingproxy({'x': array(1.), 'x (2)': array(2.)})
    """
    found: dict[str, NDArray[Any]] = {}
    for name, value in named:
        if value is None:
            continue
        array = np.array(value)
        array.flags.writeable = False
        unique, count = name, 1
        while unique in found:
            count += 1
            unique = f"{name} ({count})"
        found[unique] = array
    return MappingProxyType(found)
