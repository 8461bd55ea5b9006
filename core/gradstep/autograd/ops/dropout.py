"""Dropout and alpha dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value, record
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError, TensorError
from gradstep.random import default_generator

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["dropout"]

_KIND = np.dtype(np.float64)
"""Minus the limit of SELU at minus infinity."""


class NativeDropoutBackward0(Node):
    """input * mask, with a random mask."""

    __slots__ = ()
    rule = "input: grad * mask"

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """Multiply the gradient by the same mask."""
        return (grad * self.context,)

    def constants(self) -> dict[str, Value]:
        """Return the other names in the rule."""
        return {"mask": self.context}


def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, *, spatial: int | None = None
) -> Tensor:
    """Return `input` with each element zeroed with probability p, the rest scaled by 1 / (1 - p).

    Args:
        input: Of any shape.
        p: Probability of zeroing an element.
        training: If False, return the input unchanged.
        spatial: Number of spatial dimensions; zero whole channels before them.

    Raises:
        ArgumentError: `p` is not between 0 and 1.
        TensorError: The input has no channel dimension.

    Example:
        >>> import gradstep
        >>> dropout(gradstep.ones(2), p=0.0)
        tensor([1., 1.])
    """
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    x = input._array
    if spatial is not None:
        if x.ndim not in {spatial + 1, spatial + 2}:
            raise TensorError(
                f"dropout{spatial}d: Expected {spatial + 1}D or {spatial + 2}D input, but received "
                f"a {x.ndim}D input",
                "use dropout to zero elements",
            )
        shape = (*x.shape[: x.ndim - spatial], *(1,) * spatial)
        drawn = default_generator.uniform(shape, _KIND)
    else:
        drawn = _draw_in_memory_order(x)
    keep = drawn < 1.0 - p
    mask = keep * x.dtype.type(1.0 / (1.0 - p) if p < 1.0 else 0.0)
    out = wrap(x * mask)
    if grad_mode.current.enabled and input._requires_grad:
        record(NativeDropoutBackward0, out, (input._grad_fn or input,), context=mask)
    return out


def _draw_in_memory_order(x: NDArray[Any]) -> NDArray[Any]:
    """Draw a uniform number for each element, in memory order as torch does."""
    if x.flags.c_contiguous or 0 in x.strides:
        return default_generator.uniform(x.shape, _KIND)
    order = sorted(range(x.ndim), key=lambda axis: -x.strides[axis])
    drawn = default_generator.uniform(tuple(x.shape[axis] for axis in order), _KIND)
    return drawn.transpose(np.argsort(order))
