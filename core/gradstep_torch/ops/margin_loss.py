"""Margin losses of classes, labels and distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.ops.activations import logsigmoid
from gradstep.autograd.ops.loss_reduction import reduced
from gradstep.autograd.ops.operands import broadcast_error
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError, TensorIndexError
from gradstep_torch.ops.formulas import pairwise_distance

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

__all__ = [
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "triplet_margin_with_distance_loss",
]


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the violations of the margin between the target score and the others.

    Args:
        input: Scores, of shape (batch, classes) or (classes,).
        target: Class numbers, of shape (batch,) or ().
        p: The exponent of each violation, 1 or 2.
        margin: The required margin of the target score.
        weight: A weight for each class.
        reduction: "mean", "sum" or "none".

    Raises:
        ArgumentError: `p` is neither 1 nor 2.
        TensorError: Shapes or types do not match.
        TensorIndexError: A target is out of range.

    Example:
        >>> import gradstep_torch as torch
        >>> multi_margin_loss(torch.tensor([[0.1, 0.2, 0.4]]), torch.tensor([2]))
        tensor(0.5000)
    """
    if p not in {1, 2}:
        raise ArgumentError(f"only p == 1 and p == 2 supported, got {p}")
    x, scores, classes = input._array, _rows("multi_margin_loss", input), target._array.reshape(-1)
    if x.ndim > 2 or target._array.ndim > 1 or len(scores) != len(classes):  # noqa: PLR2004
        raise TensorError(
            f"inconsistent target size, expected {list(x.shape[:-1])} but got "
            f"{list(target._array.shape)}"
        )
    count = scores.shape[1]
    _check_targets(classes, count)
    if weight is not None and weight._array.shape != (count,):
        raise TensorError(f"inconsistent weight size, expected {count} but got {weight.shape}")
    right = wrap(classes[:, None])
    others = wrap(np.arange(count) != classes[:, None])
    short = (scores - scores.gather(1, right) + margin).relu()
    terms: Tensor = ((short if p == 1 else short * short) * others).sum(1) / count
    if weight is not None:
        terms = terms * weight[wrap(classes)]
    return _reduced(terms if x.ndim > 1 else terms.squeeze(0), reduction)


def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the violations of a margin of 1 between target labels and all others.

    Args:
        input: Scores, of shape (batch, labels) or (labels,).
        target: The indices of the target labels, of the same shape, terminated by -1.
        reduction: "mean", "sum" or "none".

    Raises:
        TensorError: Shapes or types do not match.
        TensorIndexError: A target is out of range.

    Example:
        >>> import gradstep_torch as torch
        >>> x, y = torch.tensor([0.1, 0.2, 0.4, 0.8]), torch.tensor([3, 0, -1, 1])
        >>> multilabel_margin_loss(x, y)
        tensor(0.8500)
    """
    x = input._array
    if x.shape != target._array.shape:
        raise TensorError(
            f"inconsistent target size: {list(target._array.shape)} for input of size: "
            f"{list(x.shape)}"
        )
    scores, numbers = _rows("multilabel_margin_loss", input), np.atleast_2d(target._array)
    ended = np.logical_or.accumulate(numbers < 0, axis=1)
    _check_targets(numbers[~ended], scores.shape[1])
    safe = np.where(ended, 0, numbers)
    right = np.zeros(numbers.shape, np.bool_)
    rows = np.broadcast_to(np.arange(len(safe))[:, None], safe.shape)
    right[rows[~ended], safe[~ended]] = True
    chosen = scores.gather(1, wrap(safe))
    short = (1 - chosen.unsqueeze(2) + scores.unsqueeze(1)).relu()
    counted = wrap(~ended[:, :, None] & ~right[:, None, :])
    terms: Tensor = (short * counted).sum((1, 2)) / max(scores.shape[1], 1)
    return _reduced(terms if x.ndim > 1 else terms.squeeze(0), reduction)


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the mean over labels of the binary cross entropy of their scores.

    Args:
        input: Scores (logits), of shape (..., labels).
        target: 1 for each true label, else 0, of the same shape.
        weight: A weight for each label.
        reduction: "mean", "sum" or "none".

    Raises:
        TensorError: The shapes differ.

    Example:
        >>> import gradstep_torch as torch
        >>> multilabel_soft_margin_loss(torch.zeros(1, 2), torch.tensor([[1.0, 0.0]]))
        tensor(0.6931)
    """
    if input._array.shape != target._array.shape:
        raise broadcast_error(input._array.shape, target._array.shape)
    each: Tensor = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        each = each * weight
    return _reduced(each.mean(-1) if each.ndim else each, reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, margin + distance to the positive - distance to the negative).

    Args:
        anchor: Of shape (batch, features), or any shape that the distance takes.
        positive: Should be near the anchor.
        negative: Should be far from the anchor.
        distance_function: The distance; `pairwise_distance` if None.
        margin: The required difference of the two distances.
        swap: Whether to use the distance between positive and negative if it is smaller.
        reduction: "mean", "sum" or "none".

    Raises:
        ArgumentError: The margin is not positive.
    """
    if margin <= 0:
        raise ArgumentError(f"margin must be greater than 0, got {margin}")
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return _reduced((margin + near - far).clamp_min(0), reduction)


def _rows(name: str, input: Tensor) -> Tensor:
    """Return scores as a matrix with one row per sample."""
    shape = input._array.shape
    if len(shape) > 2 or not shape or not shape[-1]:  # noqa: PLR2004 - batch and classes
        if not shape:
            return input.reshape(1, 1)
        raise TensorError(
            f"{name}: Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(shape)}"
        )
    return input if len(shape) == 2 else input.unsqueeze(0)  # noqa: PLR2004


def _check_targets(numbers: NDArray[Any], count: int) -> None:
    if numbers.dtype != np.int64:
        raise TensorError(
            f"expected scalar type Long but found {numbers.dtype}: targets are indices",
            "convert it with .long()",
        )
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        wrong = numbers[(numbers < 0) | (numbers >= count)]
        raise TensorIndexError(
            f"Target {int(wrong[0])} is out of bounds", f"there are {count} classes"
        )


def _reduced(terms: Tensor, reduction: str) -> Tensor:
    out = reduced(terms, reduction)
    assert isinstance(out, Tensor)
    return out
