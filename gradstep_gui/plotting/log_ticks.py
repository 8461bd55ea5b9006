"""Where a logarithmic axis has its ticks, over many decades as well as over a tenth of one."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["log_ticks"]

_NICE = (1, 2, 5)
_MOST = 10
_FIRST, _LAST = -323, 308
"""The decades of the numbers that a float64 holds."""

_FIRST_MULTIPLES = -290
"""Below it, the spacing of multiples would be no float64 any more."""


def log_ticks(low: float, high: float, gap: float) -> tuple[list[float], float | None]:
    """Return the ticks between two exponents of ten: as many as have room, two if there is any way.

    Over several decades they are powers of ten, or 1, 2 and 5 times these; over less than one,
    multiples of a round number. An axis that is painted between its change to a logarithmic one and
    the fit of its range has a range of values, not exponents: what is no float64 has no ticks.

    Args:
        low: The exponent at the lower end of the axis.
        high: The exponent at the upper end.
        gap: The least difference of the exponents of two ticks.

    Returns:
        The values of the ticks, and their spacing where they are multiples of one number.

    Example:
        >>> log_ticks(-3, 1, 0.5)
        ([0.001, 0.01, 0.1, 1.0, 10.0], None)
        >>> log_ticks(math.log10(3), math.log10(7), 0.04)
        ([3.0, 4.0, 5.0, 6.0, 7.0], 1.0)
    """
    low, high = max(float(low), _FIRST), min(float(high), _LAST)
    best: tuple[list[float], float | None] = [], None
    for values, spacing in (*_decades(low, high), *_multiples(low, high)):
        exponents = [math.log10(value) for value in values]
        has_room = all(right - left >= gap for left, right in pairwise(exponents))
        if has_room and len(best[0]) < len(values) <= _MOST:
            best = values, spacing
    return best


def _decades(low: float, high: float) -> Iterator[tuple[list[float], None]]:
    """Yield 1, 2 and 5 times the powers of ten, the powers alone, then ever fewer of them."""
    first, last = math.floor(low), math.ceil(high)
    every = 1
    for mantissas in (_NICE, _NICE[:1]):
        yield _within(low, high, [m * 10.0**e for e in range(first, last + 1) for m in mantissas])
    while every <= last - first:
        every *= 2
        chosen = [10.0**e for e in range(first, last + 1) if e % every == 0]
        yield _within(low, high, chosen)


def _within(low: float, high: float, values: list[float]) -> tuple[list[float], None]:
    return [v for v in values if low - 1e-9 <= math.log10(v) <= high + 1e-9], None


def _multiples(low: float, high: float) -> Iterator[tuple[list[float], float]]:
    """Yield the multiples of round numbers, the largest number first, over less than a decade."""
    if high - low >= 1 or high < low or low < _FIRST_MULTIPLES:
        return
    bottom, top = 10.0**low, 10.0**high
    decade = math.floor(math.log10(max(top - bottom, top * 1e-12)))
    for exponent in (decade, decade - 1):
        for mantissa in reversed(_NICE):
            spacing = mantissa * 10.0**exponent
            first = math.ceil(bottom / spacing - 1e-9)
            count = math.floor(top / spacing + 1e-9) - first + 1
            if 0 < count <= _MOST:
                yield [(first + step) * spacing for step in range(count)], spacing
