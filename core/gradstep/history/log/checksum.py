"""Checksums of what Events wrote, so that replays can be verified.

A checksum covers the data and gradients that the Event wrote, the optimizer's buffers of one of its
parameters, hyperparameters, the loss and the rows of the batch. Of an array of more than 1024
elements it covers 1024 adjacent ones. The parameter and the place depend on the index of the Event,
so that all get their turn. A difference in arithmetic (another BLAS, another thread count) shows in
nearly every element and is detected at once. A difference in a single element of a large array, or
in a buffer that has not changed its parameter yet, is detected when its turn comes. Reading all of
a large model after every Event would cost more than the Event itself. Positions in data, generators
and graphs are covered by the Events that depend on them.
"""

from __future__ import annotations

import zlib
from struct import pack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["COVERED", "checksum", "covered", "drawn", "row_bytes"]

COVERED = 1024
"""Most elements of an array that a checksum covers."""


def checksum(written: bytes, loss: float | None, rows: bytes | None) -> int:
    """Return the checksum of an Event.

    Args:
        written: The covered bytes of what it wrote.
        loss: The value of the loss, if it computed one.
        rows: The rows of the data that it used, if any, as `row_bytes` returns them.
    """
    total = zlib.crc32(written)
    if loss is not None:
        total = zlib.crc32(pack("<d", loss), total)
    return total if rows is None else zlib.crc32(rows, total)


def row_bytes(rows: Sequence[int] | None) -> bytes | None:
    r"""Return the rows of a batch in eight bytes each; None for None.

    Example:
        >>> row_bytes((2, 1))
        b'\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00'
    """
    return None if rows is None else pack(f"<{len(rows)}Q", *rows)


def covered(values: NDArray[Any], turn: int) -> NDArray[Any]:
    """Return the elements of an array that a turn covers: all, or one block of a large array.

    The last block is as long as the others, so it overlaps the one before.

    Example:
        >>> import numpy as np
        >>> covered(np.arange(3000), turn=1).tolist() == list(range(1024, 2048))
        True
    """
    size = values.size
    if size <= COVERED:
        return values
    start = min(drawn(turn, -(-size // COVERED)) * COVERED, size - COVERED)
    return values.reshape(-1)[start : start + COVERED]


def drawn(turn: int, count: int) -> int:
    """Return a number below `count` for a turn, scrambled because Steps come at regular intervals.

    The factor is 2**32 divided by the golden ratio (Knuth, TAOCP volume 3, section 6.4).
    """
    return (turn * 2_654_435_769 & 0xFFFF_FFFF) * count >> 32
