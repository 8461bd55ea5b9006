"""Size: the shape of a tensor, and parsing of size arguments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Size", "sizes_of"]


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple that prints like torch.Size.

    Example:
        >>> Size((2, 3)).numel()
        6
    """

    __slots__ = ()
    __module__ = "gradstep"  # the public name, which its type prints

    def numel(self) -> int:
        """Return the number of elements of a tensor of this shape."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"gradstep.Size({list(self)})"


def sizes_of(sizes: tuple[int | Sequence[int], ...]) -> tuple[int, ...]:
    """Return sizes that were given as separate arguments or as one sequence."""
    if len(sizes) == 1 and not isinstance(sizes[0], (int, np.integer)):
        return tuple(sizes[0])
    return cast("tuple[int, ...]", sizes)
