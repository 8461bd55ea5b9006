"""The QR decomposition."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.join import cat
from gradstep.autograd.ops.operands import UNVERSIONED
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, UnsupportedError
from gradstep_torch.ops.factors import matrices, transposed

__all__ = ["Qr", "qr"]


class Qr(NamedTuple):
    """The factors of A = Q R."""

    Q: Tensor
    R: Tensor


def _factors(grad: Value, saved: tuple[Value, ...]) -> tuple[Value, Value]:
    """Return the factors: those saved, or new ones if the backward pass is recorded."""
    return qr(saved[0]) if isinstance(grad, Tensor) else (saved[1], saved[2])


def _times_inverse_transpose(right: Value, triangle: Value) -> Value:
    """Return right @ inverse(triangle^T)."""
    if isinstance(right, Tensor):
        from gradstep_torch.ops.solve import solve  # noqa: PLC0415 - needed for recorded passes only

        return solve(triangle, right.mT).mT
    return transposed(np.linalg.solve(triangle, transposed(right)))


def _symmetrized(matrix: Value) -> Value:
    """Return the symmetric matrix with this lower triangle."""
    count = matrix.shape[-1]
    lower: Any = np.tril(np.ones((count, count)))
    below: Any = np.tril(lower, -1)
    if isinstance(matrix, Tensor):
        lower, below = (wrap(each.astype(matrix._array.dtype)) for each in (lower, below))
    else:
        lower, below = lower.astype(matrix.dtype), below.astype(matrix.dtype)
    return matrix * lower + transposed(matrix * below)


class LinalgQrBackward0(Node):
    """The orthonormal columns Q."""

    __slots__ = ()
    sources = (0, None, None)
    rule = "input: (grad - Q * symmetrized(grad^T Q)) * R^-T"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA = (g - Q symmetrized(g^T Q)) R^-T (Walter & Lehmann 2010, arXiv 1001.1654)."""
        q, r = _factors(grad, saved)
        return (_times_inverse_transpose(grad - q @ _symmetrized(transposed(grad) @ q), r),)


class LinalgQrBackward1(Node):
    """The upper triangle R."""

    __slots__ = ()
    sources = (0, None, None)
    rule = "input: Q * symmetrized(R grad^T) * R^-T"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """DA = Q symmetrized(R g^T) R^-T."""
        q, r = _factors(grad, saved)
        return (_times_inverse_transpose(q @ _symmetrized(r @ transposed(grad)), r),)


def qr(A: Tensor, mode: str = "reduced") -> Qr:
    """Return the QR decomposition A = Q R.

    Args:
        A: Of shape (..., m, n).
        mode: "reduced" for min(m, n) columns in Q, "complete" for m columns, "r" for R only.

    Raises:
        ArgumentError: There is no such mode.
        TensorError: A is not a floating-point matrix.
        UnsupportedError: A requires grad, and the mode has no derivative.

    Example:
        >>> import gradstep_torch as torch
        >>> qr(torch.tensor([[0.0, 2.0], [3.0, 0.0]])).R.abs()
        tensor([[3., 0.],
                [0., 2.]])
    """
    if mode not in {"reduced", "complete", "r"}:
        raise ArgumentError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
            "or 'complete'"
        )
    array = matrices("qr", A)
    rows, columns = array.shape[-2:]
    recorded = grad_mode.current.enabled and A._requires_grad
    if recorded and mode != "reduced" and (mode == "r" or rows > columns):
        raise UnsupportedError(
            f"the derivative of linalg.qr needs the reduced Q, which mode='{mode}' lacks",
            "use mode='reduced'",
        )
    if recorded and rows < columns:
        left, triangle = qr(A[..., :rows])
        return Qr(left, cat([triangle, left.mT @ A[..., rows:]], -1))
    if mode == "r":
        return Qr(wrap(np.empty(0, array.dtype)), wrap(np.linalg.qr(array, "r")))
    shape: Any = mode
    q, r = np.linalg.qr(array, shape)
    out = Qr(wrap(q), wrap(r))
    if recorded:
        for kind, part in zip((LinalgQrBackward0, LinalgQrBackward1), out, strict=True):
            saved, counters = (array, q, r), (A._version_counter, UNVERSIONED, UNVERSIONED)
            record(kind, part, (A._grad_fn or A,), saved, counters)
    return out
