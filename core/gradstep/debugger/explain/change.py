"""The last change of a parameter: the Event that made it, and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.explain import sentences
from gradstep.debugger.explain.step_change import closure_step_change, step_change
from gradstep.debugger.explain.terms import fixed, terms_of, values_of
from gradstep.errors import OperationError
from gradstep.history.records.explanation import Explanation
from gradstep.optim.attribution import Share
from gradstep.program.operation import Freeze, Step

if TYPE_CHECKING:
    from collections.abc import Collection

    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["explain"]


def explain(
    shadow: ShadowProgram, program: Debuggee, history: History, position: int, parameter: str
) -> Explanation:
    """Return why a parameter last changed, or why a step did not move it.

    Args:
        shadow: Where to replay.
        program: The program at the current moment.
        history: The branch.
        position: The current Event.
        parameter: The tensor's name.
    """
    log = history.log
    holders = {item.optimizer for item in program.optimizer_tensors if item.address == parameter}
    event = log.last(position, lambda done, wrote: _concerns(done, wrote, parameter, holders))
    if event is None:
        return _unchanged(program, parameter, None, None, sentences.never(program, parameter))
    operation = log.operation(event)
    if program.abilities.diverge:
        _check_recorded(shadow, program, history, event, parameter)
    if not isinstance(operation, Step) or parameter in program.buffers:
        return _written(shadow, program, history, event, operation, parameter)
    reads_writes = log.reads_writes(event)
    if parameter not in reads_writes.written_tensors:
        changed = log.last(event, lambda done, wrote: _changes(done, wrote, parameter))
        sentence = sentences.skipped(parameter, event, changed, reads_writes.written_losses)
        return _unchanged(program, parameter, event, operation, sentence)
    split = closure_step_change if reads_writes.written_losses else step_change
    change = split(shadow, history, event, operation, parameter)
    return Explanation(
        parameter,
        event,
        operation,
        change.optimizer,
        change.before,
        change.total,
        change.terms,
        change.factors,
        sentences.stepped(parameter, change),
    )


def _check_recorded(
    shadow: ShadowProgram, program: Debuggee, history: History, event: int, parameter: str
) -> None:
    """Check that the values before and after an Event of a script are known.

    Raises:
        OperationError: They are not: the recording was thinned out.
    """
    shadow.go(history, event - 1)
    before = shadow.program.unrecorded
    if parameter in program.unrecorded or not before.isdisjoint((parameter, f"{parameter}.grad")):
        raise OperationError(
            f"the values of {parameter} around Event {event:,} were not recorded",
            "ask at an iteration of which all values were recorded",
        )


def _concerns(
    operation: Operation, reads_writes: ReadsWrites, parameter: str, holders: Collection[str]
) -> bool:
    """Whether an Event changed a parameter, or is a step that could have."""
    if isinstance(operation, Step) and operation.optimizer in holders:
        return True
    return _changes(operation, reads_writes, parameter)


def _changes(operation: Operation, reads_writes: ReadsWrites, parameter: str) -> bool:
    return parameter in reads_writes.written_tensors and not isinstance(operation, Freeze)


def _unchanged(
    program: Debuggee,
    parameter: str,
    event: int | None,
    operation: Operation | None,
    sentence: str,
) -> Explanation:
    """Explain a parameter that did not change."""
    before = fixed(values_of(program, parameter))
    nothing = fixed(np.zeros(before.shape))
    return Explanation(parameter, event, operation, "", before, nothing, (), (), sentence)


def _written(
    shadow: ShadowProgram,
    program: Debuggee,
    history: History,
    event: int,
    operation: Operation,
    parameter: str,
) -> Explanation:
    """Explain a parameter that an Operation other than a step wrote."""
    shadow.go(history, event - 1)
    before = fixed(values_of(shadow.program, parameter))
    shadow.go(history, event)
    total = fixed(values_of(shadow.program, parameter) - before)
    terms = terms_of({sentences.source(operation): Share(total, ())}, total)
    sentence = sentences.written(program, parameter, event, operation)
    return Explanation(parameter, event, operation, "", before, total, terms, (), sentence)
