"""When an Action can be triggered: questions to the state of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep_gui.records import State

__all__ = [
    "at_rest",
    "broken",
    "coming",
    "data",
    "finding_after",
    "finding_before",
    "future",
    "inside",
    "left_over",
    "loop",
    "opened",
    "past",
    "paused",
    "recorded",
    "removed",
    "running",
]


def opened(state: State) -> bool:
    """A program is open."""
    return state.work != "empty"


def paused(state: State) -> bool:
    """A program is held, and nothing runs."""
    return state.work == "paused"


def running(state: State) -> bool:
    """The program runs, or what is recorded is replayed."""
    return state.work in {"running", "replaying"}


def recorded(state: State) -> bool:
    """The program is held, and something was recorded."""
    return paused(state) and (state.can_go_back or state.can_go_forward)


def removed(state: State) -> bool:
    """The program is held, and a branch of it was removed that can be put back."""
    return paused(state) and state.has_removed_branch


def at_rest(state: State) -> bool:
    """Nothing runs, and there may be no program."""
    return state.work in {"empty", "paused"}


def left_over(state: State) -> bool:
    """Nothing runs, and a recording was left by a process that ended without closing."""
    return at_rest(state) and state.has_recovery


def broken(state: State) -> bool:
    """Nothing runs, and a program document could not be opened."""
    return at_rest(state) and state.has_broken_document


def loop(state: State) -> bool:
    """The program is held, and has a loop to run."""
    return paused(state) and state.has_loop


def coming(state: State) -> bool:
    """The program is held, and there is something to go on with: inside, on record, or a loop."""
    return paused(state) and (state.is_inside or state.can_go_forward or state.has_loop)


def data(state: State) -> bool:
    """The program is held, and has data."""
    return paused(state) and state.has_data


def past(state: State) -> bool:
    """The program is held, and something lies before this moment."""
    return paused(state) and state.can_go_back


def future(state: State) -> bool:
    """The program is held, and something lies after this moment."""
    return paused(state) and state.can_go_forward


def finding_before(state: State) -> bool:
    """The program is held, and something was noticed before this moment."""
    return paused(state) and state.finding_before


def finding_after(state: State) -> bool:
    """The program is held, and something was noticed after this moment."""
    return paused(state) and state.finding_after


def inside(state: State) -> bool:
    """The program is held inside an Operation."""
    return paused(state) and state.is_inside
