"""The normalisations a program may use."""

from __future__ import annotations

from math import prod
from typing import Annotated

from msgspec import Meta

from gradstep.program.schema.layers.base import LayerSpec, Shape, ShapeError, Width, channelled

__all__ = ["BatchNorm1d", "BatchNorm2d", "GroupNorm", "LayerNorm"]

Positive = Annotated[float, Meta(gt=0)]


class _BatchNorm(LayerSpec, frozen=True):
    """What the batch normalisations share."""

    num_features: Width
    eps: Positive = 1e-5
    momentum: Annotated[float, Meta(ge=0, le=1)] | None = 0.1
    affine: bool = True

    def elements(self) -> int:
        """Return the size of weight, bias and the running values."""
        return (4 if self.affine else 2) * self.num_features


class BatchNorm1d(_BatchNorm, frozen=True, tag=True):
    """Each feature with mean 0 and variance 1 over the batch, scaled and shifted.

    Example:
        >>> BatchNorm1d(3).elements(), BatchNorm1d(3).output_shape((10, 3))
        (12, (10, 3))
    """

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape`, when it has the features."""
        if len(shape) not in {2, 3} or shape[1] != self.num_features:
            raise ShapeError(f"{self.num_features} features", f"shape {shape}")
        return _more_than_one(shape)


class BatchNorm2d(_BatchNorm, frozen=True, tag=True):
    """Each channel of images with mean 0 and variance 1 over the batch, scaled and shifted."""

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape`, when it has the channels."""
        return _more_than_one(channelled(shape, 2, self.num_features))


def _more_than_one(shape: Shape) -> Shape:
    if prod(shape) <= shape[1]:
        raise ShapeError("more than one value per channel", f"shape {shape}")
    return shape


class LayerNorm(LayerSpec, frozen=True, tag=True):
    """Each row with mean 0 and variance 1 over its last dimensions, scaled and shifted.

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

    def elements(self) -> int:
        """Return the size of weight and bias."""
        return (1 + self.bias) * prod(self._sizes()) if self.elementwise_affine else 0

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape`, when it ends as wanted."""
        sizes = self._sizes()
        if shape[1:][-len(sizes) :] != sizes:
            raise ShapeError(f"rows that end in the shape {sizes}", f"shape {shape}")
        return shape


class GroupNorm(LayerSpec, frozen=True, tag=True):
    """Each group of channels with mean 0 and variance 1 for each row, scaled and shifted."""

    num_groups: Width
    num_channels: Width
    eps: Positive = 1e-5
    affine: bool = True

    def elements(self) -> int:
        """Return the size of weight and bias."""
        return 2 * self.num_channels if self.affine else 0

    def output_shape(self, shape: Shape) -> Shape:
        """Return `shape`, when it has the channels."""
        if len(shape) < 2 or shape[1] != self.num_channels:  # noqa: PLR2004 - channels come second
            raise ShapeError(f"{self.num_channels} channels", f"shape {shape}")
        return shape
