"""Long runs outside memory: blocks of numbers in a temporary file, and arrays made of them.

The file has no name where the system allows that, and it goes with the last object that uses it. It
is read and written with ordinary calls, not mapped: a full disk is then an error that can be
handled, and the numbers count as the system's cache and not as memory of the process.
"""

from __future__ import annotations

import os
import tempfile
import threading
from array import array as compact_array
from bisect import bisect_left, bisect_right
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from typing import IO

    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["Block", "GrowingArray", "SpillFile", "folder_of_long_runs"]

_VAR_TMP = Path("/var/tmp")

BLOCK = 8192
"""Numbers in a block of a GrowingArray: 64 KB of float64."""

_IN_MEMORY = 2
"""Full blocks of a GrowingArray that stay in memory, so that it can shrink a little and grow."""

_SPILLED_FROM = 4
"""Blocks that a GrowingArray has before any is moved to the file; most runs are shorter."""

_FIRST_CAPACITY = 256

_APART = 512
"""Distance of wanted numbers from which they are read one by one, and not with all in between."""


class SpillFile:
    """A temporary file for blocks that leave memory; created when the first one does.

    When it cannot be written, blocks stay in memory from then on.

    Args:
        folder: The folder of the file; by default TMPDIR, or else that for large files.

    Attributes:
        problem: Why blocks stay in memory; empty while they need not.

    Example:
        >>> file = SpillFile()
        >>> at = file.append(b"12345678")
        >>> target = np.empty(1, "S4")
        >>> file.read_into(target, at + 4)
        >>> target.tolist()
        [b'5678']
    """

    __slots__ = ("_end", "_file", "_folder", "_lock", "problem")

    def __init__(self, folder: Path | None = None) -> None:
        self.problem = ""
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._end = 0
        self._lock = threading.Lock()  # the window reads while the worker writes

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def append(self, data: Any) -> int | None:  # noqa: ANN401 - any contiguous buffer
        """Write a block and return its place; None when it cannot be written."""
        if self.problem:
            return None
        view, start = memoryview(data).cast("B"), self._end
        try:
            with self._lock:
                if self._file is None:
                    self._file = _temporary_file(self._folder)
                self._file.seek(start)
                while view:  # a disk that is nearly full takes a part
                    view = view[self._file.write(view) :]
        except OSError as error:
            self.problem = error.strerror or str(error)
            return None
        self._end = start + memoryview(data).nbytes
        return start

    def read_into(self, target: NDArray[Any], start: int) -> None:
        """Fill a contiguous array with what was written at a place.

        Raises:
            GradStepError: The file cannot be read.
        """
        try:
            with self._lock:
                self._read(target.data.cast("B"), start)
        except OSError as error:
            raise GradStepError(
                f"the temporary file of a long run cannot be read: {error.strerror or error}",
                "open the program's recording, or a session that you saved",
            ) from error

    def _read(self, view: memoryview, start: int) -> None:
        file = self._file
        assert file is not None, "what is read was written before"
        file.seek(start)
        while view:
            count = file.readinto(view)  # type: ignore[attr-defined]  # it is unbuffered
            if not count:
                raise OSError("it is too short")
            view = view[count:]


