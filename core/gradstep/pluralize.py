"""Counts in sentences."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, one: str, several: str = "") -> str:
    """Write a count with its thousands apart, and what is counted in singular or plural.

    Args:
        count: How many.
        one: What one of them is called.
        several: What several are called, where that is not `one` with an s.

    Example:
        >>> counted(1, "Event"), counted(0, "Event"), counted(12_345, "batch", "batches")
        ('1 Event', '0 Events', '12,345 batches')
    """
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"
