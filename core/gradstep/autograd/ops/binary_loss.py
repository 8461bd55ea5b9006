"""Binary cross entropy, from probabilities and from logits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.loss_reduction import reduced, reduced_formula
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits"]

_EPS = 1e-12  # lower bound of p (1 - p) in the gradient, as in torch
_FLOOR = -100.0  # lower bound of the logarithms, as in torch


_POS_WEIGHT_RULE = (
    "input: grad / count * "
    "(sigmoid(input) * (1 - target + pos_weight * target) - pos_weight * target); "
    "target: grad / count * (log(1 - sigmoid(input)) - pos_weight * log(sigmoid(input)))"
)
"""The gradient rule of the loss with logits when `pos_weight` is given."""


_TERMS = "-(target * log(sigmoid(input)) + (1 - target) * log(1 - sigmoid(input)))"
"""Elementwise formula of the loss with logits."""


def _weighted(terms: str, weight: object) -> str:
    return terms if weight is None else terms.replace("-(", "-weight * (")


class BinaryCrossEntropyBackward0(Node):
    """-(target * log(input) + (1 - target) * log(1 - input))."""

    __slots__ = ()
    rule = (
        "input: grad / count * (input - target) / (input * (1 - input)); "
        "target: grad / count * (log(1 - input) - log(input))"
    )

    def own_formula(self) -> str:
        """Return the formula with its weights and its reduction."""
        return reduced_formula(self, _weighted(super().own_formula(), self.context[0]))

    def own_rule(self) -> str:
        """Return the rule, with the weights if any are given."""
        weighted = self.context[0] is not None
        return self.rule.replace("grad", "grad * weight") if weighted else self.rule

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dp = (p - y) / (p (1 - p)); dy = log(1 - p) - log p."""
        first, second = self.edges
        p, y = saved
        weight, count = self.context
        share = grad if count is None else grad / count
        if weight is not None:
            share = share * weight
        by_input = by_target = None
        if first is not None:
            spread = p * (1.0 - p)
            below = generic.to_array(spread) < _EPS
            by_input = share * (p - y) / generic.where(below, 0.0 * spread + _EPS, spread)
        if second is not None:
            by_target = share * (generic.log(1.0 - p) - generic.log(p))
        return by_input, by_target

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"count": self.context[1] or 1, "weight": self.context[0]}


