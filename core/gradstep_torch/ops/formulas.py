"""Formulas of several operations, each of which is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops.activations import softmax
from gradstep.autograd.ops.arithmetic import add, mul, sub
from gradstep.autograd.ops.division import div
from gradstep.autograd.ops.matmul import bmm, mm, mv
from gradstep.autograd.ops.operands import axis, broadcast_error
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import DTypeLike, Number
    from gradstep.autograd.tensor import Tensor


__all__ = [
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "baddbmm",
    "cosine_similarity",
    "glu",
    "lerp",
    "normalize",
    "pairwise_distance",
    "softmin",
    "tanhshrink",
]


def tanhshrink(input: Tensor) -> Tensor:
    """Return x - tanh(x).

    Example:
        >>> import gradstep_torch as torch
        >>> tanhshrink(torch.tensor([1.0]))
        tensor([0.2384])
    """
    return input - input.tanh()


def softmin(input: Tensor, dim: int, *, dtype: DTypeLike | None = None) -> Tensor:
    """Return softmax of -x along `dim`."""
    return softmax(-input, dim, dtype=dtype)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half along `dim` times sigmoid of the second (Dauphin 2016, 1612.08083).

    Raises:
        TensorError: The size along `dim` is odd.

    Example:
        >>> import gradstep_torch as torch
        >>> glu(torch.tensor([2.0, 0.0]))
        tensor([1.])
    """
    along = axis(dim, input._array.ndim)
    size = input._array.shape[along] if input._array.ndim else 1
    if size % 2:
        raise TensorError(f"Halving dimension must be even, but dimension {along} is size {size}")
    value, gate = input.chunk(2, along)
    return value * gate.sigmoid()


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return `input` divided by its norm along `dim`, or by `eps` where that is larger.

    Args:
        input: Of any shape.
        p: The order of the norm.
        dim: The dimension of the norm.
        eps: The smallest divisor.

    Example:
        >>> import gradstep_torch as torch
        >>> normalize(torch.tensor([[3.0, 4.0]]))
        tensor([[0.6000, 0.8000]])
    """
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors along `dim`.

    Args:
        x1: Of any shape.
        x2: Of a shape that broadcasts with x1.
        dim: The dimension of the vectors.
        eps: The smallest length to divide by.

    Example:
        >>> import gradstep_torch as torch
        >>> cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
        tensor([0.7071])
    """
    try:
        shape = np.broadcast_shapes(x1._array.shape, x2._array.shape)
    except ValueError:
        raise broadcast_error(x1._array.shape, x2._array.shape) from None
    x1, x2 = x1.expand(shape), x2.expand(shape)
    lengths = [x.norm(2, dim, keepdim=True).clamp_min(eps) for x in (x1, x2)]
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return the norm of x1 - x2 + eps along the last dimension.

    Example:
        >>> import gradstep_torch as torch
        >>> pairwise_distance(torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2))
        tensor([5.0000])
    """
    return (x1 - x2 + eps).norm(p, -1, keepdim)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """Return input + value * tensor1 * tensor2."""
    return add(input, mul(tensor1, tensor2), alpha=value)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """Return input + value * tensor1 / tensor2."""
    return add(input, div(tensor1, tensor2), alpha=value)


def lerp(input: Tensor, end: Tensor, weight: Tensor | Number) -> Tensor:
    """Return input + weight * (end - input)."""
    return add(input, mul(sub(end, input), weight))


def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """Return beta * input + alpha * mat1 @ mat2; if beta is 0, `input` is ignored.

    Example:
        >>> import gradstep_torch as torch
        >>> addmm(torch.ones(2), torch.ones(1, 3), torch.ones(3, 2))
        tensor([[4., 4.]])
    """
    return _plus(input, mm(mat1, mat2), beta, alpha)


def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """Return beta * input + alpha * mat @ vec; if beta is 0, `input` is ignored."""
    return _plus(input, mv(mat, vec), beta, alpha)


def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """Return beta * input + alpha * batch1 @ batch2; if beta is 0, `input` is ignored."""
    return _plus(input, bmm(batch1, batch2), beta, alpha)


def _plus(input: Tensor, product: Tensor, beta: Number, alpha: Number) -> Tensor:
    scaled = product if alpha == 1 else mul(product, alpha)
    addend = input.expand(product._array.shape)
    if beta == 0:
        return scaled
    return add(addend if beta == 1 else mul(addend, beta), scaled)
