"""Input checks of matrix functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import TensorError, UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.graph import Value
    from gradstep.autograd.tensor import Tensor

__all__ = ["matrices", "square", "transposed"]

_MATRIX = 2  # dimensions


def matrices(name: str, input: Tensor) -> NDArray[Any]:
    """Return the array of a floating-point matrix, or of a batch of them.

    Args:
        name: The function's name, for errors.
        input: Of shape (..., m, n).

    Raises:
        TensorError: It has fewer than two dimensions, or is not floating-point.
        UnsupportedError: LAPACK has no routine for its element type.
    """
    array = input._array
    if array.ndim < _MATRIX:
        raise TensorError(
            f"linalg.{name}: The input tensor A must have at least 2 dimensions, but its shape is "
            f"{list(array.shape)}"
        )
    if array.dtype.kind != "f":
        raise TensorError(
            f"linalg.{name}: Expected a floating point or complex tensor as input. "
            f"Got {array.dtype}",
            "convert it with .float() first",
        )
    if array.dtype == np.float16:
        raise UnsupportedError(
            f"linalg.{name} is not implemented for 'Half'", "convert it with .float() first"
        )
    return array


def square(name: str, input: Tensor) -> NDArray[Any]:
    """Return the array of a square matrix, or of a batch of them.

    Raises:
        TensorError: The matrices are not square, or `matrices` raises.
    """
    array = matrices(name, input)
    rows, columns = array.shape[-2:]
    if rows != columns:
        raise TensorError(
            f"linalg.{name}: A must be batches of square matrices, "
            f"but they are {rows} by {columns} matrices"
        )
    return array


def transposed(matrix: Value) -> Value:
    """Return each matrix of a batch transposed."""
    return matrix.swapaxes(-1, -2)
