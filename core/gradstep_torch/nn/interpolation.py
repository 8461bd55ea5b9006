"""Interpolation of sequences, images and volumes."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from gradstep.autograd.ops.avg_pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
)
from gradstep.errors import ArgumentError, UnsupportedError
from gradstep_torch.ops.resize import cubic_taps, linear_taps, nearest_taps, resized

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.autograd.tensor import Tensor

__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]

_AREA: dict[int, Callable[..., Tensor]] = {
    1: adaptive_avg_pool1d,
    2: adaptive_avg_pool2d,
    3: adaptive_avg_pool3d,
}
_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}
_MODES = ("nearest", "nearest-exact", "area", *_LINEAR, "bicubic")


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Return `input` resized in its spatial dimensions.

    Args:
        input: Of shape (batch, channels, sizes), with one, two or three sizes.
        size: The new sizes.
        scale_factor: The factor of growth, instead of `size`.
        mode: "nearest", "nearest-exact", "area", "linear" (of one size), "bilinear" (of two),
            "trilinear" (of three) or "bicubic" (of two).
        align_corners: Whether the centres of the corner elements are aligned, not their edges;
            not for the first three modes.
        recompute_scale_factor: Whether to recompute the scale from the rounded sizes.
        antialias: Not supported.

    Raises:
        ArgumentError: Sizes or options do not fit.
        UnsupportedError: There is no such mode for this number of sizes.

    Example:
        >>> import gradstep_torch as torch
        >>> interpolate(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
        tensor([[[1., 1., 2., 2.]]])
        >>> interpolate(torch.tensor([[[1.0, 2.0]]]), 3, mode="linear", align_corners=True)
        tensor([[[1.0000, 1.5000, 2.0000]]])
    """
    old = input._array.shape[2:]
    _check(len(old), mode, align_corners)
    if antialias:
        raise UnsupportedError("antialias is not supported", "omit it")
    sizes, scales = _sizes(old, size, scale_factor)
    if min(sizes, default=1) < 1 or min(old, default=1) < 1:
        raise ArgumentError(
            "Input and output sizes should be greater than 0, but got input "
            f"{list(old)} and output {list(sizes)}"
        )
    if recompute_scale_factor:
        if scale_factor is None:
            raise ArgumentError(
                "recompute_scale_factor is not meaningful with an explicit size.",
                "omit it",
            )
        scales = (None,) * len(old)
    if mode == "area":
        return _AREA[len(old)](input, sizes)
    if mode.startswith("nearest"):
        taps: Callable[..., Any] = partial(nearest_taps, exact=mode == "nearest-exact")
    else:
        made = cubic_taps if mode == "bicubic" else linear_taps
        taps = partial(made, align_corners=bool(align_corners))
    kind = input._array.dtype
    return resized(
        input,
        [taps(*sides, kind) for sides in zip(old, sizes, scales, strict=True)],
    )


def _check(spatial: int, mode: str, align_corners: bool | None) -> None:
    plain = mode in {"nearest", "nearest-exact", "area"}
    if mode not in _MODES:
        raise UnsupportedError(
            f"Input Error: there is no interpolation mode {mode!r}", f"use {', '.join(_MODES)}"
        )
    wanted = {1, 2, 3} if plain else {_LINEAR.get(mode, 2)}
    if spatial not in wanted:
        sizes = " or ".join(f"{number + 2}D" for number in sorted(wanted))
        raise UnsupportedError(
            f"Input Error: mode {mode!r} takes {sizes} input (batch, channels, sizes), got "
            f"{spatial + 2}D input",
            'for sequences it is "linear", for images "bilinear"',
        )
    if plain and align_corners is not None:
        raise ArgumentError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic | trilinear"
        )


def _sizes(
    old: tuple[int, ...],
    size: int | Sequence[int] | None,
    scale_factor: float | Sequence[float] | None,
) -> tuple[tuple[int, ...], tuple[float | None, ...]]:
    """Return the new sizes, and the scales where they are given."""
    if (size is None) == (scale_factor is None):
        raise ArgumentError(
            "either size or scale_factor should be defined"
            if size is None
            else "only one of size or scale_factor should be defined"
        )
    spatial = len(old)
    given: Any = scale_factor if size is None else size
    each = tuple(given) if isinstance(given, (list, tuple)) else (given,) * spatial
    if len(each) != spatial:
        raise ArgumentError(
            f"Input and output must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(old)} and "
            f"{'scale_factor' if size is None else 'output size'} of {list(each)}",
            "the input is (batch, channels, sizes)",
        )
    if size is not None:
        return tuple(int(number) for number in each), (None,) * spatial
    scales = tuple(float(number) for number in each)
    sizes = tuple(math.floor(n * scale) for n, scale in zip(old, scales, strict=True))
    return sizes, scales


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Return `interpolate(...)` of the same arguments; deprecated in torch."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """Return `interpolate(...)` with mode "nearest"."""
    return interpolate(input, size, scale_factor)


def upsample_bilinear(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """Return `interpolate(...)` with mode "bilinear" and aligned corners."""
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)
