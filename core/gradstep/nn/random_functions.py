"""Activations that draw random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops import activation
from gradstep.autograd.ops.inplace import in_place
from gradstep.autograd.ops.rectifiers import leaky_relu
from gradstep.autograd.tensor import wrap
from gradstep.random import default_generator

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor

__all__ = ["gumbel_softmax", "rrelu", "rrelu_"]

_DOUBLE = np.dtype(np.float64)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Return a sample of classes that gradients pass: a softmax of scores with Gumbel noise.

    Args:
        logits: Scores.
        tau: The temperature; the lower, the nearer to one class.
        hard: Whether to return one class, with the gradient of the soft sample.
        eps: Not used any more.
        dim: Along which the classes lie.

    Example:
        >>> import gradstep
        >>> sample = gumbel_softmax(gradstep.zeros(2, 3), hard=True)
        >>> sample.sum(1).tolist()
        [1.0, 1.0]

    References:
        Jang et al., Categorical reparameterization with Gumbel-softmax, ICLR 2017 (1611.01144).
    """
    del eps
    x = logits._array
    waits = -np.log1p(-default_generator.uniform(x.shape, _DOUBLE)).astype(x.dtype)
    soft = activation.softmax((logits - wrap(np.log(waits))) / tau, dim)
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
        return leaky_relu(input, (lower + upper) / 2)
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
    """Return `input` where it is positive, else times a slope, which is random in training.

    Args:
        input: Of any shape.
        lower: The least slope.
        upper: The greatest; in evaluation the slope is half-way.
        training: Whether slopes are drawn.
        inplace: Overwrite the input.

    References:
        Xu et al., Empirical evaluation of rectified activations, 2015 (arXiv 1505.00853).
    """
    return (rrelu_ if inplace else _rrelu)(input, lower, upper, training)
