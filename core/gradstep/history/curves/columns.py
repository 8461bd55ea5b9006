"""Columns: append-only rows of numbers in chunks that forks share.

The last rows are in memory; those of a long run before them are in a temporary file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.spill import Block, SpillFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

__all__ = ["Columns"]

CHUNK = 1024
"""Rows in a chunk: a chunk of 100 float32 columns is 400 KB, and a fork copies half of one."""

NARROW = 8192
"""Rows in a chunk of a table of few columns: what a chunk takes besides its numbers adds up."""

_LARGEST_NARROW = 2**18
"""The most bytes of such a chunk."""

IN_MEMORY = 4 * 2**20
"""Bytes of full chunks that stay in memory."""


class Columns:
    """An append-only table of numbers.

    Full chunks never change: a fork shares them and copies only the last one. The older ones leave
    memory for a file, column by column, because plots read few columns. Columns may be added later;
    earlier rows hold NaN there, or 0 where the numbers are integers.

    Args:
        width: Numbers in a row.
        dtype: The type of every number.
        file: Where full chunks go.

    Example:
        >>> import numpy as np
        >>> columns = Columns(2, np.float64, SpillFile())
        >>> columns.append([1.0, 10.0])
        >>> columns.append([2.0, 20.0])
        >>> columns.column(1).tolist()
        [10.0, 20.0]
        >>> len(columns.fork(1)), len(columns)
        (1, 2)
    """

    __slots__ = (
        *("_blank", "_chunks", "_dtype", "_file", "_fill"),
        *("_length", "_rows", "_spilled", "_tail", "width"),
    )

    def __init__(self, width: int, dtype: DTypeLike, file: SpillFile) -> None:
        self.width = width
        self._file = file
        self._spilled = 0
        self._dtype = np.dtype(dtype)
        self._blank = np.nan if self._dtype.kind == "f" else 0
        self._chunks: list[Block] = []  # the columns of each chunk are its rows
        self._rows = _rows_of_chunk(width, self._dtype)
        self._tail = np.empty((self._rows, width), self._dtype)
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
            if self._fill == self._rows:
                self._seal()
            part = rows[done : done + self._rows - self._fill]
            self._tail[self._fill : self._fill + len(part)] = part
            self._fill += len(part)
            self._length += len(part)
            done += len(part)

    def widen(self, width: int) -> None:
        """Add columns, so that rows have `width` numbers."""
        if width <= self.width:
            return
        if self._length <= CHUNK:
            self._rows = _rows_of_chunk(width, self._dtype)
        tail = np.full((self._rows, width), self._blank, self._dtype)
        tail[: self._fill, : self.width] = self._tail[: self._fill]
        self.width, self._tail = width, tail

    def column(self, index: int, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Return one column's rows `start` to `stop`, as an array of its own."""
        stop = self._length if stop is None else min(stop, self._length)
        start = min(start, stop)
        out = np.full(stop - start, self._blank, self._dtype)
        at = start
        while at < stop:
            number, offset = divmod(at, self._rows)
            end = min(self._rows, offset + stop - at)
            if number == len(self._chunks):
                out[at - start : at - start + end - offset] = self._tail[offset:end, index]
            elif index < len(self._chunks[number]):
                column = self._chunks[number].part(index, index + 1)[0]
                out[at - start : at - start + end - offset] = column[offset:end]
            at += end - offset
        return out

    def row(self, index: int) -> NDArray[Any]:
        """Return a copy of one row; a negative index counts from the end."""
        at = index % self._length
        chunk = self._chunk(at // self._rows)
        row = np.full(self.width, self._blank, self._dtype)
        row[: chunk.shape[1]] = chunk[at % self._rows]
        return row

    def rows(self, since: int = 0) -> NDArray[Any]:
        """Return the rows from `since` on as one array of shape `(n, width)`."""
        out = np.full((max(0, self._length - since), self.width), self._blank, self._dtype)
        for start, part in self._parts(since, self._length):
            out[start - since : start - since + len(part), : part.shape[1]] = part
        return out

    def rows_up_to(self, value: float, index: int) -> int:
        """Return how many rows have at most `value` in a column, whose numbers never fall."""
        low, high = 0, len(self._chunks)
        while low < high:  # the first chunk, or the last rows, that may end above the value
            middle = (low + high) // 2
            if self.row(middle * self._rows + self._rows - 1)[index] <= value:
                low = middle + 1
            else:
                high = middle
        start = low * self._rows
        found = self.column(index, start, start + self._rows)
        return start + int(np.searchsorted(found, value, side="right"))

    def _parts(self, start: int, stop: int) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the rows `start` to `stop` by chunk, each part with the index of its first row."""
        at = start
        while at < stop:
            number, offset = divmod(at, self._rows)
            part = self._chunk(number)[offset : min(self._rows, offset + stop - at)]
            yield at, part
            at += len(part)

    def fork(self, length: int) -> Columns:
        """Return Columns that start with the first `length` rows and grow on their own."""
        length = min(length, self._length)
        other = Columns(self.width, self._dtype, self._file)
        other._rows = self._rows  # more than a new table of this width, if it has become wide
        other._tail = np.empty((self._rows, self.width), self._dtype)
        whole, rest = divmod(length, self._rows)
        if length and not rest:
            whole, rest = whole - 1, self._rows
        other._chunks = self._chunks[:whole]
        other._spilled = min(self._spilled, whole)
        if rest:
            source = self._chunk(whole)
            if source.shape[1] < self.width:
                other._tail[:rest] = self._blank
            other._tail[:rest, : source.shape[1]] = source[:rest]
        other._fill, other._length = rest, length
        return other

    def _chunk(self, number: int) -> NDArray[Any]:
        return self._chunks[number].array().T if number < len(self._chunks) else self._tail

    def _seal(self) -> None:
        """Begin another chunk, and move one from memory to the file."""
        self._chunks.append(Block(np.ascontiguousarray(self._tail.T)))
        self._tail = np.empty((self._rows, self.width), self._dtype)
        self._fill = 0
        oldest = self._spilled
        left = len(self._chunks) - 1 - oldest
        if left * self._tail.nbytes > IN_MEMORY and self._chunks[oldest].spill(self._file):
            self._spilled += 1


def _rows_of_chunk(width: int, dtype: np.dtype[Any]) -> int:
    """Return how many rows a chunk has: more if there are few columns, for fewer chunks."""
    return NARROW if NARROW * width * dtype.itemsize <= _LARGEST_NARROW else CHUNK
