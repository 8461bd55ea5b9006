"""Power-average pooling."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from gradstep.autograd.ops.avg_pool import avg_pool1d, avg_pool2d, avg_pool3d
from gradstep.autograd.ops.window_sizes import Sizes, per_dimension

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["lp_pool1d", "lp_pool2d", "lp_pool3d"]

_AVERAGES = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


def _lp_pool(
    spatial: int,
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the p-norm of each window."""
    count = prod(per_dimension("kernel_size", kernel_size, spatial, least=1))
    means = _AVERAGES[spatial](input**norm_type, kernel_size, stride, ceil_mode=ceil_mode)
    out: Tensor = (means.sign() * means.abs().relu() * count) ** (1.0 / norm_type)
    return out


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the p-th root of the sum of p-th powers in each window.

    Args:
        input: Of shape (batch, channels, sizes), or without the batch.
        norm_type: p.
        kernel_size: The size of the window.
        stride: The step between windows; the size of the window if None.
        ceil_mode: Whether the last window may extend beyond the input.

    Example:
        >>> import gradstep_torch as torch
        >>> lp_pool1d(torch.tensor([[3.0, 4.0]]), 2, 2)
        tensor([[5.]])
    """
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the root of the sum of powers in each window; arguments as for `lp_pool1d`."""
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return the root of the sum of powers in each window; arguments as for `lp_pool1d`."""
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)
