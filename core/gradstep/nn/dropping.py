"""Dropout as functions, which can overwrite their input."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from gradstep.autograd.ops import dropout as dropouts
from gradstep.autograd.ops.inplace import in_place

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
]

_dropout_ = in_place(dropouts.dropout)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Return `input` with each element zeroed with probability p, the rest divided by 1 - p.

    Args:
        input: Of any shape.
        p: The probability of an element to be zeroed.
        training: When False, nothing is done.
        inplace: Overwrite the input.
    """
    return (_dropout_ if inplace and training else dropouts.dropout)(input, p, training)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return `input` with each channel zeroed with probability p, the rest divided by 1 - p.

    Args:
        input: Of shape (batch, channels, length), or without the batch.
        p: The probability of a channel to be zeroed.
        training: When False, nothing is done.
        inplace: Overwrite the input.
    """
    return _channel_dropout(1, input, p, training, inplace)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return images with each channel zeroed at random; arguments as for `dropout1d`."""
    return _channel_dropout(2, input, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return volumes with each channel zeroed at random; arguments as for `dropout1d`."""
    return _channel_dropout(3, input, p, training, inplace)


def _channel_dropout(
    spatial: int, input: Tensor, p: float, training: bool, inplace: bool
) -> Tensor:
    if spatial == 2 and input._array.ndim == 3:  # noqa: PLR2004 - as torch takes it
        warnings.warn(
            "dropout2d: Received a 3D input, which is taken as (batch, channels, length). Use "
            "dropout1d for that, or add the batch to an image.",
            stacklevel=4,
        )
        spatial = 1
    function = _dropout_ if inplace and training else dropouts.dropout
    return function(input, p, training, spatial=spatial)


_alpha_dropout_ = in_place(dropouts.alpha_dropout)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return `input` with elements at the value of SELU at -infinity, mean and variance kept.

    Args:
        input: Of any shape.
        p: The probability of an element to be set.
        training: When False, nothing is done.
        inplace: Overwrite the input.

    References:
        Klambauer et al., Self-normalizing neural networks, NeurIPS 2017 (arXiv 1706.02515).
    """
    return (_alpha_dropout_ if inplace and training else dropouts.alpha_dropout)(input, p, training)


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return `input`, of shape (batch, channels, ...), with whole channels set; `alpha_dropout`."""
    function = _alpha_dropout_ if inplace and training else dropouts.alpha_dropout
    return function(input, p, training, by_channel=True)
