"""The convolution and pooling layers that a program may use."""

from __future__ import annotations

from math import prod
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from gradstep.program.schema.layers.base import (
    Extent,
    LayerSpec,
    Shape,
    ShapeError,
    Width,
    require_channels,
)
from gradstep.program.schema.limits import MAX_EXTENT

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose2d",
    "MaxPool1d",
    "MaxPool2d",
]

Extents = Extent | Annotated[tuple[Extent, ...], Meta(min_length=1, max_length=2)]
Gap = Annotated[int, Meta(ge=0, le=MAX_EXTENT)]
Gaps = Gap | Annotated[tuple[Gap, ...], Meta(min_length=1, max_length=2)]


def _per_dimension(value: int | Shape, spatial: int) -> Shape:
    """Return one number per spatial dimension, as torch's `_ntuple` does."""
    if isinstance(value, int):
        return (value,) * spatial
    if len(value) != spatial:
        raise ShapeError(f"one number or {spatial} for a size", f"{value}")
    return value


def _window_output_sizes(
    shape: Shape,
    kernel: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    *,
    ceil: bool = False,
) -> Shape:
    """Return the number of positions of a sliding window in each spatial dimension.

    Raises:
        ShapeError: If the window is larger than the image.
    """
    sizes = []
    for n, k, step, pad, dilated in zip(shape[2:], kernel, stride, padding, dilation, strict=True):
        free = n + 2 * pad - dilated * (k - 1) - 1
        if free < 0:
            raise ShapeError(f"at least {n - free} numbers in each direction", f"shape {shape}")
        count = (-(-free // step) if ceil else free // step) + 1
        sizes.append(count - (ceil and (count - 1) * step >= n + pad))
    return tuple(sizes)


class _Conv(LayerSpec, frozen=True):
    """Base of the convolutions."""

    spatial: ClassVar[int]

    in_channels: Width
    out_channels: Width
    kernel_size: Extents
    stride: Extents = 1
    padding: Gaps | Literal["same", "valid"] = 0
    dilation: Extents = 1
    groups: Width = 1
    bias: bool = True

    def num_elements(self) -> int:
        """Return the size of the weight, and of the bias if there is one."""
        each = (
            self.in_channels // self.groups * prod(_per_dimension(self.kernel_size, self.spatial))
        )
        return (each + self.bias) * self.out_channels

    def output_shape(self, shape: Shape) -> Shape:
        """Return the shape of the feature maps."""
        require_channels(shape, self.spatial, self.in_channels)
        if self.padding == "same":
            return (shape[0], self.out_channels, *shape[2:])
        padding = 0 if isinstance(self.padding, str) else self.padding
        options = (self.kernel_size, self.stride, padding, self.dilation)
        sizes = _window_output_sizes(
            shape, *[_per_dimension(option, self.spatial) for option in options]
        )
        return (shape[0], self.out_channels, *sizes)

    def workspace_elements(self, shape: Shape) -> int:
        """Return the size of the patches that all kernel positions read together."""
        places = prod(self.output_shape(shape)[2:])
        kernel = prod(_per_dimension(self.kernel_size, self.spatial))
        return shape[0] * self.in_channels * kernel * places


class Conv1d(_Conv, frozen=True, tag=True):
    """Convolution of a sequence.

    Example:
        >>> Conv1d(2, 3, 5).num_elements(), Conv1d(2, 3, 5).output_shape((10, 2, 9))
        (33, (10, 3, 5))
    """

    spatial = 1


class Conv2d(_Conv, frozen=True, tag=True):
    """Convolution of an image.

    Example:
        >>> Conv2d(1, 8, 3).num_elements(), Conv2d(1, 8, 3).output_shape((10, 1, 8, 8))
        (80, (10, 8, 6, 6))
    """

    spatial = 2


class ConvTranspose2d(LayerSpec, frozen=True, tag=True):
    """Transposed convolution of an image: the gradient of a Conv2d with respect to its input.

    Example:
        >>> ConvTranspose2d(8, 1, 2, stride=2).output_shape((10, 8, 4, 4))
        (10, 1, 8, 8)
    """

    in_channels: Width
    out_channels: Width
    kernel_size: Extents
    stride: Extents = 1
    padding: Gaps = 0
    output_padding: Gaps = 0
    groups: Width = 1
    bias: bool = True
    dilation: Extents = 1

    def num_elements(self) -> int:
        """Return the size of the weight, and of the bias if there is one."""
        each = self.in_channels // self.groups * prod(_per_dimension(self.kernel_size, 2))
        return (each + self.bias) * self.out_channels

    def output_shape(self, shape: Shape) -> Shape:
        """Return the shape of the upsampled images."""
        require_channels(shape, 2, self.in_channels)
        options = (self.kernel_size, self.stride, self.padding, self.output_padding, self.dilation)
        sizes = tuple(
            (n - 1) * step - 2 * pad + dilated * (k - 1) + extra + 1
            for n, k, step, pad, extra, dilated in zip(
                shape[2:], *[_per_dimension(option, 2) for option in options], strict=True
            )
        )
        if min(sizes) < 1:
            raise ShapeError("less padding", f"shape {shape}")
        return (shape[0], self.out_channels, *sizes)

    def workspace_elements(self, shape: Shape) -> int:
        """Return the size of all products before they are summed."""
        return (
            shape[0]
            * prod(shape[2:])
            * self.out_channels
            * prod(_per_dimension(self.kernel_size, 2))
        )


class _Pool(LayerSpec, frozen=True):
    """Base of the pooling layers."""

    spatial: ClassVar[int]

    kernel_size: Extents
    stride: Extents | None = None
    padding: Gaps = 0
    ceil_mode: bool = False

    def output_shape(self, shape: Shape) -> Shape:
        """Return the shape with one number per window."""
        require_channels(shape, self.spatial)
        stride = self.kernel_size if self.stride is None else self.stride
        options = (self.kernel_size, stride, self.padding, self._dilation())
        sizes = _window_output_sizes(
            shape,
            *[_per_dimension(option, self.spatial) for option in options],
            ceil=self.ceil_mode,
        )
        return (*shape[:2], *sizes)

    def _dilation(self) -> int | Shape:
        return 1


class _MaxPool(_Pool, frozen=True):
    """Base of the max pooling layers."""

    dilation: Extents = 1

    def _dilation(self) -> int | Shape:
        return self.dilation


class MaxPool1d(_MaxPool, frozen=True, tag=True):
    """The maximum in each window of a sequence."""

    spatial = 1


class MaxPool2d(_MaxPool, frozen=True, tag=True):
    """The maximum in each window of an image.

    Example:
        >>> MaxPool2d(2).output_shape((10, 8, 6, 6))
        (10, 8, 3, 3)
    """

    spatial = 2


class _AvgPool(_Pool, frozen=True):
    """Base of the average pooling layers."""

    count_include_pad: bool = True


class AvgPool1d(_AvgPool, frozen=True, tag=True):
    """The mean of each window of a sequence."""

    spatial = 1


class AvgPool2d(_AvgPool, frozen=True, tag=True):
    """The mean of each window of an image."""

    spatial = 2


class AdaptiveAvgPool1d(LayerSpec, frozen=True, tag=True):
    """The means of `output_size` evenly spaced windows that cover a sequence."""

    output_size: Extent

    def output_shape(self, shape: Shape) -> Shape:
        """Return the shape with one number per window."""
        return (*require_channels(shape, 1)[:2], self.output_size)


class AdaptiveAvgPool2d(LayerSpec, frozen=True, tag=True):
    """The means of `output_size` evenly spaced windows that cover an image.

    Example:
        >>> AdaptiveAvgPool2d(1).output_shape((10, 8, 6, 6))
        (10, 8, 1, 1)
    """

    output_size: Extents

    def output_shape(self, shape: Shape) -> Shape:
        """Return the shape with one number per window."""
        return (*require_channels(shape, 2)[:2], *_per_dimension(self.output_size, 2))
