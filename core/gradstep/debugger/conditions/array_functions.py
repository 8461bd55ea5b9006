"""Functions of arrays and numbers in conditions: norms, extremes, tests for NaN."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.conditions.evaluation_context import MISSING
from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["ARRAY_FUNCTIONS", "dot", "same_values"]


def _norm(value: Any) -> float:  # noqa: ANN401 - an array or a number
    return float(np.linalg.norm(np.asarray(value, np.float64).reshape(-1)))


def _std(value: Any) -> float:  # noqa: ANN401 - an array or a number
    flat = np.asarray(value, np.float64).reshape(-1)
    return float(flat.std(ddof=1)) if flat.size > 1 else np.nan


def dot(one: Any, two: Any) -> Any:  # noqa: ANN401 - arrays or numbers
    """Return the sum of the products of the elements of two arrays of any shape.

    Raises:
        ExpressionError: Their numbers of elements differ.

    Example:
        >>> dot(np.array([1.0, 2.0]), np.array([[3.0], [4.0]]))
        11.0
    """
    if one is MISSING or two is MISSING:
        return MISSING
    first, second = np.asarray(one).reshape(-1), np.asarray(two).reshape(-1)
    if first.size != second.size:
        raise ExpressionError(
            f"dot of {first.size} and {second.size} elements",
            "give both the same number of elements",
        )
    return float(first.dot(second))


def _unless_missing(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: MISSING if value is MISSING else call(value)


_COMPUTED: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "norm": _norm,
        "std": _std,
        "sum": np.sum,
        "mean": np.mean,
        "min": np.min,
        "max": np.max,
        "abs": np.abs,
        "sign": np.sign,
        "sqrt": np.sqrt,
        "log": np.log,
        "exp": np.exp,
        "any": lambda value: bool(np.any(value)),
        "all": lambda value: bool(np.all(value)),
        "isnan": lambda value: bool(np.isnan(value).any()),
        "isinf": lambda value: bool(np.isinf(value).any()),
        "isfinite": lambda value: bool(np.isfinite(value).all()),
    }
)
ARRAY_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {name: _unless_missing(call) for name, call in _COMPUTED.items()}
)
"""Functions of one value; of a missing value they give a missing one."""


def same_values(one: Any, two: Any) -> bool:  # noqa: ANN401 - numbers, arrays, or MISSING
    """Whether two values are the same numbers; NaN equals NaN.

    Example:
        >>> same_values(np.array([1.0, np.nan]), np.array([1.0, np.nan])), same_values(0.0, MISSING)
        (True, False)
    """
    if one is MISSING or two is MISSING:
        return one is two
    first, second = np.asarray(one), np.asarray(two)
    return (
        first.shape == second.shape
        and first.dtype == second.dtype
        and bool(np.array_equal(first, second, equal_nan=first.dtype.kind == "f"))
    )
