"""torch.nn.functional: what the core has, and the functions that only scripts use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops.activations import leaky_relu as _leaky_relu
from gradstep.autograd.ops.activations import softmax as _softmax
from gradstep.autograd.ops.inplace import in_place
from gradstep.autograd.tensor import wrap
from gradstep.nn import functional as core
from gradstep.nn.functional import *
from gradstep.nn.functional import _channel_dropout, _guessed_dim
from gradstep.random import default_generator
from gradstep_torch.argument_errors import add_tensor_errors
from gradstep_torch.missing_names import missing_from
from gradstep_torch.nn.interpolation import (
    interpolate,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)
from gradstep_torch.ops import activations as _hard_activations
from gradstep_torch.ops import formulas as _formulas
from gradstep_torch.ops import random_fill as _random_fill
from gradstep_torch.ops.activations import hardshrink, softshrink
from gradstep_torch.ops.adaptive_max_pool import (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)
from gradstep_torch.ops.bilinear import bilinear
from gradstep_torch.ops.ctc import ctc_loss
from gradstep_torch.ops.distance_loss import (
    cosine_embedding_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    kl_div,
    margin_ranking_loss,
    soft_margin_loss,
    triplet_margin_loss,
)
from gradstep_torch.ops.embedding_bag import embedding_bag
from gradstep_torch.ops.fold import fold, unfold
from gradstep_torch.ops.formulas import (
    cosine_similarity,
    glu,
    normalize,
    pairwise_distance,
    tanhshrink,
)
from gradstep_torch.ops.lp_pool import lp_pool1d, lp_pool2d, lp_pool3d
from gradstep_torch.ops.margin_loss import (
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    triplet_margin_with_distance_loss,
)
from gradstep_torch.ops.sample_norm import instance_norm, local_response_norm, rms_norm
from gradstep_torch.ops.sampling_grid import affine_grid, grid_sample
from gradstep_torch.ops.selection import one_hot
from gradstep_torch.ops.shuffle import channel_shuffle, pixel_shuffle, pixel_unshuffle
from gradstep_torch.ops.unpool import max_unpool1d, max_unpool2d, max_unpool3d

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import DTypeLike
    from gradstep.autograd.tensor import Tensor


__all__ = [
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "affine_grid",
    "alpha_dropout",
    "bilinear",
    "channel_shuffle",
    "cosine_embedding_loss",
    "cosine_similarity",
    "ctc_loss",
    "dropout3d",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gaussian_nll_loss",
    "glu",
    "grid_sample",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hinge_embedding_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "local_response_norm",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "normalize",
    "one_hot",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "soft_margin_loss",
    "softmin",
    "softshrink",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]
__all__ += core.__all__


threshold_ = in_place(_hard_activations.threshold)
_hardsigmoid_ = in_place(_hard_activations.hardsigmoid)
_hardswish_ = in_place(_hard_activations.hardswish)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return `input` where it is larger than `threshold`, else `value`."""
    return (threshold_ if inplace else _hard_activations.threshold)(input, threshold, value)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input / 6 + 1/2 clipped to [0, 1]."""
    return (_hardsigmoid_ if inplace else _hard_activations.hardsigmoid)(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return `input` times its hardsigmoid."""
    return (_hardswish_ if inplace else _hard_activations.hardswish)(input)


def softmin(input: Tensor, dim: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    """Return the softmax of -input along a dimension; arguments as for `softmax`."""
    along = _guessed_dim("softmin", input) if dim is None else dim
    return _formulas.softmin(input, along, dtype=dtype)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Return volumes with whole channels zeroed at random; arguments as for `dropout1d`."""
    return _channel_dropout(3, input, p, training, inplace)


_alpha_dropout_ = in_place(_random_fill.alpha_dropout)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return `input` with elements set to SELU's saturation value, preserving mean and variance.

    Args:
        input: Of any shape.
        p: The probability that an element is set.
        training: If False, the input is returned unchanged.
        inplace: Overwrite the input.

    References:
        Klambauer et al., Self-normalizing neural networks, NeurIPS 2017 (arXiv 1706.02515).
    """
    return (_alpha_dropout_ if inplace and training else _random_fill.alpha_dropout)(
        input, p, training
    )


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return `input` (batch, channels, ...) with whole channels set; see `alpha_dropout`."""
    function = _alpha_dropout_ if inplace and training else _random_fill.alpha_dropout
    return function(input, p, training, by_channel=True)


_DOUBLE = np.dtype(np.float64)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Return a differentiable sample of classes: a softmax of scores with Gumbel noise.

    Args:
        logits: Scores.
        tau: The temperature; low values approach one-hot samples.
        hard: Whether to return one-hot samples, with the gradient of the soft ones.
        eps: Unused.
        dim: The dimension of the classes.

    Example:
        >>> import gradstep_torch as torch
        >>> sample = gumbel_softmax(torch.zeros(2, 3), hard=True)
        >>> sample.sum(1).tolist()
        [1.0, 1.0]

    References:
        Jang et al., Categorical reparameterization with Gumbel-softmax, ICLR 2017 (1611.01144).
    """
    del eps
    x = logits._array
    waits = -np.log1p(-default_generator.uniform(x.shape, _DOUBLE)).astype(x.dtype)
    soft = _softmax((logits - wrap(np.log(waits))) / tau, dim)
    if not hard:
        return soft
    best = soft._array.argmax(dim)
    chosen = np.zeros_like(soft._array)
    np.put_along_axis(chosen, np.expand_dims(best, dim), 1, dim)
    return wrap(chosen) - soft.detach() + soft


def _rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    if not training:
        return _leaky_relu(input, (lower + upper) / 2)
    x = input._array
    negative = x <= 0
    slopes = np.ones_like(x)
    drawn = default_generator.uniform((int(negative.sum()),), _DOUBLE)
    slopes[negative] = (drawn * (upper - lower) + lower).astype(x.dtype)
    scaled: Tensor = input * wrap(slopes)
    return scaled


rrelu_ = in_place(_rrelu)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Return `input` with negative elements times a slope, which is random in training.

    Args:
        input: Of any shape.
        lower: The smallest slope.
        upper: The largest slope; in evaluation the slope is the mean of both.
        training: Whether to draw slopes.
        inplace: Overwrite the input.

    References:
        Xu et al., Empirical evaluation of rectified activations, 2015 (arXiv 1505.00853).
    """
    return (rrelu_ if inplace else _rrelu)(input, lower, upper, training)


if not TYPE_CHECKING:  # type checkers must see the real names and signatures
    add_tensor_errors(globals(), __all__)
    __getattr__ = missing_from(__name__)
