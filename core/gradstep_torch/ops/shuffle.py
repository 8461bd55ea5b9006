"""Pixel shuffle, pixel unshuffle and channel shuffle."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from gradstep.errors import TensorError

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]

_IMAGE = 3


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Rearrange r * r channels each into images r times as high and wide.

    Args:
        input: Of shape (..., channels * r * r, height, width).
        upscale_factor: r.

    Raises:
        TensorError: The number of channels is not divisible by r * r, or r is not positive.

    Example:
        >>> import gradstep_torch as torch
        >>> pixel_shuffle(torch.arange(4).view(4, 1, 1), 2)
        tensor([[[0, 1],
                 [2, 3]]])

    References:
        Shi et al., Real-time single image and video super-resolution, CVPR 2016 (1609.05158).
    """
    *lead, channels, height, width = _image("pixel_shuffle", input)
    r = _positive("pixel_shuffle", "an upscale_factor", upscale_factor)
    if channels % (r * r):
        raise TensorError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
        )
    each = channels // (r * r)
    apart = input.reshape(prod(lead), each, r, r, height, width).permute(0, 1, 4, 2, 5, 3)
    return apart.reshape(*lead, each, height * r, width * r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Rearrange images into ones r times smaller, with r * r times as many channels.

    Args:
        input: Of shape (..., channels, height * r, width * r).
        downscale_factor: r.

    Raises:
        TensorError: Height or width is not divisible by r, or r is not positive.

    Example:
        >>> import gradstep_torch as torch
        >>> pixel_unshuffle(torch.arange(4).view(1, 2, 2), 2).flatten()
        tensor([0, 1, 2, 3])
    """
    *lead, channels, height, width = _image("pixel_unshuffle", input)
    r = _positive("pixel_unshuffle", "a downscale_factor", downscale_factor)
    for name, place, size in (("height", -2, height), ("width", -1, width)):
        if size % r:
            raise TensorError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({place})={size} is not divisible by {r}"
            )
    apart = input.reshape(prod(lead), channels, height // r, r, width // r, r).permute(
        0, 1, 3, 5, 2, 4
    )
    return apart.reshape(*lead, channels * r * r, height // r, width // r)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave the channels of groups: the first of each group, then the second of each, ...

    Args:
        input: Of shape (batch, channels, ...).
        groups: The number of groups of channels.

    Raises:
        TensorError: The number of channels is not divisible by `groups`.

    Example:
        >>> import gradstep_torch as torch
        >>> channel_shuffle(torch.arange(4).view(1, 4, 1), 2).flatten()
        tensor([0, 2, 1, 3])

    References:
        Zhang et al., ShuffleNet, CVPR 2018 (arXiv 1707.01083).
    """
    shape = input._array.shape
    if len(shape) < _IMAGE:
        raise TensorError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}"
        )
    groups = _positive("channel_shuffle", "a groups", groups)
    if shape[1] % groups:
        raise TensorError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and "
            f"{groups} groups."
        )
    apart = input.reshape(shape[0], groups, shape[1] // groups, *shape[2:])
    return apart.transpose(1, 2).reshape(shape)


def _image(name: str, input: Tensor) -> tuple[int, ...]:
    shape = input._array.shape
    if len(shape) < _IMAGE:
        raise TensorError(
            f"{name} expects input to have at least 3 dimensions, but got input with {len(shape)} "
            "dimension(s)"
        )
    return shape


def _positive(name: str, what: str, value: int) -> int:
    if value < 1:
        raise TensorError(f"{name} expects {what} > 0, but got {value}")
    return value
