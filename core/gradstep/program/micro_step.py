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

__all__ = ["Arrays", "MicroStep", "MicroStepKind", "Walk", "array_copies"]

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


def _empty() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class MicroStep:
    """One step inside an Operation: its inputs, its outputs and its formula.

    Attributes:
        kind: In a Forward a "module" or an "op"; in a Backward a "node", or "accumulate" where a
            leaf accumulates a gradient; in a Step a "group", a "parameter" or a "term", and if the
            optimizer evaluates the loss itself also an "iteration", an "evaluation", or an
            "operation" of an evaluation; in a Zero Grad a "parameter".
        title: Its name, such as "MulBackward0", "model.0.weight" or "exp_avg".
        path: The enclosing scopes, outermost first: `("optimizer", "group 0", "model.0.weight")`.
        formula: The formula as text and as LaTeX; either may be empty.
        inputs: Copies of the inputs, by the formula's names where it has any. Inputs that are None
            are in `none` instead. A node reads the incoming gradient and its saved values.
        outputs: Copies of the outputs; for a node, the gradient sent along each edge.
        none: The names of the inputs, and of the outputs, that are None, such as a `.grad` before
            the first Backward or after a Zero Grad.
        targets: For a node, the id of the `GraphNode` that receives each output.
        node: The id of its `GraphNode` in the graph of the loss; None if it has none.
        rules: Formulas of single outputs; an output without one follows `formula`.
        symbols: The input that a symbol stands for, where the two names differ.
        error: Why the Operation fails here; empty when it does not.
        writes: Addresses that may have changed since the previous micro-step; None for any.
        given_back: Those of them that a walk itself restores when it is closed.
        within: The Operation that this micro-step is part of, inside an evaluation of the loss;
            None elsewhere.
    """

    kind: MicroStepKind
    title: str
    path: tuple[str, ...] = ()
    formula: Formula = _NO_FORMULA
    inputs: Arrays = field(default_factory=_empty)
    outputs: Arrays = field(default_factory=_empty)
    node: int | None = None
    targets: tuple[int, ...] = ()
    rules: Mapping[str, Formula] = field(default_factory=_empty)
    symbols: Mapping[str, str] = field(default_factory=_empty)
    error: str = ""
    none: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    writes: tuple[str, ...] | None = ()
    given_back: tuple[str, ...] = ()
    within: Operation | None = None

    def bound(self, formula: Formula) -> dict[str, NDArray[Any]]:
        """Return the inputs that a formula uses, by the formula's symbols.

        Example:
            >>> step = MicroStep("node", "MulBackward0", inputs=array_copies([("incoming", 2.0)]),
            ...                  symbols={"grad": "incoming"})
            >>> step.bound(Formula("grad * other"))
            {'grad': array(2.)}
        """
        keys = {name: self.symbols.get(name, name) for name in formula.names}
        return {name: self.inputs[key] for name, key in keys.items() if key in self.inputs}

    @property
    def depth(self) -> int:
        """The number of enclosing scopes."""
        return len(self.path)


Walk: TypeAlias = "Generator[MicroStep | Callable[[], MicroStep], None, None]"
"""Yields micro-steps, or functions that make one on demand. Call such a function before the walk
advances to a micro-step that writes."""


def array_copies(named: Iterable[tuple[str, Any]]) -> Arrays:
    """Return read-only copies by name, without None; a repeated name gets a number.

    Example:
        >>> array_copies([("x", 1.0), ("grad", None), ("x", 2.0)])
        mappingproxy({'x': array(1.), 'x (2)': array(2.)})
    """
    found: dict[str, NDArray[Any]] = {}
    for name, value in named:
        if value is None:
            continue
        array = np.array(value)
        if array.dtype.kind == "O":  # a whole number, larger than any of NumPy's
            array = array.astype(np.float64)
        array.flags.writeable = False
        unique, count = name, 1
        while unique in found:
            count += 1
            unique = f"{name} ({count})"
        found[unique] = array
    return MappingProxyType(found)
