"""Facts about what a program declares and its loop omits, or makes useless.

`loss-idle` and `scheduler-idle`: after the first 20 iterations, no line of the loop and no Event so
far computed a training loss, or stepped a scheduler. `frozen-but-held`: then, an optimizer holds a
tensor whose requires_grad is False, and the program does not declare it. `optimizer-rebuilt`: in
each of three iterations in a row, an optimizer was replaced whose steps had left state.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation
from gradstep.program.operation import Forward, ReplaceOptimizer, SchedulerStep, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["RebuildRule", "idle_declarations"]

IN_A_ROW = 3
"""Iterations in which an optimizer must be replaced before that counts as a habit of the loop."""


def idle_declarations(program: Debuggee, history: History, event: int) -> Iterator[Observation]:
    """Yield the losses and schedulers that neither a line nor an Event has used.

    Args:
        program: The live program.
        history: The branch.
        event: The Event just done.
    """
    spec = program.spec
    lines = {(type(line.operation), _target(line.operation)) for line in program.written_loop}
    unused = [
        name
        for name in spec.schedulers
        if (SchedulerStep, name) not in lines and name not in spec.scheduler_members
    ]
    if unused:
        done = history.log.find(0, event, operation=lambda one: isinstance(one, SchedulerStep))
        stepped = {_target(history.log.operation(at)) for at in done.tolist()}
        for name in unused:
            if name not in stepped:
                yield Observation(
                    "scheduler-idle", (name,), (event,), spec.schedulers[name].optimizer
                )
    if "frozen_backbone" not in spec.intent:
        for optimizer in program.optimizers:
            frozen = tuple(
                item.address
                for item in program.optimizer_tensors
                if item.optimizer == optimizer
                and item.address in program.tensors
                and not program.tensors[item.address].requires_grad
            )
            if frozen:
                yield Observation("frozen-but-held", frozen, (event,), optimizer)
    if not program.written_loop:
        return  # the default loop takes one loss at a time, chosen by hand
    formulas = " ".join(loss.expression or "" for loss in spec.losses.values())
    evaluated = {
        loss
        for name, optimizer in program.optimizers.items()
        if optimizer.needs_closure and (Step, name) in lines
        for loss in program.stepped_losses(name)
    }
    for name, loss in spec.losses.items():
        used = (Forward, name) in lines or name in evaluated or program.losses[name] is not None
        if loss.rows == "training" and not used and not re.search(rf"\b{name}\b", formulas):
            yield Observation("loss-idle", (name,), (event,))


def _target(operation: Operation) -> str:
    return str(
        getattr(operation, "scheduler", "")
        or getattr(operation, "loss", "")
        or getattr(operation, "optimizer", "")
    )


class RebuildRule:
    """Counts the iterations in a row in which each optimizer is replaced and loses its state."""

    __slots__ = ("_events", "_with_state")

    def __init__(self) -> None:
        self._events: dict[str, tuple[tuple[int, int], ...]] = {}
        self._with_state: set[str] = set()

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {Step: self._on_step, ReplaceOptimizer: self._on_replace}

    def _on_step(self, seen: AppliedEvent) -> tuple[()]:
        self._with_state.update(name for name, held in seen.reads_writes.written_states if held)
        return ()

    def _on_replace(self, seen: AppliedEvent) -> Iterator[Observation]:
        operation = seen.operation
        assert isinstance(operation, ReplaceOptimizer)
        if operation.optimizer not in self._with_state:
            return  # there was nothing to lose
        self._with_state.discard(operation.optimizer)
        known = self._events.get(operation.optimizer, ())
        if known and seen.iteration - known[-1][1] > 1:
            known = ()
        if not known or known[-1][1] != seen.iteration:
            known = (*known, (seen.index, seen.iteration))[-IN_A_ROW:]
        self._events[operation.optimizer] = known
        if len(known) == IN_A_ROW:
            events = tuple(event for event, _ in known)
            yield Observation("optimizer-rebuilt", (operation.optimizer,), events)
