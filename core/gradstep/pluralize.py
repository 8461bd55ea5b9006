"""Counts with a noun in the singular or plural: 1 Event, 12,345 batches."""

from __future__ import annotations

__all__ = ["pluralize"]


def pluralize(count: int, one: str, several: str = "") -> str:
    """Return a count, with thousands separators, and its noun in the singular or plural.

    Args:
        count: The number.
        one: The noun in the singular.
        several: The plural, when it is not `one` with an s.

    Example:
        >>> pluralize(1, "Event"), pluralize(0, "Event"), pluralize(12_345, "batch", "batches")
        ('1 Event', '0 Events', '12,345 batches')
    """
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
