"""Suggest names in error messages: the nearest known name, or the list of known names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["choices", "nearest"]

_MAX_SHOWN = 12


def nearest(written: str, known: Iterable[str]) -> str:
    """Return a remedy for an unknown name: the nearest known name, or all known names.

    Args:
        written: The unknown name.
        known: The known names.

    Example:
        >>> nearest("Liner", ["Linear", "ReLU"])
        "did you mean 'Linear'?"
        >>> nearest("zebra", ["Linear", "ReLU"])
        'available: Linear, ReLU'
    """
    names = list(known)
    close = difflib.get_close_matches(written, names, n=1, cutoff=0.6)
    if not close:
        folded = {name.casefold(): name for name in names}
        close = [folded[written.casefold()]] if written.casefold() in folded else []
    return f"did you mean {close[0]!r}?" if close else choices(names)


def choices(known: Iterable[str]) -> str:
    """Return a remedy that lists the known names.

    Example:
        >>> choices([])
        'none are available'
    """
    names = list(known)
    if not names:
        return "none are available"
    more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    return f"available: {', '.join(names[:_MAX_SHOWN])}{more}"
