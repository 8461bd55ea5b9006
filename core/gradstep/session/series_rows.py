"""SeriesRows: rows of a branch's Series, and their bytes in a session file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from gradstep.errors import SessionError
from gradstep.session.arrays import DTYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["SeriesRows", "decode_rows", "encode_rows", "joined"]

_MOST_COLUMNS = 1_000_000


@dataclass(frozen=True, slots=True)
class SeriesRows:
    """Consecutive rows of a Series.

    Attributes:
        names: The columns' names.
        moments: The Event that completed each row and the iterations complete then; shape (n, 2).
        values: The numbers, shape (n, columns).
    """

    names: tuple[str, ...]
    moments: NDArray[np.int64]
    values: NDArray[np.floating[Any]]


class _Encoded(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    names: tuple[str, ...]
    dtype: str
    moments: bytes
    values: bytes


def encode_rows(rows: SeriesRows) -> bytes:
    """Return the bytes of rows."""
    dtype = rows.values.dtype.name
    return msgspec.msgpack.encode(
        _Encoded(
            rows.names,
            dtype,
            rows.moments.astype("<i8").tobytes(),
            rows.values.astype(DTYPES[dtype]).tobytes(),
        )
    )


def decode_rows(body: bytes) -> SeriesRows:
    """Return the rows that `encode_rows` was given.

    Raises:
        SessionError: The bytes are damaged.
    """
    found = msgspec.msgpack.decode(body, type=_Encoded)
    if found.dtype not in {"float32", "float64"} or len(found.names) > _MOST_COLUMNS:
        raise SessionError("the series in the file are damaged")
    moments = np.frombuffer(found.moments, "<i8").reshape(-1, 2)
    values = np.frombuffer(found.values, DTYPES[found.dtype])
    if len(values) != len(moments) * len(found.names):
        raise SessionError("the series in the file are damaged: their sizes differ")
    values = values.reshape(len(moments), len(found.names))
    return SeriesRows(found.names, moments.astype(np.int64), values.astype(found.dtype))


def joined(parts: Sequence[SeriesRows]) -> SeriesRows:
    """Concatenate rows; a column that was added later is NaN in earlier rows.

    Raises:
        SessionError: The parts have different columns.
    """
    names, dtype = parts[-1].names, parts[-1].values.dtype
    values = np.full((sum(len(part.moments) for part in parts), len(names)), np.nan, dtype)
    at = 0
    for part in parts:
        if part.names != names[: len(part.names)]:
            raise SessionError("the series in the file have different columns")
        values[at : at + len(part.moments), : len(part.names)] = part.values
        at += len(part.moments)
    return SeriesRows(names, np.concatenate([part.moments for part in parts]), values)
