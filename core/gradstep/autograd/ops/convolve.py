"""Convolution of plain arrays: the three products of one form that is linear in each of three.

Let <conv(x, w), y> be that form. For two of input x, weight w and output y, each function here
gives the product that the form makes with the third; the gradient of one is the other two.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

__all__ = ["Geometry", "places", "to_input", "to_output", "to_weight"]

Array: TypeAlias = Any
"""An ndarray; NumPy's types follow no index made of several slices."""


class Geometry(NamedTuple):
    """How a kernel moves over an input; one number for each spatial dimension.

    Attributes:
        size: Of the input, without its padding.
        kernel: Size of the kernel.
        stride: From one place of the kernel to the next.
        padding: Zeros before and after.
        dilation: From one element of the kernel to the next.
        groups: Of channels that do not see each other.
        output: How many places of the kernel there are.
    """

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]
    groups: int
    output: tuple[int, ...]

    @property
    def padded(self) -> tuple[int, ...]:
        """Size of the input with its padding."""
        return tuple(n + sum(pad) for n, pad in zip(self.size, self.padding, strict=True))

    @property
    def span(self) -> tuple[int, ...]:
        """How far the kernel reaches."""
        return tuple(d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True))


def places(
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[tuple[int, int], ...],
    dilation: tuple[int, ...],
) -> tuple[int, ...]:
    """Return how many places there are for a kernel; arguments as for Geometry.

    Example:
        >>> places((7,), (3,), (2,), ((1, 1),), (1,))
        (4,)
    """
    return tuple(
        (n + before + after - dilated * (k - 1) - 1) // step + 1
        for n, k, step, (before, after), dilated in zip(
            size, kernel, stride, padding, dilation, strict=True
        )
    )


def _columns(geometry: Geometry, x: Array) -> Array:
    """Return what the kernel sees at each place: (batch, groups, channels x kernel, places)."""
    spatial = len(geometry.kernel)
    if any(before or after for before, after in geometry.padding):
        x = np.pad(x, ((0, 0), (0, 0), *geometry.padding))
    windows: Array = sliding_window_view(x, geometry.span, tuple(range(2, 2 + spatial)))
    moves = zip(geometry.output, geometry.stride, strict=True)
    taken = [slice(0, (count - 1) * step + 1, step) for count, step in moves]
    inside = [slice(None, None, step) for step in geometry.dilation]
    windows = windows[(..., *taken, *inside)]
    outer = tuple(range(2, 2 + spatial))
    elements = tuple(range(2 + spatial, 2 + 2 * spatial))
    ordered = windows.transpose(0, 1, *elements, *outer)
    seen = x.shape[1] // geometry.groups * prod(geometry.kernel)
    return ordered.reshape(len(x), geometry.groups, seen, prod(geometry.output))


def _grouped(geometry: Geometry, w: Array) -> Array:
    """Return the weight as a matrix for each group."""
    groups = geometry.groups
    return w.reshape(groups, len(w) // groups, prod(w.shape[1:]))


def to_output(geometry: Geometry, x: Array, w: Array) -> Array:
    """Return conv(x, w): the kernel's products with the input at each place."""
    product = _grouped(geometry, w) @ _columns(geometry, x)
    return product.reshape(len(x), len(w), *geometry.output)


def to_weight(geometry: Geometry, x: Array, y: Array) -> Array:
    """Return, for each element of the weight, the products that it takes part in, added up."""
    groups, channels = geometry.groups, y.shape[1]
    flat = y.reshape(len(y), groups, channels // groups, prod(geometry.output))
    product = (flat @ _columns(geometry, x).swapaxes(2, 3)).sum(0)
    return product.reshape(channels, x.shape[1] // groups, *geometry.kernel)


def to_input(geometry: Geometry, y: Array, w: Array) -> Array:
    """Return, for each element of the input, the products that it takes part in, added up."""
    groups, channels = geometry.groups, w.shape[1] * geometry.groups
    flat = y.reshape(len(y), groups, len(w) // groups, prod(geometry.output))
    columns = (_grouped(geometry, w).swapaxes(1, 2) @ flat).reshape(
        len(y), channels, *geometry.kernel, *geometry.output
    )
    made: Array = np.zeros((len(y), channels, *geometry.padded), columns.dtype)
    moves = list(zip(geometry.dilation, geometry.stride, geometry.output, strict=True))
    for element in np.ndindex(geometry.kernel):
        seen = tuple(
            slice(place * dilation, place * dilation + stride * (count - 1) + 1, stride)
            for place, (dilation, stride, count) in zip(element, moves, strict=True)
        )
        made[(..., *seen)] += columns[(slice(None), slice(None), *element)]
    inside = (
        slice(before, before + n)
        for n, (before, _) in zip(geometry.size, geometry.padding, strict=True)
    )
    return made[(..., *inside)]
