"""Size arguments: one number for all spatial dimensions, or one per dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from gradstep.errors import ArgumentTypeError, TensorError

__all__ = ["Sizes", "format_sizes", "per_dimension"]

Sizes: TypeAlias = int | Sequence[int]


def per_dimension(name: str, value: Sizes, spatial: int, *, least: int = 0) -> tuple[int, ...]:
    """Return one number per spatial dimension.

    Args:
        name: Name of the argument in messages.
        value: One number for all dimensions, or one per dimension.
        spatial: Number of spatial dimensions.
        least: Smallest value allowed.

    Raises:
        ArgumentTypeError: A value is not an integer.
        TensorError: The number of values is wrong, or one is too small.

    Example:
        >>> per_dimension("stride", 2, 2)
        (2, 2)
    """
    given = (value,) * spatial if isinstance(value, int) else tuple(value)
    if len(given) == 1:
        given *= spatial
    if not all(isinstance(number, int) for number in given):
        raise ArgumentTypeError(f"{name} must be integers, got {value!r}")
    if len(given) != spatial:
        raise TensorError(
            f"expected {name} to be a single integer value or a list of {spatial} values, but got "
            f"{name}={list(given)}"
        )
    if min(given) < least:
        sort = "non-positive" if least else "negative"
        raise TensorError(
            f"{sort} {name} is not supported: got {list(given)}",
            f"{name} should not be zero or less; use {name}=1"
            if least
            else f"use {name}=0 or more",
        )
    return given


def format_sizes(sizes: Sequence[int]) -> str:
    """Return sizes formatted for messages.

    Example:
        >>> format_sizes((3, 4))
        '3 x 4'
    """
    return " x ".join(map(str, sizes))