class Block:
    """An array that never changes, in memory or in a SpillFile; branches share it.

    Args:
        array: The array.

    Example:
        >>> block = Block(np.arange(6).reshape(2, 3))
        >>> block.spill(SpillFile())
        True
        >>> block.array().tolist(), block.part(1, 2).tolist()
        ([[0, 1, 2], [3, 4, 5]], [[3, 4, 5]])
    """

    __slots__ = ("_array", "_dtype", "_file", "_place", "shape")

    def __init__(self, array: NDArray[Any]) -> None:
        self.shape = _shared(array.shape)
        self._dtype = array.dtype
        self._file: SpillFile | None = None
        self._place = 0
        self._array: NDArray[Any] | None = array

    def __len__(self) -> int:
        return int(self.shape[0])

    @property
    def nbytes(self) -> int:
        """The memory that it takes, in bytes."""
        array = self._array
        return 0 if array is None else array.nbytes

    def spill(self, file: SpillFile) -> bool:
        """Move the array to a file, and return whether it is in one."""
        array = self._array
        if array is None:
            return True
        place = file.append(np.ascontiguousarray(array))
        if place is None:
            return False
        # In this order: another thread may be about to read it.
        self._file, self._place = file, place
        self._array = None
        return True

    def array(self) -> NDArray[Any]:
        """Return the array; it must not be written to."""
        return self.part(0, len(self))

    def part(self, start: int, stop: int) -> NDArray[Any]:
        """Return the array's items from `start` to before `stop`; they must not be written to."""
        array, file = self._array, self._file
        if array is not None or file is None:
            assert array is not None, "a block is in memory or in a file"
            return array[start:stop]
        found = np.empty((stop - start, *self.shape[1:]), self._dtype)
        if found.size:
            file.read_into(found, self._place + start * (found.nbytes // len(found)))
        return found


@lru_cache(maxsize=256)
def _shared(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return one object for equal shapes: a long run has many blocks, and few shapes of them."""
    return shape


class GrowingArray:
    """A one-dimensional array that grows at its end; of a long one, all but that is in a file.

    Args:
        dtype: The type of its numbers.
        file: Where its blocks go.

    Attributes:
        size: How many numbers it has.

    Example:
        >>> array = GrowingArray(np.float64, SpillFile())
        >>> array.extend(np.arange(100_000.0))
        >>> array.read(49_999, 50_002).tolist(), array[-1]
        ([49999.0, 50000.0, 50001.0], 99999.0)
        >>> array.truncate(50_001)
        >>> array[-1]
        50000.0
    """

    __slots__ = ("_blocks", "_dtype", "_file", "_lasts", "_spilled", "_tail", "size")

    def __init__(self, dtype: DTypeLike, file: SpillFile) -> None:
        self.size = 0
        self._dtype = np.dtype(dtype)
        self._file = file
        self._blocks: list[Block] = []
        self._lasts = compact_array("d")  # the last number of each block
        self._spilled = 0
        self._tail = np.empty(_FIRST_CAPACITY, self._dtype)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Any:  # noqa: ANN401 - a number of its type
        at = index + self.size if index < 0 else index
        return self.read(at, at + 1)[0].item()

    @property
    def nbytes(self) -> int:
        """The memory that it takes, in bytes."""
        return self._tail.nbytes + sum(block.nbytes for block in self._blocks[self._spilled :])

    def extend(self, values: ArrayLike) -> None:
        """Add numbers at the end."""
        left = np.asarray(values, self._dtype)
        while len(left):
            fill = self.size - BLOCK * len(self._blocks)
            if fill == BLOCK:
                self._seal()
                continue
            part = left[: BLOCK - fill]
            needed = fill + len(part)
            if needed > len(self._tail):
                grown = np.empty(min(BLOCK, max(needed, 2 * len(self._tail))), self._dtype)
                grown[:fill] = self._tail[:fill]
                self._tail = grown
            self._tail[fill:needed] = part
            self.size += len(part)
            left = left[len(part) :]

    def truncate(self, size: int) -> None:
        """Drop all numbers but the first ones."""
        if size >= self.size:
            return
        full = len(self._blocks)
        kept = min(full, size // BLOCK)
        if kept < full:
            rest = self._blocks[kept].part(0, size - kept * BLOCK)
            self._tail = np.empty(BLOCK, self._dtype)
            self._tail[: len(rest)] = rest
            del self._blocks[kept:], self._lasts[kept:]
            self._spilled = min(self._spilled, kept)
        self.size = size

    def read(self, start: int, stop: int, step: int = 1) -> NDArray[Any]:
        """Return the numbers from `start` to before `stop`, or every `step`-th of them.

        What is returned must not be written to.
        """
        start, stop = max(start, 0), min(stop, self.size)
        sealed = BLOCK * len(self._blocks)
        if start >= sealed:
            return self._tail[start - sealed : max(stop - sealed, 0) : step]
        parts, at = [], start
        while at < stop:
            number, offset = divmod(at, BLOCK)
            end = min(BLOCK, offset + stop - at)
            if number == len(self._blocks):
                part = self._tail[offset:end:step]
            elif step < _APART:
                part = self._blocks[number].part(offset, end)[::step]
            else:
                block = self._blocks[number]
                part = np.concatenate(
                    [block.part(place, place + 1) for place in range(offset, end, step)]
                )
            parts.append(part)
            at += len(part) * step
        return parts[0] if len(parts) == 1 else np.concatenate([self._tail[:0], *parts])

    def lower_bound(self, value: float) -> int:
        """Return the first place whose number is `value` or more, where they are in order."""
        start = bisect_left(self._lasts, value) * BLOCK
        return start + int(np.searchsorted(self.read(start, start + BLOCK), value))

    def upper_bound(self, value: float) -> int:
        """Return the first place whose number is more than `value`, where they are in order."""
        start = bisect_right(self._lasts, value) * BLOCK
        return start + int(np.searchsorted(self.read(start, start + BLOCK), value, side="right"))

    def _seal(self) -> None:
        """Make a block of the full tail, and move old blocks to the file."""
        self._blocks.append(Block(self._tail))
        self._lasts.append(self._tail[-1].item())
        self._tail = np.empty(BLOCK, self._dtype)
        last = len(self._blocks) - _IN_MEMORY
        if len(self._blocks) < _SPILLED_FROM:
            return
        while self._spilled < last and self._blocks[self._spilled].spill(self._file):
            self._spilled += 1


def folder_of_long_runs() -> Path:
    """Return the folder of the temporary files.

    `/tmp` is memory on many systems, so that what is large belongs into `/var/tmp`; see "Using /tmp
    and /var/tmp safely" of systemd.
    """
    if "TMPDIR" not in os.environ and os.access(_VAR_TMP, os.W_OK):
        return _VAR_TMP
    return Path(tempfile.gettempdir())


def _temporary_file(folder: Path | None) -> IO[bytes]:
    """Return a new file, which ends with the process."""
    place = folder_of_long_runs() if folder is None else folder
    return tempfile.TemporaryFile(prefix="gradstep-", dir=place, buffering=0)
