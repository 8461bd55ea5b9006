"""Convolution of plain arrays: the three products of one form that is linear in each of three.

Let <conv(x, w), y> be that form. For two of input x, weight w and output y, each function here
gives the product that the form makes with the third; the gradient of one is the other two.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Geometry", "output_sizes", "to_input", "to_output", "to_weight"]

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

    @property
    def inside(self) -> tuple[slice, ...]:
        """Where in the padded input the input itself is."""
        pads = zip(self.size, self.padding, strict=True)
        return tuple(slice(before, before + n) for n, (before, _) in pads)

    @property
    def batched(self) -> bool:
        """Whether the places of several samples are multiplied as one matrix."""
        return self.groups > 1 or prod(self.output) < _FEW


def output_sizes(
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[tuple[int, int], ...],
    dilation: tuple[int, ...],
) -> tuple[int, ...]:
    """Return how many places there are for a kernel; arguments as for Geometry.

    Example:
        >>> output_sizes((7,), (3,), (2,), ((1, 1),), (1,))
        (4,)
    """
    return tuple(
        (n + before + after - dilated * (k - 1) - 1) // step + 1
        for n, k, step, (before, after), dilated in zip(
            size, kernel, stride, padding, dilation, strict=True
        )
    )


def _sliding_windows(geometry: Geometry, x: Array) -> Array:
    """Return a view of what the kernel sees: (batch, channels, *kernel, *places)."""
    if any(before or after for before, after in geometry.padding):
        padded: Array = np.zeros((*x.shape[:2], *geometry.padded), x.dtype)
        padded[(..., *geometry.inside)] = x
        x = padded
    steps = x.strides[2:]
    return as_strided(
        x,
        (*x.shape[:2], *geometry.kernel, *geometry.output),
        (
            *x.strides[:2],
            *(step * n for step, n in zip(steps, geometry.dilation, strict=True)),
            *(step * n for step, n in zip(steps, geometry.stride, strict=True)),
        ),
        writeable=False,
    )


def _chunks(geometry: Geometry, samples: int, each: int) -> Iterator[slice]:
    """Give the samples in parts whose columns stay in the cache; `each` is a sample's channels."""
    elements = each * prod(geometry.kernel) * prod(geometry.output)
    count = max(1, _CACHE // max(elements, 1))
    return (slice(start, start + count) for start in range(0, samples, count))


_CACHE = 1 << 18
"""Elements; neither a quarter nor four times as many was faster, with 1 MB of cache a core."""

_FEW = 64
"""Places; so few make a matrix so small that starting its product takes as long as the product."""


def _im2col(geometry: Geometry, windows: Array) -> Array:
    """Return what the kernel sees, as a matrix for each sample and group: (elements, places).

    With `geometry.batched` it is one matrix a group: all samples' places side by side.
    """
    samples, channels, *_ = windows.shape
    groups, places = geometry.groups, prod(geometry.output)
    elements = channels // groups * prod(geometry.kernel)
    if not geometry.batched:
        return windows.reshape(samples, groups, elements, places)
    spatial = len(geometry.kernel)
    return np.moveaxis(windows, 0, 1 + spatial).reshape(1, groups, elements, samples * places)


def _output_matrices(geometry: Geometry, y: Array) -> Array:
    """Return an output as matrices (channels, places) that go with those of `_im2col`."""
    samples, channels, *_ = y.shape
    groups, places = geometry.groups, prod(geometry.output)
    lanes = y.reshape(samples, groups, channels // groups, places)
    if not geometry.batched:
        return lanes
    shape = (1, groups, channels // groups, samples * places)
    return lanes.transpose(1, 2, 0, 3).reshape(shape)


def _grouped(geometry: Geometry, w: Array) -> Array:
    """Return the weight as a matrix for each group: (channels, elements)."""
    groups = geometry.groups
    return w.reshape(groups, len(w) // groups, prod(w.shape[1:]))


def to_output(geometry: Geometry, x: Array, w: Array) -> Array:
    """Return conv(x, w): the kernel's products with the input at each place."""
    windows, weight = _sliding_windows(geometry, x), _grouped(geometry, w)
    out = np.empty((len(x), *weight.shape[:2], prod(geometry.output)), x.dtype)
    for part in _chunks(geometry, len(x), x.shape[1]):
        made, columns = out[part], _im2col(geometry, windows[part])
        if geometry.batched:
            product = (weight @ columns).reshape(*made.shape[1:3], len(made), made.shape[3])
            made[...] = product.transpose(2, 0, 1, 3)
        else:
            np.matmul(weight, columns, out=made)
    return out.reshape(len(x), len(w), *geometry.output)


def to_weight(geometry: Geometry, x: Array, y: Array) -> Array:
    """Return, for each element of the weight, the products that it takes part in, added up."""
    groups, channels, windows = geometry.groups, y.shape[1], _sliding_windows(geometry, x)
    elements = x.shape[1] // groups * prod(geometry.kernel)
    total = np.zeros((groups, channels // groups, elements), y.dtype)
    for part in _chunks(geometry, len(x), x.shape[1]):
        columns = _im2col(geometry, windows[part])
        total += (_output_matrices(geometry, y[part]) @ columns.swapaxes(2, 3)).sum(0)
    return total.reshape(channels, x.shape[1] // groups, *geometry.kernel)


def to_input(geometry: Geometry, y: Array, w: Array) -> Array:
    """Return, for each element of the input, the products that it takes part in, added up."""
    channels = w.shape[1] * geometry.groups
    turned = _grouped(geometry, w).swapaxes(1, 2)
    out = np.empty((len(y), channels, *geometry.size), y.dtype)
    for part in _chunks(geometry, len(y), channels):
        lanes = _output_matrices(geometry, y[part])
        # a group of one channel is an outer product, which a product of matrices is slow at
        columns = turned * lanes if lanes.shape[2] == 1 else turned @ lanes
        out[part] = _col2im(geometry, columns, (len(out[part]), channels))
    return out


def _col2im(geometry: Geometry, columns: Array, shape: tuple[int, int]) -> Array:
    """Return columns added where the kernel saw them, as (samples, channels, *size)."""
    samples, channels = shape
    if geometry.batched:
        seen = columns.reshape(channels, *geometry.kernel, samples, *geometry.output)
        columns = np.moveaxis(seen, 1 + len(geometry.kernel), 0)
    else:
        columns = columns.reshape(samples, channels, *geometry.kernel, *geometry.output)
    made: Array = np.zeros((samples, channels, *geometry.padded), columns.dtype)
    moves = list(zip(geometry.dilation, geometry.stride, geometry.output, strict=True))
    for element in np.ndindex(geometry.kernel):
        under = tuple(
            slice(place * dilation, place * dilation + stride * (count - 1) + 1, stride)
            for place, (dilation, stride, count) in zip(element, moves, strict=True)
        )
        made[(..., *under)] += columns[(slice(None), slice(None), *element)]
    return made[(..., *geometry.inside)]
