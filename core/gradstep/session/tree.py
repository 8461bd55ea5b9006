"""Trees of plain values and arrays as MessagePack, with the arrays stored by reference.

JSON would lose NaN, infinities, tuples, integer keys and large integers, and states have all of
these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from gradstep.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gradstep.session.arrays import ArrayWriter

__all__ = ["decode_tree", "encode_tree", "referred_arrays"]

# MessagePack extension codes; all other values are MessagePack's own.
_ARRAY, _SCALAR, _TUPLE, _INTEGER = 1, 2, 3, 4
_PLAIN = (type(None), bool, float, str, bytes)


def encode_tree(tree: object, arrays: ArrayWriter) -> bytes:
    """Return a tree's bytes, and store its arrays in `arrays`.

    Args:
        tree: None, bool, int, float, str, bytes, arrays and NumPy scalars, in lists, tuples and
            dicts, to any depth.
        arrays: Where the arrays are stored.
    """
    return msgspec.msgpack.encode(_pack(tree, arrays))


def _pack(value: object, arrays: ArrayWriter) -> object:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, dict):
        return {key: _pack(item, arrays) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [_pack(item, arrays) for item in value]
        if kind is list:
            return items
        return msgspec.msgpack.Ext(_TUPLE, msgspec.msgpack.encode(items))
    return _pack_number(value, arrays)


def _pack_number(value: object, arrays: ArrayWriter) -> object:
    if isinstance(value, int):
        if -(2**63) <= value < 2**64:
            return int(value)
        return msgspec.msgpack.Ext(_INTEGER, b"%x" % value)
    if isinstance(value, np.ndarray):
        return msgspec.msgpack.Ext(_ARRAY, arrays.put(value))
    if isinstance(value, np.generic):
        return msgspec.msgpack.Ext(_SCALAR, arrays.put(np.asarray(value)))
    raise TypeError(f"a {type(value).__name__} cannot be stored in a state")


def decode_tree(body: bytes, array_of: Callable[[bytes], NDArray[Any]]) -> Any:  # noqa: ANN401 - a tree is any of many types
    """Return the tree that `encode_tree` has written.

    Args:
        body: The tree's bytes.
        array_of: Returns the array with a digest.

    Raises:
        SessionError: The bytes are not such a tree.
    """

    def extension(code: int, data: memoryview) -> Any:  # noqa: ANN401 - likewise
        if code == _ARRAY:
            return array_of(bytes(data))
        if code == _SCALAR:
            return array_of(bytes(data))[()]
        if code == _TUPLE:
            return tuple(msgspec.msgpack.decode(data, type=list[Any], ext_hook=extension))
        if code == _INTEGER and len(data) <= 1024:  # noqa: PLR2004 - 4096 bits, far above any counter
            return int(bytes(data), 16)
        raise SessionError(f"a stored state holds an unknown kind of value ({code})")

    return msgspec.msgpack.decode(body, ext_hook=extension)


def referred_arrays(body: bytes) -> set[bytes]:
    """Return the digests of the arrays that a tree's bytes refer to."""
    digests: set[bytes] = set()

    def note(digest: bytes) -> NDArray[Any]:
        digests.add(digest)
        return np.zeros(())

    decode_tree(body, note)
    return digests
