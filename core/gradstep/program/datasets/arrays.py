"""Read arrays from NPY files and from numbers in the document, with checks before allocation."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gradstep.errors import ProgramError
from gradstep.pluralize import pluralize
from gradstep.program.document.validation_errors import json_type_name
from gradstep.program.schema.limits import MAX_ELEMENTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.program.document.validation_errors import Json

__all__ = ["are_class_labels", "numbers", "parse_npy"]

_MAX_DIMENSIONS = 8
# The header is parsed here because NumPy evaluates it as Python source, and a damaged header can
# make that fail in many ways. The header's length has two bytes in version 1, four in later ones.
_HEADER = re.compile(
    rb"\x93NUMPY(?:\x01\x00(?P<short>..)|[\x02\x03]\x00(?P<long>....))"
    rb"(?P<text>\{'descr': '(?P<kind>[^']{1,16})', 'fortran_order': (?P<fortran>True|False), "
    rb"'shape': \((?P<shape>[0-9, ]{0,200})\), \} *\n)",
    re.DOTALL,
)
_NUMBERS = re.compile(r"[<>|=]?(?:f[248]|[iu][1248]|b1)\Z")


def parse_npy(raw: bytes, path: str, place: str) -> NDArray[Any]:
    """Read a `.npy` file, and check its header before its data.

    Args:
        raw: The content of the file.
        path: Its name, for error messages.
        place: Where the document names it.

    Returns:
        A float64 array, or int64 if the file holds integers.

    Raises:
        ProgramError: If it is not a `.npy` file, or holds anything but finite numbers.

    Example:
        >>> parse_npy(b"hello", "x.npy", "$.data.d.inputs")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.data.d.inputs: x.npy is not a .npy file;
        write it with numpy.save
    """
    header = _HEADER.match(raw)
    if header is None:
        raise ProgramError(place, f"{path} is not a .npy file", "write it with numpy.save")
    kind = header["kind"].decode("ascii", "backslashreplace")
    if not _NUMBERS.match(kind):
        raise ProgramError(place, f"{path} holds {kind}, not numbers", "save plain numbers")
    dtype = np.dtype(kind)
    shape = tuple(int(size) for size in header["shape"].replace(b",", b" ").split())
    if not shape or len(shape) > _MAX_DIMENSIONS or not prod(shape):
        raise ProgramError(place, f"{path} has the shape {shape}", "save an array of rows")
    start = int.from_bytes(header["short"] or header["long"], "little") + header.start("text")
    if prod(shape) > MAX_ELEMENTS or prod(shape) * dtype.itemsize != len(raw) - start:
        raise ProgramError(place, f"{path} is cut off or too large", "save it again")
    order: Literal["F", "C"] = "F" if header["fortran"] == b"True" else "C"
    array = np.frombuffer(raw, dtype, offset=start).reshape(shape, order=order)
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise ProgramError(
            place, f"{path}, row {row} (from 0) is not finite", "put finite numbers there"
        )
    return np.asarray(array, np.float64 if dtype.kind == "f" else np.int64)


def numbers(value: Json, place: str) -> NDArray[np.float64]:
    """Return nested lists of numbers as an array; lists at the same level have the same length.

    Example:
        >>> numbers([[1, 2], [3]], "$.tensors.x.value")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.tensors.x.value[1]: 1 number where [0] has 2;
        give every row the same length
    """
    shape = []
    level = value
    while isinstance(level, list):
        shape.append(len(level))
        if not level or len(shape) > _MAX_DIMENSIONS:
            raise ProgramError(
                place, "an empty list, or lists nested too deeply", "write rows of numbers"
            )
        level = level[0]
    flat: list[float] = []
    _flatten(value, tuple(shape), place, flat)
    return np.array(flat, np.float64).reshape(shape)


def are_class_labels(value: Json) -> bool:
    """Return whether a list contains only class labels, that is, whole numbers from 0.

    Example:
        >>> are_class_labels([0, 1, 2]), are_class_labels([0, 1.5]), are_class_labels([[0]])
        (True, False, False)
    """
    return isinstance(value, list) and all(type(item) is int and item >= 0 for item in value)


def _flatten(value: Json, shape: tuple[int, ...], place: str, flat: list[float]) -> None:
    if shape and isinstance(value, list):
        for index, item in enumerate(value):
            item_place = f"{place}[{index}]"
            wanted = shape[1] if len(shape) > 1 else None
            if wanted is not None and isinstance(item, list) and len(item) != wanted:
                raise ProgramError(
                    item_place,
                    f"{pluralize(len(item), 'number')} where [0] has {wanted}",
                    "give every row the same length",
                )
            _flatten(item, shape[1:], item_place, flat)
        return
    if shape or isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ProgramError(
            place, f"expected a number, not {json_type_name(value)}", "write a number"
        )
    number = float(value) if abs(value) < 1e300 else np.inf  # noqa: PLR2004 - an int may overflow
    if not np.isfinite(number):
        raise ProgramError(place, "the number is too large", "write a finite number")
    flat.append(number)
