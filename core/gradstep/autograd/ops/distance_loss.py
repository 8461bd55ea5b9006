"""Losses that are robust, of distributions, and of pairs."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.formulas import pairwise_distance
from gradstep.autograd.ops.loss import l1_loss
from gradstep.autograd.ops.loss_reduction import reduced, tell_sizes
from gradstep.autograd.ops.operands import align, misfit
from gradstep.autograd.ops.select import where
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "cosine_embedding_loss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "margin_ranking_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
]


class _RobustBackward(Node):
    """A square near 0 and straight beyond `limit`; `context` holds limit, slope, shapes, count."""

    __slots__ = ()
    rule = (
        "input: grad / count * slope * clamp(input - target, -limit, limit); "
        "target: -grad / count * slope * clamp(input - target, -limit, limit)"
    )

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = (x - y) clipped to the limit, times a factor; for y its negative."""
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
        """Return what else the rule names."""
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
        tell_sizes(input._array.shape, target._array.shape)
    try:
        apart: NDArray[Any] = np.abs(input._array - target._array)
    except ValueError:
        raise misfit(input._array.shape, target._array.shape) from None
    terms = np.where(apart < limit, apart * apart * 0.5, limit * (apart - 0.5 * limit)) * factor
    out = wrap(reduced(terms, reduction))
    if grad_mode.enabled and (input._requires_grad or target._requires_grad):
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
        beta: Where the square ends; 0 for the absolute difference.

    Raises:
        ArgumentError: `beta` is negative.

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
        delta: Where the square ends.

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


def kl_div(
    input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """Return the Kullback-Leibler divergence y (log y - x) of log-probabilities x from y.

    Args:
        input: Log-probabilities.
        target: Probabilities, or their logarithms.
        reduction: "batchmean" for the divergence itself, "mean", "sum" or "none".
        log_target: Whether the target is logarithms.

    Example:
        >>> import gradstep
        >>> y = gradstep.tensor([[0.5, 0.5]])
        >>> kl_div(y.log(), y, reduction="batchmean")
        tensor(0.)
    """
    if log_target:
        terms = target.exp() * (target - input)
    else:
        terms = where(target == 0, 0.0, target * target.log()) - target * input
    if reduction == "batchmean":
        return terms.sum() / (input._array.shape[0] if input._array.ndim else 1)
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support "
            "size. 'batchmean' divides only by the batch size, and aligns with the KL math "
            "definition.",
            stacklevel=3,
        )
    return _reduced(terms, reduction)


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
        log_input: Whether the input is logarithms.
        full: Whether to add Stirling's approximation of the logarithm of the factorial.
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
    return _reduced(terms, reduction)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of values under normal distributions.

    Args:
        input: The means.
        target: The values.
        var: The variances, of the shape of the input, or of size 1 in one dimension, or without the
            last one.
        full: Whether to add the constant term.
        eps: Least variance.
        reduction: "mean", "sum" or "none".

    Raises:
        ArgumentError: A variance is negative, or there are not as many as values.

    Example:
        >>> import gradstep
        >>> gaussian_nll_loss(gradstep.zeros(1), gradstep.tensor([2.0]), gradstep.ones(1))
        tensor(2.)
    """
    if not isinstance(var, Tensor):
        var = input * 0 + var
    shape, own = input._array.shape, var._array.shape
    if own != shape:
        if shape[:-1] == own:
            var = var.unsqueeze(-1)
        elif not _lacks_one(shape, own):
            raise ArgumentError(
                "var is of incorrect size", f"it is {list(own)}, the input {list(shape)}"
            )
    if (var._array < 0).any():
        raise ArgumentError("var has negative entry/entries", "give variances of at least 0")
    raised = np.maximum(var._array, var._array.dtype.type(eps)) - var._array
    variance = var + wrap(raised)  # the gradient passes as if nothing had been raised
    terms = 0.5 * (variance.log() + (input - target) ** 2 / variance)
    if full:
        terms = terms + 0.5 * math.log(2 * math.pi)
    return _reduced(terms, reduction)


def _lacks_one(shape: tuple[int, ...], own: tuple[int, ...]) -> bool:
    """Tell whether variances are shared along one dimension, and one only."""
    if len(shape) != len(own):
        return False
    return [size for size, wanted in zip(own, shape, strict=True) if size != wanted] == [1]


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """Return x where the target is 1, and max(0, margin - x) where it is -1.

    Example:
        >>> import gradstep
        >>> hinge_embedding_loss(gradstep.tensor([0.5, 0.25]), gradstep.tensor([1, -1]))
        tensor(0.6250)
    """
    far = where(target != 1, (margin - input).clamp_min(0), 0.0)
    return _reduced(far + where(target != -1, input, 0.0), reduction)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return log(1 + exp(-y x)) for targets y of 1 and -1.

    Example:
        >>> import gradstep
        >>> soft_margin_loss(gradstep.zeros(1), gradstep.ones(1))
        tensor(0.6931)
    """
    return _reduced((-target * input).exp().log1p(), reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return max(0, margin - y (x1 - x2)) for targets y of 1 and -1.

    Example:
        >>> import gradstep
        >>> one, two = gradstep.tensor([1.0]), gradstep.tensor([3.0])
        >>> margin_ranking_loss(one, two, gradstep.tensor([1]))
        tensor(2.)
    """
    ranks = {value._array.ndim for value in (input1, input2, target)}
    if len(ranks) > 1:
        sizes = [list(value._array.shape) for value in (input1, input2, target)]
        raise TensorError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {sizes[0]}, input2: {sizes[1]}, target: {sizes[2]} "
        )
    return _reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return 1 - cos for targets of 1, and max(0, cos - margin) for targets of -1.

    Example:
        >>> import gradstep
        >>> one, two = gradstep.tensor([[1.0, 0.0]]), gradstep.tensor([[0.0, 1.0]])
        >>> cosine_embedding_loss(one, two, gradstep.tensor([1]))
        tensor(1.)
    """
    if target._array.ndim not in {0, 1} or input1._array.ndim != target._array.ndim + 1:
        raise TensorError(
            f"{target._array.ndim}D target tensor expects {target._array.ndim + 1}D input tensors, "
            f"but found inputs with sizes {list(input1._array.shape)} and "
            f"{list(input2._array.shape)}.",
            "the target holds one number for each pair of vectors",
        )
    squares = [(x * x).sum(-1) + 1e-12 for x in (input1, input2)]
    cosine = (input1 * input2).sum(-1) / (squares[0] * squares[1]).sqrt()
    near = where(target == 1, 1 - cosine, 0.0)
    return _reduced(near + where(target == -1, (cosine - margin).clamp_min(0), 0.0), reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, margin + the distance to the positive - the distance to the negative).

    Args:
        anchor: Of shape (batch, features), or (features,).
        positive: What should be near.
        negative: What should be far.
        margin: By how much farther.
        p: Of the norm that measures distances.
        eps: Added to each difference.
        swap: Whether the negative's distance to the positive counts if it is smaller.
        reduction: "mean", "sum" or "none".

    Raises:
        ArgumentError: The margin is not positive.
    """
    if margin <= 0:
        raise ArgumentError(f"margin must be greater than 0, got {margin}")
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return _reduced((margin + near - far).clamp_min(0), reduction)


def _reduced(terms: Tensor, reduction: str) -> Tensor:
    out = reduced(terms, reduction)
    assert isinstance(out, Tensor)
    return out
