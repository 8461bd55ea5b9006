"""Names in messages: the nearest one to what was written, and lists of those there are."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["choices", "nearest"]

_SHOWN = 12


def nearest(written: str, known: Iterable[str]) -> str:
    """Return a remedy: the known name nearest to what was written, or all that are known.

    Args:
        written: What somebody wrote.
        known: The names there are.

    Example:
        >>> nearest("Liner", ["Linear", "ReLU"])
        "did you mean 'Linear'?"
        >>> nearest("zebra", ["Linear", "ReLU"])
        'there are Linear, ReLU'
    """
    names = list(known)
    close = difflib.get_close_matches(written, names, n=1, cutoff=0.6)
    if not close:
        folded = {name.casefold(): name for name in names}
        close = [folded[written.casefold()]] if written.casefold() in folded else []
    return f"did you mean {close[0]!r}?" if close else choices(names)


def choices(known: Iterable[str]) -> str:
    """Return the known names as a short sentence.

    Example:
        >>> choices([])
        'there are none'
    """
    names = list(known)
    if not names:
        return "there are none"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"there are {', '.join(names[:_SHOWN])}{more}"
