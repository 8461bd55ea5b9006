"""Differences between two states: which value, which element, how many units apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.history.records.comparison import Difference
from gradstep.program.state.program_state import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from gradstep.program.state.program_state import ProgramState

__all__ = ["difference", "first_difference", "units_apart", "values_of"]

_FLOATS = {"float16": np.uint16, "float32": np.uint32, "float64": np.uint64}


def units_apart(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.uint64]:
    """Return how many floating-point numbers apart the elements of two arrays are.

    0.0 and -0.0 are the same number. Where either is NaN the count is meaningless.

    Args:
        a: float16, float32 or float64.
        b: Of the same dtype and shape.

    Example:
        >>> one = np.array([1.0, 0.0, -1.0])
        >>> units_apart(one, np.nextafter(one, 2)).tolist()
        [1, 1, 1]
        >>> units_apart(np.array([0.0]), np.array([-0.0])).tolist()
        [0]
    """
    x, y = _ordered(a), _ordered(b)
    return np.maximum(x, y) - np.minimum(x, y)


def _ordered(array: NDArray[Any]) -> NDArray[np.uint64]:
    """Return integers in the order of the floating-point numbers."""
    whole = _FLOATS[array.dtype.name]
    bits = array.copy().view(whole).astype(np.uint64)  # a copy is contiguous
    sign = np.uint64(1) << np.uint64(8 * array.dtype.itemsize - 1)
    size = bits & (sign - np.uint64(1))
    return np.where(bits & sign, sign - size, sign + size)


def values_of(state: ProgramState) -> dict[str, NDArray[Any] | None]:
    """Return every value of a state by its address; a gradient that is None as None."""
    found: dict[str, NDArray[Any] | None] = {}
    for key, (data, grad, *_) in state.tensors.items():
        if "~" not in key:
            found[key] = unpack(data)
            found[f"{key}.grad"] = None if grad is None else np.asarray(unpack(grad))
    for name, saved in state.optimizers.items():
        for key, entries in saved["state"].items():
            for entry, packed in entries.items():
                found[f"{name}/{key}/{entry}"] = np.asarray(_entry(packed))
    for name, loss in state.losses.items():
        found[name] = loss["value"]
    return found


def _entry(packed: Any) -> Any:  # noqa: ANN401 - as an optimizer keeps it
    if isinstance(packed, dict):
        return [_entry(item) for item in packed["items"]]
    return unpack(packed) if isinstance(packed, (np.ndarray, list)) else packed


def first_difference(
    a: Mapping[str, NDArray[Any] | None],
    b: Mapping[str, NDArray[Any] | None],
    written: Iterable[str] = (),
) -> Difference | None:
    """Return the first value that differs, among those just written and then among all.

    Args:
        a: Values by address.
        b: Those of the other state.
        written: Addresses to compare first.
    """
    known = {**a, **b}
    first = [address for address in written if address in known]
    for address in dict.fromkeys([*first, *known]):
        found = difference(address, a.get(address), b.get(address))
        if found is not None:
            return found
    return None


def difference(address: str, a: NDArray[Any] | None, b: NDArray[Any] | None) -> Difference | None:
    """Return how two arrays differ; None when every number is the same.

    Example:
        >>> found = difference("x", np.array([1.0, 2.0]), np.array([1.0, np.nextafter(2.0, 3.0)]))
        >>> found.element, found.ulps, found.count
        ((1,), 1, 1)
        >>> difference("x", np.array([np.nan]), np.array([np.nan])) is None
        True
        >>> difference("x.grad", None, np.ones(3)).a
        'None'
    """
    if a is None or b is None:
        return None if a is b else Difference(address, None, None, _text(a), _text(b))
    if a.shape != b.shape or a.dtype != b.dtype:
        return Difference(address, None, None, _text(a), _text(b))
    differs = (a != b) & ~(np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else a != b
    count = int(np.count_nonzero(differs))
    if not count:
        return None
    element = tuple(int(at) for at in np.unravel_index(int(np.argmax(differs)), a.shape))
    one, two = a[element], b[element]
    ulps = most = None
    if a.dtype.name in _FLOATS:
        units = units_apart(a, b)
        countable = differs & ~np.isnan(a) & ~np.isnan(b)
        ulps = int(units[element]) if countable[element] else None
        most = int(units[countable].max()) if countable.any() else None
    return Difference(address, element, ulps, str(one), str(two), count, most)


def _text(array: NDArray[Any] | None) -> str:
    """Return a value as text."""
    if array is None:
        return "None"
    if not array.shape:
        return f"one {array.dtype} value"
    return f"{array.dtype} values of shape {array.shape}"
