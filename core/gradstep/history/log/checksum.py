"""Checksums: a number from the bytes of what an Event wrote, so that a replay can be checked.

What is covered: the data and gradients that the Event wrote, the optimizer's buffers of one of the
parameters, hyper-parameters, the loss's value and the rows of the batch. Of an array of more than
1024 elements 1024 that stand together are covered. The parameter and the place follow from the
index of the Event, so that each has its turn. So a difference in arithmetic
(another BLAS, another thread count), which shows in nearly every element, is told at once, and
one in a single element of a large array, or in a buffer that has not yet moved its parameter, when
its turn comes. Reading all of a large model after every Event would cost more than the Event. What
a position in data, the generator or a graph holds is covered by the Events that follow from it.
"""

from __future__ import annotations

import zlib
from struct import pack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["COVERED", "checksum", "covered", "drawn"]

COVERED = 1024
"""Elements of an array that are covered at most."""


def checksum(written: bytes, loss: float | None, rows: Sequence[int] | None) -> int:
    """Return the checksum of an Event.

    Args:
        written: The bytes of what it wrote, as far as they are covered.
        loss: The loss's value after a Forward.
        rows: The rows a Forward used.
    """
    total = zlib.crc32(written)
    if loss is not None:
        total = zlib.crc32(pack("<d", loss), total)
    if rows is not None:
        total = zlib.crc32(pack(f"<{len(rows)}q", *rows), total)
    return total


def covered(values: NDArray[Any], turn: int) -> NDArray[Any]:
    """Return what is covered of an array in a turn: all of it, or a run of a long one.

    The last run of a long one is as long as the others, so that it shares elements with them.

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
    """Return a number below `count` for a turn: mixed, because a loop's Steps come in even steps.

    The factor is 2**32 divided by the golden ratio (Knuth, TAOCP volume 3, section 6.4).
    """
    return (turn * 2_654_435_769 & 0xFFFF_FFFF) * count >> 32
