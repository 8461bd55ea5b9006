"""Affine grids and sampling of images at the points of a grid."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError, UnsupportedError
from gradstep_torch.ops.resize import cubic_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["affine_grid", "grid_sample"]


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Return the sampling points of affine maps of images.

    Args:
        theta: The maps, of shape (batch, 2, 3) for images and (batch, 3, 4) for volumes.
        size: The output size: (batch, channels, height, width), or with a depth before height.
        align_corners: Whether -1 and 1 are the centres of the outermost pixels instead of their
            edges; None means False.

    Returns:
        Of shape (batch, height, width, 2): x and y from -1 to 1.

    Raises:
        TensorError: The shape of `theta` is wrong.

    Example:
        >>> import gradstep_torch as torch
        >>> identity = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
        >>> affine_grid(identity, (1, 1, 1, 2), align_corners=True)
        tensor([[[[-1.,  0.],
                  [ 1.,  0.]]]])

    References:
        Jaderberg et al., Spatial transformer networks, NeurIPS 2015 (arXiv 1506.02025).
    """
    spatial = tuple(size)[2:]
    rank = len(spatial)
    if rank not in {2, 3} or min(size) < 1:
        raise UnsupportedError(
            "affine_grid only supports 4D and 5D sizes of positive numbers, for 2D and 3D affine "
            f"transforms. Got size {list(size)}."
        )
    if theta._array.shape != (size[0], rank, rank + 1):
        raise TensorError(
            f"Expected a batch of {rank}D affine matrices of shape {size[0]}x{rank}x{rank + 1} for "
            f"size {list(size)}. Got {list(theta._array.shape)}."
        )
    kind = theta._array.dtype
    lines = []
    for n in spatial:
        line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
        lines.append(line if align_corners else line * (n - 1) / n)
    places = np.meshgrid(*lines, indexing="ij")
    base = np.stack([*reversed(places), np.ones(spatial)], -1).reshape(1, -1, rank + 1)
    spread = wrap(np.broadcast_to(base, (size[0], *base.shape[1:])).astype(kind))
    return spread.bmm(theta.transpose(1, 2)).reshape(size[0], *spatial, rank)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Return images interpolated at the points of a grid.

    Args:
        input: Of shape (batch, channels, height, width), or with a depth before the height.
        grid: Of shape (batch, new height, new width, 2): x and y from -1 to 1.
        mode: "bilinear", "nearest", or for images "bicubic".
        padding_mode: The values outside of the image: "zeros", "border" or "reflection".
        align_corners: Whether -1 and 1 are the centres of the outermost pixels instead of their
            edges; None means False.

    Raises:
        ArgumentError: There is no such mode.
        TensorError: Shapes or types do not match.

    Example:
        >>> import gradstep_torch as torch
        >>> image = torch.tensor([[[[1.0, 3.0]]]])
        >>> grid_sample(image, torch.zeros(1, 1, 1, 2), align_corners=True)
        tensor([[[[2.]]]])

    References:
        Jaderberg et al., Spatial transformer networks, NeurIPS 2015 (arXiv 1506.02025).
    """
    _check(input, grid, mode, padding_mode)
    shape = input._array.shape
    sizes, new = shape[2:], grid._array.shape[1:-1]
    flat = input.reshape(*shape[:2], prod(sizes))
    corners = [
        _pixels_and_weights(grid.select(-1, number), n, mode, padding_mode, bool(align_corners))
        for number, n in enumerate(reversed(sizes))
    ][::-1]
    total: Tensor | None = None
    for corner in product(*corners):
        places = np.zeros((shape[0], *new), np.int64)
        weight: Tensor = corner[0][1]
        inside = np.ones(places.shape, np.bool_)
        for (where, _), n in zip(corner, sizes, strict=True):
            inside &= (where >= 0) & (where < n)
            places = places * n + np.clip(np.nan_to_num(where), 0, n - 1).astype(np.int64)
        for _, share in corner[1:]:
            weight = weight * share
        spread = np.broadcast_to(places.reshape(shape[0], 1, -1), (*shape[:2], prod(new)))
        seen = flat.gather(2, wrap(spread)).reshape(*shape[:2], *new)
        seen = seen * (weight * wrap(inside)).unsqueeze(1)
        total = seen if total is None else total + seen
    assert total is not None
    return total


def _check(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    for what, given, known in (
        ("mode", mode, ("bilinear", "nearest", "bicubic")),
        ("padding_mode", padding_mode, ("zeros", "border", "reflection")),
    ):
        if given not in known:
            raise ArgumentError(
                f"grid_sample(): expected {what} to be {' or '.join(known)}, but got: '{given}'"
            )
    x, places = input._array, grid._array
    if mode == "bicubic" and x.ndim != 4:  # noqa: PLR2004 - images
        raise TensorError("grid_sample(): bicubic interpolation only supports 4D input")
    if x.ndim not in {4, 5} or places.ndim != x.ndim:
        raise TensorError(
            "grid_sample(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got input with sizes {list(x.shape)} and grid with sizes {list(places.shape)}"
        )
    if len(x) != len(places) or places.shape[-1] != x.ndim - 2:
        raise TensorError(
            f"grid_sample(): expected grid to have size {x.ndim - 2} in last dimension and the "
            f"batch of the input, {len(x)}, in its first, but got grid with sizes "
            f"{list(places.shape)}"
        )
    if x.dtype != places.dtype:
        raise TensorError(
            f"grid_sample(): expected input and grid to have same dtype, but input has {x.dtype} "
            f"and grid has {places.dtype}",
            "convert one with .to(dtype)",
        )


def _pixels_and_weights(
    x: Tensor, size: int, mode: str, padding_mode: str, align_corners: bool
) -> list[tuple[NDArray[Any], Tensor]]:
    """Return the pixels that each coordinate combines along one dimension, and their weights."""
    at: Tensor = (x + 1) / 2 * (size - 1) if align_corners else ((x + 1) * size - 1) / 2
    if mode == "bicubic":
        below = np.floor(at._array)
        places = [wrap(below + offset) for offset in range(-1, 3)]
        inside = [_padded(place, size, padding_mode, align_corners)._array for place in places]
        return list(zip(inside, cubic_weights(at - places[1]), strict=True))
    at = _padded(at, size, padding_mode, align_corners)
    if mode == "nearest":
        return [(np.rint(at._array), at.sign() * 0 + 1)]
    below = np.floor(at._array)
    share = at - wrap(below)
    return [(below, 1 - share), (below + 1, share)]


def _padded(at: Tensor, size: int, padding_mode: str, align_corners: bool) -> Tensor:
    """Return pixel coordinates, moved inside the image unless the padding is zeros."""
    if padding_mode == "reflection":
        at = _reflected(at, size, align_corners)
    return at if padding_mode == "zeros" else at.clamp(0, size - 1)


def _reflected(at: Tensor, size: int, align_corners: bool) -> Tensor:
    low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
    if not span:
        return at * 0
    away: Tensor = (at - low).abs()
    flips = np.floor(away._array / span)
    rest = away - wrap((flips * span).astype(away._array.dtype))
    even = wrap(flips % 2 == 0)
    return rest.where(even, span - rest) + low
