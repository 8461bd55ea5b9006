"""Upsampling, pixel and channel shuffling, unfolding and folding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.nn.module import Module
from gradstep_torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.autograd.ops.window_sizes import Sizes
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "ChannelShuffle",
    "Fold",
    "PixelShuffle",
    "PixelUnshuffle",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]


class Upsample(Module):
    """Resizes spatial dimensions.

    Args:
        size: The new sizes.
        scale_factor: The factor of growth, instead of `size`.
        mode: "nearest", "linear", "bilinear", "bicubic" or "trilinear".
        align_corners: Whether the centres of the corner elements are aligned.
        recompute_scale_factor: Whether to recompute the scale from the rounded sizes.

    Example:
        >>> import gradstep_torch as torch
        >>> Upsample(scale_factor=2)(torch.ones(1, 3, 4, 5)).shape
        gradstep.Size([1, 3, 8, 10])
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor: float | tuple[float, ...] | None
        if isinstance(scale_factor, (list, tuple)):
            self.scale_factor = tuple(map(float, scale_factor))
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None  # type: ignore[arg-type]
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the resized input, of shape (batch, channels, sizes)."""
        return functional.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """Return the sizes, or the factor, and the mode."""
        if self.scale_factor is not None:
            return f"scale_factor={self.scale_factor!r}, mode={self.mode!r}"
        return f"size={self.size!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Upsamples images by nearest neighbours; arguments as for `Upsample`."""

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Upsamples images bilinearly, with aligned corners; arguments as for `Upsample`."""

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, "bilinear", align_corners=True)


class PixelShuffle(Module):
    """Rearranges r * r channels into images r times as high and wide.

    Args:
        upscale_factor: r.

    Example:
        >>> import gradstep_torch as torch
        >>> PixelShuffle(3)(torch.ones(1, 9, 4, 4)).shape
        gradstep.Size([1, 1, 12, 12])

    References:
        Shi et al., Real-time single image and video super-resolution, CVPR 2016 (1609.05158).
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the larger images."""
        return functional.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Rearranges images into r * r channels, r times lower and narrower.

    Args:
        downscale_factor: r.
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the smaller images."""
        return functional.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Interleaves the channels of the groups.

    Args:
        groups: The number of groups of channels.
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Return the channels in their new order."""
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Return the number of groups."""
        return f"groups={self.groups}"


class Unfold(Module):
    """Extracts the patches under a sliding window, as columns.

    Args:
        kernel_size: The size of the patches.
        dilation: The spacing of a patch's elements.
        padding: Zeros added on both sides.
        stride: The step between patches.

    Example:
        >>> import gradstep_torch as torch
        >>> Unfold(2)(torch.ones(1, 3, 4, 4)).shape
        gradstep.Size([1, 12, 9])
    """

    def __init__(
        self,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Return the columns, of shape (batch, channels * elements of a patch, patches)."""
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Return the window."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )


class Fold(Unfold):
    """Sums patches into images: the inverse of `Unfold` where patches do not overlap.

    Args:
        output_size: Height and width of the images.
        kernel_size: The size of the patches.
        dilation: The spacing of a patch's elements.
        padding: The padding on both sides of the images.
        stride: The step between patches.
    """

    def __init__(
        self,
        output_size: Sizes,
        kernel_size: Sizes,
        dilation: Sizes = 1,
        padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Return the images."""
        return functional.fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        """Return the images' size and the window."""
        return f"output_size={self.output_size}, {super().extra_repr()}"
