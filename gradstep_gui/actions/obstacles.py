"""Why Actions are disabled for what is open: sentences for their tooltips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.program.operation import Backward, Forward, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.records import State

__all__ = [
    "at_the_end",
    "no_divergence",
    "no_document",
    "no_replay",
    "no_resume",
    "not_inside",
    "not_into",
    "not_skipped",
    "out_of_turn",
]

_OUT_OF_LOOP = frozenset(("zero_grad", "step"))
"""What a script that is held can do out of turn."""

_SAMPLES = {
    "zero_grad": ZeroGrad(),
    "forward": Forward(),
    "backward": Backward(),
    "step": Step(),
}


def no_divergence(state: State) -> str:
    """Return why only the next Operation can be applied."""
    return state.abilities.diverge


def no_document(state: State) -> str:
    """Return why there is no document to edit, export or replay."""
    return state.abilities.document


def no_replay(state: State) -> str:
    """Return why no Events can be replayed on another branch."""
    return state.abilities.document or _no_events(state)


def no_resume(state: State) -> str:
    """Return why it cannot be checked whether the run can be resumed."""
    return state.abilities.diverge or _no_events(state)


def _no_events(state: State) -> str:
    """Return what to do first where no Event is recorded yet."""
    if state.work != "paused" or state.can_go_back or state.can_go_forward:
        return ""
    return QCoreApplication.translate(
        "Action", "There are no events yet: apply an operation first."
    )


def at_the_end(state: State) -> str:
    """Return why there is no next Operation."""
    has_next = state.is_inside or state.can_go_forward or state.has_loop
    return "" if has_next else state.abilities.go_on


def not_into(state: State) -> str:
    """Return why there is no next Operation that can be stepped into."""
    return at_the_end(state) or state.why_not_into


def out_of_turn(kind: str) -> Callable[[State], str]:
    """Return what says why an Operation of a kind cannot be applied now."""

    def obstacle(state: State) -> str:
        if not state.abilities.diverge or state.next_kind == kind:
            return ""
        why = state.abilities.out_of_loop if kind in _OUT_OF_LOOP else state.abilities.diverge
        return at_the_end(state) or why

    return obstacle


def not_skipped(state: State) -> str:
    """Return why the next Operation cannot be skipped."""
    return at_the_end(state) or state.abilities.skip


def not_inside(kind: str) -> Callable[[State], str]:
    """Return what says why an Operation of a kind cannot be stepped into now."""
    turn = out_of_turn(kind)

    def obstacle(state: State) -> str:
        if state.abilities.diverge and kind == state.next_kind:
            return state.why_not_into
        return turn(state)

    return obstacle
