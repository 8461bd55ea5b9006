"""Numbers in sentences: few digits, and exponents as people write them."""

from __future__ import annotations

import math

__all__ = ["short_number"]


def short_number(value: float, digits: int = 4) -> str:
    """Return a number with few significant digits.

    Args:
        value: The number.
        digits: The most significant digits.

    Example:
        >>> short_number(0.1 + 0.2), short_number(2_345_678.0), short_number(3e-10)
        ('0.3', '2.346e6', '3e-10')
        >>> short_number(float("nan")), short_number(float("-inf")), short_number(-0.0)
        ('NaN', '-Inf', '0')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    if value == 0:
        return "0"
    mantissa, e, exponent = f"{value:.{digits}g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa
