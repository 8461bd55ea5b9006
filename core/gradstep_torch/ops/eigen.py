"""Eigenvalues and eigenvectors of symmetric matrices, A = V diag(L) V^T."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.operands import UNVERSIONED
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError
from gradstep_torch.ops.factors import square, transposed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Eigh", "eigh", "eigvalsh"]


class Eigh(NamedTuple):
    """Eigenvalues, the smallest first, and the eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def _factors(grad: Value, saved: tuple[Value, ...], triangle: str) -> tuple[Value, Value]:
    """Return the factors: those saved, or new ones if the backward pass is recorded."""
    if isinstance(grad, Tensor):
        return eigh(saved[0], triangle)
    return saved[1], saved[2]


class LinalgEighBackward0(Node):
    """The eigenvalues."""

    __slots__ = ()
    sources = (0, None, None)
    rule = "input: V * diag(grad) * V^T"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA = V diag(g) V^T."""
        _, vectors = _factors(grad, saved, self.context)
        return ((vectors * grad[..., None, :]) @ transposed(vectors),)


class LinalgEighBackward1(Node):
    """The eigenvectors; their gradient is infinite where eigenvalues are equal."""

    __slots__ = ()
    sources = (0, None, None)
    rule = "input: V * sym(F o (V^T grad)) * V^T, with F the inverse differences of eigenvalues"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA = V sym(F o (V^T g)) V^T with F_ij = 1 / (L_j - L_i), and 0 on the diagonal."""
        values, vectors = _factors(grad, saved, self.context)
        diagonal = np.eye(values.shape[-1])
        apart = values[..., None, :] - values[..., :, None] + _like(diagonal, values)
        inside = (transposed(vectors) @ grad) * _like(1 - diagonal, values) / apart
        even = (
            inside + transposed(inside)
        ) * 0.5  # the matrix is symmetric, and so is its gradient
        return (vectors @ even @ transposed(vectors),)


def _like(array: NDArray[Any], value: Value) -> Value:
    """Return a constant as a tensor or array like `value`, of the same element type."""
    if isinstance(value, Tensor):
        return wrap(array.astype(value._array.dtype))
    return array.astype(value.dtype)


def eigh(A: Tensor, UPLO: str = "L") -> Eigh:
    """Return the eigenvalues and eigenvectors of a symmetric matrix.

    Only one triangle is read, but the gradient is that of the whole symmetric matrix.

    Args:
        A: Of shape (..., n, n).
        UPLO: The triangle to read: "L" for lower, "U" for upper.

    Raises:
        ArgumentError: `UPLO` is neither "L" nor "U".
        TensorError: A is not square.

    Example:
        >>> import gradstep_torch as torch
        >>> eigh(torch.tensor([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
        tensor([1., 3.])
    """
    triangle: Any = UPLO.upper()
    if triangle not in {"L", "U"}:
        raise ArgumentError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    array = square("eigh", A)
    found = np.linalg.eigh(array, triangle) if np.isfinite(array).all() else None
    if found is None:
        raise TensorError(
            "linalg.eigh: The algorithm failed to converge: the matrix has elements that are not "
            "finite",
            "check it for NaN and infinities",
        )
    out = Eigh(wrap(found.eigenvalues), wrap(found.eigenvectors))
    if grad_mode.current.enabled and A._requires_grad:
        for kind, part in zip((LinalgEighBackward0, LinalgEighBackward1), out, strict=True):
            saved = (array, found.eigenvalues, found.eigenvectors)
            counters = (A._version_counter, UNVERSIONED, UNVERSIONED)
            record(kind, part, (A._grad_fn or A,), saved, counters, UPLO)
    return out


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of a symmetric matrix, the smallest first; arguments as for `eigh`."""
    return eigh(A, UPLO).eigenvalues
