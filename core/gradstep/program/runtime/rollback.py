"""Taking back what was written to tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.autograd.tensor import Tensor

__all__ = ["undoing"]


def undoing(tensors: Iterable[Tensor]) -> Callable[[], None]:
    """Return what puts tensors back as they are now: values, and the count of their writes.

    Example:
        >>> import gradstep
        >>> x = gradstep.ones(2)
        >>> undo = undoing([x])
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
