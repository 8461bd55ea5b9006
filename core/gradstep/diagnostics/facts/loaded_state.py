"""The fact about a resume that loads some parts of a state and not others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.program.operation import LoadState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.log.event_log import EventLog

__all__ = ["resume_facts"]


def resume_facts(
    seen: AppliedEvent, log: EventLog, schedules: Mapping[str, str]
) -> Iterator[Observation]:
    """Yield the fact that a LoadState left out a part of the state.

    A part counts only if something wrote to it since the Event whose state is loaded; otherwise
    it still has its value of then.

    Args:
        seen: A successful LoadState.
        log: The Events up to it.
        schedules: The optimizer of each scheduler.
    """
    operation = seen.operation
    assert isinstance(operation, LoadState)
    if "modules" not in operation.parts:
        return
    written = log.written_between(operation.event, seen.index - 1)
    touched = {
        "optimizers": any("/" in address for address in written),
        "schedulers": not written.isdisjoint(schedules),
        "generator": "generator" in written,
        "data_order": any(address.startswith("data.") for address in written),
    }
    missing = tuple(
        part for part, is_touched in touched.items() if is_touched and part not in operation.parts
    )
    if missing:
        events = (operation.event, seen.index) if operation.event else (seen.index,)
        place = f"#{operation.event:,}" if operation.event else "the start"
        behind = joined_names(tuple(_WORDS[part] for part in missing))
        note = f"Load State #{seen.index:,} took the modules back to {place}, but not {behind}"
        yield Observation("resume-incomplete", missing, events, note)


_WORDS = {
    "optimizers": "the state of the optimizers",
    "schedulers": "the schedulers",
    "generator": "the random generator",
    "data_order": "the place in the data",
}
