"""What cuts the graph between a parameter and a loss, and what to do instead."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CALLS_THAT_CUT", "GRAPH_CUTS"]

GRAPH_CUTS: Mapping[str, str] = MappingProxyType(
    {
        "item()": "it returns a number without a graph, so use the tensor itself",
        "torch.tensor(...)": "it copies values without their graph, so compute with the "
        "tensors themselves, as with torch.stack() or a sum",
        ".data": "it has the values without their graph, so use the tensor itself",
        "detach()": "it has the values without their graph, so leave it out",
        "numpy()": "NumPy keeps no graph, so compute this with functions of torch",
        "argmax()": "it has no gradient, so compute the loss from its argument instead",
        "max(...)[1]": "it is the index of the largest value, which has no gradient, so compute "
        "the loss from the values instead",
        "no_grad()": "no graph is recorded there, so compute the loss outside of it",
    }
)
CALLS_THAT_CUT = f"{', '.join(list(GRAPH_CUTS)[:-1])}, or {list(GRAPH_CUTS)[-1]}"
"""What cuts a graph, as texts list it: the most frequent first."""