class BinaryCrossEntropyWithLogitsBackward0(Node):
    """-(w y log s(x) + (1 - y) log(1 - s(x))), s the sigmoid, w the positive weight."""

    __slots__ = ()
    rule = "input: grad / count * (sigmoid(input) - target); target: -grad / count * input"

    def own_formula(self) -> str:
        """Return the formula with its weights and its reduction."""
        terms = _TERMS if self.context[1] is None else _TERMS.replace("-(", "-(pos_weight * ")
        return reduced_formula(self, _weighted(terms, self.context[0]))

    def own_rule(self) -> str:
        """Return the rule, with the weights if any are given."""
        weight, positive, _ = self.context
        rule = self.rule if positive is None else _POS_WEIGHT_RULE
        return rule if weight is None else rule.replace("grad", "grad * weight")

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = s(x) (1 - y + w y) - w y; dy = -x where w is 1."""
        first, second = self.edges
        x, y = saved
        weight, positive, count = self.context
        share = grad if count is None else grad / count
        if weight is not None:
            share = share * weight
        probability = generic.sigmoid(x)
        by_input = by_target = None
        if first is not None:
            if positive is None:
                by_input = share * (probability - y)
            else:
                by_input = share * (probability * (1.0 - y + positive * y) - positive * y)
        if second is not None:
            by_target = -share * x
            if positive is not None:
                by_target = share * (
                    generic.log(1.0 - probability) - positive * generic.log(probability)
                )
        return by_input, by_target

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {
            "count": self.context[2] or 1,
            "weight": self.context[0],
            "pos_weight": self.context[1],
        }


def _weights(weight: Tensor | None, shape: tuple[int, ...]) -> NDArray[Any] | None:
    """Return the weights broadcast to `shape`."""
    if weight is None:
        return None
    try:
        return np.broadcast_to(weight._array, shape)
    except ValueError:
        raise TensorError(
            f"a weight of shape {list(weight._array.shape)} does not broadcast to the input shape "
            f"{list(shape)}"
        ) from None


def _finish(
    kind: type[Node],
    terms: NDArray[Any],
    input: Tensor,
    target: Tensor,
    weights: tuple[NDArray[Any] | None, ...],
    reduction: str,
) -> Tensor:
    if weights[0] is not None:
        terms = terms * weights[0]
    out = wrap(reduced(terms.astype(input._array.dtype, copy=False), reduction))
    if grad_mode.current.enabled and (input._requires_grad or target._requires_grad):
        record(
            kind,
            out,
            (edge(input), edge(target)),
            (input._array, target._array),
            (input._version_counter, target._version_counter),
            (*weights, terms.size if reduction == "mean" else None),
        )
    return out


def _same_shape(input: Tensor, target: Tensor) -> Tensor:
    """Return the target in the input's dtype.

    Raises:
        ArgumentError: The shapes differ.
    """
    if target._array.shape != input._array.shape:
        raise ArgumentError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})",
            "reshape the target, for example with .unsqueeze(1)",
        )
    return target.to(input._array.dtype)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the cross entropy of probabilities against targets between 0 and 1.

    Args:
        input: Probabilities.
        target: Of the same shape.
        weight: Weight of each element.
        reduction: "mean", "sum" or "none".

    Raises:
        ArgumentError: The shapes differ.
        TensorError: An input is outside [0, 1], or the dtypes differ.

    Example:
        >>> import gradstep
        >>> binary_cross_entropy(gradstep.tensor([0.5]), gradstep.tensor([1.0]))
        tensor(0.6931)
    """
    if target._array.dtype != input._array.dtype:
        raise TensorError(
            f"Found dtype {scalar_name(target._array.dtype)} but expected "
            f"{scalar_name(input._array.dtype)}",
            "convert the target with .to(input.dtype)",
        )
    target = _same_shape(input, target)
    p, y = input._array, target._array
    if ((p < 0) | (p > 1)).any():
        raise TensorError(
            "all elements of input should be between 0 and 1",
            "apply a sigmoid first, or use binary_cross_entropy_with_logits",
        )
    terms = -(y * np.maximum(np.log(p), _FLOOR) + (1 - y) * np.maximum(np.log1p(-p), _FLOOR))
    weights = (_weights(weight, p.shape),)
    return _finish(BinaryCrossEntropyBackward0, terms, input, target, weights, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the cross entropy of sigmoid(input) against targets between 0 and 1.

    Args:
        input: Logits.
        target: Of the same shape.
        weight: Weight of each element.
        reduction: "mean", "sum" or "none".
        pos_weight: Weight of the positive term.

    Raises:
        ArgumentError: The shapes differ.
        TensorError: The target is not floating-point.

    Example:
        >>> import gradstep
        >>> binary_cross_entropy_with_logits(gradstep.tensor([0.0]), gradstep.tensor([1.0]))
        tensor(0.6931)
    """
    if target._array.dtype.kind != "f":
        raise TensorError(
            f"result type {scalar_name(input._array.dtype)} can't be cast to the desired output "
            f"type {scalar_name(target._array.dtype)}",
            "convert the target with .float()",
        )
    target = _same_shape(input, target)
    x, y = input._array, target._array
    positive = _weights(pos_weight, x.shape)
    # log(1 + exp(-|x|)) + max(-x, 0) is -log(sigmoid(x)) without overflow
    negative_log_sigmoid = np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)
    factor = 1 if positive is None else 1 + (positive - 1) * y
    terms = (1 - y) * x + factor * negative_log_sigmoid
    weights = (_weights(weight, x.shape), positive)
    return _finish(BinaryCrossEntropyWithLogitsBackward0, terms, input, target, weights, reduction)
