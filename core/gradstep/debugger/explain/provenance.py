"""Provenance: which Events contributed to a gradient."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.explain.terms import projection
from gradstep.history.live_values import array_of, gradient_of
from gradstep.history.records.explanation import Contribution
from gradstep.history.records.snapshot import BatchRecord
from gradstep.program.operation import Backward, RebuildModule, Step, ZeroGrad

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.log.event_log import EventLog
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["MAX_CONTRIBUTIONS", "contributions", "gradient_writers"]

MAX_CONTRIBUTIONS = 64
"""Events that are listed; the gradient before them is one more contribution."""


def contributions(
    shadow: ShadowProgram, history: History, position: int, parameter: str
) -> tuple[Contribution, ...]:
    """Return the contributions to `.grad` of a parameter after an Event.

    Each Backward since the last clearing is replayed into an empty `.grad`, and its gradient is
    added as the engine adds it. The shadow program ends at that Event.

    Args:
        shadow: Where to replay.
        history: The branch.
        position: The Event.
        parameter: The tensor's name.
    """
    log = history.log
    wrote, index = gradient_writers(log, position, parameter)
    parts: list[Contribution] = []
    if wrote and not _recomputes(log, wrote[-1], parameter):
        shadow.go(history, index)
        left = gradient_of(shadow.program.tensors[parameter])
        if left is not None and left.any():
            parts.append(Contribution(index, "earlier", "", _kept(left)))
    for event in reversed(wrote):
        shadow.go(history, event - 1)
        parts.append(_contribution(shadow, history, event, parameter))
    shadow.go(history, position)
    if not parts:
        return ()
    grad = array_of(shadow.program.tensors[parameter].grad).astype(np.float64)
    return tuple(
        replace(part, share=projection(part.value.astype(np.float64), grad)) for part in parts
    )


def gradient_writers(log: EventLog, position: int, parameter: str) -> tuple[list[int], int]:
    """Return the Events that wrote `.grad` since it was last cleared, the latest first.

    With them comes the moment before them. There are at most `MAX_CONTRIBUTIONS`.
    """
    wrote: list[int] = []
    index = position
    while len(wrote) < MAX_CONTRIBUTIONS:
        found = log.last(index, lambda operation, wrote: _touches(operation, wrote, parameter))
        if found is None or isinstance(log.operation(found), (ZeroGrad, RebuildModule)):
            break
        wrote.append(found)
        index = found - 1
        if _recomputes(log, found, parameter):
            break
    return wrote, index


def _touches(operation: Operation, reads_writes: ReadsWrites, parameter: str) -> bool:
    """Whether an Event wrote the gradient, or replaced the tensor by one without it."""
    if isinstance(operation, RebuildModule):
        return parameter in reads_writes.written_tensors
    return parameter in reads_writes.written_gradients


def _recomputes(log: EventLog, event: int, parameter: str) -> bool:
    """Whether an Event is a Step that clears the gradient and computes it again."""
    reads_writes = log.reads_writes(event)
    return isinstance(log.operation(event), Step) and parameter in reads_writes.written_tensors


def _contribution(
    shadow: ShadowProgram, history: History, event: int, parameter: str
) -> Contribution:
    """Replay an Event that writes the gradient, and return what it adds."""
    program, operation = shadow.program, history.log.operation(event)
    tensor = program.tensors[parameter]
    if not isinstance(operation, Backward) or program.abilities.diverge:
        log, had = history.log, gradient_of(tensor)
        before = None if had is None or _recomputes(log, event, parameter) else _kept(had)
        shadow.go(history, event)
        now = array_of(tensor.grad)
        added = _kept(now if before is None else now - before)
        if isinstance(operation, Backward):  # of a script, which cannot be run without the others
            return Contribution(event, "backward", operation.loss, added)
        if not isinstance(operation, Step):
            return Contribution(event, "clip", "", added)
        losses = log.reads_writes(event).written_losses
        return Contribution(
            event, "step", " + ".join(losses), added, _batch(program, losses[0] if losses else "")
        )
    batch = _batch(program, operation.loss)
    with shadow.moved_by_caller(history, event):
        held, tensor.grad = tensor.grad, None
        program.run(operation)
        found = array_of(tensor.grad)
        added = _kept(found)
        if held is not None:
            array = array_of(held)
            np.add(array, found, array)
            tensor.grad = held
    return Contribution(event, "backward", operation.loss, added, batch)


def _batch(program: Debuggee, loss: str) -> BatchRecord | None:
    batch = program.batches.get(loss)
    if batch is None:
        return None
    return BatchRecord(batch.data, batch.rows, batch.epoch, batch.number, batch.count)


def _kept(array: NDArray[Any]) -> NDArray[Any]:
    copy = np.array(array)
    copy.flags.writeable = False
    return copy
