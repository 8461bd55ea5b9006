"""Elementwise selection: where, masked_fill, clamp, maximum and minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import dtypes, grad_mode
from gradstep.autograd.dtypes import scalar_name
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import generic
from gradstep.autograd.ops.convert import to_dtype
from gradstep.autograd.ops.generic import unbroadcast
from gradstep.autograd.ops.operands import align, broadcast_error
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentTypeError, TensorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.autograd.dtypes import Number

__all__ = [
    "clamp",
    "clamp_max",
    "clamp_min",
    "masked_fill",
    "maximum",
    "minimum",
    "where",
]


class WhereBackward0(Node):
    """where(condition, input, other)."""

    __slots__ = ()
    rule = "input: grad where the condition holds, 0 elsewhere; other: grad where it does not"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The input gets the gradient where the condition is True, other where it is False."""
        first, second = self.edges
        condition, left, right = self.context
        return (
            None if first is None else unbroadcast(generic.masked(grad, condition), left),
            None if second is None else unbroadcast(generic.masked(grad, ~condition), right),
        )


def as_operand(value: Tensor | Number, like: Tensor | None = None) -> Tensor:
    """Return a value as a tensor; a number gets its dtype in arithmetic with `like`."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, (int, float)):
        raise ArgumentTypeError(
            f"expected a tensor or a number, got {type(value).__name__}",
            "convert it with gradstep.tensor(...) first",
        )
    kind = dtypes.number_dtype(value) if like is None else dtypes.result_dtype(like._array, value)
    return wrap(np.array(value, kind))


def where(
    condition: Tensor | NDArray[Any],
    input: Tensor | Number | None = None,
    other: Tensor | Number | None = None,
) -> Any:  # noqa: ANN401 - a Tensor; a tuple of them given only a condition
    """Return `input` where `condition` is True, else `other`; without them, its True indices.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([-1.0, 2.0])
        >>> where(x > 0, x, 0.0)
        tensor([0., 2.])
    """
    mask = generic.to_array(condition)
    if input is None or other is None:
        return tuple(wrap(places) for places in np.nonzero(mask))
    if mask.dtype != np.bool_:
        raise TensorError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{scalar_name(mask.dtype)}",
            "use a comparison, or convert it with .bool()",
        )
    first = as_operand(input, other if isinstance(other, Tensor) else None)
    second = as_operand(other, first)
    first, second = align(first, second)
    a, b = first._array, second._array
    try:
        out = wrap(np.where(mask, a, b))
    except ValueError:
        raise broadcast_error(a.shape if a.shape != mask.shape else b.shape, mask.shape) from None
    if grad_mode.current.enabled and (first._requires_grad or second._requires_grad):
        record(WhereBackward0, out, (edge(first), edge(second)), context=(mask, a.shape, b.shape))
    return out


def where_method(input: Tensor, condition: Tensor, other: Tensor | Number) -> Tensor:
    """Return `input` where `condition` is True, else `other`."""
    chosen: Tensor = where(condition, input, other)
    return chosen


class MaximumBackward0(Node):
    """maximum(input, other)."""

    __slots__ = ()
    rule = "input: grad where it was chosen, half where both are equal; other: likewise"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The larger element gets the gradient; equal elements get half each.

        `context` holds the share of the first operand: 1, 0, or 0.5 where both are equal.
        """
        first, second = self.edges
        share, left, right = self.context
        return (
            None if first is None else unbroadcast(generic.masked(grad * share, share != 0), left),
            None
            if second is None
            else unbroadcast(generic.masked(grad * (1 - share), share != 1), right),
        )


class MinimumBackward0(MaximumBackward0):
    """minimum(input, other)."""

    __slots__ = ()


