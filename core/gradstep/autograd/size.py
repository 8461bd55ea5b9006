"""Size: the shape of a tensor."""

from __future__ import annotations

import math

__all__ = ["Size"]


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
