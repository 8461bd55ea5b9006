"""Facts about values: NaN and infinity, and parameters that move without a gradient."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.report import Fact
from gradstep.history.reading import array_of, gradient_of
from gradstep.program.operation import Forward, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from gradstep.history.occurrence import Occurrence
    from gradstep.history.series import Series
    from gradstep.program.program import Program

__all__ = ["NumberRule"]


class NumberRule:
    """Reads the norms that the Series have measured anyway.

    Args:
        program: The live program, looked into only when a norm is not finite.
    """

    __slots__ = ("_finite", "_program", "_stepped")

    def __init__(self, program: Program) -> None:
        self._program = program
        self._finite = True
        self._stepped = False

    def follow(self, seen: Occurrence) -> None:
        """Take in an Event that went well, without looking at any value."""
        if type(seen.operation) is Step:
            self._stepped = True
        if seen.completes:
            self._stepped = False

    def observe(self, seen: Occurrence, series: Series) -> Iterable[Fact]:
        """Take in an Event that has just gone well, and give the facts that its values show."""
        facts: Iterable[Fact] = ()
        if self._finite:
            fact = self._not_finite(seen, series)
            if fact is not None:
                self._finite = False
                facts = (fact,)
            elif seen.completes and (self._stepped or type(seen.operation) is Step):
                facts = self._moved(seen, series)
        self.follow(seen)
        return facts

    def rewind(self, *, finite: bool) -> None:
        """Begin again at a moment at which everything was finite, or was not any more."""
        self._finite = finite

    def _not_finite(self, seen: Occurrence, series: Series) -> Fact | None:
        if seen.loss is not None and not isfinite(seen.loss):
            loss = seen.operation.loss if isinstance(seen.operation, Forward) else "loss"
            return Fact("non-finite", (loss,), (seen.index,), "the value")
        tensors = self._program.tensors
        if seen.footprint.written_gradients and type(seen.operation) is not ZeroGrad:
            finite = int(np.count_nonzero(np.isfinite(series.gradient_norms)))
            if finite + series.missing_gradients < len(series.tensors):
                broken = tuple(
                    name
                    for name in seen.footprint.written_gradients
                    if name in tensors and not _is_finite(gradient_of(tensors[name]))
                )
                if broken:
                    return Fact("non-finite", broken, (seen.index,), "the gradient")
        if seen.completes and not isfinite(float(series.norms.sum())):
            broken = tuple(
                name for name in series.tensors if not _is_finite(array_of(tensors[name]))
            )
            if broken:
                return Fact("non-finite", broken, (seen.index,), "the data")
        return None

    def _moved(self, seen: Occurrence, series: Series) -> tuple[Fact, ...]:
        still = series.gradient_norms == 0.0
        if not still.any():
            return ()
        moved = np.flatnonzero(still & (series.updates > 0.0))
        names = tuple(series.tensors[at] for at in moved)
        if not names:
            return ()
        return (Fact("moved-without-gradient", names, (seen.index,), self._mover(names)),)

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
