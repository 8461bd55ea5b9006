"""Reductions of loss terms: mean, sum or none."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy import add

from gradstep.errors import ArgumentError, UnsupportedError

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from gradstep.autograd.graph import Node, Value
    from gradstep.autograd.tensor import Tensor

__all__ = [
    "reduced",
    "reduced_formula",
    "reduced_squares",
    "reduced_tensor",
    "total",
    "warn_size_mismatch",
]


def warn_size_mismatch(input: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Warn that input and target of a loss have different shapes."""
    warnings.warn(
        f"Using a target size (gradstep.Size({list(target)})) that is different to the input size "
        f"(gradstep.Size({list(input)})). This will likely lead to incorrect results due to "
        "broadcasting: every output is compared with every target. Reshape one of them.",
        stacklevel=6,
    )


_as_array, _exact_sum = np.array, math.fsum
_EXACT_SUM_MAX = 8  # below it, math.fsum is faster than NumPy's sum


def total(array: NDArray[Any]) -> Any:  # noqa: ANN401 - a 0-d array or a number
    """Return the sum of all floating-point elements; of up to eight, rounded only once.

    Example:
        >>> total(np.array([1e16, 1.0, -1e16]))
        array(1.)
    """
    if array.size <= _EXACT_SUM_MAX:
        try:
            flat = array if array.ndim == 1 else array.ravel()
            return _as_array(_exact_sum(flat.tolist()), array.dtype)
        except (OverflowError, ValueError):  # infinities
            pass
    return add.reduce(array, None)


def reduced(terms: Value, reduction: str) -> Value:
    """Reduce the terms of a loss, an array or a tensor, by "none", "mean" or "sum".

    Raises:
        ArgumentError: `reduction` is not one of them.
        UnsupportedError: The terms are integers.
    """
    if reduction == "mean":
        if isinstance(terms, np.ndarray) and terms.size:
            if terms.dtype.kind != "f":
                raise UnsupportedError(
                    f"the mean of a loss is not implemented for {terms.dtype}",
                    "convert input and target with .float()",
                )
            return add.reduce(terms, None) / terms.size
        return terms.mean() if math.prod(terms.shape) else terms.sum() * math.nan
    if reduction == "sum":
        return terms.sum()
    if reduction == "none":
        return terms
    raise ArgumentError(
        f"{reduction} is not a valid value for reduction", 'use "mean", "sum" or "none"'
    )


def reduced_tensor(terms: Tensor, reduction: str) -> Tensor:
    """Reduce the terms of a loss that is composed of recorded operations; see `reduced`."""
    out: Tensor = reduced(terms, reduction)
    return out


def reduced_formula(node: Node, terms: str) -> str:
    """Return the formula of a loss, given the formula of its terms."""
    if node.shape:
        return terms
    return f"mean({terms})" if node.constants()["count"] > 1 else f"sum({terms})"


_DOT_MAX = 8192  # up to it, a float32 dot product is as accurate as NumPy's sum


def reduced_squares(difference: NDArray[Any], reduction: str) -> Any:  # noqa: ANN401 - an array or a number
    """Reduce the squares of an array as `reduced` does; small arrays use a dot product."""
    if 0 < difference.size <= _DOT_MAX and difference.dtype.char in "fd":
        flat = difference.ravel()
        if reduction == "mean":
            return flat.dot(flat) / flat.size
        if reduction == "sum":
            return flat.dot(flat)
    return reduced(difference * difference, reduction)