def _choose(
    kind: type[Node], chooser: np.ufunc, compare: np.ufunc, input: Tensor, other: Tensor
) -> Tensor:
    if not isinstance(other, Tensor):
        raise ArgumentTypeError(
            f"{chooser.__name__}(): argument 'other' must be Tensor, not {type(other).__name__}",
            "use clamp() with a number",
        )
    input, other = align(input, other)
    a, b = input._array, other._array
    try:
        out = wrap(chooser(a, b))
    except ValueError:
        raise broadcast_error(a.shape, b.shape) from None
    if grad_mode.current.enabled and (input._requires_grad or other._requires_grad):
        share = np.where(a == b, 0.5, compare(a, b)).astype(a.dtype)
        record(kind, out, (edge(input), edge(other)), context=(share, a.shape, b.shape))
    return out


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """Return the elementwise maximum, NaN if either is NaN; equal elements share the gradient.

    Example:
        >>> import gradstep
        >>> maximum(gradstep.tensor([1.0, 4.0]), gradstep.tensor([3.0, 2.0]))
        tensor([3., 4.])
    """
    return _choose(MaximumBackward0, np.maximum, np.greater, input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """Return the elementwise minimum, NaN if either is NaN; equal elements share the gradient."""
    return _choose(MinimumBackward0, np.minimum, np.less, input, other)


class ClampBackward1(Node):
    """clamp(input, min, max)."""

    __slots__ = ()
    rule = "input: grad within the bounds, 0 elsewhere"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Dx = g where x is within the bounds (inclusive), else 0."""
        return (generic.masked(grad, self.context),)


def clamp(
    input: Tensor,
    min: Tensor | Number | None = None,
    max: Tensor | Number | None = None,
) -> Tensor:
    """Limit the elements to [min, max].

    Example:
        >>> import gradstep
        >>> clamp(gradstep.tensor([-1.0, 0.5, 3.0]), min=0, max=1)
        tensor([0.0000, 0.5000, 1.0000])
    """
    if min is None and max is None:
        raise TensorError("clamp: at least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        out = input if min is None else maximum(input, as_operand(min, input))
        return out if max is None else minimum(out, as_operand(max, out))
    for bound in (min, max):
        if bound is not None:
            if not isinstance(bound, (int, float, np.generic)):
                raise ArgumentTypeError(
                    f"clamp(): a bound must be a Tensor or a number, not {type(bound).__name__}"
                )
            input = to_dtype(input, dtypes.result_dtype(input._array, bound))
    x = input._array
    low, high = (x.dtype.type(bound) if bound is not None else None for bound in (min, max))
    clamped = x if low is None else np.maximum(x, low)
    out = wrap(clamped.copy() if high is None and low is None else clamped)
    if high is not None:
        out = wrap(np.minimum(clamped, high))
    if grad_mode.current.enabled and input._requires_grad:
        within = np.ones(x.shape, np.bool_)
        if low is not None:
            within &= x >= low
        if high is not None:
            within &= x <= high
        record(ClampBackward1, out, (input._grad_fn or input,), context=within)
    return out


def clamp_min(input: Tensor, min: Tensor | Number) -> Tensor:
    """Raise elements below `min` to `min`."""
    return clamp(input, min)


def clamp_max(input: Tensor, max: Tensor | Number) -> Tensor:
    """Lower elements above `max` to `max`."""
    return clamp(input, None, max)


class MaskedFillBackward0(Node):
    """where(mask, value, input)."""

    __slots__ = ()
    rule = (
        "input: grad where the mask does not hold, 0 elsewhere; value: sum of grad where it holds"
    )

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The input gets the gradient where the mask is False, the value the sum elsewhere."""
        mask, shape = self.context
        first, second = self.edges
        return (
            None if first is None else unbroadcast(generic.masked(grad, ~mask), shape),
            None if second is None else generic.masked(grad, mask).sum(),
        )


def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """Return `input` with `value` where `mask` is True.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0])
        >>> masked_fill(x, x > 1, 0)
        tensor([1., 0.])
    """
    if mask._array.dtype != np.bool_:
        raise TensorError(
            f"masked_fill only supports boolean masks, but got mask with dtype {mask._array.dtype}",
            "convert it with .bool()",
        )
    filler = value._array if isinstance(value, Tensor) else value
    if isinstance(filler, np.ndarray) and filler.ndim:
        raise TensorError(
            "masked_fill only supports a 0-dimensional value tensor, but got tensor with "
            f"{filler.ndim} dimension(s)"
        )
    x = input._array
    try:
        out = wrap(np.where(mask._array, np.asarray(filler).astype(x.dtype), x))
    except ValueError:
        raise broadcast_error(mask._array.shape, x.shape) from None
    by_value = edge(value) if isinstance(value, Tensor) else None
    if grad_mode.current.enabled and (input._requires_grad or by_value is not None):
        record(
            MaskedFillBackward0, out, (edge(input), by_value), context=(mask._array.copy(), x.shape)
        )
    return out
