"""Which nodes of a graph are drawn: a part of a large graph, and one box for each module call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.records.graph import GraphNode

__all__ = ["MOST", "PART", "folded", "nearest"]

MOST = 2000
"""Of a graph with more nodes, only `PART` nodes are drawn."""

PART = 500


def nearest(nodes: Sequence[GraphNode], centre: int, count: int) -> frozenset[int]:
    """Return the ids of the `count` nodes nearest to a node, by number of edges.

    Paths do not go through leaves: two operations that share a weight are not near.

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


def folded(nodes: Sequence[GraphNode]) -> dict[int, int]:
    """Map each node to the last operation of its module call, whose box it is in.

    A call that is interrupted by another one, such as a block that calls its parts, is folded in
    pieces of consecutive operations, so that no box leads back to itself. A
    leaf belongs to the piece that uses it, when that is the only one.

    Example:
        >>> from gradstep.history.records.graph import GraphNode
        >>> nodes = [GraphNode(0, "MulBackward0", (1,), module="m", call=1, order=1),
        ...          GraphNode(1, "AddBackward0", (2,), module="m", call=1, order=0),
        ...          GraphNode(2, "AccumulateGrad", (), tensor="m.bias", order=2)]
        >>> folded(nodes)
        {1: 0, 0: 0, 2: 0}
    """
    standing: dict[int, int] = {}
    piece: list[int] = []
    call: tuple[str, int] | None = None
    for node in sorted((n for n in nodes if not n.is_leaf), key=lambda node: node.order):
        if not node.module or (node.module, node.call) != call:
            piece = []
        call = node.module, node.call
        piece.append(node.id)
        standing.update(dict.fromkeys(piece, node.id))
    users: dict[int, set[int]] = {}
    for node in nodes:
        for to in node.inputs:
            users.setdefault(to, set()).add(standing[node.id])
    for node in nodes:
        using = users.get(node.id, set())
        if node.is_leaf and len(using) == 1 and nodes[min(using)].module:
            standing[node.id] = min(using)
    return standing
