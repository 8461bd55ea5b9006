"""TracedArray: an array that tracks its parts through the arithmetic of an update.

An update is linear in its inputs (the gradient, the momentum, the parameter that decays) if every
factor is taken as a constant: denominators, norms, step sizes. So an optimizer's own code can run
on arrays that carry named parts. A sum adds parts of the same name, a product with an untraced
array scales each part, and every other operation drops them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["NamedParts", "TracedArray", "put_rows", "rounded", "rows_of"]

NamedParts: TypeAlias = dict[str, NDArray[np.float64]]
"""Parts by name, in double precision: their sum shows the effect of rounding."""


class TracedArray(np.ndarray[Any, Any]):
    """A NumPy array with named parts that add up to it.

    Its values are those of a plain array, bit for bit. A view of it has no parts.

    Attributes:
        parts: The parts by name; empty for an array that is not traced.

    Example:
        >>> grad = TracedArray.of(np.array([2.0, -4.0]), {"new": [1.0, -3.0], "old": [1.0, -1.0]})
        >>> update = (grad * 0.5) / np.sqrt(grad * grad)
        >>> update.tolist(), {name: part.tolist() for name, part in update.parts.items()}
        ([0.5, -0.5], {'new': [0.25, -0.375], 'old': [0.25, -0.125]})
    """

    parts: NamedParts

    @classmethod
    def of(
        cls, array: NDArray[Any], parts: Mapping[str, ArrayLike] = MappingProxyType({})
    ) -> TracedArray:
        """Return a traced view of an array; both share memory.

        Args:
            array: The values.
            parts: What adds up to them, of shapes that broadcast to the array's.
        """
        made = array.view(cls)
        made.parts = {name: np.asarray(part, np.float64) for name, part in parts.items()}
        return made

    def __array_finalize__(self, _source: object) -> None:
        self.parts = {}

    def __array_ufunc__(
        self,
        ufunc: np.ufunc,
        method: str,
        *inputs: Any,  # noqa: ANN401 - NumPy's protocol
        out: tuple[Any, ...] = (),
        **options: Any,  # noqa: ANN401 - likewise
    ) -> Any:  # noqa: ANN401 - likewise
        rule = _RULES.get(ufunc) if method == "__call__" else None
        parts = {} if rule is None else rule(*inputs)
        if out:
            options["out"] = tuple(_plain(target) for target in out)
        value = getattr(ufunc, method)(*map(_plain, inputs), **options)
        if out:
            if isinstance(out[0], TracedArray):
                out[0].parts = parts
            return out[0]
        return TracedArray.of(np.asarray(value), parts) if parts else value

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:  # noqa: ANN401 - likewise
        if func is np.copyto:
            return _copy(*args, **kwargs)
        return super().__array_function__(func, types, args, kwargs)

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401 - likewise
        super().__setitem__(key, _plain(value))
        self.parts = dict(_parts_of(value)) if key is ... else {}

    def fill(self, value: Any) -> None:  # noqa: ANN401 - a number
        """Set every element to one value; it has no parts then."""
        super().fill(value)
        self.parts = {}

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - NumPy's method
        """Return a copy of another type, with the same parts."""
        return TracedArray.of(_plain(self).astype(dtype, *args, **options), self.parts)

    @property
    def T(self) -> Any:  # noqa: ANN401, N802 - NumPy's name
        """The transpose, with the parts transposed."""
        return TracedArray.of(_plain(self).T, {name: part.T for name, part in self.parts.items()})


def rows_of(array: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """Return a copy of some rows, with their parts if the array is traced.

    Example:
        >>> rows_of(TracedArray.of(np.eye(2), {"a": np.eye(2)}), np.array([1])).parts
        {'a': array([[0., 1.]])}
    """
    parts = {name: part[rows] for name, part in _parts_of(array).items()}
    values = np.asarray(array)[rows]
    return TracedArray.of(values, parts) if parts else values


def put_rows(array: NDArray[Any], rows: NDArray[np.intp], values: NDArray[Any]) -> None:
    """Write some rows, with their parts if the array is traced; other rows keep theirs."""
    np.asarray(array)[rows] = _plain(values)
    if isinstance(array, TracedArray):
        new, nothing = _parts_of(values), np.zeros(array.shape)
        found = {name: array.parts.get(name, nothing).copy() for name in array.parts | new}
        for name, part in found.items():
            part[rows] = new.get(name, 0.0)
        array.parts = found


def rounded(array: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Return `values`, which are `array` rounded, with its parts scaled to add up to them.

    Example:
        >>> traced = TracedArray.of(np.array([1.01]), {"a": np.array([1.01])})
        >>> rounded(traced, np.array([1.0])).parts
        {'a': array([1.])}
    """
    parts = _in_proportion(_parts_of(array), values)
    return TracedArray.of(values, parts) if parts else values


def _plain(value: Any) -> Any:  # noqa: ANN401 - passed through
    return value.view(np.ndarray) if isinstance(value, TracedArray) else value


def _parts_of(value: Any) -> NamedParts:  # noqa: ANN401 - an array or a number
    return value.parts if isinstance(value, TracedArray) else {}


def _in_proportion(parts: NamedParts, values: NDArray[Any]) -> NamedParts:
    whole = sum(parts.values(), np.zeros(values.shape))
    ratio = np.divide(values, whole, out=np.zeros(whole.shape), where=whole != 0)
    return {name: part * ratio for name, part in parts.items()}


def _add(first: NamedParts, second: NamedParts) -> NamedParts:
    return {
        name: first[name] + second[name] if name in first and name in second else part
        for name, part in (first | second).items()
    }


def _negate(one: Any) -> NamedParts:  # noqa: ANN401 - an array or a number
    return {name: -part for name, part in _parts_of(one).items()}


def _scale(product: Callable[[Any, Any], Any], one: Any, other: Any) -> NamedParts:  # noqa: ANN401 - likewise
    first, second = _parts_of(one), _parts_of(other)
    if first and second:
        return {}  # a square has no parts that add up
    if second:
        factor = np.asarray(_plain(one), np.float64)
        return {name: product(factor, part) for name, part in second.items()}
    factor = np.asarray(_plain(other), np.float64)
    return {name: product(part, factor) for name, part in first.items()}


def _divide(one: Any, other: Any) -> NamedParts:  # noqa: ANN401 - likewise
    factor = np.asarray(_plain(other), np.float64)
    return {name: part / factor for name, part in _parts_of(one).items()}


def _copy(target: Any, source: Any, casting: Any = "same_kind", where: Any = True) -> None:  # noqa: ANN401 - NumPy's arguments
    np.copyto(_plain(target), _plain(source), casting=casting, where=where)
    if not isinstance(target, TracedArray):
        return
    new, old = _parts_of(source), target.parts
    nothing = np.zeros(())
    target.parts = {
        name: np.where(where, new.get(name, nothing), old.get(name, nothing))
        for name in dict.fromkeys((*old, *new))
    }


_RULES: Mapping[np.ufunc, Callable[..., NamedParts]] = MappingProxyType(
    {
        np.add: lambda one, other: _add(_parts_of(one), _parts_of(other)),
        np.subtract: lambda one, other: _add(_parts_of(one), _negate(other)),
        np.negative: _negate,
        np.multiply: lambda one, other: _scale(np.multiply, one, other),
        np.matmul: lambda one, other: _scale(np.matmul, one, other),
        np.divide: _divide,
        np.sign: lambda one: _in_proportion(_parts_of(one), np.sign(_plain(one))),
    }
)
"""Operations that keep parts, and the parts of their results."""
