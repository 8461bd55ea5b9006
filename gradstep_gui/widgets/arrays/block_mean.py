"""Shrinking a matrix to the pixels there are, without losing a NaN or an infinity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["block_mean"]


def block_mean(matrix: NDArray[Any], most_rows: int, most_columns: int) -> NDArray[np.float64]:
    """Return the means of blocks, few enough to fit.

    A block that holds a NaN is NaN, one that holds an infinity is infinite: what is wrong with a
    single element must be visible from afar.

    Args:
        matrix: Of shape (rows, columns), not empty.
        most_rows: How many rows of blocks there may be.
        most_columns: How many columns of blocks there may be.

    Returns:
        A matrix of at most (most_rows, most_columns); the matrix itself when it fits.

    Example:
        >>> block_mean(np.array([[1.0, 3.0, 5.0, 7.0]]), 1, 2).tolist()
        [[2.0, 6.0]]
        >>> block_mean(np.array([[1.0, np.nan, 5.0, np.inf]]), 1, 2).tolist()
        [[nan, inf]]
    """
    small = np.asarray(matrix, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        small = _along(small, most_rows, 0)
        return _along(small, most_columns, 1)


def _along(matrix: NDArray[np.float64], most: int, axis: int) -> NDArray[np.float64]:
    size = matrix.shape[axis]
    if size <= most:
        return matrix
    edges = np.arange(most) * size // most
    lengths = np.diff(np.append(edges, size)).astype(np.float64)
    sums: NDArray[np.float64] = np.add.reduceat(matrix, edges, axis=axis)
    return sums / (lengths[:, None] if axis == 0 else lengths)
