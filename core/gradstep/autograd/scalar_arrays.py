"""Cached 0-d arrays of numbers: NumPy operates on them twice as fast as on Python numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NUMBERS", "ZEROS", "ScalarArrayCache"]

_MOST_NUMBERS = 256


class ScalarArrayCache(dict[float, Any]):
    """A cache of 0-d arrays of one dtype, filled on first access.

    Args:
        dtype: The element type of the arrays.

    Example:
        >>> ScalarArrayCache(np.dtype("float32"))[0.5]
        array(0.5, dtype=float32)
    """

    __slots__ = ("_dtype",)

    def __init__(self, dtype: np.dtype[Any]) -> None:
        super().__init__()
        self._dtype = dtype

    def __missing__(self, value: float) -> NDArray[Any]:
        number = np.array(value, self._dtype)
        if not value:  # 0.0 and -0.0 are one key
            return number
        if len(self) >= _MOST_NUMBERS:  # e.g. a scheduler produced many learning rates
            self.clear()
        self[value] = number
        return number


_FLOATS = [np.dtype(kind) for kind in (np.float16, np.float32, np.float64)]
NUMBERS: Final = {kind: ScalarArrayCache(kind) for kind in _FLOATS}
"""The cache of each floating-point type."""
ZEROS: Final = {kind: np.zeros((), kind) for kind in _FLOATS}
"""A 0-d zero of each floating-point type."""
