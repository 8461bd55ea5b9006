"""Classification losses: negative log-likelihood and cross entropy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.activations import log_softmax
from gradstep.autograd.ops.loss_reduction import reduced, reduced_tensor
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError, TensorIndexError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cross_entropy", "nll_loss"]


class NllLossBackward0(Node):
    """The weighted sum of the target classes' log-probabilities; `context` holds the weights."""

    __slots__ = ()
    rule = "input: -grad * weight / count at the class of the target, 0 elsewhere"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Each target log-probability gets the gradient times its weight."""
        weights, unreduced = self.context
        if unreduced:
            grad = grad.reshape((*grad.shape[:1], 1, *grad.shape[1:]) if grad.ndim else (1,))
        return (grad * weights,)


_CLASS_TYPES = frozenset(map(np.dtype, (np.int64, np.uint8)))


def _unbatched_target(input: Tensor, target: Tensor) -> Tensor:
    """Return the target as a 0-d tensor if the scores have no batch dimension."""
    if input._array.ndim != 1 or target._array.ndim != 1:
        return target
    if target._array.size != 1:
        raise ArgumentError(
            f"For 1D input, 1D target must have size 1, but got target size: {target._array.size}"
        )
    return wrap(target._array.reshape(()))


def _class_count(input: Tensor, target: Tensor, weight: Tensor | None) -> int:
    """Check the arguments of nll_loss and return the number of classes."""
    x, y = input._array, target._array
    if x.ndim == 0:
        raise TensorError("nll_loss needs one score per class, got a 0-d tensor")
    expected = (*x.shape[:1], *x.shape[2:]) if x.ndim > 1 else ()
    if x.ndim > 1 and y.ndim and x.shape[0] != y.shape[0]:
        raise ArgumentError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({y.shape[0]})"
        )
    if y.shape != expected and len(expected) == 1:
        raise TensorError(
            f"0D or 1D target tensor expected, multi-target not supported: got {list(y.shape)}",
            "give one class index per row, for example with .squeeze(1) or .argmax(1)",
        )
    if y.shape != expected:
        raise TensorError(
            f"Expected target size {list(expected)}, got {list(y.shape)}",
            f"the input has shape {list(x.shape)}: its second dimension is the classes",
        )
    if y.dtype not in _CLASS_TYPES:
        raise TensorError(
            f"expected target dtype to be Long or Byte, but got {scalar_name(y.dtype)}",
            "convert class indices with .long(); probabilities must have the shape of the input, "
            f"{list(x.shape)}",
        )
    classes: int = x.shape[1 if x.ndim > 1 else 0]
    if weight is not None and weight._array.shape != (classes,):
        raise TensorError(
            f"weight tensor should be defined either for all {classes} classes or no classes but "
            f"got weight tensor of shape: {list(weight._array.shape)}"
        )
    return classes


def _target_weights(
    y: NDArray[Any], classes: int, weight: Tensor | None, ignore_index: int, kind: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the targets, with 0 for ignored ones, and the weight of each."""
    ignored = y == ignore_index
    wrong = ((y < 0) | (y >= classes)) & ~ignored
    if wrong.any():
        raise TensorIndexError(
            f"Target {int(y[wrong].flat[0])} is out of bounds",
            f"there are {classes} classes, 0 to {classes - 1}"
            if classes > 1
            else "there is one class, 0",
        )
    safe = np.where(ignored, 0, y)
    weights = np.ones(y.shape, kind) if weight is None else weight._array.astype(kind)[safe]
    return safe, np.where(ignored, kind.type(0), weights)


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Tensor:
    """Return the negative log-likelihood of the target classes.

    Args:
        input: Log-probabilities, of shape (classes,), (batch, classes) or (batch, classes, ...).
        target: Class indices, of the same shape without the class dimension.
        weight: One weight per class; the mean is weighted by them.
        ignore_index: Targets with this value are ignored.
        reduction: "mean", "sum" or "none".

    Raises:
        TensorError: The shapes do not match, or the target has the wrong dtype.
        TensorIndexError: A target is not a valid class.

    Example:
        >>> import gradstep
        >>> nll_loss(gradstep.tensor([[-0.5, -1.0]]), gradstep.tensor([1]))
        tensor(1.)
    """
    target = _unbatched_target(input, target)
    classes = _class_count(input, target, weight)
    x, y = input._array, target._array
    safe, weights = _target_weights(y, classes, weight, ignore_index, x.dtype)
    along = 1 if x.ndim > 1 else 0
    places = np.expand_dims(safe, along)
    picked = np.take_along_axis(x, places, along).squeeze(along)
    terms = -picked * weights
    total = weights.sum()
    out = wrap(terms.sum() / total if reduction == "mean" else reduced(terms, reduction))
    if grad_mode.current.enabled and input._requires_grad:
        share = -weights / total if reduction == "mean" and total else -weights
        spread = np.zeros_like(x)
        np.put_along_axis(spread, places, np.expand_dims(share, along), along)
        record(
            NllLossBackward0,
            out,
            (input._grad_fn or input,),
            context=(spread, reduction == "none" and x.ndim > 1),
        )
    return out


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy of logits against target classes or probabilities.

    Args:
        input: Logits, of shape (classes,), (batch, classes) or (batch, classes, ...).
        target: Class indices, or probabilities of the shape of the input.
        weight: One weight per class.
        ignore_index: Target classes with this value are ignored.
        reduction: "mean", "sum" or "none".
        label_smoothing: Share of the target distributed uniformly over all classes
            (Szegedy et al. 2016, arXiv 1512.00567).

    Raises:
        TensorError: The shapes do not match, or `label_smoothing` is not between 0 and 1.

    Example:
        >>> import gradstep
        >>> cross_entropy(gradstep.tensor([[0.0, 0.0]]), gradstep.tensor([1]))
        tensor(0.6931)
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise TensorError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    along = 1 if input._array.ndim > 1 else 0
    scores = log_softmax(input, along)
    if target._array.dtype.kind == "f" and target._array.shape == input._array.shape:
        return _probability_cross_entropy(scores, target, weight, reduction, label_smoothing, along)
    if not label_smoothing:
        return nll_loss(scores, target, weight, ignore_index, reduction)
    exact = nll_loss(scores, target, weight, ignore_index, reduction)
    classes = _class_count(input, target, weight)
    _, weights = _target_weights(target._array, classes, weight, ignore_index, input._array.dtype)
    even = -(
        scores if weight is None else scores * wrap(_class_weights(weight._array, input, along))
    )
    spread = even.sum(along).masked_fill(wrap(target._array == ignore_index), 0.0)
    if reduction == "mean":
        spread = spread.sum() / float(weights.sum())
    elif reduction == "sum":
        spread = spread.sum()
    return spread * (label_smoothing / classes) + exact * (1.0 - label_smoothing)


def _class_weights(weight: NDArray[Any], input: Tensor, along: int) -> NDArray[Any]:
    """Return class weights reshaped to broadcast against the input."""
    return weight.reshape((-1, *(1,) * (input._array.ndim - along - 1)))


def _probability_cross_entropy(
    scores: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    smoothing: float,
    along: int,
) -> Tensor:
    """Return the cross entropy against probabilities; the mean is over the batch."""
    x = scores._array
    if smoothing:
        target = target * (1.0 - smoothing) + smoothing / x.shape[along]
    products = scores * target
    if weight is not None:
        products = products * wrap(_class_weights(weight._array, scores, along))
    terms: Tensor = -products.sum(along)
    if reduction == "mean":
        return terms.sum() / float(x.size // x.shape[along])
    return reduced_tensor(terms, reduction)
