"""The fact `clip-before-backward`: clipping where there is nothing to clip yet.

A clipping finds every gradient of its optimizer None or zero. In the same iteration a Backward then
writes some of them, and a Step of the optimizer uses them without another clipping in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation
from gradstep.program.operation import Backward, ClipGradNorm, ClipGradValue, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["ClippingOrderRule"]


class ClippingOrderRule:
    """Follows each clipping that had nothing to clip to the Step after it."""

    __slots__ = ("_backward", "_idle", "_written")

    def __init__(self) -> None:
        self._written: set[str] = set()
        self._idle: dict[str, tuple[int, int]] = {}
        self._backward: dict[str, int] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Backward: self._on_backward,
            ZeroGrad: self._on_zero_grad,
            ClipGradNorm: self._on_clip,
            ClipGradValue: self._on_clip,
            Step: self._on_step,
        }

    def _on_backward(self, seen: AppliedEvent) -> tuple[()]:
        written = seen.reads_writes.written_gradients
        self._written.update(written)
        for name in written if self._idle else ():
            self._backward[name] = seen.index
        return ()

    def _on_zero_grad(self, seen: AppliedEvent) -> tuple[()]:
        self._written.difference_update(seen.reads_writes.written_gradients)
        return ()

    def _on_clip(self, seen: AppliedEvent) -> tuple[()]:
        optimizer = seen.operation_target()
        if self._written.isdisjoint(seen.reads_writes.written_gradients):
            self._idle[optimizer] = seen.index, seen.iteration
        else:
            self._idle.pop(optimizer, None)
        return ()

    def _on_step(self, seen: AppliedEvent) -> Iterator[Observation]:
        optimizer = seen.operation_target()
        clip, iteration = self._idle.pop(optimizer, (0, -1))
        used = [
            self._backward[name]
            for name in seen.reads_writes.read_gradients
            if self._backward.get(name, 0) > clip
        ]
        if used and iteration == seen.iteration:
            events = (clip, max(used), seen.index)
            yield Observation("clip-before-backward", (optimizer,), events)
