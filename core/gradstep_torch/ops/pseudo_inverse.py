"""Pseudoinverse, least squares, rank and powers of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError
from gradstep_torch.ops.factors import matrices, square, transposed
from gradstep_torch.ops.solve import inv

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LeastSquares", "lstsq", "matrix_power", "matrix_rank", "pinv"]


class LinalgPinvBackward0(Node):
    """The pseudoinverse P of A."""

    __slots__ = ()
    sources = (0, -1)
    rule = (
        "input: -P^T * grad * P^T + (1 - A P) * grad^T * P * P^T + P^T * P * grad^T * (1 - P A),"
        " with P the result"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The rule of Golub & Pereyra, SIAM J. Numer. Anal. 10 (1973)."""
        a, p = saved
        turned, back = transposed(grad), transposed(p)
        beside = turned @ p @ back
        above = back @ p @ turned
        return (-(back @ grad @ back) + beside - a @ (p @ beside) + above - (above @ p) @ a,)


def _rank_tolerance(
    name: str,
    input: Tensor,
    values: NDArray[Any],
    atol: Tensor | float | None,
    rtol: Tensor | float | None,
) -> NDArray[Any]:
    """Return the tolerance: absolute singular values up to it count as 0."""
    array = matrices(name, input)
    floor = _column(atol)
    if rtol is not None:
        share = _column(rtol)
    elif atol is None:
        share = np.asarray(max(array.shape[-2:]) * float(np.finfo(array.dtype).eps))
    else:  # the default rtol applies only where atol is 0
        share = np.where(floor > 0, 0.0, max(array.shape[-2:]) * float(np.finfo(array.dtype).eps))
    least: NDArray[Any] = np.maximum(floor, share * values.max(-1, keepdims=True, initial=0))
    return least


def _column(value: Tensor | float | None) -> Any:
    """Return a tolerance that broadcasts with values along the last dimension."""
    if isinstance(value, Tensor):
        return value._array[..., None]
    return np.asarray(0.0 if value is None else value)


def pinv(
    A: Tensor,
    rcond: Tensor | float | None = None,
    *,
    atol: Tensor | float | None = None,
    rtol: Tensor | float | None = None,
    hermitian: bool = False,
) -> Tensor:
    """Return the Moore-Penrose pseudoinverse (Penrose 1955).

    Args:
        A: Of shape (..., m, n).
        rcond: An alias of `rtol`.
        atol: Singular values up to this count as 0.
        rtol: Singular values up to this fraction of the largest count as 0.
        hermitian: Whether A is known to be symmetric.

    Raises:
        TensorError: A is not a floating-point matrix.

    Example:
        >>> import gradstep_torch as torch
        >>> pinv(torch.tensor([[2.0], [0.0]]))
        tensor([[0.5000, 0.0000]])
    """
    array = matrices("pinv", A)
    if hermitian:
        values, left = np.linalg.eigh(array)
        right = transposed(left)
    else:
        left, values, right = np.linalg.svd(array, full_matrices=False)
    sizes = np.abs(values)
    kept = sizes > _rank_tolerance("pinv", A, sizes, atol, rcond if rtol is None else rtol)
    factors = np.where(kept, 1 / np.where(kept, values, 1), 0).astype(array.dtype)
    out = wrap((transposed(right) * factors[..., None, :]) @ transposed(left))
    if grad_mode.current.enabled and A._requires_grad:
        record(
            LinalgPinvBackward0,
            out,
            (A._grad_fn or A,),
            (array, out._array),
            (A._version_counter, out._version_counter),
        )
    return out


def matrix_rank(
    A: Tensor,
    tol: Tensor | float | None = None,
    *,
    atol: Tensor | float | None = None,
    rtol: Tensor | float | None = None,
    hermitian: bool = False,  # noqa: ARG001 - singular values cover both cases
) -> Tensor:
    """Return the number of nonzero singular values; arguments as for `pinv`, `tol` as `atol`.

    Example:
        >>> import gradstep_torch as torch
        >>> matrix_rank(torch.ones(2, 3))
        tensor(1)
    """
    values = np.linalg.svd(matrices("matrix_rank", A), compute_uv=False)
    least = _rank_tolerance("matrix_rank", A, values, tol if atol is None else atol, rtol)
    return wrap(np.asarray((values > least).sum(-1)))


class LeastSquares(NamedTuple):
    """The result of lstsq; the rank and singular values are empty if the driver computes none."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def lstsq(
    A: Tensor,
    B: Tensor,
    rcond: float | None = None,
    *,
    driver: str | None = None,
) -> LeastSquares:
    """Return the X that minimizes the sum of squares of A X - B.

    Args:
        A: Of shape (..., m, n).
        B: Of shape (..., m, k).
        rcond: Singular values of A up to this fraction of the largest count as 0.
        driver: The LAPACK routine, which decides what is returned besides the solution: "gelsy" (or
            None) the rank, "gels" nothing, "gelsd" and "gelss" the rank and the singular values.

    Raises:
        ArgumentError: There is no such driver.
        TensorError: The shapes do not match.

    Example:
        >>> import gradstep_torch as torch
        >>> x = torch.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
        >>> lstsq(x, torch.tensor([[1.0], [3.0], [5.0]])).solution
        tensor([[2.0000],
                [1.0000]])
    """
    a, b = matrices("lstsq", A), B._array
    if b.ndim < 2 or a.shape[-2] != b.shape[-2]:  # noqa: PLR2004 - a matrix
        raise TensorError(
            "linalg.lstsq: input.size(-2) should match other.size(-2), got "
            f"{list(a.shape)} and {list(b.shape)}"
        )
    if driver not in _DRIVERS:
        raise ArgumentError(
            f"linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), "
            f"got {driver!r}"
        )
    solution = pinv(A, rcond) @ B
    rank = matrix_rank(A, rtol=rcond)
    rows, columns = a.shape[-2:]
    nothing = wrap(np.empty(0, a.dtype))
    residuals = nothing
    if rows > columns and (rank._array == columns).all() and driver not in {None, "gelsy"}:
        residuals = ((A @ solution - B) ** 2).sum(-2)
    return LeastSquares(
        solution,
        residuals,
        wrap(np.empty(0, np.int64)) if driver == "gels" else rank,
        wrap(np.linalg.svd(a, compute_uv=False)) if driver in {"gelsd", "gelss"} else nothing,
    )


_DRIVERS = frozenset({None, "gels", "gelsy", "gelsd", "gelss"})


def matrix_power(A: Tensor, n: int) -> Tensor:
    """Return the n-th power of A; for negative n, a power of its inverse.

    Raises:
        TensorError: A is not square, or n is negative and A singular.

    Example:
        >>> import gradstep_torch as torch
        >>> matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
        tensor([[1., 5.],
                [0., 1.]])
    """
    square("matrix_power", A)
    if n == 0:
        made: Tensor = A.clone()
        made.copy_(wrap(np.eye(A._array.shape[-1], dtype=A._array.dtype)))
        return made
    base = A if n > 0 else inv(A)
    found: Tensor | None = None
    for digit in reversed(f"{abs(n):b}"):  # exponentiation by squaring
        if digit == "1":
            found = base if found is None else found @ base
        base = base @ base
    assert found is not None
    return found.clone() if found is A else found
