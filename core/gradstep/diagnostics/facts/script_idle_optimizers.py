"""Facts about optimizers of a script that never step, though Backwards reach what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.missing_step import WITHOUT_STEP, step_missing
from gradstep.program.operation import Backward, ScriptCall, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.diagnostics.observation import Observation
    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["ScriptIdleOptimizerRule"]

_LONGEST_WINDOW = 100
"""Iterations without any Step that cannot be one accumulation."""


class ScriptIdleOptimizerRule:
    """Finds optimizers that never step.

    Either no optimizer has stepped at all and nothing was cleared, or the script clears what an
    optimizer holds again and again, and has no line that calls its `step`; another optimizer may
    use the same Backwards.

    Args:
        script: What is known of the script.
    """

    __slots__ = ("_first", "_has_ended", "_latest", "_script", "_stepped", "_uncleared")

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._stepped: set[str] = set()
        self._first: dict[str, tuple[int, int]] = {}  # the first Backward, and its iteration
        self._latest: dict[str, tuple[int, int, tuple[str, ...]]] = {}  # and what it reached
        self._uncleared = True
        self._has_ended = False

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Backward: self._backward,
            Step: self._step,
            ZeroGrad: self._zero_grad,
            ScriptCall: self._script_call,
        }

    def at_end(self, last: int) -> Iterator[Observation]:
        """Yield which optimizers have not stepped, once the script has ended.

        Args:
            last: The last Event so far.
        """
        if self._latest and not self._has_ended and self._script.ended_at(last):
            self._has_ended = True
            yield from self._without_any_step(WITHOUT_STEP - 1)

    def _backward(self, seen: AppliedEvent) -> Iterable[Observation]:
        names = seen.reads_writes.written_gradients
        self._note_updates(seen.reads_writes.written_tensors)  # by Steps inside of it
        for optimizer in self._script.optimizers:
            if optimizer in self._stepped or not self._script.is_known(optimizer):
                continue
            held = set(self._script.held(optimizer))
            reached = tuple(name for name in names if name in held)
            if reached:
                self._first.setdefault(optimizer, (seen.index, seen.iteration))
                self._latest[optimizer] = seen.index, seen.iteration, reached
        return self._without_any_step(_LONGEST_WINDOW) if self._latest else ()

    def _without_any_step(self, least: int) -> Iterator[Observation]:
        if self._stepped or not self._uncleared:
            return
        for optimizer, (backward, iteration, names) in self._latest.items():
            first, begun = self._first[optimizer]
            if iteration - begun >= least:
                events = (first, backward, backward)
                yield step_missing(self._script, optimizer, names, events)

    def _step(self, seen: AppliedEvent) -> tuple[()]:
        optimizer = seen.operation_target()
        if not self._script.is_known(optimizer):  # it may step by means of another one
            self._note_updates(seen.reads_writes.written_tensors)
        return self._note_step((optimizer,))

    def _note_step(self, optimizers: Iterable[str]) -> tuple[()]:
        for optimizer in optimizers:
            self._stepped.add(optimizer)
            self._latest.pop(optimizer, None)
        return ()

    def _zero_grad(self, seen: AppliedEvent) -> Iterator[Observation]:
        self._uncleared = False
        optimizer = seen.operation_target()
        backward, iteration, names = self._latest.get(optimizer, (0, 0, ()))
        first, begun = self._first.get(optimizer, (0, 0))
        is_due = bool(backward) and iteration - begun >= WITHOUT_STEP
        if is_due and self._script.step_calls(optimizer) == ():
            yield step_missing(self._script, optimizer, names, (first, backward, seen.index))

    def _script_call(self, seen: AppliedEvent) -> tuple[()]:
        operation, script = seen.operation, self._script
        assert isinstance(operation, ScriptCall)
        match operation.call:
            case "zero_grad" | "clear_by_hand":
                self._uncleared = False
            case "scaler_step":  # it found infinities, and left the Step out on purpose
                return self._note_step(script.optimizers)
            case "update_by_hand":
                return self._note_updates(seen.reads_writes.written_tensors)
        return ()

    def _note_updates(self, names: Iterable[str]) -> tuple[()]:
        return self._note_step({one for name in names for one in self._script.holders(name)})
