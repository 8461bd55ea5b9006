"""Probe: norms and chosen elements of many tensors at once, for little time.

Small tensors are gathered into one flat row, so that a model of many small tensors costs a few
NumPy calls in all, and not a few for each. Rows can wait, and are then reduced together: so a loop
of small tensors pays for the gathering alone. Rows are float64, so that squares of float32 neither
overflow nor lose digits. Large tensors are measured one by one, in blocks that stay in the cache.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Probe", "moved", "norm"]

SMALL = 1024
"""Elements up to which a tensor joins the flat row."""

BLOCK = 32768
"""Elements in a block of a large tensor: 128 KB of float32, which stays in the second cache."""


class Probe:
    """Knows where in a flat row each of a list of tensors lies.

    Args:
        sizes: How many elements each tensor has.
        elements: Which flat elements of which tensor to read out, as `(tensor, element)`; only of
            small tensors.

    Attributes:
        width: Numbers in a row.
        large: Places, in the list, of the tensors that are too large to be in the row.

    Example:
        >>> import numpy as np
        >>> probe = Probe((2, 1), ((0, 1),))
        >>> rows = np.zeros((1, probe.width))
        >>> probe.gather((np.array([3.0, 4.0]), None), rows[0]).tolist()
        [3.0, 4.0, 0.0]
        >>> probe.norms(rows).tolist(), probe.elements(rows).tolist()
        ([[5.0, 0.0]], [[4.0]])
    """

    __slots__ = ("_elements", "_small", "_starts", "_tensors", "_zeros", "large", "width")

    def __init__(
        self,
        sizes: Sequence[int],
        elements: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._small = [at for at, size in enumerate(sizes) if 0 < size <= SMALL]
        self.large = tuple(at for at, size in enumerate(sizes) if size > SMALL)
        ends = np.cumsum([sizes[at] for at in self._small], dtype=np.intp)
        self._starts = np.concatenate((np.zeros(1, np.intp), ends))[:-1]
        self._tensors = len(sizes)
        self.width = int(ends[-1]) if len(ends) else 0
        self._zeros = {at: np.zeros(sizes[at]) for at in self._small}
        start_of = dict(zip(self._small, self._starts.tolist(), strict=True))
        self._elements = np.array([start_of[at] + element for at, element in elements], np.intp)

    def gather(
        self, arrays: Sequence[NDArray[Any] | None], row: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Copy the small arrays into a row, zeros where one is None, and return it."""
        if self._small:
            zeros = self._zeros
            parts = [zeros[at] if (array := arrays[at]) is None else array for at in self._small]
            np.concatenate(parts, axis=None, out=row, casting="same_kind")
        return row

    def norms(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the norms of the small tensors in each of some rows; 0 for the others.

        Args:
            rows: Shape `(n, width)`.

        Returns:
            Shape `(n, tensors)`.
        """
        norms = np.zeros((len(rows), self._tensors))
        if self._small and len(rows):
            places = self._starts + self.width * np.arange(len(rows))[:, None]
            squares = np.add.reduceat(np.square(rows).reshape(-1), places.reshape(-1))
            norms[:, self._small] = np.sqrt(squares).reshape(len(rows), -1)
        return norms

    def elements(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chosen elements of each of some rows."""
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
