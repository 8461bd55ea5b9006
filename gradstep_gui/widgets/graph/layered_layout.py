"""Layered layout of a graph without cycles: layers by longest path, few crossings, straight lines.

The three steps are those of K. Sugiyama, S. Tagawa, M. Toda, "Methods for visual understanding of
hierarchical system structures" (1981): assign layers, order each by barycentres, then place.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Placement", "Point", "layered"]

Point = tuple[float, float]

GAP_X, GAP_Y = 22.0, 30.0
_ORDERINGS = 6
_STRAIGHTENINGS = 6
_MOST_BENDS = 4
"""Edges are routed around boxes while there are no more than this many bends per box."""
_BEND_WIDTH = 12.0
_SPINE_WEIGHT = 100.0
"""The weight of inner boxes relative to leaves, when boxes are moved apart."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The result of a layout.

    Attributes:
        centres: The centre of each box.
        layers: The layer of each box, from 0 at the bottom.
        bends: The bends of each edge from top to bottom, by its ends.
    """

    centres: tuple[Point, ...]
    layers: tuple[int, ...]
    bends: Mapping[tuple[int, int], tuple[Point, ...]]


def layered(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Placement:
    """Place boxes so that each edge points down.

    A box is one layer above the highest box that it points to. Earlier edges into a box start
    left of later ones, where that adds no crossing.

    Args:
        sizes: Width and height of each box.
        edges: Pairs of box indices, upper and lower; without cycles.

    Returns:
        The placement; y grows downwards from 0.

    Example:
        >>> places = layered([(40, 20)] * 3, [(0, 2), (1, 2)])
        >>> places.layers, places.centres
        ((1, 1, 0), ((-31.0, 10.0), (31.0, 10.0), (0.0, 60.0)))
    """
    above, below = _neighbours(len(sizes), edges)
    layers = _layers(above, below)
    chains = _lead_around(layers, above, below)
    widths = [width for width, _ in sizes] + [_BEND_WIDTH] * (len(layers) - len(sizes))
    rows = _ordered(layers, above, below)
    xs = _straightened(rows, widths, above, below, len(sizes))
    heights = [max((sizes[v][1] for v in row if v < len(sizes)), default=0.0) for row in rows]
    ys = [0.0] * len(rows)
    top = 0.0
    for level in range(len(rows) - 1, -1, -1):
        ys[level] = top + heights[level] / 2
        top += heights[level] + GAP_Y
    points = [(xs[v], ys[layers[v]]) for v in range(len(layers))]
    return Placement(
        tuple(points[: len(sizes)]),
        tuple(layers[: len(sizes)]),
        {edge: tuple(points[v] for v in chain) for edge, chain in chains.items()},
    )


def _neighbours(
    count: int, edges: Sequence[tuple[int, int]]
) -> tuple[list[list[int]], list[list[int]]]:
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in dict.fromkeys(edges):
        above[lower].append(upper)
        below[upper].append(lower)
    return above, below


def _layers(above: list[list[int]], below: list[list[int]]) -> list[int]:
    """Return for each box the length of the longest path down from it."""
    layers = [0] * len(above)
    waiting = [len(lower) for lower in below]
    ready = [v for v, count in enumerate(waiting) if not count]
    for v in ready:
        for upper in above[v]:
            layers[upper] = max(layers[upper], layers[v] + 1)
            waiting[upper] -= 1
            if not waiting[upper]:
                ready.append(upper)
    return layers


def _lead_around(
    layers: list[int], above: list[list[int]], below: list[list[int]]
) -> dict[tuple[int, int], list[int]]:
    """Add a bend in each layer that an edge crosses, the shortest edges first.

    The edges of a box without incoming edges, such as a weight that is used a hundred times,
    are not changed: they enter from the side.
    """
    count = len(layers)
    long = [
        (layers[upper] - layers[lower] - 1, upper, lower)
        for lower in range(count)
        for upper in above[lower]
        if layers[upper] - layers[lower] > 1 and above[upper]
    ]
    chains: dict[tuple[int, int], list[int]] = {}
    for bends, upper, lower in sorted(long):
        if len(layers) + bends > count * (1 + _MOST_BENDS):
            break
        chain = list(range(len(layers), len(layers) + bends))
        layers.extend(range(layers[upper] - 1, layers[lower], -1))
        line = [upper, *chain, lower]
        above.extend([v] for v in line[:-2])
        below.extend([v] for v in line[2:])
        above[lower][above[lower].index(upper)] = line[-2]
        below[upper][below[upper].index(lower)] = line[1]
        chains[upper, lower] = chain
    return chains


def _ordered(layers: list[int], above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    """Return the layers from the bottom up, each ordered for few crossings."""
    rows: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
    seen = [False] * len(layers)
    stack = [v for v in range(len(layers) - 1, -1, -1) if not below[v]]
    while stack:  # depth-first upwards, which keeps related boxes together
        v = stack.pop()
        if not seen[v]:
            seen[v] = True
            rows[layers[v]].append(v)
            stack.extend(reversed(above[v]))
    place = [0.0] * len(layers)
    for row in rows:
        _number(row, place)
    for sweep in range(_ORDERINGS):
        upwards = sweep % 2 == 0
        neighbours = below if upwards else above
        for row in rows if upwards else reversed(rows):
            keys = {
                v: sum(place[w] for w in neighbours[v]) / len(neighbours[v])
                if neighbours[v]
                else place[v]
                for v in row
            }
            row.sort(key=keys.__getitem__)
            _number(row, place)
    return rows


def _number(row: list[int], place: list[float]) -> None:
    """Number a row around 0, so that rows of different lengths are centred."""
    middle = (len(row) - 1) / 2
    for at, v in enumerate(row):
        place[v] = at - middle


def _straightened(
    rows: list[list[int]],
    widths: list[float],
    above: list[list[int]],
    below: list[list[int]],
    count: int,
) -> list[float]:
    """Return the x of each box: near its linked boxes, and clear of its neighbours."""
    xs = [0.0] * len(widths)
    clear = [
        [(widths[one] + widths[two]) / 2 + GAP_X for one, two in pairwise(row)] for row in rows
    ]
    # Boxes with incoming edges are the spine; a leaf follows the box that it points to.
    spine = [bool(above[v]) or v >= count for v in range(len(widths))]
    weight = [_SPINE_WEIGHT if on_it else 1.0 for on_it in spine]
    for sweep in range(_STRAIGHTENINGS):
        upwards = sweep % 2 == 0
        for level in range(len(rows)) if upwards else range(len(rows) - 1, -1, -1):
            wanted = []
            for v in rows[level]:
                near = below[v] if upwards else [w for w in above[v] if spine[w]]
                near = near or below[v]
                wanted.append(sum(xs[w] for w in near) / len(near) if near else xs[v])
            weights = [weight[v] for v in rows[level]]
            for v, x in zip(rows[level], _apart(wanted, weights, clear[level]), strict=True):
                xs[v] = x
    return xs


def _apart(wanted: list[float], weights: list[float], clear: list[float]) -> list[float]:
    """Return the places nearest to the wanted ones, in least squares, in order and clear.

    Without the clearances that is an isotonic regression, by pooling of adjacent violators.
    """
    blocks: list[tuple[float, float, int]] = []
    offset, offsets = 0.0, []
    for at, x in enumerate(wanted):
        offset += clear[at - 1] if at else 0.0
        offsets.append(offset)
        mean, weight, size = x - offset, weights[at], 1
        while blocks and blocks[-1][0] > mean:
            before, heavy, many = blocks.pop()
            mean = (before * heavy + mean * weight) / (heavy + weight)
            weight, size = weight + heavy, size + many
        blocks.append((mean, weight, size))
    flat = [mean for mean, _, size in blocks for _ in range(size)]
    return [x + shift for x, shift in zip(flat, offsets, strict=True)]
