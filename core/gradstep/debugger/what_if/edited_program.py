"""Applies recorded Operations to a program whose document was edited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gradstep.program.operation import LoadState, Operation, Skip

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.debugger.cursor import Cursor
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.log.event_log import EventLog

__all__ = ["apply_recorded"]


def apply_recorded(
    log: EventLog,
    last: int,
    cursor: Cursor,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> None:
    """Apply recorded Operations to another program, up to an Event.

    Operations on optimizers and schedulers that the program does not have are skipped.

    Args:
        log: What was recorded.
        last: The last Event that is applied.
        cursor: The place in time of the other program.
        progress: Called after every Operation with the number done and the total.
        should_stop: Called before every Operation; True ends there.
    """
    apply = cursor.start_applying()
    places = [0]
    for event in range(1, last + 1):
        if should_stop is not None and should_stop():
            break
        operation = log.operation(event)
        if isinstance(operation, LoadState) and operation.event < len(places):
            operation = msgspec.structs.replace(operation, event=places[operation.event])
        if _is_possible(operation, cursor.program):
            apply(operation)
        places.append(cursor.position)
        if progress is not None:
            progress(event, last)
    cursor.settle()


def _is_possible(operation: Operation, program: Debuggee) -> bool:
    inner = operation.operation if isinstance(operation, Skip) else operation
    optimizer = getattr(inner, "optimizer", None)
    scheduler = getattr(inner, "scheduler", None)
    return (optimizer is None or optimizer in program.optimizers) and (
        scheduler is None or scheduler in program.schedulers
    )
