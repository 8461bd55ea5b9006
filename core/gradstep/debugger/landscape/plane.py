"""Planes: one or two directions through the space of parameters, and the coordinates in them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gradstep.errors import OperationError
from gradstep.history.curves.column_names import index_text
from gradstep.history.live_values import array_of, gradient_of
from gradstep.program.operation import SetValue
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.autograd.tensor import Tensor

    Read = Callable[[str], NDArray[Any] | None]

__all__ = [
    "DirectionPlane",
    "ElementPlane",
    "Plane",
    "gradient_reader",
    "parse_element",
    "reader",
]

_MOST_WRITTEN = 10_000
"""The most numbers of a SetValue: they are stored in the log, in decimals."""


class Plane(Protocol):
    """One or two directions through the parameters."""

    @property
    def axes(self) -> tuple[str, ...]:
        """What the axes are called."""

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors that differ within the plane."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a Series that have the coordinates; empty where none have."""

    def project(self, read: Read) -> tuple[float, ...]:
        """Return the coordinates of values of the tensors; NaN where they are unknown."""

    def project_change(self, read: Read) -> tuple[float, ...]:
        """Return the coordinates of a difference of two values."""

    def write(self, tensors: Mapping[str, Tensor], point: Sequence[float]) -> None:
        """Write the values at a point into tensors, through `.data`."""

    def operations(
        self, tensors: Mapping[str, Tensor], point: Sequence[float]
    ) -> tuple[SetValue, ...]:
        """Return the Operations that write the values at a point.

        Raises:
            OperationError: There are too many numbers.
        """

    def signature(self, tensors: Mapping[str, Tensor], wanted: Sequence[str]) -> bytes:
        """Return a digest of all values on which the loss in the plane depends.

        Args:
            tensors: The tensors.
            wanted: The names of those from which the loss is computed.
        """


