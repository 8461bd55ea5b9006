"""A part of a graph that is too large to be looked at whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.records.graph import GraphNode

__all__ = ["MOST", "PART", "nearest"]

MOST = 2000
"""A graph of more nodes than this is shown in part."""

PART = 500


def nearest(nodes: Sequence[GraphNode], centre: int, count: int) -> frozenset[int]:
    """Return the ids of so many nodes, those that the fewest edges part from the one in the middle.

    No way leads through a leaf: two operations are not near because they share a weight.

    Example:
        >>> from gradstep.history.records.graph import GraphNode
        >>> chain = [GraphNode(at, "AddBackward0", (at + 1,) if at < 9 else ()) for at in range(10)]
        >>> sorted(nearest(chain, 4, 5))
        [2, 3, 4, 5, 6]
    """
    users: list[list[int]] = [[] for _ in nodes]
    for node in nodes:
        for to in node.inputs:
            users[to].append(node.id)
    found = [centre]
    seen = {centre}
    for at in found:
        if nodes[at].is_leaf and at != centre:
            continue
        for other in (*nodes[at].inputs, *users[at]):
            if other not in seen and len(found) < count:
                seen.add(other)
                found.append(other)
        if len(found) >= count:
            break
    return frozenset(found)
