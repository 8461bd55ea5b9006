"""Probe: norms and chosen elements of many tensors at once, quickly.

The bytes of small tensors are gathered into one row, so that a model of many small tensors needs a
few calls in all, not a few for each. Rows are measured later, many together, so that a loop of
small tensors pays only for the gathering. They are read as float64, so that squares of float32
neither overflow nor lose digits. Large tensors are measured one by one, in blocks that fit in the
cache.
"""

from __future__ import annotations

from itertools import groupby
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradstep.history.live_values import bytes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Probe", "moved", "norm"]

SMALL = 1024
"""Largest number of elements of a tensor that is gathered into the row."""

BLOCK = 32768
"""Elements in a block of a large tensor: 128 KB of float32, which stays in the second cache."""


class _Part(NamedTuple):
    """Adjacent tensors of one dtype in a row: their bytes, their numbers, and as many zeros."""

    bytes: slice
    numbers: slice
    zeros: NDArray[Any]


class Probe:
    """Gathers small tensors into rows of bytes, and measures many rows together.

    Args:
        arrays: Arrays with the shapes and dtypes of the tensors.
        elements: Elements of small tensors to extract, as `(tensor, flat index)`.

    Attributes:
        width: Numbers in a row.
        large: Places of the tensors that are too large for the row.

    Example:
        >>> import numpy as np
        >>> probe = Probe((np.zeros(2), np.zeros(1)), ((0, 1),))
        >>> rows = probe.numbers([probe.gather((np.array([3.0, 4.0]), None))])
        >>> rows.tolist()
        [[3.0, 4.0, 0.0]]
        >>> probe.norms(rows).tolist(), probe.elements(rows).tolist()
        ([[5.0, 0.0]], [[4.0]])
    """

    __slots__ = ("_elements", "_parts", "_small", "_starts", "_tensors", "_zeros", "large", "width")

    def __init__(
        self, arrays: Sequence[NDArray[Any]], elements: Sequence[tuple[int, int]] = ()
    ) -> None:
        self._tensors = len(arrays)
        self._small = [at for at, array in enumerate(arrays) if 0 < array.size <= SMALL]
        self.large = tuple(at for at, array in enumerate(arrays) if array.size > SMALL)
        self._zeros = {at: np.zeros(arrays[at].size, arrays[at].dtype) for at in self._small}
        self._parts: list[_Part] = []
        self.width = nbytes = 0
        start_of = {}
        for dtype, members in groupby(self._small, lambda at: arrays[at].dtype):
            first = self.width
            for at in members:
                start_of[at] = self.width
                self.width += arrays[at].size
            zeros = np.zeros(self.width - first, dtype)
            self._parts.append(
                _Part(slice(nbytes, nbytes + zeros.nbytes), slice(first, self.width), zeros)
            )
            nbytes += zeros.nbytes
        self._starts = np.array(list(start_of.values()), np.intp)
        self._elements = np.array([start_of[at] + element for at, element in elements], np.intp)

    def gather(self, arrays: Sequence[NDArray[Any] | None]) -> bytes:
        """Return the bytes of the small arrays, with zeros for None."""
        small = [arrays[at] for at in self._small] if self.large else arrays
        try:
            return b"".join(small)  # type: ignore[arg-type]  # an array is a buffer
        except TypeError:  # one is None, or is not contiguous
            zeros = self._zeros
            return bytes_of(
                [zeros[at] if (array := arrays[at]) is None else array for at in self._small]
            )

    def is_finite(self, row: bytes) -> bool:
        """Whether a row has neither NaN nor Inf."""
        for part in self._parts:
            zeros = part.zeros
            values = np.frombuffer(row, zeros.dtype, zeros.size, part.bytes.start)
            if not isfinite(values.dot(zeros)):  # only NaN and Inf times 0 give NaN
                return False
        return True

    def numbers(self, rows: Sequence[bytes]) -> NDArray[np.float64]:
        """Return the numbers of rows as an array of shape `(n, width)`."""
        numbers = np.empty((len(rows), self.width))
        if rows and self._parts:
            together = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
            for part in self._parts:
                numbers[:, part.numbers] = together[:, part.bytes].view(part.zeros.dtype)
        return numbers

    def norms(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the norms of the small tensors in each row; 0 for large tensors.

        Args:
            rows: Shape `(n, width)`.

        Returns:
            Shape `(n, tensors)`.
        """
        norms = np.zeros((len(rows), self._tensors))
        if self._small and len(rows):
            norms[:, self._small] = np.sqrt(np.add.reduceat(np.square(rows), self._starts, axis=1))
        return norms

    def elements(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chosen elements of each row."""
        return rows[:, self._elements]


def norm(array: NDArray[Any]) -> float:
    """Return the Euclidean norm of an array, in one pass without a copy.

    Example:
        >>> import numpy as np
        >>> norm(np.array([[3.0], [4.0]]))
        5.0
    """
    flat = array.ravel(order="K")
    return sqrt(flat.dot(flat))


def moved(now: NDArray[Any], before: NDArray[Any]) -> float:
    """Return the norm of `now - before`, block by block.

    Example:
        >>> import numpy as np
        >>> moved(np.array([3.0, 6.0]), np.array([0.0, 2.0]))
        5.0
    """
    total = 0.0
    flat, old = now.reshape(-1), before.reshape(-1)
    scratch = np.empty(min(BLOCK, flat.size), flat.dtype)
    for start in range(0, flat.size, BLOCK):
        part = flat[start : start + BLOCK]
        difference = scratch[: part.size]
        np.subtract(part, old[start : start + BLOCK], out=difference)
        total += float(difference.dot(difference))
    return sqrt(total)
