"""The bilinear map of two inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.errors import TensorError
from gradstep_torch.ops.einsum import einsum

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["bilinear"]


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x^T A y + b, with a matrix A for each output.

    Args:
        input1: x, of shape (..., first size).
        input2: y, of shape (..., second size).
        weight: All A, of shape (outputs, first size, second size).
        bias: b, of shape (outputs,).

    Raises:
        TensorError: The shapes do not match.

    Example:
        >>> import gradstep_torch as torch
        >>> x, y = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])
        >>> bilinear(x, y, torch.eye(2)[None])
        tensor([[11.]])
    """
    x, y, sizes = input1._array.shape, input2._array.shape, weight._array.shape
    if x[:-1] != y[:-1] or (sizes[1:] != (*x[-1:], *y[-1:])):
        raise TensorError(
            "bilinear(): input batch dimensions must match, and the last ones must be those of "
            f"the weight: got inputs of {list(x)} and {list(y)}, and a weight of {list(sizes)}"
        )
    out = einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else out + bias
