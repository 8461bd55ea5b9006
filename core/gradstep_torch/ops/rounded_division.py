"""Division with rounding, and remainders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.ops import division
from gradstep.autograd.ops.generic import to_array, unbroadcast, zeros_like
from gradstep.autograd.ops.operands import align, broadcast_error, with_scalar
from gradstep.autograd.tensor import Tensor, edge, wrap
from gradstep.errors import ArgumentError, TensorError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gradstep.autograd.dtypes import Number

__all__ = ["div", "floor_divide", "fmod", "remainder", "rfloor_divide", "rremainder"]


class DivBackward2(Node):
    """input / other, rounded."""

    __slots__ = ()
    rule = "input: 0 * grad; other: 0 * grad"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """A step function: its derivative is 0."""
        first, second = self.edges
        left, right = self.context
        return (
            None if first is None else unbroadcast(zeros_like(grad), left),
            None if second is None else unbroadcast(zeros_like(grad), right),
        )


class RemainderBackward1(Node):
    """input - floor(input / other) * other."""

    __slots__ = ()
    rule = "input: grad; other: -grad * floor(input / other)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a - n b) = da - n db, where n is a step function."""
        return _remainder_gradients(self, grad, np.floor_divide(*map(to_array, saved)))


class FmodBackward1(Node):
    """input - trunc(input / other) * other."""

    __slots__ = ()
    rule = "input: grad; other: -grad * trunc(input / other)"

    def vjp(self, grad: Value, saved: tuple[Value, ...]) -> tuple[Value, ...]:
        """d(a - n b) = da - n db, where n is a step function."""
        return _remainder_gradients(self, grad, _truncated(*map(to_array, saved)))


def _remainder_gradients(node: Node, grad: Value, times: NDArray[Any]) -> tuple[Value, ...]:
    first, second = node.edges
    left, right = node.context
    return (
        None if first is None else unbroadcast(grad, left),
        None if second is None else unbroadcast(-grad * times, right),
    )


def div(input: Tensor, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
    """Return input / other, rounded if `rounding_mode` is "trunc" or "floor".

    Integers stay integers where the quotient is rounded.

    Example:
        >>> import gradstep_torch as torch
        >>> div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
        tensor([ 3, -3])
    """
    if rounding_mode is None:
        return division.div(input, other)
    if rounding_mode not in _ROUNDING_MODES:
        raise ArgumentError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )
    return _rounded(_ROUNDING_MODES[rounding_mode], DivBackward2, input, other)


def _truncated(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return a / b rounded towards zero; exact for integers."""
    found: NDArray[Any] = np.trunc(a / b) if a.dtype.kind == "f" else (a - np.fmod(a, b)) // b
    return found


_ROUNDING_MODES: dict[str, Callable[..., NDArray[Any]]] = {
    "floor": np.floor_divide,
    "trunc": _truncated,
}


def _rounded(
    compute: Callable[..., NDArray[Any]],
    kind: type[Node],
    input: Tensor,
    other: Tensor | Number,
) -> Tensor:
    """Return `compute` of the operands in one dtype, recorded as `kind`."""
    if isinstance(other, np.ndarray):
        other = wrap(other)
    input, other = align(input, other if isinstance(other, Tensor) else scalar_like(other, input))
    a, b = input._array, other._array
    if b.dtype.kind == "b":
        raise UnsupportedError(
            "division with rounding is not implemented for 'Bool'", "convert with .long() first"
        )
    if b.dtype.kind != "f" and not b.all():
        raise TensorError(
            "ZeroDivisionError: integers are divided by zero",
            "convert them with .float(), or remove the zeros",
        )
    try:
        out = wrap(compute(a, b))
    except ValueError:
        raise broadcast_error(a.shape, b.shape) from None
    if grad_mode.current.enabled and (input._requires_grad or other._requires_grad):
        record(
            kind,
            out,
            (edge(input), edge(other)),
            (a, b),
            (input._version_counter, other._version_counter),
            (a.shape, b.shape),
        )
    return out


def floor_divide(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return input / other rounded down; integers stay integers.

    Raises:
        TensorError: An integer is divided by zero.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([7, -7]) // 2
        tensor([ 3, -4])
    """
    return _rounded(np.floor_divide, DivBackward2, input, other)


def rfloor_divide(input: Tensor, other: Number) -> Tensor:
    """Return other / input rounded down."""
    return floor_divide(scalar_like(other, input), input)


def remainder(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return the remainder of input / other, with the sign of the divisor.

    Raises:
        TensorError: An integer is divided by zero.

    Example:
        >>> import gradstep
        >>> gradstep.tensor([5.0, -5.0]) % 3
        tensor([2., 1.])
    """
    return _rounded(np.remainder, RemainderBackward1, input, other)


def rremainder(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return the remainder of other / input."""
    return remainder(other if isinstance(other, Tensor) else scalar_like(other, input), input)


def fmod(input: Tensor, other: Tensor | Number) -> Tensor:
    """Return the remainder of input / other, with the sign of the dividend.

    Example:
        >>> import gradstep
        >>> fmod(gradstep.tensor([5.0, -5.0]), 3)
        tensor([ 2., -2.])
    """
    return _rounded(np.fmod, FmodBackward1, input, other)


def scalar_like(number: Number, like: Tensor) -> Tensor:
    """Return a number as a 0-d tensor of the dtype it gets in arithmetic with `like`."""
    like, found = with_scalar(like, number)
    return wrap(found)
