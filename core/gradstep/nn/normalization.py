"""Layer and group normalization as modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.autograd import creation
from gradstep.errors import ArgumentError
from gradstep.nn import functional, init
from gradstep.nn.module import Module
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.devices import DeviceLike
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor

__all__ = ["AffineNorm", "GroupNorm", "LayerNorm"]


class AffineNorm(Module):
    """A normalization with an optional weight, initially 1, and an optional bias, initially 0."""

    weight: Parameter | None
    bias: Parameter | None

    def _make(
        self,
        shape: tuple[int, ...],
        weight: bool,
        bias: bool,
        device: DeviceLike,
        dtype: DTypeLike | None,
    ) -> None:
        for name, wanted in (("weight", weight), ("bias", bias)):
            made = Parameter(creation.empty(*shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, made)

    def reset_parameters(self) -> None:
        """Reset weight and bias to ones and zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class LayerNorm(AffineNorm):
    """Each sample with mean 0 and variance 1 over its last dimensions, scaled and shifted.

    Args:
        normalized_shape: The sizes of those dimensions; a number for the last one alone.
        eps: Added to the variance.
        elementwise_affine: Whether there is a weight (and a bias) for each element.
        bias: Whether to have a bias, if there is a weight.
        device: Only the CPU.
        dtype: Of weight and bias; the default type if None.

    Example:
        >>> import gradstep
        >>> LayerNorm(2)
        LayerNorm((2,), eps=1e-05, elementwise_affine=True, bias=True)

    References:
        Ba et al., Layer normalization, 2016 (arXiv 1607.06450).
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        sizes = (normalized_shape,) if isinstance(normalized_shape, int) else normalized_shape
        self.normalized_shape = tuple(sizes)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        with_bias = elementwise_affine and bias
        self._make(self.normalized_shape, elementwise_affine, with_bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized samples."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class GroupNorm(AffineNorm):
    """Each group of channels with mean 0 and variance 1 for each sample, scaled and shifted.

    Args:
        num_groups: The number of groups of channels.
        num_channels: The number of channels.
        eps: Added to the variance.
        affine: Whether to have a weight and a bias per channel.
        device: Only the CPU.
        dtype: Of weight and bias; the default type if None.
        bias: Whether to have a bias, if there is a weight.

    References:
        Wu & He, Group normalization, ECCV 2018 (arXiv 1803.08494).
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ArgumentError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make((num_channels,), affine, affine and bias, device, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalized samples."""
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the sizes and options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )
