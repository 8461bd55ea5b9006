"""Notice: what is known of a variable of a script besides its Events."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Notice"]


class Notice(NamedTuple):
    """Something about a variable of a script that its Events do not show.

    Attributes:
        what: What was noticed:

            - "total": a sum of losses keeps their graphs;
            - "carried": each iteration computes it with a graph from its value in the one before;
            - "kept": it brings a graph into each iteration as it was;
            - "order": a DataLoader gives the same batches in the same order in each epoch;
            - "epoch": so does one whose sampler shuffles by the epoch, which it is not given;
            - "renewed": an optimizer is created again in each iteration;
            - "closure": an optimizer's closure clears nothing;
            - "rebound": a result was assigned to a parameter's name;
            - "result": it holds a result, so its .grad is None, and the line `target` failed;
            - "in_place": it holds a leaf, which the line `target` could not change in place;
            - "outside": it was to be computed by BCELoss in the line `target`, of no probabilities;
            - "unfrozen": it was set to False and has no such attribute, so that it still learns;
            - "shard": it is a part of a tensor that is divided among processes;
            - "own_state": a module is to load its own tensors, of which no copy was kept;
            - "used_up": an iterator gave a clipping nothing;
            - "origin": the node in which the first NaN or infinity began;
            - "criterion": the layer that a criterion is applied to;
            - "evaluation": a module was in evaluation mode when it was met;
            - "applied": a parameter of a module meets what the module `target` has computed.
        name: The variable.
        target: The loss, the optimizer, or the function; of "criterion" the two classes; of
            "unfrozen" the attribute; empty of "evaluation" and "shard", and where an error that
            ended the script showed it.
        event: The first Event that may show it.
    """

    what: str
    name: str
    target: str
    event: int
