"""Losses, fused: one node from the prediction to the number; here are those of a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value
from gradstep.autograd.ops import dual
from gradstep.autograd.ops.binary_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
)
from gradstep.autograd.ops.cross_entropy import cross_entropy, nll_loss
from gradstep.autograd.ops.dual import unbroadcast
from gradstep.autograd.ops.operands import FIXED, align, misfit
from gradstep.autograd.ops.reducing import reduced, tell_sizes
from gradstep.autograd.tensor import Tensor, edge, wrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "l1_loss",
    "mse_loss",
    "nll_loss",
]


class _DifferenceBackward(Node):
    """A loss of input - target; `context` is the two shapes and the factor of the mean."""

    __slots__ = ()
    sources = (0, 1, None)

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """The target's gradient is the input's, negated."""
        first, second = self.edges
        left, right, count = self.context
        share = grad if count is None else grad / count
        x, y, difference = saved
        whole = self.slope(share, x - y if isinstance(grad, Tensor) else difference)
        return (
            None if first is None else unbroadcast(whole, left),
            None if second is None else unbroadcast(-whole, right),
        )

    @staticmethod
    def slope(share: Value, difference: Value) -> Value:
        """Return the gradient of the terms."""
        raise NotImplementedError  # pragma: no cover - each loss has its slope


class MseLossBackward0(_DifferenceBackward):
    """(x - y)^2."""

    __slots__ = ()

    @staticmethod
    def slope(share: Value, difference: Value) -> Value:
        """D = 2 (x - y)."""
        return 2.0 * share * difference


class L1LossBackward0(_DifferenceBackward):
    """|x - y|."""

    __slots__ = ()

    @staticmethod
    def slope(share: Value, difference: Value) -> Value:
        """D = sign(x - y), 0 where they are equal."""
        return share * np.sign(dual.plain(difference))


def _difference(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor, NDArray[Any]]:
    if input._array.dtype is not target._array.dtype:
        input, target = align(input, target)
    if input._array.shape != target._array.shape:
        tell_sizes(input._array.shape, target._array.shape)
    try:
        return input, target, input._array - target._array
    except ValueError:
        raise misfit(input._array.shape, target._array.shape) from None


def _record(
    kind: type[Node],
    out: Tensor,
    input: Tensor,
    target: Tensor,
    difference: NDArray[Any],
    reduction: str,
) -> None:
    kind(
        out,
        (edge(input), edge(target)),
        (input._array, target._array, difference),
        (input._version_counter, target._version_counter, FIXED),
        (
            input._array.shape,
            target._array.shape,
            difference.size if reduction == "mean" else None,
        ),
    )


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the squared difference (x - y)^2, averaged, summed, or for each element.

    Example:
        >>> import gradstep
        >>> mse_loss(gradstep.tensor([1.0, 3.0]), gradstep.tensor([1.0, 1.0]))
        tensor(2.)
    """
    input, target, difference = _difference(input, target)
    out = wrap(reduced(difference * difference, reduction))
    if grad_mode.enabled and (input._requires_grad or target._requires_grad):
        _record(MseLossBackward0, out, input, target, difference, reduction)
    return out


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the absolute difference |x - y|, averaged, summed, or for each element.

    Example:
        >>> import gradstep
        >>> l1_loss(gradstep.tensor([1.0, 3.0]), gradstep.tensor([1.0, 1.0]))
        tensor(1.)
    """
    input, target, difference = _difference(input, target)
    out = wrap(reduced(np.abs(difference), reduction))
    if grad_mode.enabled and (input._requires_grad or target._requires_grad):
        _record(L1LossBackward0, out, input, target, difference, reduction)
    return out
