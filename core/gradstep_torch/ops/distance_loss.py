"""Losses from distances, margins and distributions."""

from __future__ import annotations

import math
import warnings

import numpy as np

from gradstep.autograd.ops.loss_reduction import reduced_tensor
from gradstep.autograd.ops.select import where
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError
from gradstep_torch.ops.formulas import pairwise_distance

__all__ = [
    "cosine_embedding_loss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "kl_div",
    "margin_ranking_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
]


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
        >>> import gradstep_torch as torch
        >>> y = torch.tensor([[0.5, 0.5]])
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
    return reduced_tensor(terms, reduction)


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
        var: The variances, of the shape of the input, of size 1 in one dimension, or without the
            last dimension.
        full: Whether to add the constant term.
        eps: The smallest variance used.
        reduction: "mean", "sum" or "none".

    Raises:
        ArgumentError: A variance is negative, or the shape of `var` is wrong.

    Example:
        >>> import gradstep_torch as torch
        >>> gaussian_nll_loss(torch.zeros(1), torch.tensor([2.0]), torch.ones(1))
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
    variance = var + wrap(raised)  # the gradient ignores the clamping
    terms = 0.5 * (variance.log() + (input - target) ** 2 / variance)
    if full:
        terms = terms + 0.5 * math.log(2 * math.pi)
    return reduced_tensor(terms, reduction)


def _lacks_one(shape: tuple[int, ...], own: tuple[int, ...]) -> bool:
    """Return whether the shapes differ in exactly one dimension, where `own` has size 1."""
    if len(shape) != len(own):
        return False
    return [size for size, wanted in zip(own, shape, strict=True) if size != wanted] == [1]


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """Return x where the target is 1, and max(0, margin - x) where it is -1.

    Example:
        >>> import gradstep_torch as torch
        >>> hinge_embedding_loss(torch.tensor([0.5, 0.25]), torch.tensor([1, -1]))
        tensor(0.6250)
    """
    far = where(target != 1, (margin - input).clamp_min(0), 0.0)
    return reduced_tensor(far + where(target != -1, input, 0.0), reduction)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return log(1 + exp(-y x)) for targets y of 1 and -1.

    Example:
        >>> import gradstep_torch as torch
        >>> soft_margin_loss(torch.zeros(1), torch.ones(1))
        tensor(0.6931)
    """
    return reduced_tensor((-target * input).exp().log1p(), reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return max(0, margin - y (x1 - x2)) for targets y of 1 and -1.

    Example:
        >>> import gradstep_torch as torch
        >>> one, two = torch.tensor([1.0]), torch.tensor([3.0])
        >>> margin_ranking_loss(one, two, torch.tensor([1]))
        tensor(2.)
    """
    ranks = {value._array.ndim for value in (input1, input2, target)}
    if len(ranks) > 1:
        sizes = [list(value._array.shape) for value in (input1, input2, target)]
        raise TensorError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {sizes[0]}, input2: {sizes[1]}, target: {sizes[2]} "
        )
    return reduced_tensor((-target * (input1 - input2) + margin).clamp_min(0), reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return 1 - cos for targets of 1, and max(0, cos - margin) for targets of -1.

    Example:
        >>> import gradstep_torch as torch
        >>> one, two = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
        >>> cosine_embedding_loss(one, two, torch.tensor([1]))
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
    return reduced_tensor(
        near + where(target == -1, (cosine - margin).clamp_min(0), 0.0), reduction
    )


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
        positive: Should be near the anchor.
        negative: Should be far from the anchor.
        margin: The required difference of the two distances.
        p: The order of the norm.
        eps: Added to each difference.
        swap: Whether to use the distance between positive and negative if it is smaller.
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
    return reduced_tensor((margin + near - far).clamp_min(0), reduction)
