"""Checksums: a number from the bytes of what an Event wrote, so that a replay can be checked.

What is covered: the data, gradients and optimizer buffers that the Event wrote, hyper-parameters,
the loss's value and the rows of the batch. Arrays of up to 16 KB are covered whole; of a longer
one 4096 elements, evenly spaced: a difference in arithmetic (another BLAS, another thread count)
shows in nearly every element, and reading all of a large model after every Event would cost more
than the Event. What a position in data, the generator or a graph holds is covered by the Events
that follow from it.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.reading import array_of, gradient_of, plain, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep.history.footprint import Footprint
    from gradstep.history.source import Source

__all__ = ["array_checksum", "checksum"]

WHOLE_BYTES = 16 * 1024
SAMPLES = 4096

_pack = struct.Struct("<d").pack
_crc = zlib.crc32


def array_checksum(array: NDArray[Any], start: int = 0) -> int:
    """Return the CRC-32 of an array's bytes, or of 4096 of its elements when it is long.

    Example:
        >>> import numpy as np
        >>> array_checksum(np.zeros(3)) == array_checksum(np.zeros(3))
        True
        >>> array_checksum(np.zeros(3)) == array_checksum(np.array([0.0, -0.0, 0.0]))
        False
    """
    if array.nbytes > WHOLE_BYTES:
        flat = array.reshape(-1)
        array = flat[:: max(1, flat.size // SAMPLES)]
    try:
        return _crc(array, start)  # type: ignore[arg-type]  # an array is a buffer
    except ValueError:  # it does not lie in one piece, which to ask for costs more
        return _crc(np.ascontiguousarray(array), start)  # type: ignore[arg-type]


def _state_checksum(state: Any, tensor: Any, keys: Sequence[str], total: int) -> int:  # noqa: ANN401 - an optimizer's
    own = state.get(tensor)
    if own is None:
        return total
    for key in keys:
        value = plain(own[key])
        if isinstance(value, float):
            total = _crc(_pack(value), total)
        else:
            total = array_checksum(value, total)
    return total


def checksum(
    source: Source, footprint: Footprint, loss: float | None, rows: Sequence[int] | None
) -> int:
    """Return the checksum of what an Event has just written.

    Args:
        source: The live program, right after the Event.
        footprint: What the Event wrote.
        loss: The loss's value after a Forward.
        rows: The rows a Forward used.
    """
    total, tensors = 0, source.tensors
    for name in footprint.written_tensors:
        if name in tensors:
            total = array_checksum(array_of(tensors[name]), total)
    for name in footprint.written_gradients:
        if name in tensors:
            gradient = gradient_of(tensors[name])
            total = _crc(b"None", total) if gradient is None else array_checksum(gradient, total)
    for optimizer, name, keys in footprint.written_states:
        total = _state_checksum(source.optimizers[optimizer].state, tensors.get(name), keys, total)
    for address in footprint.written_options:
        total = _crc(repr(read(source, address)).encode(), total)
    if loss is not None:
        total = _crc(_pack(loss), total)
    if rows is not None:
        total = _crc(np.asarray(rows, np.int64), total)  # type: ignore[arg-type]
    return total
