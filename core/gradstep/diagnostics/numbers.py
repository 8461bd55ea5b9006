"""Facts about values: NaN and infinity, and parameters that move without a gradient."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.report import Fact
from gradstep.history.reading import array_of, gradient_of
from gradstep.program.operation import LoadState, RebuildModule, SetValue, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from gradstep.history.occurrence import Occurrence
    from gradstep.history.series import Series
    from gradstep.program.program import Program

__all__ = ["NumberRule"]


_WRITERS = frozenset((LoadState, RebuildModule, SetValue))
"""What changes parameters besides steps: of such an iteration nothing is said about movers."""


class NumberRule:
    """Reads the norms that the Series measure anyway.

    Whether all is finite is seen with the Event; what has moved without a gradient when the Series
    have measured some rows together, at the next `settle`.

    Args:
        program: The live program, looked into only when a norm is not finite.
    """

    __slots__ = (
        "_closed",
        "_columns",
        "_finite",
        "_program",
        "_searched",
        "_stepped",
        "_written",
    )

    def __init__(self, program: Program) -> None:
        self._program = program
        self._finite = True
        self._stepped = self._written = False
        self._searched: set[str] = set()
        self._closed: list[tuple[int, int]] = []
        self._columns: tuple[list[int], list[int]] | None = None

    def observe(self, seen: Occurrence, series: Series) -> Iterable[Fact]:
        """Take in an Event that has just gone well, and give the facts that its values show."""
        kind = type(seen.operation)
        if kind is Step:
            self._stepped = True
            if seen.footprint.written_gradients:  # its last gradient is not the one that moved them
                self._searched.update(seen.footprint.written_tensors)
        elif kind in _WRITERS:
            self._written = True
        facts: Iterable[Fact] = ()
        if self._finite:
            fact = self._not_finite(seen, series)
            if fact is not None:
                self._finite = False
                facts = (fact,)
            elif seen.completes and self._stepped and not self._written:
                self._closed.append((len(series) - 1, seen.index))
        if seen.completes:
            self._stepped = self._written = False
        return facts

    def settle(self, series: Series) -> Iterator[Fact]:
        """Give the facts that the rows closed since the last time show."""
        if not self._closed:
            return
        closed, self._closed = self._closed, []
        if self._columns is None:
            self._columns = (
                [series.place(f"norm/{name}.grad") for name in series.tensors],
                [series.place(f"update/{name}") for name in series.tensors],
            )
        rows = series.tail(len(series) - closed[0][0])
        gradients, updates = (rows[:, columns] for columns in self._columns)
        moved = (gradients == 0.0) & (updates > 0.0)
        if not moved.any():
            return
        for row, event in closed:
            names = tuple(
                name
                for at in np.flatnonzero(moved[row - closed[0][0]]).tolist()
                if (name := series.tensors[at]) not in self._searched
            )
            if names:
                yield Fact("moved-without-gradient", names, (event,), self._mover(names))

    def rewind(self, *, finite: bool) -> None:
        """Begin again at a moment at which everything was finite, or was not any more."""
        self._finite = finite

    def _not_finite(self, seen: Occurrence, series: Series) -> Fact | None:
        loss, operation = seen.loss, seen.operation
        if loss is not None and not isfinite(loss):
            return Fact("non-finite", seen.footprint.written_losses, (seen.index,), "the value")
        written, tensors = seen.footprint.written_gradients, self._program.tensors
        if written and not series.finite_gradients and type(operation) is not ZeroGrad:
            broken = tuple(
                name
                for name in written
                if name in tensors and not _is_finite(gradient_of(tensors[name]))
            )
            if broken:
                return Fact("non-finite", broken, (seen.index,), "the gradient")
        if seen.completes and not series.finite_data:
            broken = tuple(
                name for name in series.tensors if not _is_finite(array_of(tensors[name]))
            )
            if broken:
                return Fact("non-finite", broken, (seen.index,), "the data")
        return None

    def _mover(self, names: tuple[str, ...]) -> str:
        """Say what can have moved them: what their optimizers have besides the gradient."""
        moved = {id(self._program.tensors[name]) for name in names}
        causes: dict[str, None] = {}
        for optimizer in self._program.optimizers.values():
            for group in optimizer.param_groups:
                held = [tensor for tensor in group["params"] if id(tensor) in moved]
                if held and group.get("weight_decay"):
                    causes["weight decay"] = None
                if any(optimizer.state.get(tensor) for tensor in held):
                    causes["the memory of earlier gradients"] = None
        return " and ".join(causes) or "its optimizer"


def _is_finite(array: NDArray[Any] | None) -> bool:
    return array is None or bool(np.isfinite(array).all())
