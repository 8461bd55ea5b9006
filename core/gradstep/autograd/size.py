"""Size: the shape of a tensor, and sizes as arguments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Size", "sizes_of"]


class Size(tuple[int, ...]):
    """The sizes of a tensor's dimensions, a tuple that prints as torch's.

    Example:
        >>> Size((2, 3)).numel()
        6
    """

    __slots__ = ()
    __module__ = "gradstep"  # where it is found, and what its type prints as

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"gradstep.Size({list(self)})"


def sizes_of(sizes: tuple[int | Sequence[int], ...]) -> tuple[int, ...]:
    """Return sizes given one by one, or as one sequence."""
    if len(sizes) == 1 and not isinstance(sizes[0], (int, np.integer)):
        return tuple(sizes[0])
    return cast("tuple[int, ...]", sizes)
