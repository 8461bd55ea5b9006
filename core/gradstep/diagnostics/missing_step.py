"""What is told of an optimizer of a script that never steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.names import unnumbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.diagnostics.script_outline import ScriptOutline

__all__ = ["WITHOUT_STEP", "step_missing"]

WITHOUT_STEP = 6
"""Iterations in which gradients are cleared, or the script ends, before a Step is missing."""


def step_missing(
    script: ScriptOutline, optimizer: str, names: tuple[str, ...], events: Sequence[int]
) -> Observation:
    """Return the observation that the gradients of an optimizer were written and never used.

    Args:
        script: What is known of the script.
        optimizer: The optimizer.
        names: The tensors that have the gradients.
        events: The first and the last Backward that wrote them, and what shows that.
    """
    places, name = script.step_calls(optimizer), unnumbered(optimizer)
    if places:
        call = f"{name}.step() ({joined_names(places)})"
        note = f"{call} was not reached"
        cause = f"Check what {call} depends on: it was not reached after the Backward"
    else:
        note = f"{name}.step() was not called"
        cause = f"Call {name}.step() after the Backward"
    return Observation("step-missing", names, tuple(events), note, cause=cause)
