"""A matrix as pixels: means of blocks, and viridis with extra colours for NaN and infinities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MINUS_INF", "NAN", "PLUS_INF", "VIRIDIS", "block_mean", "colourise"]


def block_mean(matrix: NDArray[Any], most_rows: int, most_columns: int) -> NDArray[np.float64]:
    """Return the means of blocks, few enough to fit.

    A block with a NaN is NaN, and one with an infinity is infinite: a wrong element must be
    visible when zoomed out.

    Args:
        matrix: Of shape (rows, columns), not empty.
        most_rows: The largest number of rows of blocks.
        most_columns: The largest number of columns of blocks.

    Returns:
        A matrix of at most (most_rows, most_columns); the matrix itself when it fits.

    Example:
        >>> block_mean(np.array([[1.0, 3.0, 5.0, 7.0]]), 1, 2).tolist()
        [[2.0, 6.0]]
        >>> block_mean(np.array([[1.0, np.nan, 5.0, np.inf]]), 1, 2).tolist()
        [[nan, inf]]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        small = _along(matrix, most_columns, 1)  # first where the elements are side by side
        return _along(small, most_rows, 0)


def _along(matrix: NDArray[Any], most: int, axis: int) -> NDArray[np.float64]:
    size = matrix.shape[axis]
    if size <= most:
        return np.asarray(matrix, np.float64)
    edges = np.arange(most) * size // most
    lengths = np.diff(np.append(edges, size)).astype(np.float64)
    sums: NDArray[np.float64] = np.add.reduceat(matrix, edges, axis=axis, dtype=np.float64)
    return sums / (lengths[:, None] if axis == 0 else lengths)


# 20 of the colours of viridis (S. van der Walt and N. Smith, 2015, CC0); linear interpolation
# between them is indistinguishable from the original.
_ANCHORS = np.array(
    [
        [0x44, 0x01, 0x54], [0x48, 0x15, 0x67], [0x48, 0x26, 0x77], [0x45, 0x37, 0x81],
        [0x40, 0x47, 0x88], [0x39, 0x56, 0x8C], [0x33, 0x63, 0x8D], [0x2D, 0x70, 0x8E],
        [0x28, 0x7D, 0x8E], [0x23, 0x8A, 0x8D], [0x1F, 0x96, 0x8B], [0x20, 0xA3, 0x87],
        [0x29, 0xAF, 0x7F], [0x3C, 0xBB, 0x75], [0x55, 0xC6, 0x67], [0x73, 0xD0, 0x55],
        [0x95, 0xD8, 0x40], [0xB8, 0xDE, 0x29], [0xDC, 0xE3, 0x19], [0xFD, 0xE7, 0x25],
    ]
)  # fmt: skip

_NAN_INDEX, _PLUS_INDEX, _MINUS_INDEX = 256, 257, 258
NAN = 0xFFE4007C
PLUS_INF = 0xFFFFFFFF
MINUS_INF = 0xFF000000


def _table() -> NDArray[np.uint32]:
    at = np.linspace(0, len(_ANCHORS) - 1, 256)
    table = np.full(256, 0xFF, np.uint32)
    for channel in _ANCHORS.T:
        level = np.interp(at, np.arange(len(_ANCHORS)), channel).round().astype(np.uint32)
        table = (table << np.uint32(8)) | level
    return table


VIRIDIS: NDArray[np.uint32] = _table()
"""256 colours as 0xAARRGGBB, from the lowest value to the highest."""

_LOOKUP = np.concatenate([VIRIDIS, np.array([NAN, PLUS_INF, MINUS_INF], np.uint32)])


def colourise(values: NDArray[Any], low: float, high: float) -> NDArray[np.uint32]:
    """Map numbers to colours.

    Args:
        values: Numbers of any shape.
        low: The value at viridis's dark end.
        high: The value at its bright end; equal to `low` when all numbers are the same, which
            then all get the middle colour.

    Returns:
        0xAARRGGBB of the same shape, contiguous, for `QImage.Format_RGB32`.

    Example:
        >>> colours = colourise(np.array([0.0, 1.0, np.nan]), 0.0, 1.0)
        >>> [hex(c) for c in colours.tolist()]
        ['0xff440154', '0xfffde725', '0xffe4007c']
    """
    numbers = np.asarray(values, dtype=np.float64)
    span = high - low
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = (numbers - low) * (255.0 / span) if span > 0 else np.full(numbers.shape, 127.0)
        index = np.array(np.clip(np.nan_to_num(scaled, nan=0.0), 0.0, 255.0), dtype=np.intp)
    index[np.isnan(numbers)] = _NAN_INDEX
    index[np.isposinf(numbers)] = _PLUS_INDEX
    index[np.isneginf(numbers)] = _MINUS_INDEX
    return np.ascontiguousarray(_LOOKUP[index])
