"""Probe: norms and chosen elements of many tensors at once, for little time.

Small tensors are gathered into one flat buffer, so that a model of many small tensors costs a few
NumPy calls in all, and not a few for each; the buffer is float64, so that squares of float32
neither overflow nor lose digits. Large ones are measured one by one, in blocks that stay in the
cache.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Moves", "Probe", "norm"]

SMALL = 4096
"""Elements up to which a tensor joins the flat buffer."""

BLOCK = 32768
"""Elements in a block of a large tensor: 128 KB of float32, which stays in the second cache."""


class Probe:
    """Measures the same list of tensors again and again.

    Args:
        sizes: How many elements each tensor has.
        elements: Which flat elements of which tensor to read out, as `(tensor, element)`; only of
            small tensors.

    Example:
        >>> import numpy as np
        >>> probe = Probe((2, 1), ((0, 1),))
        >>> norms, elements = probe.measure((np.array([3.0, 4.0]), None))
        >>> norms.tolist(), elements.tolist()
        ([5.0, nan], [4.0])
    """

    __slots__ = (
        "_elements",
        "_missing",
        "_norms",
        "_scratch",
        "_small",
        "_starts",
        "flat",
        "large",
    )

    def __init__(
        self,
        sizes: Sequence[int],
        elements: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._small = [at for at, size in enumerate(sizes) if 0 < size <= SMALL]
        self.large = [at for at, size in enumerate(sizes) if size > SMALL]
        ends = np.cumsum([sizes[at] for at in self._small], dtype=np.intp)
        self._starts = np.concatenate((np.zeros(1, np.intp), ends))[:-1]
        total = int(ends[-1]) if len(ends) else 0
        self.flat = np.zeros(total)
        self._scratch = np.empty(total)
        self._missing = {at: np.full(sizes[at], np.nan) for at in self._small}
        self._norms = np.zeros(len(sizes), np.float64)
        start_of = dict(zip(self._small, self._starts.tolist(), strict=True))
        self._elements = np.array([start_of[at] + element for at, element in elements], np.intp)

    def gather(self, arrays: Sequence[NDArray[Any] | None]) -> None:
        """Copy the small arrays into the flat buffer; NaN where an array is None."""
        if self._small:
            missing = self._missing
            np.concatenate(
                [
                    missing[at] if (array := arrays[at]) is None else array.reshape(-1)
                    for at in self._small
                ],
                out=self.flat,
                casting="same_kind",
            )

    def measure(
        self, arrays: Sequence[NDArray[Any] | None]
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Return every tensor's norm and the chosen elements; NaN where an array is None."""
        self.gather(arrays)
        norms = self.small_norms(self.flat)
        for at in self.large:
            array = arrays[at]
            norms[at] = np.nan if array is None else norm(array)
        return norms, self.flat[self._elements]

    def small_norms(self, flat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the norms of the small tensors that a flat buffer holds; 0 for the large."""
        norms = self._norms.copy()
        if self._small:
            np.multiply(flat, flat, out=self._scratch)
            norms[self._small] = np.sqrt(np.add.reduceat(self._scratch, self._starts))
        return norms


class Moves:
    """Measures how far each tensor has moved since it was last asked.

    Args:
        probe: Of the tensors; its flat buffer is read right after `Probe.measure`.
    """

    __slots__ = ("_before", "_difference", "_flat", "_probe")

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._flat = np.zeros_like(probe.flat)
        self._difference = np.zeros_like(probe.flat)
        self._before: dict[int, NDArray[Any]] = {}

    def reset(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Take these as what the next move is measured from."""
        self._probe.gather(arrays)
        self._flat[:] = self._probe.flat
        self._before = {at: arrays[at].flatten() for at in self._probe.large}

    def measure(self, arrays: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the norm of every tensor's move; right after the probe has measured `arrays`."""
        flat = self._probe.flat
        np.subtract(flat, self._flat, out=self._difference)
        self._flat[:] = flat
        norms = self._probe.small_norms(self._difference)
        for at, before in self._before.items():
            norms[at] = _moved(arrays[at].reshape(-1), before)
        return norms


def norm(array: NDArray[Any]) -> float:
    """Return the Euclidean norm of an array, in one pass without a copy."""
    flat = array.reshape(-1)
    return sqrt(flat.dot(flat))


def _moved(now: NDArray[Any], before: NDArray[Any]) -> float:
    """Return the norm of `now - before`, and copy `now` over `before`, block by block."""
    total = 0.0
    scratch = np.empty(min(BLOCK, now.size), now.dtype)
    for start in range(0, now.size, BLOCK):
        part, old = now[start : start + BLOCK], before[start : start + BLOCK]
        difference = scratch[: part.size]
        np.subtract(part, old, out=difference)
        total += float(difference.dot(difference))
        old[:] = part
    return sqrt(total)
