"""Parts: an array that remembers what it is made of, through the arithmetic of an update.

An update is linear in what drives it (the gradient, the momentum, the parameter that decays), once
what only scales it is taken as it is: a denominator, a norm, a step size. So the code that updates
is run on arrays that carry named parts. A sum adds them up part by part, a product with an array
that has none scales each of them, and whatever else is computed from them has none.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Named", "Parts", "put_rows", "rounded", "rows_of"]

Named: TypeAlias = dict[str, NDArray[np.float64]]
"""Parts by name; in double precision, so that their sum tells what rounding has done."""


class Parts(np.ndarray[Any, Any]):
    """A NumPy array with named parts that add up to it; without any, it is like any other.

    Its values are computed as those of a plain array, bit for bit. A view of one has no parts.

    Attributes:
        named: The parts by name.

    Example:
        >>> grad = Parts.of(np.array([2.0, -4.0]), {"new": [1.0, -3.0], "old": [1.0, -1.0]})
        >>> update = (grad * 0.5) / np.sqrt(grad * grad)
        >>> update.tolist(), {name: part.tolist() for name, part in update.named.items()}
        ([0.5, -0.5], {'new': [0.25, -0.375], 'old': [0.25, -0.125]})
    """

    named: Named

    @classmethod
    def of(
        cls, array: NDArray[Any], named: Mapping[str, ArrayLike] = MappingProxyType({})
    ) -> Parts:
        """Return an array as one with parts; it is written where the array is written.

        Args:
            array: The values.
            named: What adds up to them, of shapes that broadcast to the array's.
        """
        made = array.view(cls)
        made.named = {name: np.asarray(part, np.float64) for name, part in named.items()}
        return made

    def __array_finalize__(self, _source: object) -> None:
        self.named = {}

    def __array_ufunc__(
        self,
        ufunc: np.ufunc,
        method: str,
        *inputs: Any,  # noqa: ANN401 - NumPy's protocol
        out: tuple[Any, ...] = (),
        **options: Any,  # noqa: ANN401 - likewise
    ) -> Any:  # noqa: ANN401 - likewise
        rule = _RULES.get(ufunc) if method == "__call__" else None
        named = {} if rule is None else rule(*inputs)
        if out:
            options["out"] = tuple(_plain(target) for target in out)
        value = getattr(ufunc, method)(*map(_plain, inputs), **options)
        if out:
            if isinstance(out[0], Parts):
                out[0].named = named
            return out[0]
        return Parts.of(np.asarray(value), named) if named else value

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:  # noqa: ANN401 - likewise
        if func is np.copyto:
            return _copy(*args, **kwargs)
        return super().__array_function__(func, types, args, kwargs)

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401 - likewise
        super().__setitem__(key, _plain(value))
        self.named = dict(_named(value)) if key is ... else {}

    def fill(self, value: Any) -> None:  # noqa: ANN401 - a number
        """Give every element one value."""
        super().fill(value)
        self.named = {}

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - NumPy's method
        """Return a copy of another type, with the same parts."""
        return Parts.of(_plain(self).astype(dtype, *args, **options), self.named)

    @property
    def T(self) -> Any:  # noqa: ANN401, N802 - NumPy's name
        """The transpose, with the parts transposed."""
        return Parts.of(_plain(self).T, {name: part.T for name, part in self.named.items()})


def rows_of(array: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """Return a copy of some rows; what has parts keeps theirs.

    Example:
        >>> rows_of(Parts.of(np.eye(2), {"a": np.eye(2)}), np.array([1])).named
        {'a': array([[0., 1.]])}
    """
    named = {name: part[rows] for name, part in _named(array).items()}
    values = np.asarray(array)[rows]
    return Parts.of(values, named) if named else values


def put_rows(array: NDArray[Any], rows: NDArray[np.intp], values: NDArray[Any]) -> None:
    """Write some rows; what has parts gets theirs there, and keeps its own elsewhere."""
    np.asarray(array)[rows] = _plain(values)
    if isinstance(array, Parts):
        new, nothing = _named(values), np.zeros(array.shape)
        found = {name: array.named.get(name, nothing).copy() for name in array.named | new}
        for name, part in found.items():
            part[rows] = new.get(name, 0.0)
        array.named = found


def rounded(array: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Return `values`, which are `array` rounded; what has parts keeps them in proportion.

    Example:
        >>> rounded(Parts.of(np.array([1.01]), {"a": np.array([1.01])}), np.array([1.0])).named
        {'a': array([1.])}
    """
    named = _in_proportion(_named(array), values)
    return Parts.of(values, named) if named else values


def _plain(value: Any) -> Any:  # noqa: ANN401 - passed through
    return value.view(np.ndarray) if isinstance(value, Parts) else value


def _named(value: Any) -> Named:  # noqa: ANN401 - an array or a number
    return value.named if isinstance(value, Parts) else {}


def _in_proportion(named: Named, values: NDArray[Any]) -> Named:
    whole = sum(named.values(), np.zeros(values.shape))
    ratio = np.divide(values, whole, out=np.zeros(whole.shape), where=whole != 0)
    return {name: part * ratio for name, part in named.items()}


def _add(first: Named, second: Named) -> Named:
    return {
        name: first[name] + second[name] if name in first and name in second else part
        for name, part in (first | second).items()
    }


def _negate(one: Any) -> Named:  # noqa: ANN401 - an array or a number
    return {name: -part for name, part in _named(one).items()}


def _scale(product: Callable[[Any, Any], Any], one: Any, other: Any) -> Named:  # noqa: ANN401 - likewise
    first, second = _named(one), _named(other)
    if first and second:
        return {}  # a square has no parts that add up
    if second:
        factor = np.asarray(_plain(one), np.float64)
        return {name: product(factor, part) for name, part in second.items()}
    factor = np.asarray(_plain(other), np.float64)
    return {name: product(part, factor) for name, part in first.items()}


def _divide(one: Any, other: Any) -> Named:  # noqa: ANN401 - likewise
    factor = np.asarray(_plain(other), np.float64)
    return {name: part / factor for name, part in _named(one).items()}


def _copy(target: Any, source: Any, casting: Any = "same_kind", where: Any = True) -> None:  # noqa: ANN401 - NumPy's arguments
    np.copyto(_plain(target), _plain(source), casting=casting, where=where)
    if not isinstance(target, Parts):
        return
    new, old = _named(source), target.named
    nothing = np.zeros(())
    target.named = {
        name: np.where(where, new.get(name, nothing), old.get(name, nothing))
        for name in dict.fromkeys((*old, *new))
    }


_RULES: Mapping[np.ufunc, Callable[..., Named]] = MappingProxyType(
    {
        np.add: lambda one, other: _add(_named(one), _named(other)),
        np.subtract: lambda one, other: _add(_named(one), _negate(other)),
        np.negative: _negate,
        np.multiply: lambda one, other: _scale(np.multiply, one, other),
        np.matmul: lambda one, other: _scale(np.matmul, one, other),
        np.divide: _divide,
        np.sign: lambda one: _in_proportion(_named(one), np.sign(_plain(one))),
    }
)
"""How each operation that keeps parts makes them."""
