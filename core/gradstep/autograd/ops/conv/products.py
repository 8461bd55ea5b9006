"""Convolution of NumPy arrays by im2col: forward, input gradient and weight gradient.

The form <conv(x, w), y> is linear in input x, weight w and output y. Each function here contracts
it with two of them, which is its derivative with respect to the third; so the gradients of one
function are the other two.
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
"""An ndarray; NumPy's types do not cover an index of several slices."""


class Geometry(NamedTuple):
    """The sizes of a convolution; one number per spatial dimension.

    Attributes:
        size: Input size without padding.
        kernel: Kernel size.
        stride: Step of the kernel.
        padding: Zeros before and after.
        dilation: Spacing between kernel elements.
        groups: Number of groups of channels that are convolved separately.
        output: Output size.
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
        """Input size with padding."""
        return tuple(n + sum(pad) for n, pad in zip(self.size, self.padding, strict=True))

    @property
    def span(self) -> tuple[int, ...]:
        """Kernel size with dilation."""
        return tuple(d * (k - 1) + 1 for d, k in zip(self.dilation, self.kernel, strict=True))

    @property
    def inside(self) -> tuple[slice, ...]:
        """The slices of the padded input that hold the input."""
        pads = zip(self.size, self.padding, strict=True)
        return tuple(slice(before, before + n) for n, (before, _) in pads)

    @property
    def batched(self) -> bool:
        """Whether several samples are multiplied as one matrix."""
        return self.groups > 1 or prod(self.output) < _MIN_COLUMNS


def output_sizes(
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[tuple[int, int], ...],
    dilation: tuple[int, ...],
) -> tuple[int, ...]:
    """Return the output size; arguments as for Geometry.

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
    """Return a view of the input windows: (batch, channels, *kernel, *output)."""
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
    """Split the samples into chunks that fit in the cache; `each` is the channels per sample."""
    elements = each * prod(geometry.kernel) * prod(geometry.output)
    count = max(1, _CACHE // max(elements, 1))
    return (slice(start, start + count) for start in range(0, samples, count))


_CACHE = 1 << 18
"""Elements per chunk; a quarter and four times as many were slower with 1 MB of cache per core."""

_MIN_COLUMNS = 64
"""Output elements; below it, the overhead of a matrix product equals the product itself."""


def _im2col(geometry: Geometry, windows: Array) -> Array:
    """Return the windows as a matrix per sample and group: (window elements, output elements).

    With `geometry.batched` there is one matrix per group, with the samples side by side.
    """
    samples, channels, *_ = windows.shape
    groups, places = geometry.groups, prod(geometry.output)
    elements = channels // groups * prod(geometry.kernel)
    if not geometry.batched:
        return windows.reshape(samples, groups, elements, places)
    spatial = len(geometry.kernel)
    return np.moveaxis(windows, 0, 1 + spatial).reshape(1, groups, elements, samples * places)


def _output_matrices(geometry: Geometry, y: Array) -> Array:
    """Return an output as matrices (channels, output elements), matching those of `_im2col`."""
    samples, channels, *_ = y.shape
    groups, places = geometry.groups, prod(geometry.output)
    matrices = y.reshape(samples, groups, channels // groups, places)
    if not geometry.batched:
        return matrices
    shape = (1, groups, channels // groups, samples * places)
    return matrices.transpose(1, 2, 0, 3).reshape(shape)


def _grouped(geometry: Geometry, w: Array) -> Array:
    """Return the weight as a matrix per group: (channels, window elements)."""
    groups = geometry.groups
    return w.reshape(groups, len(w) // groups, prod(w.shape[1:]))


def to_output(geometry: Geometry, x: Array, w: Array) -> Array:
    """Return conv(x, w)."""
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
    """Return the gradient of <conv(x, w), y> with respect to w."""
    groups, channels, windows = geometry.groups, y.shape[1], _sliding_windows(geometry, x)
    elements = x.shape[1] // groups * prod(geometry.kernel)
    total = np.zeros((groups, channels // groups, elements), y.dtype)
    for part in _chunks(geometry, len(x), x.shape[1]):
        columns = _im2col(geometry, windows[part])
        total += (_output_matrices(geometry, y[part]) @ columns.swapaxes(2, 3)).sum(0)
    return total.reshape(channels, x.shape[1] // groups, *geometry.kernel)


def to_input(geometry: Geometry, y: Array, w: Array) -> Array:
    """Return the gradient of <conv(x, w), y> with respect to x."""
    channels = w.shape[1] * geometry.groups
    transposed = _grouped(geometry, w).swapaxes(1, 2)
    out = np.empty((len(y), channels, *geometry.size), y.dtype)
    for part in _chunks(geometry, len(y), channels):
        matrices = _output_matrices(geometry, y[part])
        # one channel per group is an outer product, which matmul computes slowly
        columns = transposed * matrices if matrices.shape[2] == 1 else transposed @ matrices
        out[part] = _col2im(geometry, columns, (len(out[part]), channels))
    return out


def _col2im(geometry: Geometry, columns: Array, shape: tuple[int, int]) -> Array:
    """Add the columns up at their input elements: (samples, channels, *size)."""
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
