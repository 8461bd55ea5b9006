"""Clearing of gradients, for optimizers and modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.autograd.row_sparse import RowSparse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradstep.autograd.tensor import Tensor

__all__ = ["clear_gradients"]


def clear_gradients(parameters: Iterable[Tensor], set_to_none: bool) -> None:
    """Set every `.grad` to None, or fill those that exist with zeros.

    Args:
        parameters: The tensors whose gradients to clear.
        set_to_none: Whether to use None; otherwise zeros.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2, requires_grad=True)
        >>> x.sum().backward()
        >>> clear_gradients([x], set_to_none=False)
        >>> x.grad
        tensor([0., 0.])
    """
    for parameter in parameters:
        if set_to_none:
            parameter._grad = None
        elif parameter._grad is not None:
            gradient = parameter._grad
            if gradient._grad_fn is not None:
                gradient.detach_()
            gradient._requires_grad = False
            gradient._array.fill(0)
            if isinstance(gradient._array, RowSparse):
                gradient._array.rows = np.empty(0, np.intp)
            gradient._version_counter[0] += 1