class ElementPlane:
    """The plane of one or two elements; a coordinate is the value of its element.

    Args:
        elements: The tensor and the index of each.
        axes: What they are called.
    """

    def __init__(
        self, elements: Sequence[tuple[str, tuple[int, ...]]], axes: tuple[str, ...]
    ) -> None:
        self._elements = tuple(elements)
        self.axes = axes
        self.names = tuple(dict.fromkeys(name for name, _ in elements))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a Series that have the elements."""
        return tuple(f"element/{name}{index_text(index)}" for name, index in self._elements)

    def project(self, read: Read) -> tuple[float, ...]:
        """Return the elements."""
        arrays = [(read(name), index) for name, index in self._elements]
        return tuple(
            float("nan") if array is None else float(array[index]) for array, index in arrays
        )

    project_change = project

    def after(self, operation: SetValue, point: Sequence[float]) -> tuple[float, ...]:
        """Return where a SetValue moves a point."""
        moved = list(point)
        for at, (name, index) in enumerate(self._elements):
            if name == operation.tensor and operation.index is None:
                value = np.asarray(operation.value, np.float64)
                moved[at] = float(value[index] if value.ndim else value)
            elif name == operation.tensor and operation.index == index:
                moved[at] = float(np.asarray(operation.value, np.float64))
        return tuple(moved)

    def write(self, tensors: Mapping[str, Tensor], point: Sequence[float]) -> None:
        """Write the elements."""
        for (name, index), value in zip(self._elements, point, strict=True):
            array_of(tensors[name])[index] = value

    def operations(
        self, tensors: Mapping[str, Tensor], point: Sequence[float]
    ) -> tuple[SetValue, ...]:
        """Return one SetValue per element, with a number that its tensor can hold."""
        return tuple(
            SetValue(
                name,
                float(array_of(tensors[name]).dtype.type(value)),
                index,
                out_of_loop=True,
            )
            for (name, index), value in zip(self._elements, point, strict=True)
        )

    def signature(self, tensors: Mapping[str, Tensor], wanted: Sequence[str]) -> bytes:
        """Return a digest of the other elements."""
        found = hashlib.blake2b(repr(self._elements).encode(), digest_size=16)
        for name in wanted:
            array = array_of(tensors[name])
            for other, index in self._elements:
                if other == name:
                    array = array.copy()
                    array[index] = 0
            found.update(f"{name} {array.dtype} {array.shape}".encode())
            found.update(array.tobytes())
        return found.digest()


class DirectionPlane:
    """The plane of one or two directions through a point; coordinates are counted from there.

    Args:
        origin: The values at the point.
        directions: The directions, with the same names.
        axes: What they are called.
        extent: How far to look along each direction; 0 if the trajectory decides that.
    """

    columns = ()

    def __init__(
        self,
        origin: Mapping[str, NDArray[Any]],
        directions: Sequence[Mapping[str, NDArray[np.float64]]],
        axes: tuple[str, ...],
        extent: float = 0.0,
    ) -> None:
        self.extent = extent
        self._origin = {name: array.copy() for name, array in origin.items()}
        self._directions = tuple(directions)
        self.axes = axes
        products = [[self._product(a, b.__getitem__) for b in directions] for a in directions]
        self._inverse = np.linalg.pinv(np.array(products))

    @property
    def names(self) -> tuple[str, ...]:
        """Every tensor of the directions."""
        return tuple(self._origin)

    def project(self, read: Read) -> tuple[float, ...]:
        """Return the coordinates of the nearest point of the plane."""

        def difference(name: str) -> NDArray[Any] | None:
            array = read(name)
            return None if array is None else array - self._origin[name]

        return self.project_change(difference)

    def project_change(self, read: Read) -> tuple[float, ...]:
        """Return the coordinates of the part of a difference that is in the plane."""
        products = [self._product(direction, read) for direction in self._directions]
        return tuple((self._inverse @ np.array(products)).tolist())

    def write(self, tensors: Mapping[str, Tensor], point: Sequence[float]) -> None:
        """Write every tensor."""
        for name in self._origin:
            array_of(tensors[name])[...] = self._at(name, point)

    def operations(
        self, tensors: Mapping[str, Tensor], point: Sequence[float]
    ) -> tuple[SetValue, ...]:
        """Return one SetValue per tensor.

        Raises:
            OperationError: There are too many numbers.
        """
        count = sum(array.size for array in self._origin.values())
        if count > _MOST_WRITTEN:
            raise OperationError(
                f"a point of this plane is {count:,} numbers",
                f"begin elsewhere in a plane of elements: {_MOST_WRITTEN:,} numbers can be written",
            )
        return tuple(
            SetValue(
                name,
                self._at(name, point).astype(array_of(tensors[name]).dtype).tolist(),
                out_of_loop=True,
            )
            for name in self._origin
        )

    def signature(self, tensors: Mapping[str, Tensor], wanted: Sequence[str]) -> bytes:
        """Return a digest of the point, the directions and the other tensors."""
        found = hashlib.blake2b(digest_size=16)
        for name in wanted:
            array = self._origin.get(name)
            parts = [array_of(tensors[name]) if array is None else array]
            parts += [one[name] for one in self._directions if name in one]
            for part in parts:
                found.update(f"{name} {part.dtype} {part.shape}".encode())
                found.update(part.tobytes())
        return found.digest()

    def _at(self, name: str, point: Sequence[float]) -> NDArray[np.float64]:
        value = self._origin[name].astype(np.float64)
        for at, direction in zip(point, self._directions, strict=True):
            value += at * direction[name]
        return value

    def _product(self, direction: Mapping[str, NDArray[np.float64]], read: Read) -> float:
        total = 0.0
        for name, part in direction.items():
            array = read(name)
            if array is None:
                return float("nan")
            total += float(np.vdot(part, array.astype(np.float64)))
        return total


def parse_element(text: str, tensors: Mapping[str, Tensor]) -> tuple[str, tuple[int, ...]]:
    """Return the tensor and the index of an element, such as "model.0.weight[0,1]".

    Raises:
        OperationError: There is no such element.
    """
    name, _, inner = text.removesuffix("]").rpartition("[")
    if text in tensors:
        name, inner = text, ",".join("0" * array_of(tensors[text]).ndim)
    if name not in tensors:
        raise OperationError(f"there is no element {text!r}", nearest(text, tensors))
    shape = array_of(tensors[name]).shape
    try:
        index = tuple(int(part) for part in inner.split(",") if part.strip())
    except ValueError:
        index = (-1,)
    fits = len(index) == len(shape) and all(
        0 <= at < size for at, size in zip(index, shape, strict=True)
    )
    if not fits or array_of(tensors[name]).dtype.kind != "f":
        raise OperationError(f"{name} has no element {text!r}", f"its shape is {list(shape)}")
    return name, index


def reader(tensors: Mapping[str, Tensor]) -> Read:
    """Return a function that reads values by name; None where there is no such tensor any more."""

    def read(name: str) -> NDArray[Any] | None:
        tensor = tensors.get(name)
        return None if tensor is None else array_of(tensor)

    return read


def gradient_reader(tensors: Mapping[str, Tensor]) -> Read:
    """Return a function that reads `.grad` with the opposite sign; zeros where it is None."""

    def read(name: str) -> NDArray[Any] | None:
        tensor = tensors.get(name)
        if tensor is None:
            return None
        gradient = gradient_of(tensor)
        return np.zeros_like(array_of(tensor)) if gradient is None else -gradient

    return read
