"""Division."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops.arithmetic import mul
from gradstep.autograd.ops.generic import unbroadcast
from gradstep.autograd.ops.operands import (
    NUMBER_TYPES,
    SAME_SHAPE,
    UNVERSIONED,
    align,
    broadcast_error,
    floating,
    with_scalar,
)
from gradstep.autograd.ops.pointwise import reciprocal
from gradstep.autograd.scalar_arrays import NUMBERS
from gradstep.autograd.tensor import Tensor, edge, wrap

if TYPE_CHECKING:
    from gradstep.autograd.dtypes import Number

__all__ = ["div", "rdiv"]


class DivBackward0(Node):
    """input / other."""

    __slots__ = ()
    rule = "input: grad / other; other: -grad * input / other ** 2"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a / b) = da / b - a / b^2 db."""
        a, b = saved
        share = grad / b
        if self.context is SAME_SHAPE:  # by a number
            return (share, None)
        first, second = self.edges
        return (
            None if first is None else unbroadcast(share, self.context[0]),
            None if second is None else unbroadcast(-share * (a / b), self.context[1]),
        )


def div(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return input / other; integers are converted to the default floating-point dtype.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([1, 2]) / 2
        tensor([0.5000, 1.0000])
    """
    numbers = NUMBERS.get(input._array.dtype) if type(other) in NUMBER_TYPES else None
    if numbers is not None:
        number = numbers[other]  # type: ignore[index]  # keyed by its type above
    elif isinstance(other, Tensor):
        if input._array.dtype is not other._array.dtype or input._array.dtype.kind != "f":
            input, other = align(input, other)
            input, other = floating(input), floating(other)
        a, b = input._array, other._array
        try:
            out = wrap(a / b)
        except ValueError:
            raise broadcast_error(a.shape, b.shape) from None
        if grad_mode.current.enabled and (input._requires_grad or other._requires_grad):
            first, second = edge(input), edge(other)
            record(
                DivBackward0,
                out,
                (first, second),
                (None if second is None else a, b),
                (UNVERSIONED if second is None else input._version_counter, other._version_counter),
                (a.shape, b.shape),
            )
        return out
    elif isinstance(other, np.ndarray):
        return div(input, wrap(other))
    else:
        input, number = with_scalar(floating(input), other)
    out = wrap(input._array / number)
    if grad_mode.current.enabled and input._requires_grad:
        record(DivBackward0, out, (input._grad_fn or input, None), (None, number), (), SAME_SHAPE)
    return out


def rdiv(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return other / input."""
    if isinstance(other, (Tensor, np.ndarray)):
        return div(other if isinstance(other, Tensor) else wrap(other), input)
    return mul(reciprocal(floating(input)), other)  # the reciprocal, then a product, as torch does
