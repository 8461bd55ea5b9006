"""Linear systems, inverses, determinants and Cholesky factors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.select import where, where_method
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import TensorError
from gradstep_torch.ops.factors import matrices, square, transposed
from gradstep_torch.ops.layout import tril, triu

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cholesky", "det", "inv", "logdet", "slogdet", "solve", "solve_triangular"]


def _solved(matrix: Value, right: Value) -> Value:
    """Solve a linear system of arrays or tensors."""
    return solve(matrix, right) if isinstance(right, Tensor) else np.linalg.solve(matrix, right)


def _inverse(matrix: Value) -> Value:
    """Invert an array or a tensor; the inverse of a singular array is filled with infinity."""
    if isinstance(matrix, Tensor):
        return inv(matrix)
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.inf)


class LinalgSolveExBackward0(Node):
    """The solution x of A x = b, for a matrix b."""

    __slots__ = ()
    sources = (0, -1)
    rule = "input: -solve(input^T, grad) * result^T; other: solve(input^T, grad)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Db = A^-T g; dA = -db x^T."""
        first, second = self.edges
        left, right = self.context
        a, x = saved
        by_right = _solved(transposed(a), grad)
        return (
            None if first is None else generic.unbroadcast(-by_right @ transposed(x), left),
            None if second is None else generic.unbroadcast(by_right, right),
        )


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Return the solution X of A X = B.

    Args:
        A: Of shape (..., n, n).
        B: Of shape (..., n, k), or a vector, or a batch of vectors like A's.
        left: If False, solve X A = B instead.

    Raises:
        TensorError: A is not square, or singular, or the shapes do not match.

    Example:
        >>> import gradstep_torch as torch
        >>> solve(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([2.0, 2.0]))
        tensor([1.0000, 0.5000])
    """
    a, b = square("solve", A), B._array
    vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    if vector:
        column: Tensor = solve(A, B.unsqueeze(-1), left=left).squeeze(-1)
        return column
    if not left:
        turned: Tensor = solve(A.mT, B.mT).mT
        return turned
    if a.dtype != b.dtype:
        raise TensorError(
            f"linalg.solve: Expected A and B to have the same dtype, but got {a.dtype} and "
            f"{b.dtype}"
        )
    if b.ndim < 2 or a.shape[-1] != b.shape[-2]:  # noqa: PLR2004 - a matrix
        sizes = "x".join(map(str, a.shape[-2:])), "x".join(map(str, b.shape[-2:]))
        raise TensorError(
            "linalg.solve: Incompatible shapes of A and B for the equation AX = B "
            f"({sizes[0]} and {sizes[1]})"
        )
    try:
        out = wrap(np.linalg.solve(a, b))
    except np.linalg.LinAlgError:
        raise TensorError(
            "linalg.solve: The solver failed because the input matrix is singular"
        ) from None
    if grad_mode.current.enabled and (A._requires_grad or B._requires_grad):
        record(
            LinalgSolveExBackward0,
            out,
            (edge(A), edge(B)),
            (a, out._array),
            (A._version_counter, out._version_counter),
            (a.shape, b.shape),
        )
    return out


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Return the solution X of A X = B for a triangular A; the other triangle is ignored.

    Args:
        A: Of shape (..., n, n).
        B: Of shape (..., n, k).
        upper: Whether A is upper triangular, instead of lower.
        left: If False, solve X A = B instead.
        unitriangular: Whether to treat the diagonal of A as ones.

    Raises:
        TensorError: The shapes do not match, or a diagonal element is 0.

    Example:
        >>> import gradstep_torch as torch
        >>> a = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
        >>> solve_triangular(a, torch.tensor([[2.0], [3.0]]), upper=False)
        tensor([[1.],
                [2.]])
    """
    matrices("solve_triangular", B)
    size = square("solve_triangular", A).shape[-1]
    triangle = triu(A) if upper else tril(A)
    if unitriangular:
        triangle = where(np.eye(size, dtype=np.bool_), 1.0, triangle)
    return solve(triangle, B, left=left)


class LinalgInvExBackward0(Node):
    """The inverse of a matrix."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: -result^T * grad * result^T"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA = -A^-T g A^-T."""
        turned = transposed(saved[0])
        return (-turned @ grad @ turned,)


