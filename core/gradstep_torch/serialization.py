"""Saving and loading tensors and containers of them, in a format that cannot run code.

A file holds the magic bytes, the length of the encoded values, a checksum of everything after it,
the values (msgpack), and the elements of all tensors in order.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias

import msgspec
import numpy as np

from gradstep.atomic_write import replacing
from gradstep.autograd import dtypes
from gradstep.autograd.devices import device, require_cpu
from gradstep.autograd.size import Size
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import GradStepError, SerializationError
from gradstep.nn.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from numpy.typing import NDArray

__all__ = ["load", "save"]

MAGIC: Final = b"GSTENSR1"
_HEAD: Final = struct.Struct("<8sQI")
_DEEPEST: Final = 100
_PLAIN: Final = (bool, int, float, str, bytes, type(None))
_FOREIGN: Final = {
    b"PK\x03\x04": "a zip archive, as torch.save() writes",
    b"\x80": "a pickle, as old versions of torch.save() write",
    b"\x93NUMPY": "a NumPy array",
    b"SQLite": "a GradStep session",
}
File: TypeAlias = "str | PathLike[str] | IO[bytes]"


def save(obj: object, f: File, **options: object) -> None:
    """Save tensors, numbers, strings, and lists, tuples and dicts of them.

    Args:
        obj: What to save, such as a module's or an optimizer's `state_dict()`.
        f: A path, or a file open for writing bytes.
        **options: Ignored; torch's pickling options.

    Raises:
        SerializationError: `obj` holds something else.

    Example:
        >>> import io, gradstep_torch as torch
        >>> file = io.BytesIO()
        >>> save({"weight": torch.ones(2), "epoch": 3}, file)
        >>> _ = file.seek(0)
        >>> load(file)
        {'weight': tensor([1., 1.]), 'epoch': 3}
    """
    del options
    writer = _Writer()
    text = msgspec.msgpack.encode(writer.encode(obj, "the object"))
    body = b"".join([text, *writer.blocks])
    content = _HEAD.pack(MAGIC, len(text), zlib.crc32(body)) + body
    if hasattr(f, "write"):
        f.write(content)
        return
    path = Path(f)
    if not path.parent.is_dir():
        raise SerializationError(
            f"Parent directory {path.parent} does not exist.", "create it first"
        )
    with replacing(path) as draft:
        draft.write_bytes(content)


def load(
    f: File,
    map_location: object = None,
    *,
    weights_only: bool = True,
    **options: object,
) -> Any:
    """Load a file that `save` wrote.

    Args:
        f: A path, or a file open for reading bytes.
        map_location: Only the CPU.
        weights_only: Ignored; a file cannot hold anything else.
        **options: Ignored; torch's unpickling options.

    Raises:
        SerializationError: The file has another format, or is damaged.
        DeviceError: `map_location` is not the CPU.
    """
    del weights_only, options
    if isinstance(map_location, (str, device)):
        require_cpu(map_location)
    content = f.read() if hasattr(f, "read") else Path(f).read_bytes()
    if content[: len(MAGIC)] != MAGIC:
        raise _foreign(content)
    body = memoryview(content)[_HEAD.size :]
    if len(content) < _HEAD.size:
        raise _damaged("the header is incomplete")
    _, size, checksum = _HEAD.unpack_from(content)
    if zlib.crc32(body) != checksum:
        raise _damaged("the checksum does not match")
    try:
        tree = msgspec.msgpack.decode(body[:size])
        return _Reader(body[size:]).decode(tree)
    except (
        msgspec.MsgspecError,
        ValueError,
        TypeError,
        KeyError,
        RecursionError,
        GradStepError,
    ) as problem:
        raise _damaged(str(problem)) from None


def _foreign(content: bytes) -> SerializationError:
    kinds = [what for start, what in _FOREIGN.items() if content.startswith(start)]
    what = kinds[0] if kinds else "in an unknown format" if content else "empty"
    return SerializationError(
        f"this file was not written by gradstep_torch.save(): it is {what}",
        "files of torch can run code when loaded; load it in torch and pass the tensors on as "
        "NumPy arrays",
    )


def _damaged(why: str) -> SerializationError:
    return SerializationError(f"the file is damaged: {why}", "save it again")


class _Writer:
    """Encodes values, and collects the elements of their tensors separately."""

    def __init__(self) -> None:
        self.blocks: list[bytes] = []
        self._place = 0
        self._encoders: list[tuple[type, Callable[[Any, str, int], list[Any]]]] = [
            (Parameter, lambda x, *_: ["parameter", *self._store(x._array), x._requires_grad]),
            (Tensor, lambda x, *_: ["tensor", *self._store(x._array), x._requires_grad]),
            (np.ndarray, lambda x, *_: ["array", *self._store(x)]),
            (Size, lambda x, *_: ["size", list(x)]),
            (dtypes.dtype, lambda x, *_: ["dtype", x.name]),
            (device, lambda x, *_: ["device", str(x)]),
            (OrderedDict, lambda x, *at: ["ordered", self._pairs(x, *at)]),
            (Mapping, lambda x, *at: ["dict", self._pairs(x, *at)]),
            (list, lambda x, *at: ["list", self._items(x, *at)]),
            (tuple, lambda x, *at: ["tuple", self._items(x, *at)]),
        ]

    def encode(self, value: Any, where: str, depth: int = 0) -> Any:
        """Return a value as plain data, or as a tag with its parts."""
        if depth > _DEEPEST:
            raise SerializationError(f"{where} is nested more than {_DEEPEST} deep")
        if isinstance(value, np.generic):
            value = value.item()
        # MessagePack integers have 64 bits; the state of a NumPy generator is larger.
        if type(value) is int and not -(2**63) <= value < 2**64:
            return ["int", hex(value)]
        if type(value) in _PLAIN:
            return value
        for kind, encoder in self._encoders:
            if isinstance(value, kind):
                return encoder(value, where, depth + 1)
        remedy = "save numbers, strings, tensors, and lists, tuples and dicts of them"
        if hasattr(value, "state_dict"):
            remedy = "save its state_dict(), and restore it with load_state_dict()"
        raise SerializationError(f"can't save {where}: it is a {type(value).__name__}", remedy)

    def _pairs(self, value: Mapping[Any, Any], where: str, depth: int) -> list[Any]:
        return [
            [self.encode(key, where, depth), self.encode(item, f"{where}[{key!r}]", depth)]
            for key, item in value.items()
        ]

    def _items(self, value: Sequence[Any], where: str, depth: int) -> list[Any]:
        return [self.encode(item, f"{where}[{n}]", depth) for n, item in enumerate(value)]

    def _store(self, array: NDArray[Any]) -> list[Any]:
        name = dtypes.from_numpy_dtype(array.dtype).name
        block = np.asarray(array, array.dtype.newbyteorder("<")).tobytes()
        start, self._place = self._place, self._place + len(block)
        self.blocks.append(block)
        return [name, list(array.shape), start]


class _Reader:
    """Decodes values from their encoding and the elements of their tensors."""

    def __init__(self, elements: memoryview) -> None:
        self._elements = elements
        self._decoders: dict[str, Callable[..., Any]] = {
            "parameter": lambda *parts: Parameter(wrap(self._array(*parts[:3])), bool(parts[3])),
            "tensor": lambda *parts: wrap(self._array(*parts[:3])).requires_grad_(bool(parts[3])),
            "array": self._array,
            "int": lambda digits: int(digits, 16),
            "size": lambda sizes: Size(map(int, sizes)),
            "dtype": lambda name: dtypes.from_numpy_dtype(np.dtype(name)),
            "device": device,
            "dict": lambda pairs: dict(map(self._pair, pairs)),
            "ordered": lambda pairs: OrderedDict(map(self._pair, pairs)),
            "list": lambda items: [self.decode(item) for item in items],
            "tuple": lambda items: tuple(self.decode(item) for item in items),
        }

    def decode(self, tree: Any) -> Any:
        """Return the value that an encoding describes."""
        if type(tree) in _PLAIN:
            return tree
        tag, *parts = tree
        return self._decoders[tag](*parts)

    def _pair(self, pair: list[Any]) -> tuple[Any, Any]:
        key, item = pair
        return self.decode(key), self.decode(item)

    def _array(self, name: str, shape: list[int], start: int) -> NDArray[Any]:
        if name not in dtypes.NAMES:
            raise ValueError(f"unknown element type {name!r}")
        kind = np.dtype(name).newbyteorder("<")
        if any(not isinstance(size, int) or size < 0 for size in (*shape, start)):
            raise ValueError(f"invalid shape {shape}")
        size = math.prod(shape) * kind.itemsize
        if start + size > len(self._elements):
            raise ValueError("elements are missing")
        found = np.frombuffer(self._elements[start : start + size], kind).reshape(shape)
        return found.astype(kind.newbyteorder("="))
