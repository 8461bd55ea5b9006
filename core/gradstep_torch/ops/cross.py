"""The cross product."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd.ops.operands import axis
from gradstep.errors import TensorError
from gradstep_torch.ops.layout import roll

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["cross"]

_SPACE = 3


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Return the cross product along `dim`; by default along the first dimension of size 3.

    Example:
        >>> import gradstep_torch as torch
        >>> cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]))
        tensor([0., 0., 1.])
    """
    a, b = input._array.shape, other._array.shape
    if len(a) != len(b):
        raise TensorError(
            "linalg.cross: inputs must have the same number of dimensions, got "
            f"{len(a)} and {len(b)}"
        )
    if dim is None:
        places = [place for place, size in enumerate(a) if size == _SPACE]
        if not places:
            raise TensorError(f"no dimension of size 3 in input of shape {list(a)}")
        dim = places[0]
    along = axis(dim, len(a))
    if not a or a[along] != _SPACE or b[along] != _SPACE:
        raise TensorError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {list(a)} and {list(b)}"
        )
    forward = roll(input, -1, along) * roll(other, -2, along)
    return forward - roll(input, -2, along) * roll(other, -1, along)
