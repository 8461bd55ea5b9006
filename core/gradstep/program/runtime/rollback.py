"""Undo in-place writes to tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.autograd.tensor import Tensor

__all__ = ["save_for_rollback"]


def save_for_rollback(tensors: Iterable[Tensor]) -> Callable[[], None]:
    """Return a function that restores the current values and version counters of tensors.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2)
        >>> undo = save_for_rollback([x])
        >>> undo() if x.add_(1) is x else None
        >>> x, x._version
        (tensor([1., 1.]), 0)
    """
    held = [(tensor, tensor._array.copy(), tensor._version) for tensor in tensors]

    def undo() -> None:
        for tensor, array, version in held:
            np.copyto(tensor._array, array)
            tensor._version_counter[0] = version

    return undo