def inv(A: Tensor) -> Tensor:
    """Return the inverse of a square matrix, or of each in a batch.

    Raises:
        TensorError: The matrix is not square, or singular.

    Example:
        >>> import gradstep_torch as torch
        >>> inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    try:
        out = wrap(np.linalg.inv(square("inv", A)))
    except np.linalg.LinAlgError:
        raise TensorError(
            "linalg.inv: The inversion could not be completed because the input matrix is singular"
        ) from None
    if grad_mode.current.enabled and A._requires_grad:
        saved, counters = (out._array,), (out._version_counter,)
        record(LinalgInvExBackward0, out, (A._grad_fn or A,), saved, counters)
    return out


class LinalgDetBackward0(Node):
    """The determinant."""

    __slots__ = ()
    sources = (0, -1)
    rule = "input: grad * result * inverse(input)^T"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA = g det A^-T = g times the cofactors, computed by SVD so that A may be singular."""
        a, result = saved
        share = grad.reshape((*grad.shape, 1, 1))
        if isinstance(grad, Tensor):
            return (share * result.reshape(share.shape) * transposed(_inverse(a)),)
        u, s, vh = np.linalg.svd(a)
        size = s.shape[-1]
        others = np.where(np.eye(size, dtype=np.bool_), 1.0, s[..., None, :]).prod(-1)
        turn = np.linalg.det(u) * np.linalg.det(vh)
        cofactors = (u * (others * turn[..., None])[..., None, :]) @ vh
        return ((share * cofactors).astype(a.dtype),)


def det(A: Tensor) -> Tensor:
    """Return the determinant of a square matrix, or of each in a batch.

    Example:
        >>> import gradstep_torch as torch
        >>> det(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor(8.)
    """
    a = square("det", A)
    out = wrap(np.asarray(np.linalg.det(a), a.dtype))
    if grad_mode.current.enabled and A._requires_grad:
        saved, counters = (a, out._array), (A._version_counter, out._version_counter)
        record(LinalgDetBackward0, out, (A._grad_fn or A,), saved, counters)
    return out


class LinalgSlogdetBackward0(Node):
    """The logarithm of the determinant's absolute value."""

    __slots__ = ()
    rule = "input: grad * inverse(input)^T"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA = g A^-T."""
        return (grad.reshape((*grad.shape, 1, 1)) * transposed(_inverse(saved[0])),)


class Slogdet(NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: Tensor
    logabsdet: Tensor


def slogdet(A: Tensor) -> Slogdet:
    """Return the sign of the determinant, and the logarithm of its absolute value.

    Example:
        >>> import gradstep_torch as torch
        >>> slogdet(torch.tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
        tensor(-1.)
    """
    a = square("slogdet", A)
    sign, size = np.linalg.slogdet(a)
    out = wrap(np.asarray(size, a.dtype))
    if grad_mode.current.enabled and A._requires_grad:
        record(LinalgSlogdetBackward0, out, (A._grad_fn or A,), (a,), (A._version_counter,))
    return Slogdet(wrap(np.asarray(sign, a.dtype)), out)


def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant, NaN where it is negative."""
    sign, size = slogdet(input)
    return where_method(size, sign >= 0, float("nan"))


class LinalgCholeskyExBackward0(Node):
    """The lower triangular L of A = L L^T."""

    __slots__ = ()
    sources = (-1,)
    rule = "input: the symmetric part of L^-T * lower(L^T * grad) * L^-1, L the result"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Murray, Differentiation of the Cholesky decomposition, arXiv 1602.07527."""
        factor = saved[0]
        turned = transposed(factor)
        product = turned @ grad
        size = factor.shape[-1]
        lower = np.tril(np.ones((size, size))) - 0.5 * np.eye(size)
        half = _solved(
            turned, product * generic.to_array(lower.astype(generic.to_array(product).dtype))
        )
        whole = transposed(_solved(turned, transposed(half)))
        return (0.5 * (whole + transposed(whole)),)


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower triangular L of A = L L^T; with `upper` its transpose.

    Args:
        A: Symmetric and positive definite, of shape (..., n, n); its lower triangle is read.
        upper: Return L^T, and read the upper triangle.

    Raises:
        TensorError: A is not square, or not positive definite.

    Example:
        >>> import gradstep_torch as torch
        >>> cholesky(torch.tensor([[4.0, 0.0], [0.0, 9.0]]))
        tensor([[2., 0.],
                [0., 3.]])
    """
    if upper:
        turned: Tensor = cholesky(A.mT).mT
        return turned
    a = square("cholesky", A)
    try:
        out = wrap(_nonempty_cholesky(a))
    except np.linalg.LinAlgError:
        raise TensorError(
            "linalg.cholesky: The factorization could not be completed because the input is not "
            "positive-definite",
            "a covariance matrix must be symmetric with positive eigenvalues",
        ) from None
    if grad_mode.current.enabled and A._requires_grad:
        saved, counters = (out._array,), (out._version_counter,)
        record(LinalgCholeskyExBackward0, out, (A._grad_fn or A,), saved, counters)
    return out


def _nonempty_cholesky(a: NDArray[Any]) -> NDArray[Any]:
    return np.linalg.cholesky(a) if a.size else a.copy()
