"""Why Actions cannot be done with what is open: sentences for their tooltips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.program.operation import Backward, Forward, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.records import State

__all__ = ["at_the_end", "no_divergence", "no_document", "not_inside", "not_into", "out_of_turn"]

_SAMPLES = {
    "zero_grad": ZeroGrad(),
    "forward": Forward(),
    "backward": Backward(),
    "step": Step(),
}


def no_divergence(state: State) -> str:
    """Only what comes next can be applied."""
    return state.abilities.diverge


def no_document(state: State) -> str:
    """There is no document to edit, export or replay."""
    return state.abilities.document


def at_the_end(state: State) -> str:
    """Nothing comes next."""
    goes_on = state.is_inside or state.can_go_forward or state.has_loop
    return "" if goes_on else state.abilities.go_on


def not_into(state: State) -> str:
    """Nothing comes next, or nothing that can be stepped into."""
    return at_the_end(state) or state.why_not_into


def out_of_turn(kind: str) -> Callable[[State], str]:
    """Return why an Operation of a kind does not come next."""

    def obstacle(state: State) -> str:
        if not state.abilities.diverge or state.next_kind == kind:
            return ""
        return at_the_end(state) or state.abilities.diverge

    return obstacle


def not_inside(kind: str) -> Callable[[State], str]:
    """Return why an Operation of a kind does not come next, or cannot be stepped into."""
    turn = out_of_turn(kind)

    def obstacle(state: State) -> str:
        if state.abilities.diverge and kind == state.next_kind:
            return state.why_not_into
        return turn(state)

    return obstacle
