"""Provenance: which Events have put a gradient where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.explain.terms import projection
from gradstep.history.reading import array_of, gradient_of
from gradstep.history.records.explanation import Contribution
from gradstep.history.records.snapshot import BatchRecord
from gradstep.program.operation import Backward, RebuildModule, Step, ZeroGrad

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.history import History
    from gradstep.history.log.event_log import EventLog
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation
    from gradstep.program.program import Program

__all__ = ["MOST_CONTRIBUTIONS", "contributions"]

MOST_CONTRIBUTIONS = 64
"""Events that are told apart; what a gradient that is never cleared held before is one more."""


def contributions(
    replica: ShadowProgram, history: History, position: int, parameter: str
) -> tuple[Contribution, ...]:
    """Return what `.grad` of a parameter is made of after an Event, and bring the replica there.

    Each Backward since the gradient was last cleared is replayed into an empty `.grad`, and what it
    leaves there is added as the engine adds it.

    Args:
        replica: Where to replay.
        history: The branch.
        position: The Event.
        parameter: The tensor's name.
    """
    log = history.log
    wrote: list[int] = []
    index = position
    while len(wrote) < MOST_CONTRIBUTIONS:
        found = log.last(index, lambda operation, print_: _touches(operation, print_, parameter))
        if found is None or isinstance(log.operation(found), (ZeroGrad, RebuildModule)):
            break
        wrote.append(found)
        index = found - 1
        if _begins_anew(log, found, parameter):
            break
    parts: list[Contribution] = []
    if wrote and not _begins_anew(log, wrote[-1], parameter):
        replica.go(history, index)
        left = gradient_of(replica.program.tensors[parameter])
        if left is not None and left.any():
            parts.append(Contribution(index, "earlier", "", _kept(left)))
    for event in reversed(wrote):
        replica.go(history, event - 1)
        parts.append(_contribution(replica, history, event, parameter))
    replica.go(history, position)
    if not parts:
        return ()
    grad = array_of(replica.program.tensors[parameter].grad).astype(np.float64)
    return tuple(
        replace(part, share=projection(part.value.astype(np.float64), grad)) for part in parts
    )


def _touches(operation: Operation, reads_writes: ReadsWrites, parameter: str) -> bool:
    """Whether an Event has written the gradient, or put a tensor without one in its place."""
    if isinstance(operation, RebuildModule):
        return parameter in reads_writes.written_tensors
    return parameter in reads_writes.written_gradients


def _begins_anew(log: EventLog, event: int, parameter: str) -> bool:
    """Whether an Event is a Step that clears the gradient before it computes it."""
    reads_writes = log.reads_writes(event)
    return isinstance(log.operation(event), Step) and parameter in reads_writes.written_tensors


def _contribution(
    replica: ShadowProgram, history: History, event: int, parameter: str
) -> Contribution:
    """Carry out an Event that writes the gradient, and return what it adds to it."""
    program, operation = replica.program, history.log.operation(event)
    tensor = program.tensors[parameter]
    if not isinstance(operation, Backward):
        log, had = history.log, gradient_of(tensor)
        before = None if had is None or _begins_anew(log, event, parameter) else _kept(had)
        replica.go(history, event)
        now = array_of(tensor.grad)
        added = _kept(now if before is None else now - before)
        if not isinstance(operation, Step):
            return Contribution(event, "clip", "", added)
        losses = log.reads_writes(event).written_losses
        return Contribution(event, "step", " + ".join(losses), added, _batch(program, losses[0]))
    batch = _batch(program, operation.loss)
    with replica.aside(history, event):
        held, tensor.grad = tensor.grad, None
        program.run(operation)
        found = array_of(tensor.grad)
        added = _kept(found)
        if held is not None:
            array = array_of(held)
            np.add(array, found, array)
            tensor.grad = held
    return Contribution(event, "backward", operation.loss, added, batch)


def _batch(program: Program, loss: str) -> BatchRecord | None:
    batch = program.batches.get(loss)
    if batch is None:
        return None
    return BatchRecord(batch.data, batch.rows, batch.epoch, batch.number, batch.count)


def _kept(array: NDArray[Any]) -> NDArray[Any]:
    copy = np.array(array)
    copy.flags.writeable = False
    return copy
