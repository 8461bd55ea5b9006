"""The columns of a Series and their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.names import steps_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ELEMENTS", "ends", "index_text", "places", "small_elements"]

ELEMENTS = 64
"""Number of elements with a column of their own: those of the smallest tensors, as many as fit. In
100 000 iterations 64 elements and their gradients take 51 MB in float32."""


def small_elements(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the elements that have a column from the start, as `(tensor, element)`.

    Args:
        sizes: The number of elements of each tensor.

    Example:
        >>> small_elements([2, 1000])
        [(0, 0), (0, 1)]
    """
    left, whole = ELEMENTS, set()
    for at in sorted(range(len(sizes)), key=sizes.__getitem__):
        left -= sizes[at]
        if left < 0:
            break
        whole.add(at)
    return [(at, element) for at in sorted(whole) for element in range(sizes[at])]


def places(
    losses: Sequence[str],
    shapes: Mapping[str, tuple[int, ...]],
    picked: Sequence[tuple[int, int]],
) -> dict[str, int]:
    """Return the columns of a Series and their places in a row.

    Args:
        losses: Names of the losses.
        shapes: The tensors' shapes by name.
        picked: The elements from `small_elements`.
    """
    tensors = tuple(shapes)
    elements = [
        (tensors[at], index_text([int(i) for i in np.unravel_index(element, shapes[tensors[at]])]))
        for at, element in picked
    ]
    names = [
        *(f"loss/{name}" for name in losses),
        *(f"norm/{name}" for name in tensors),
        *(f"update/{name}" for name in tensors),
        *(f"norm/{name}.grad" for name in tensors),
        *(f"element/{name}{index}" for name, index in elements),
        *(f"element/{name}.grad{index}" for name, index in elements),
    ]
    return {name: at for at, name in enumerate(names)}


def index_text(index: Sequence[int]) -> str:
    """Return an element's index as text, as in column names.

    Example:
        >>> index_text((0, 3))
        '[0,3]'
    """
    return "[" + ",".join(map(str, index)) + "]"


def ends(weights: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the first and the last weight of every model with several layers.

    Example:
        >>> ends(("a.0.weight", "a.2.weight", "b.0.weight"))
        (('a.0.weight', 'a.2.weight'),)
    """
    models: dict[str, list[str]] = {}
    for name in weights:
        models.setdefault(steps_of(name)[0], []).append(name)
    return tuple((names[0], names[-1]) for names in models.values() if len(names) > 1)
