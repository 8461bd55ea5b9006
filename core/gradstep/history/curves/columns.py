"""Columns: append-only rows of numbers in chunks that forks share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

__all__ = ["Columns"]

CHUNK = 1024
"""Rows in a chunk: a chunk of 100 float32 columns is 400 KB, and a fork copies half of one."""


class Columns:
    """An append-only table of numbers.

    Full chunks never change: a fork shares them and copies only the last one. Columns may be added
    later; earlier rows hold NaN there, or 0 where the numbers are integers.

    Args:
        width: Numbers in a row.
        dtype: The type of every number.

    Example:
        >>> import numpy as np
        >>> columns = Columns(2, np.float64)
        >>> columns.append([1.0, 10.0])
        >>> columns.append([2.0, 20.0])
        >>> columns.column(1).tolist()
        [10.0, 20.0]
        >>> len(columns.fork(1)), len(columns)
        (1, 2)
    """

    __slots__ = ("_blank", "_chunks", "_dtype", "_fill", "_length", "_tail", "width")

    def __init__(self, width: int, dtype: DTypeLike) -> None:
        self.width = width
        self._dtype = np.dtype(dtype)
        self._blank = np.nan if self._dtype.kind == "f" else 0
        self._chunks: list[NDArray[Any]] = []
        self._tail = np.empty((CHUNK, width), self._dtype)
        self._fill = 0
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(chunk.nbytes for chunk in self._chunks) + self._tail.nbytes

    def append(self, row: Any) -> None:  # noqa: ANN401 - whatever NumPy takes as a row
        """Add one row."""
        self.extend(np.asarray(row)[np.newaxis])

    def extend(self, rows: NDArray[Any]) -> None:
        """Add many rows, an array of shape `(n, width)`."""
        done = 0
        while done < len(rows):
            if self._fill == CHUNK:
                self._chunks.append(self._tail)
                self._tail = np.empty((CHUNK, self.width), self._dtype)
                self._fill = 0
            part = rows[done : done + CHUNK - self._fill]
            self._tail[self._fill : self._fill + len(part)] = part
            self._fill += len(part)
            self._length += len(part)
            done += len(part)

    def widen(self, width: int) -> None:
        """Add columns, so that rows have `width` numbers."""
        if width <= self.width:
            return
        tail = np.full((CHUNK, width), self._blank, self._dtype)
        tail[: self._fill, : self.width] = self._tail[: self._fill]
        self.width, self._tail = width, tail

    def column(self, index: int, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Return one column's rows `start` to `stop`, as an array of its own."""
        stop = self._length if stop is None else min(stop, self._length)
        start = min(start, stop)
        out = np.full(stop - start, self._blank, self._dtype)
        for at, part in self._parts(start, stop):
            if index < part.shape[1]:
                out[at - start : at - start + len(part)] = part[:, index]
        return out

    def row(self, index: int) -> NDArray[Any]:
        """Return a copy of one row; a negative index counts from the end."""
        at = index % self._length
        chunk = self._chunk(at // CHUNK)
        row = np.full(self.width, self._blank, self._dtype)
        row[: chunk.shape[1]] = chunk[at % CHUNK]
        return row

    def rows(self, since: int = 0) -> NDArray[Any]:
        """Return the rows from `since` on as one array of shape `(n, width)`."""
        out = np.full((max(0, self._length - since), self.width), self._blank, self._dtype)
        for start, part in self._parts(since, self._length):
            out[start - since : start - since + len(part), : part.shape[1]] = part
        return out

    def _parts(self, start: int, stop: int) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the rows `start` to `stop` by chunk, each part with the index of its first row."""
        at = start
        while at < stop:
            number, offset = divmod(at, CHUNK)
            part = self._chunk(number)[offset : min(CHUNK, offset + stop - at)]
            yield at, part
            at += len(part)

    def fork(self, length: int) -> Columns:
        """Return Columns that start with the first `length` rows and grow on their own."""
        length = min(length, self._length)
        other = Columns(self.width, self._dtype)
        whole, rest = divmod(length, CHUNK)
        if length and not rest:
            whole, rest = whole - 1, CHUNK
        other._chunks = self._chunks[:whole]
        source = self._chunk(whole)
        if rest:
            if source.shape[1] < self.width:
                other._tail[:rest] = self._blank
            other._tail[:rest, : source.shape[1]] = source[:rest]
        other._fill, other._length = rest, length
        return other

    def _chunk(self, number: int) -> NDArray[Any]:
        return self._chunks[number] if number < len(self._chunks) else self._tail
