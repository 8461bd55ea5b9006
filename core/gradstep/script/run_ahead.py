"""RunAhead: how many Operations a script may perform before it is held again."""

from __future__ import annotations

__all__ = ["RunAhead"]

_SECONDS = 0.008
"""How long a script runs ahead: a user who pauses waits for it."""
_LARGEST = 256


class RunAhead:
    """Finds out how many Operations take some milliseconds, by doubling and halving.

    Attributes:
        count: How many Operations may be performed without waiting for each.

    Example:
        >>> ahead = RunAhead()
        >>> for seconds in (0.001, 0.002, 0.1):
        ...     ahead.note(seconds)
        >>> ahead.count
        2
    """

    def __init__(self) -> None:
        self.count = 1

    def note(self, seconds: float) -> None:
        """Note how long that many took."""
        if seconds > _SECONDS:
            self.count = max(self.count // 2, 1)
        else:
            self.count = min(self.count * 2, _LARGEST)
