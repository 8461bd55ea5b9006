"""Formatting of numbers, shapes and small arrays for the user."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "count_text",
    "counted_text",
    "full_text",
    "inline_text",
    "number_text",
    "scalar_text",
    "shape_text",
    "value_text",
]

DIGITS = 5
"""Significant digits of a number in a table; float32 has seven, of which two are noise."""

_FIRST_INEXACT = 2**53
"""From here on, a float64 without a fraction need not be a count."""


def number_text(value: float | None, digits: int = DIGITS) -> str:
    """Format a number with a fixed number of significant digits.

    None becomes None, never 0; negative zero becomes 0.

    Args:
        value: The number, or None.
        digits: The number of significant digits.

    Returns:
        The text, with a plain hyphen for minus so that it can be pasted into code.

    Example:
        >>> number_text(0.1 + 0.2), number_text(None), number_text(float("nan"))
        ('0.3', 'None', 'NaN')
        >>> number_text(-1234567.0), number_text(-0.0), number_text(float("-inf"))
        ('-1.2346e+06', '0', '-Inf')
    """
    if value is None:
        return "None"
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    if value == 0:
        return "0"
    return f"{value:.{digits}g}"


def scalar_text(value: float) -> str:
    """Format a scalar of an optimizer's state; a count of steps has all its digits.

    Example:
        >>> scalar_text(338_820.0), scalar_text(0.123456789), scalar_text(float("inf"))
        ('338,820', '0.12346', 'Inf')
    """
    if float(value).is_integer() and abs(value) < _FIRST_INEXACT:
        return count_text(int(value))
    return number_text(value)


def full_text(value: object) -> str:
    """Format a NumPy scalar with all digits of its dtype.

    Example:
        >>> full_text(np.float32(0.1)), full_text(np.float64(0.1)), full_text(np.int64(3))
        ('0.1', '0.1', '3')
    """
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        return number_text(float(value))
    return str(value)


def value_text(value: object) -> str:
    """Format a hyperparameter or a counter: a number, boolean, None or list of numbers.

    Example:
        >>> value_text(0.01), value_text(True), value_text((0.9, 0.999)), value_text(None)
        ('0.01', 'True', '0.9, 0.999', 'None')
    """
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, list | tuple):
        return ", ".join(value_text(item) for item in value)
    if isinstance(value, int | float | np.integer | np.floating):
        return number_text(float(value), digits=8)
    return str(value)


def shape_text(shape: Sequence[int]) -> str:
    """Format a shape; with one dimension as Python does, so that it does not look like a value.

    Example:
        >>> shape_text((200, 2000)), shape_text((5,)), shape_text(())
        ('200 × 2000', '(5,)', 'scalar')
    """
    if len(shape) == 1:
        return f"({shape[0]},)"
    return " × ".join(str(size) for size in shape) if shape else "scalar"


def count_text(count: int) -> str:
    """Format a count with thousands separators.

    Example:
        >>> count_text(4_002_220)
        '4,002,220'
    """
    return f"{count:,}"


def counted_text(count: int, one: str, several: str) -> str:
    """Format a count with the singular or plural text; `{0}` is the count.

    Example:
        >>> counted_text(1, "{0} step", "{0} steps"), counted_text(0, "{0} step", "{0} steps")
        ('1 step', '0 steps')
    """
    return (one if count == 1 else several).format(count_text(count))


def inline_text(array: NDArray[Any], digits: int = DIGITS) -> str:
    """Format every element of a small array on one line, in brackets like NumPy.

    Args:
        array: The array.
        digits: The number of significant digits of each element.

    Example:
        >>> inline_text(np.array([0.9, 1.9])), inline_text(np.array(2.0))
        ('[0.9, 1.9]', '2')
        >>> inline_text(np.array([[1, 2], [3, 4]]))
        '[[1, 2], [3, 4]]'
    """
    if array.ndim == 0:
        return number_text(float(array), digits)
    return "[" + ", ".join(inline_text(row, digits) for row in np.asarray(array)) + "]"
