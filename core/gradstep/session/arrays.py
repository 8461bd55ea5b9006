"""Arrays in a session file: raw bytes, keyed by the digest of their content."""

from __future__ import annotations

import hashlib
import math
import zlib
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from gradstep.errors import SessionError

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from gradstep.session.tables import Tables

__all__ = ["DTYPES", "ArrayReader", "ArrayWriter"]

DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in (
        *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}
_MOST_DIMENSIONS = 32


class ArrayWriter:
    """Stores arrays in the table `arrays`; equal arrays are stored once.

    Args:
        tables: A session file, in a transaction.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def put(self, array: NDArray[Any]) -> bytes:
        """Store an array and return its digest."""
        name = array.dtype.name
        if name not in DTYPES:
            raise SessionError(f"an array of dtype {name} cannot be stored in a session")
        shape = msgspec.json.encode(array.shape)
        body = np.ascontiguousarray(array, dtype=DTYPES[name]).tobytes()
        digest = hashlib.blake2b(b"%s %s " % (name.encode(), shape), digest_size=16)
        digest.update(body)
        self._tables.insert("arrays", digest.digest(), name, shape.decode(), body, zlib.crc32(body))
        return digest.digest()


class ArrayReader:
    """Reads arrays by digest, and checks their dtype, shape and crc.

    Args:
        connection: A session file.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def get(self, digest: bytes) -> NDArray[Any]:
        """Return the array stored under a digest.

        Raises:
            SessionError: The array is missing or damaged.
        """
        row = self._connection.execute(
            "SELECT dtype, shape, body, crc FROM arrays WHERE digest = ?", (digest,)
        ).fetchone()
        if row is None:
            raise SessionError("an array that the session refers to is missing from the file")
        name, shape_text, body, crc = row
        dtype = DTYPES.get(name)
        if dtype is None:
            raise SessionError(f"an array has the dtype {name[:40]!r}, which a session cannot hold")
        shape = msgspec.json.decode(shape_text, type=tuple[int, ...])
        if len(shape) > _MOST_DIMENSIONS or any(size < 0 for size in shape):
            raise SessionError(f"an array has the impossible shape {shape_text[:80]}")
        if math.prod(shape) * dtype.itemsize != len(body) or zlib.crc32(body) != crc:
            raise SessionError("an array in the file is damaged: its size or checksum differs")
        native = np.frombuffer(body, dtype=dtype).reshape(shape)
        return native.astype(dtype.newbyteorder("="))
