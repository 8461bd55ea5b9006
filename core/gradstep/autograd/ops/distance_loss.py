"""Robust regression losses and the Poisson negative log-likelihood."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.loss import l1_loss
from gradstep.autograd.ops.loss_reduction import reduced, reduced_tensor, warn_size_mismatch
from gradstep.autograd.ops.operands import align, broadcast_error
from gradstep.autograd.ops.select import where
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["huber_loss", "poisson_nll_loss", "smooth_l1_loss"]


class _RobustBackward(Node):
    """Quadratic up to `limit`, linear beyond; `context` holds limit, slope, shapes and count."""

    __slots__ = ()
    rule = (
        "input: grad / count * slope * clamp(input - target, -limit, limit); "
        "target: -grad / count * slope * clamp(input - target, -limit, limit)"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = slope * (x - y) clipped to the limit; dy = -dx."""
        first, second = self.edges
        limit, factor, left, right, count = self.context
        share = grad if count is None else grad / count
        difference = saved[0] - saved[1]
        if isinstance(difference, Tensor):
            clipped = difference.clamp(-limit, limit)
        else:
            clipped = difference.clip(-limit, limit)
        whole = share * factor * clipped
        return (
            None if first is None else generic.unbroadcast(whole, left),
            None if second is None else generic.unbroadcast(-whole, right),
        )

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"limit": self.context[0], "slope": self.context[1], "count": self.context[4] or 1}


class SmoothL1LossBackward0(_RobustBackward):
    """d^2 / 2 b near 0, |d| - b / 2 beyond b."""

    __slots__ = ()


class HuberLossBackward0(_RobustBackward):
    """d^2 / 2 near 0, b (|d| - b / 2) beyond b."""

    __slots__ = ()


def _robust(
    kind: type[Node], input: Tensor, target: Tensor, limit: float, factor: float, reduction: str
) -> Tensor:
    input, target = align(input, target)
    if input._array.shape != target._array.shape:
        warn_size_mismatch(input._array.shape, target._array.shape)
    try:
        distance: NDArray[Any] = np.abs(input._array - target._array)
    except ValueError:
        raise broadcast_error(input._array.shape, target._array.shape) from None
    terms = (
        np.where(distance < limit, distance * distance * 0.5, limit * (distance - 0.5 * limit))
        * factor
    )
    out = wrap(reduced(terms, reduction))
    if grad_mode.current.enabled and (input._requires_grad or target._requires_grad):
        count = terms.size if reduction == "mean" else None
        record(
            kind,
            out,
            (edge(input), edge(target)),
            (input._array, target._array),
            (input._version_counter, target._version_counter),
            (limit, factor, input._array.shape, target._array.shape, count),
        )
    return out


def smooth_l1_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    """Return d^2 / (2 beta) where |d| is below beta, else |d| - beta / 2, with d = x - y.

    Args:
        input: Of any shape.
        target: Of the same shape.
        reduction: "mean", "sum" or "none".
        beta: Threshold between the quadratic and the linear part; 0 for the absolute difference.

    Raises:
        TensorError: `beta` is negative.

    Example:
        >>> import gradstep
        >>> smooth_l1_loss(gradstep.tensor([0.0]), gradstep.tensor([3.0]))
        tensor(2.5000)

    References:
        Girshick, Fast R-CNN, ICCV 2015 (arXiv 1504.08083).
    """
    if beta < 0:
        raise TensorError(f"smooth_l1_loss does not support negative values for beta, got {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction)
    return _robust(SmoothL1LossBackward0, input, target, beta, 1.0 / beta, reduction)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """Return d^2 / 2 where |d| is below delta, else delta (|d| - delta / 2), with d = x - y.

    Args:
        input: Of any shape.
        target: Of the same shape.
        reduction: "mean", "sum" or "none".
        delta: Threshold between the quadratic and the linear part.

    Raises:
        TensorError: `delta` is not positive.

    Example:
        >>> import gradstep
        >>> huber_loss(gradstep.tensor([0.0]), gradstep.tensor([3.0]), delta=2.0)
        tensor(4.)

    References:
        Huber, Robust estimation of a location parameter, 1964.
    """
    if delta <= 0:
        raise TensorError(f"huber_loss does not support non-positive values for delta, got {delta}")
    return _robust(HuberLossBackward0, input, target, delta, 1.0, reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of counts under Poisson distributions.

    Args:
        input: The rates, or their logarithms.
        target: The counts.
        log_input: Whether `input` holds logarithms of the rates.
        full: Whether to add Stirling's approximation of log(target!).
        eps: Added to the rate inside the logarithm.
        reduction: "mean", "sum" or "none".

    Example:
        >>> import gradstep
        >>> poisson_nll_loss(gradstep.tensor([0.0]), gradstep.tensor([2.0]))
        tensor(1.)
    """
    terms = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        many = where(target > 1, target, 1.0)
        stirling = many * many.log() - many + 0.5 * (many * (2 * math.pi)).log()
        terms = terms + where(target > 1, stirling, 0.0)
    return reduced_tensor(terms, reduction)
