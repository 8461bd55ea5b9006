"""The fact `clip-before-unscale`: clipping what a GradScaler has not divided by its scale yet."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.script_edits.spellings import is_step_of_scaler
from gradstep.diagnostics.script_edits.syntax import statement_at
from gradstep.program.operation import Backward, ClipGradNorm, ClipGradValue, ScriptCall, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["ScaledClippingRule"]


class ScaledClippingRule:
    """Follows gradients from Backward through clippings to the Step that a GradScaler does.

    It divides them by its scale in `unscale_`, or else at the beginning of its `step`. Whether it
    does a Step is seen by the line, and that it is not switched off by its `update`. A limit may be
    scaled as well: then the line of the clipping says so.

    Args:
        script: What is known of the script.
    """

    __slots__ = ("_clipped", "_done", "_scaled", "_script")

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._scaled: set[str] = set()
        self._clipped: dict[str, tuple[int, str]] = {}
        self._done: list[tuple[str, int, int]] = []

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Backward: self._backward,
            ClipGradNorm: self._clip,
            ClipGradValue: self._clip,
            ScriptCall: self._script_call,
            Step: self._step,
        }

    def _backward(self, seen: AppliedEvent) -> tuple[()]:
        self._scaled.update(seen.reads_writes.written_gradients)
        return ()

    def _clip(self, seen: AppliedEvent) -> tuple[()]:
        if not self._scaled.isdisjoint(seen.reads_writes.written_gradients):
            self._clipped[seen.operation_target()] = seen.index, seen.operation.at
        return ()

    def _script_call(self, seen: AppliedEvent) -> Iterator[Observation]:
        operation = seen.operation
        assert isinstance(operation, ScriptCall)
        if operation.call == "scaler_unscale":
            self._scaled.difference_update(seen.reads_writes.written_gradients)
        elif operation.call == "scaler_update":
            for optimizer, clip, step in self._done:
                events = (clip, step)
                yield Observation("clip-before-unscale", (optimizer,), events, operation.name)
            self._done.clear()

    def _step(self, seen: AppliedEvent) -> tuple[()]:
        optimizer, files = seen.operation_target(), self._script.files
        clip, at = self._clipped.pop(optimizer, (0, ""))
        self._scaled.difference_update(seen.reads_writes.read_gradients)
        self._done = [item for item in self._done if item[0] != optimizer]
        if clip and is_step_of_scaler(statement_at(files, seen.operation.at)):
            clipping = statement_at(files, at)
            if clipping is None or "scale" not in ast.unparse(clipping.node):
                self._done.append((optimizer, clip, seen.index))
        return ()
