"""Dropout: elements set to zero at random while training."""

from __future__ import annotations

import numpy as np

from gradstep.autograd import grad_mode
from gradstep.autograd.graph import Node, Value
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import ArgumentError
from gradstep.random import default_generator

__all__ = ["dropout"]


class NativeDropoutBackward0(Node):
    """A product with the mask that was drawn."""

    __slots__ = ()

    def vjp(self, grad: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The gradient passes where the element passed, scaled as the element was."""
        return (grad * self.context,)


def dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Return `input` with each element zeroed with probability p, the rest scaled by 1 / (1 - p).

    Args:
        input: Of any shape.
        p: The probability of an element to be zeroed.
        training: When False, return the input as it is.

    Raises:
        ArgumentError: `p` is no probability.

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
    keep = default_generator.uniform(x.shape, np.dtype(np.float32)) >= p
    mask = keep * x.dtype.type(1.0 / (1.0 - p) if p < 1.0 else 0.0)
    out = wrap(x * mask)
    if grad_mode.enabled and input._requires_grad:
        NativeDropoutBackward0(out, (input._grad_fn or input,), context=mask)
    return out
