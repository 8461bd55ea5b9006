"""Notice: something about a variable of a script that its Events do not show."""

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
            - "outside": in the line `target`, a BCELoss was to compute it from values that are no
              probabilities;
            - "unfrozen": it was set to False and has no such attribute, so that it still learns;
            - "shard": it is a part of a tensor that is divided among processes;
            - "own_state": a module is to load its own tensors, because no copy of them was kept;
            - "unmatched": a state was loaded into it of which no name fitted;
            - "used_up": an iterator gave a clipping nothing;
            - "origin": the node in which the first NaN or infinity began;
            - "criterion": the layer that a criterion is applied to;
            - "evaluation": a module was in evaluation mode when it was first seen;
            - "applied": a parameter of a module is combined with the output of the module `target`.
        name: The variable.
        target: The loss, the optimizer, or the function; for "criterion" the two classes; for
            "unfrozen" the attribute; for "unmatched" a name of the state, and one of the module;
            empty for "evaluation" and "shard", and if an error that ended the script showed it.
        event: The first Event that may show it.
    """

    what: str
    name: str
    target: str
    event: int
