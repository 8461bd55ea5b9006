"""Flatten and Unflatten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.nn.module import Module

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Merges several dimensions into one, by default all but the first.

    Args:
        start_dim: The first dimension to merge.
        end_dim: The last dimension to merge.

    Example:
        >>> import gradstep
        >>> Flatten()(gradstep.zeros(10, 2, 3)).shape
        gradstep.Size([10, 6])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the flattened input."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Return the range of dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dimension into several.

    Args:
        dim: The dimension to split.
        unflattened_size: The sizes to split it into.
    """

    def __init__(self, dim: int, unflattened_size: tuple[int, ...]) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with more dimensions."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Return the dimension and the sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
