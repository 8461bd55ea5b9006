"""Checksums: a number from the bytes of what an Event wrote, so that a replay can be checked.

What is covered: the data and gradients that the Event wrote, the optimizer's buffers of one of the
parameters, hyper-parameters, the loss's value and the rows of the batch. Arrays of up to 16 KB are
covered whole; of a longer one 1024 elements, in 16 evenly spaced runs. The parameter and the runs
follow from the index of the Event, so that each has its turn. So a difference in arithmetic
(another BLAS, another thread count), which shows in nearly every element, is told at once, and
one in a single element of a large array, or in a buffer that has not yet moved its parameter, when
its turn comes. Reading all of a large model after every Event would cost more than the Event. What
a position in data, the generator or a graph holds is covered by the Events that follow from it.
"""

from __future__ import annotations

import zlib
from struct import pack
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.reading import bytes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["array_checksum", "checksum", "covered", "drawn"]

WHOLE_BYTES = 16 * 1024
RUNS, RUN = 16, 64


def array_checksum(values: NDArray[Any], turn: int = 0) -> int:
    """Return the CRC-32 of an array's bytes, or of 1024 of its elements when it is long.

    Args:
        values: Any array; how it lies in memory makes no difference.
        turn: Which elements of a long one.

    Example:
        >>> import numpy as np
        >>> array_checksum(np.zeros(3)) == array_checksum(np.zeros(3))
        True
        >>> array_checksum(np.zeros(3)) == array_checksum(np.array([0.0, -0.0, 0.0]))
        False
    """
    return zlib.crc32(bytes_of([covered(values, turn)]))


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
    """Return what is covered of an array in a turn: all of it, or runs of a long one."""
    return values if values.nbytes <= WHOLE_BYTES else _runs(values, turn)


def drawn(turn: int, count: int) -> int:
    """Return a number below `count` for a turn: mixed, because a loop's Steps come in even steps.

    The factor is 2**32 divided by the golden ratio (Knuth, TAOCP volume 3, section 6.4).
    """
    return (turn * 2_654_435_769 & 0xFFFF_FFFF) * count >> 32


def _runs(values: NDArray[Any], turn: int) -> NDArray[Any]:
    """Return one run of each sixteenth of an array; what is left over belongs to the last run."""
    flat = values.reshape(-1)
    length = max(RUN, flat.size // RUNS)
    whole = flat.size // length
    at = drawn(turn, -(-length // RUN)) * RUN
    found = flat[: whole * length].reshape(whole, length)[:, at : at + RUN].reshape(-1)
    rest = flat[whole * length :]
    return np.concatenate((found, rest)) if rest.size else found
