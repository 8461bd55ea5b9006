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

import struct
import zlib
from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.reading import array_of, read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.history.footprint import Footprint
    from gradstep.history.source import Source

__all__ = ["array_checksum", "checksum"]

WHOLE_BYTES = 16 * 1024
RUNS, RUN = 16, 64

_pack = struct.Struct("<d").pack
_crc = zlib.crc32
_NOTHING: dict[str, Any] = {}


def array_checksum(values: NDArray[Any], start: int = 0, turn: int = 0) -> int:
    """Return the CRC-32 of an array's bytes, or of 1024 of its elements when it is long.

    Args:
        values: Any array; how it lies in memory makes no difference.
        start: The checksum of what comes before it.
        turn: Which elements of a long one.

    Example:
        >>> import numpy as np
        >>> array_checksum(np.zeros(3)) == array_checksum(np.zeros(3))
        True
        >>> array_checksum(np.zeros(3)) == array_checksum(np.array([0.0, -0.0, 0.0]))
        False
    """
    if values.nbytes > WHOLE_BYTES:
        values = _runs(values, turn)
    try:
        return _crc(values, start)  # type: ignore[arg-type]  # an array is a buffer
    except ValueError:  # it does not lie in one piece, which to ask for costs more
        return _crc(np.ascontiguousarray(values), start)  # type: ignore[arg-type]


def _drawn(turn: int, count: int) -> int:
    """Return a number below `count` for a turn: mixed, because a loop's Steps come in even steps.

    The factor is 2**32 divided by the golden ratio (Knuth, TAOCP volume 3, section 6.4).
    """
    return (turn * 2_654_435_769 & 0xFFFF_FFFF) * count >> 32


def _runs(values: NDArray[Any], turn: int) -> NDArray[Any]:
    """Return one run of each sixteenth of an array; what is left over belongs to the last run."""
    flat = values.reshape(-1)
    length = max(RUN, flat.size // RUNS)
    whole = flat.size // length
    at = _drawn(turn, -(-length // RUN)) * RUN
    found = flat[: whole * length].reshape(whole, length)[:, at : at + RUN].reshape(-1)
    rest = flat[whole * length :]
    return np.concatenate((found, rest)) if rest.size else found


def checksum(
    source: Source,
    footprint: Footprint,
    loss: float | None,
    rows: Sequence[int] | None,
    turn: int = 0,
) -> int:
    """Return the checksum of what an Event has just written.

    Args:
        source: The live program, right after the Event.
        footprint: What the Event wrote.
        loss: The loss's value after a Forward.
        rows: The rows a Forward used.
        turn: The Event's index, which tells what is covered of that which is too much for all.
    """
    total, tensors = 0, source.tensors
    for name in footprint.written_tensors:
        if name in tensors:
            total = array_checksum(array_of(tensors[name]), total, turn)
    for name in footprint.written_gradients:
        if name in tensors:
            gradient = tensors[name].grad
            if gradient is None:
                total = _crc(b"None", total)
            else:
                total = array_checksum(array_of(gradient), total, turn)
    for optimizer, names in footprint.written_states:
        owner = tensors.get(names[_drawn(turn, len(names))])
        held = source.optimizers[optimizer].state.get(owner, _NOTHING)
        total = _state_checksum(held, total, turn)
    for address in footprint.written_options:
        total = _crc(repr(read(source, address)).encode(), total)
    if loss is not None:
        total = _crc(_pack(loss), total)
    if rows is not None:
        total = _crc(array("q", rows), total)
    return total


def _state_checksum(held: Mapping[str, Any], total: int, turn: int) -> int:
    for value in held.values():
        for item in value if isinstance(value, list) else (value,):
            values = array_of(item) if hasattr(item, "_array") else np.asarray(item)
            total = array_checksum(values, total, turn)
    return total
