"""Notice: what is known of a variable of a script besides its Events."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Notice"]


class Notice(NamedTuple):
    """Something about a variable of a script that its Events do not show.

    Attributes:
        what: "total" for a sum of losses that keeps their graphs; "carried" for what an iteration
            computes with a graph from its value in the one before, and "kept" for what it takes
            over as it was; "order" for a DataLoader that
            trains with the same batches in the same order in each epoch; "renewed" for an optimizer
            that is created again in each iteration; "closure" for one whose closure clears nothing;
            "origin" for the node in which the first NaN or infinity began; "criterion" for the
            layer that a criterion is applied to.
        name: The variable.
        target: The loss, or the optimizer; of "criterion" the two classes.
        event: The first Event that may show it.
    """

    what: str
    name: str
    target: str
    event: int
