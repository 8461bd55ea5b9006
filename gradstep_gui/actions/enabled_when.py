"""When Actions are enabled: predicates on the State."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep_gui.records import State

__all__ = [
    "at_rest",
    "broken_document",
    "can_record",
    "can_save",
    "finding_after",
    "finding_before",
    "future",
    "has_data",
    "has_debugged",
    "has_lesson",
    "has_loop",
    "has_next",
    "has_recorded",
    "inside",
    "opened",
    "overlaid",
    "past",
    "paused",
    "recorded",
    "recording",
    "recoverable",
    "removed",
    "running",
    "saving",
    "stoppable",
]


def opened(state: State) -> bool:
    """A program is open."""
    return state.work != "empty"


def paused(state: State) -> bool:
    """A program is open, and nothing runs."""
    return state.work == "paused"


def can_save(state: State) -> bool:
    """Paused, and no file is being written."""
    return paused(state) and not state.saving


def can_record(state: State) -> bool:
    """Nothing runs, and no script is being recorded."""
    return at_rest(state) and not state.recording


def has_lesson(state: State) -> bool:
    """A lesson leads through the program, and nothing runs."""
    return paused(state) and state.has_lesson


def recording(state: State) -> bool:
    """A script is being recorded."""
    return state.recording


def has_debugged(state: State) -> bool:
    """Nothing runs, and a script was debugged that this window can start again."""
    return at_rest(state) and state.has_debugged


def has_recorded(state: State) -> bool:
    """Nothing runs, and a script was recorded that is not open yet."""
    return at_rest(state) and state.has_recorded


def saving(state: State) -> bool:
    """A session is being written to a file."""
    return state.saving


def running(state: State) -> bool:
    """The program runs, or recorded Events are replayed."""
    return state.work in {"running", "replaying"}


def stoppable(state: State) -> bool:
    """Whether something is under way that can be stopped."""
    return running(state) or state.work == "loading"


def recorded(state: State) -> bool:
    """Paused, and something was recorded."""
    return paused(state) and (state.can_go_back or state.can_go_forward)


def overlaid(state: State) -> bool:
    """Paused, and there are other runs to draw."""
    return paused(state) and state.has_overlays


def removed(state: State) -> bool:
    """Paused, and a removed branch can be restored."""
    return paused(state) and state.has_removed_branch


def at_rest(state: State) -> bool:
    """Nothing runs, with or without an open program."""
    return state.work in {"empty", "paused"}


def recoverable(state: State) -> bool:
    """Nothing runs, and a process that ended without closing left a recording."""
    return at_rest(state) and state.has_recovery


def broken_document(state: State) -> bool:
    """Nothing runs, and the last document to be opened has errors."""
    return at_rest(state) and state.has_broken_document


def has_loop(state: State) -> bool:
    """Paused, and the program has a loop."""
    return paused(state) and state.has_loop


def has_next(state: State) -> bool:
    """Paused, and there is something next: inside an Operation, recorded, or in the loop."""
    return paused(state) and (state.is_inside or state.can_go_forward or state.has_loop)


def has_data(state: State) -> bool:
    """Paused, and the program has data sets."""
    return paused(state) and state.has_data


def past(state: State) -> bool:
    """Paused, and something precedes this moment."""
    return paused(state) and state.can_go_back


def future(state: State) -> bool:
    """Paused, and something follows this moment."""
    return paused(state) and state.can_go_forward


def finding_before(state: State) -> bool:
    """Paused, and there is a finding before this moment."""
    return paused(state) and state.finding_before


def finding_after(state: State) -> bool:
    """Paused, and there is a finding after this moment."""
    return paused(state) and state.finding_after


def inside(state: State) -> bool:
    """Paused inside an Operation."""
    return paused(state) and state.is_inside
