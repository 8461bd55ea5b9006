"""Mean squared and mean absolute error as single nodes, and the other losses by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.binary_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
)
from gradstep.autograd.ops.cross_entropy import cross_entropy, nll_loss
from gradstep.autograd.ops.generic import unbroadcast
from gradstep.autograd.ops.loss_reduction import (
    reduced,
    reduced_formula,
    reduced_squares,
    warn_size_mismatch,
)
from gradstep.autograd.ops.operands import SAME_SHAPE, align, broadcast_error
from gradstep.autograd.scalar_arrays import NUMBERS
from gradstep.autograd.tensor import Tensor, wrap

if TYPE_CHECKING:
    from numpy.typing import NDArray

Shapes: TypeAlias = "tuple[tuple[int, ...] | None, tuple[int, ...] | None]"

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "l1_loss",
    "mse_loss",
    "nll_loss",
]


class MseLossBackward0(Node):
    """(input - target) ** 2."""

    __slots__ = ()
    sources = (0, 1, None)
    rule = (
        "input: 2 * grad / count * (input - target); target: -2 * grad / count * (input - target)"
    )

    def own_formula(self) -> str:
        """Return the formula with its reduction."""
        return reduced_formula(self, super().own_formula())

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """D = 2 (x - y)."""
        return _to_both(self, _difference(grad, saved) * self.context[2] * grad)

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"count": round(2 / float(self.context[2]))}


def _difference(grad: Value, saved: tuple[Value, ...]) -> Value:
    """Return the saved x - y, or recompute it when the backward pass is itself recorded."""
    x, y, difference = saved
    return x - y if isinstance(grad, Tensor) else difference


def _to_both(node: Node, whole: Value) -> tuple[Value, ...]:
    """Return the gradients of input and target, which differ in sign."""
    first, second = node.edges
    left, right, _ = node.context
    return (
        None if first is None else unbroadcast(whole, left),
        None if second is None else unbroadcast(-whole, right),
    )


def _subtract(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor, NDArray[Any], Shapes]:
    """Return the operands in one dtype, their difference, and their shapes if they differ."""
    x, y = input._array, target._array
    if x.dtype is not y.dtype:
        input, target = align(input, target)
        x, y = input._array, target._array
    left, right = x.shape, y.shape
    shapes: Shapes = SAME_SHAPE if left == right else (left, right)
    if shapes is not SAME_SHAPE:
        warn_size_mismatch(left, right)
    try:
        return input, target, x - y, shapes
    except ValueError:
        raise broadcast_error(left, right) from None


def _record(
    kind: type[Node],
    out: Tensor,
    input: Tensor,
    target: Tensor,
    difference: NDArray[Any],
    context: tuple[Value, ...],
) -> None:
    record(
        kind,
        out,
        (
            (input._grad_fn or input) if input._requires_grad else None,
            (target._grad_fn or target) if target._requires_grad else None,
        ),
        (input._array, target._array, difference),
        (input._version_counter, target._version_counter),
        context,
    )


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the squared error (x - y)^2: mean, sum or elementwise.

    Example:
        >>> import gradstep
        >>> mse_loss(gradstep.tensor([1.0, 3.0]), gradstep.tensor([1.0, 1.0]))
        tensor(2.)
    """
    input, target, difference, (left, right) = _subtract(input, target)
    out = wrap(reduced_squares(difference, reduction))
    if grad_mode.current.enabled and (input._requires_grad or target._requires_grad):
        factor = 2.0 / (difference.size or 1) if reduction == "mean" else 2.0
        scale = NUMBERS[difference.dtype][factor]
        _record(MseLossBackward0, out, input, target, difference, (left, right, scale))
    return out


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the absolute error |x - y|: mean, sum or elementwise.

    Example:
        >>> import gradstep
        >>> l1_loss(gradstep.tensor([1.0, 3.0]), gradstep.tensor([1.0, 1.0]))
        tensor(1.)
    """
    input, target, _, _ = _subtract(input, target)
    found: Tensor = reduced((input - target).abs(), reduction)
    return found
