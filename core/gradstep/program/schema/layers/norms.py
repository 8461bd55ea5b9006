"""The normalization layers that a program may use."""

from __future__ import annotations

from math import prod
from typing import Annotated

from msgspec import Meta

from gradstep.program.schema.layers.base import (
    LayerSpec,
    Shape,
    ShapeError,
    Width,
    require_channels,
)

__all__ = ["BatchNorm1d", "BatchNorm2d", "GroupNorm", "LayerNorm"]

Positive = Annotated[float, Meta(gt=0)]


class _BatchNorm(LayerSpec, frozen=True):
    """Base of the batch normalization layers."""

    num_features: Width
    eps: Positive = 1e-5
    momentum: Annotated[float, Meta(ge=0, le=1)] | None = 0.1
    affine: bool = True

    def num_elements(self) -> int:
        """Return the size of weight, bias and running statistics."""
        return (4 if self.affine else 2) * self.num_features


class BatchNorm1d(_BatchNorm, frozen=True, tag=True):
    """Normalize each feature to mean 0 and variance 1 over the batch, then scale and shift.

    Example:
        >>> BatchNorm1d(3).num_elements(), BatchNorm1d(3).output_shape((10, 3))
        (12, (10, 3))
    """

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` if it has that number of features."""
        if len(shape) not in {2, 3} or shape[1] != self.num_features:
            raise ShapeError(f"{self.num_features} features", f"shape {shape}")
        return _require_several_values(shape)


class BatchNorm2d(_BatchNorm, frozen=True, tag=True):
    """Normalize each channel of images to mean 0 and variance 1, then scale and shift."""

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` if it has that number of channels."""
        return _require_several_values(require_channels(shape, 2, self.num_features))


def _require_several_values(shape: Shape) -> Shape:
    if prod(shape) <= shape[1]:
        raise ShapeError("more than one value per channel", f"shape {shape}")
    return shape


class LayerNorm(LayerSpec, frozen=True, tag=True):
    """Normalize each row to mean 0 and variance 1 over its last dimensions, then scale and shift.

    Example:
        >>> LayerNorm(3).output_shape((10, 3))
        (10, 3)
    """

    normalized_shape: Width | Annotated[tuple[Width, ...], Meta(min_length=1, max_length=8)]
    eps: Positive = 1e-5
    elementwise_affine: bool = True
    bias: bool = True

    def _sizes(self) -> Shape:
        sizes = self.normalized_shape
        return (sizes,) if isinstance(sizes, int) else sizes

    def num_elements(self) -> int:
        """Return the size of weight and bias."""
        return (1 + self.bias) * prod(self._sizes()) if self.elementwise_affine else 0

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` if it ends in the normalized shape."""
        sizes = self._sizes()
        if shape[1:][-len(sizes) :] != sizes:
            raise ShapeError(f"rows that end in the shape {sizes}", f"shape {shape}")
        return shape


class GroupNorm(LayerSpec, frozen=True, tag=True):
    """Normalize each group of channels to mean 0 and variance 1, then scale and shift."""

    num_groups: Width
    num_channels: Width
    eps: Positive = 1e-5
    affine: bool = True

    def num_elements(self) -> int:
        """Return the size of weight and bias."""
        return 2 * self.num_channels if self.affine else 0

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape` if it has that number of channels."""
        if len(shape) < 2 or shape[1] != self.num_channels:  # noqa: PLR2004 - channels come second
            raise ShapeError(f"{self.num_channels} channels", f"shape {shape}")
        return shape
