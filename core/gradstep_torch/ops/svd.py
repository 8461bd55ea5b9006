"""The singular value decomposition A = U diag(S) Vh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import TensorError, UnsupportedError
from gradstep_torch.ops.factors import matrices, transposed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Svd", "linalg_svd", "svd", "svdvals"]


class Svd(NamedTuple):
    """The factors of A = U diag(S) Vh."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class OldSvd(NamedTuple):
    """The factors of A = U diag(S) V^T, as torch.svd returns them."""

    U: Tensor
    S: Tensor
    V: Tensor


_SOURCES = (0, None, None, None)


def _factors(grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the thin factors: those saved, or new ones if the backward pass is recorded."""
    return linalg_svd(saved[0], full_matrices=False) if isinstance(grad, Tensor) else saved[1:]


class LinalgSvdBackward1(Node):
    """The singular values."""

    __slots__ = ()
    sources = _SOURCES
    rule = "input: U * diag(grad) * Vh"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA = U diag(g) Vh."""
        u, _, vh = _factors(grad, saved)
        return ((u * _as_row(grad)) @ vh,)


class LinalgSvdBackward0(Node):
    """The left singular vectors; their gradient is infinite where singular values are equal."""

    __slots__ = ()
    sources = _SOURCES
    rule = "input: (U * (F o (U^T grad - grad^T U)) * S + (1 - U U^T) * grad / S) * Vh"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA as computed by `_by_left`."""
        return (_by_left(grad, *_factors(grad, saved)),)


class LinalgSvdBackward2(Node):
    """The right singular vectors, as rows."""

    __slots__ = ()
    sources = _SOURCES
    rule = "input: U * (S * (F o (Vh grad^T - grad Vh^T)) * Vh + grad * (1 - Vh^T Vh) / S)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA as for the left vectors of the transposed matrix."""
        u, s, vh = _factors(grad, saved)
        return (transposed(_by_left(transposed(grad), transposed(vh), s, transposed(u))),)


def _by_left(grad: Value, u: Value, s: Value, vh: Value) -> Value:
    """Return the gradient by U: (U (F o (U^T g - g^T U)) S + (1 - U U^T) g / S) Vh.

    F is 1 / (s_j^2 - s_i^2). Townsend, Differentiating the singular value decomposition, 2016.
    """
    grad = grad[..., : s.shape[-1]]  # only vectors with a singular value
    own = transposed(u) @ grad
    whole = u @ (_gaps(s) * (own - transposed(own))) * _as_row(s)
    if u.shape[-2] > s.shape[-1]:
        whole = whole + (grad - u @ own) / _as_row(s)
    return whole @ vh


def _as_row(values: Value) -> Value:
    return values.reshape((*values.shape[:-1], 1, values.shape[-1]))


def _gaps(s: Value) -> Value:
    """Return 1 / (s_j^2 - s_i^2), and 0 on the diagonal."""
    squares = s * s
    gaps = _as_row(squares) - transposed(_as_row(squares))
    diagonal = np.eye(s.shape[-1], dtype=np.bool_)
    return generic.where(
        diagonal, 0.0 * gaps, 1.0 / generic.where(diagonal, 0.0 * gaps + 1.0, gaps)
    )


def _factor(
    kind: type[Node], array: NDArray[Any], input: Tensor, thin: tuple[NDArray[Any], ...]
) -> Tensor:
    out = wrap(array)
    if grad_mode.current.enabled and input._requires_grad:
        fixed = ([0],) * len(thin)
        counters = (input._version_counter, *fixed)
        record(kind, out, (input._grad_fn or input,), (input._array, *thin), counters)
    return out


def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: None = None) -> Svd:
    """Return the singular value decomposition A = U diag(S) Vh.

    Args:
        A: Of shape (..., m, n).
        full_matrices: Whether to return all m and n singular vectors, instead of min(m, n) each.
        driver: Only None; torch has drivers for CUDA only.

    Raises:
        TensorError: A is not a floating-point matrix, or has NaN or infinite elements.

    Example:
        >>> import gradstep_torch as torch
        >>> linalg_svd(torch.tensor([[3.0, 0.0], [0.0, 4.0]])).S
        tensor([4., 3.])
    """
    if driver is not None:
        raise UnsupportedError("linalg.svd: keyword driver= is only for CUDA", "omit it")
    try:
        u, s, vh = np.linalg.svd(matrices("svd", A), full_matrices=full_matrices)
    except np.linalg.LinAlgError:
        raise TensorError(
            "linalg.svd: The algorithm failed to converge because the input matrix contained "
            "non-finite values",
            "check it for NaN and infinities",
        ) from None
    count = s.shape[-1]
    # Copies: in-place changes of a result must not change the saved factors.
    thin = (u[..., :count].copy(), s.copy(), vh[..., :count, :].copy())
    return Svd(
        _factor(LinalgSvdBackward0, u, A, thin),
        _factor(LinalgSvdBackward1, s, A, thin),
        _factor(LinalgSvdBackward2, vh, A, thin),
    )


def svdvals(A: Tensor, *, driver: None = None) -> Tensor:
    """Return the singular values of a matrix, the largest first.

    Example:
        >>> import gradstep_torch as torch
        >>> svdvals(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor([4., 3.])
    """
    return linalg_svd(A, full_matrices=False, driver=driver).S


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> OldSvd:
    """Return U, S and V with input = U diag(S) V^T; `linalg.svd` gives V^T instead.

    Args:
        input: Of shape (..., m, n).
        some: Whether to return only min(m, n) singular vectors.
        compute_uv: Whether to compute the vectors; otherwise U and V are zeros.

    Example:
        >>> import gradstep_torch as torch
        >>> svd(torch.tensor([[3.0, 0.0], [0.0, 4.0]])).S
        tensor([4., 3.])
    """
    u, s, vh = linalg_svd(input, full_matrices=not some)
    if compute_uv:
        return OldSvd(u, s, transposed(vh))
    rows, columns = input._array.shape[-2:]
    lead, kind = input._array.shape[:-2], input._array.dtype
    return OldSvd(
        wrap(np.zeros((*lead, rows, rows), kind)),
        s,
        wrap(np.zeros((*lead, columns, columns), kind)),
    )
