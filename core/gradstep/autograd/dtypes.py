"""Element types and type promotion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.errors import ArgumentTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DTypeLike",
    "Dims",
    "Number",
    "dtype",
    "from_numpy_dtype",
    "get_default_dtype",
    "numpy_dtype",
    "result_dtype",
    "scalar_name",
    "set_default_dtype",
]

Number: TypeAlias = int | float | bool

Dims: TypeAlias = "int | tuple[int, ...] | list[int] | None"
"""The type of a reduction's `dim`; None for all dimensions."""
Array: TypeAlias = "NDArray[Any]"


@dataclass(frozen=True, slots=True, repr=False)
class dtype:
    """An element type, such as `gradstep.float32`.

    Args:
        name: Its name in NumPy.

    Example:
        >>> import gradstep
        >>> gradstep.ones(2).dtype
        gradstep.float32
        >>> gradstep.int64.is_floating_point
        False
    """

    __module__ = "gradstep"  # the public name, which its type prints
    name: str

    def __repr__(self) -> str:
        return f"gradstep.{self.name}"

    @property
    def numpy(self) -> np.dtype[Any]:
        """The same type as a NumPy dtype."""
        return np.dtype(self.name)

    @property
    def is_floating_point(self) -> bool:
        """Whether it holds floating-point numbers."""
        return self.numpy.kind == "f"

    @property
    def itemsize(self) -> int:
        """The size of an element in bytes."""
        return self.numpy.itemsize


NAMES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
)
_BY_NUMPY: dict[np.dtype[Any], dtype] = {np.dtype(name): dtype(name) for name in NAMES}
_SCALAR_NAMES = dict(
    zip(
        NAMES,
        ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double"),
        strict=True,
    )
)
_FROM_PYTHON: dict[object, str] = {bool: "bool", int: "int64", float: "float32"}
_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2}

DTypeLike: TypeAlias = "dtype | np.dtype[Any] | type | str"

default: np.dtype[Any] = np.dtype(np.float32)
"""The floating-point type of new tensors; Python floats are converted to it."""


def from_numpy_dtype(kind: np.dtype[Any]) -> dtype:
    """Return the GradStep dtype of a NumPy one, or raise if tensors cannot hold it."""
    try:
        return _BY_NUMPY[kind]
    except KeyError:
        raise ArgumentTypeError(
            f"can't make a tensor of elements of type {kind}",
            f"convert to one of {', '.join(NAMES)}",
        ) from None


def numpy_dtype(kind: DTypeLike) -> np.dtype[Any]:
    """Return the NumPy dtype of `kind`: a GradStep dtype, a NumPy dtype or a Python type.

    Example:
        >>> numpy_dtype(float)
        dtype('float32')
    """
    if isinstance(kind, dtype):
        return kind.numpy
    of_tensors = getattr(kind, "dtype", None)  # such as gradstep.LongTensor
    if isinstance(of_tensors, dtype):
        return of_tensors.numpy
    try:
        found = np.dtype(_FROM_PYTHON.get(kind, kind))
    except TypeError:
        raise ArgumentTypeError(
            f"{kind!r} is not a dtype", "give one such as gradstep.float32"
        ) from None
    return from_numpy_dtype(found).numpy


def scalar_name(kind: np.dtype[Any]) -> str:
    """Return the name of an element type in torch's messages.

    Example:
        >>> scalar_name(np.dtype("float64"))
        'Double'
    """
    return _SCALAR_NAMES[kind.name]


def dtype_of_scalar_name(name: str) -> np.dtype[Any] | None:
    """Return the element type with this name in torch's messages, or None."""
    found = [kind for kind, word in _SCALAR_NAMES.items() if word == name]
    return np.dtype(found[0]) if found else None


def set_default_dtype(kind: DTypeLike) -> None:
    """Set the floating-point type of new tensors; the initial one is `gradstep.float32`."""
    global default  # noqa: PLW0603 - the default has one owner, this module
    found = numpy_dtype(kind)
    if found.kind != "f":
        raise ArgumentTypeError(
            f"only floating-point types are supported as the default type, got {kind}",
            "give gradstep.float32 or gradstep.float64",
        )
    default = found


def get_default_dtype() -> dtype:
    """Return the floating-point type of new tensors."""
    return from_numpy_dtype(default)


def number_dtype(number: Number) -> np.dtype[Any]:
    """Return the dtype of a tensor made from a Python number alone."""
    if isinstance(number, bool):
        return np.dtype(np.bool_)
    return np.dtype(np.int64) if isinstance(number, int) else default


def result_dtype(*operands: Array | Number) -> np.dtype[Any]:
    """Return the dtype of an operation's result.

    Arrays with dimensions have priority over 0-d arrays, and those over Python numbers: a lower
    priority changes the type only if it has a higher category (bool < integer < floating point).

    Example:
        >>> result_dtype(np.ones(2, "float32"), np.array(1.0))
        dtype('float32')
        >>> result_dtype(np.ones(2, "int64"), 2.5)
        dtype('float32')
    """
    ranks: list[list[np.dtype[Any]]] = [[], [], []]
    for operand in operands:
        if isinstance(operand, np.ndarray):
            ranks[0 if operand.ndim else 1].append(operand.dtype)
        else:
            ranks[2].append(number_dtype(operand))
    found: np.dtype[Any] | None = None
    for rank in ranks:
        if not rank:
            continue
        here = _promote(rank)
        if found is None or _CATEGORY[here.kind] > _CATEGORY[found.kind]:
            found = here
    assert found is not None
    return found


def _promote(kinds: list[np.dtype[Any]]) -> np.dtype[Any]:
    """Combine types of one priority: floats win over integers, without widening to hold them."""
    floats = [kind for kind in kinds if kind.kind == "f"]
    return np.result_type(*(floats or kinds))
