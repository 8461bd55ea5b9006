"""How much is recorded, so that a script stays nearly as fast as without the agent."""

from __future__ import annotations

import time

LEVELS = ("events", "series", "full")
"""What happened; the norms of each Step as well; every array that an Operation wrote as well."""

SHARE = 0.2
"""The agent's share of the time above which it records arrays and norms more rarely."""

_WINDOW = 0.25
_LARGEST_INTERVAL = 1024


class RecordingRate:
    """Chooses the iterations whose arrays and norms are recorded.

    Args:
        level: One of `LEVELS`.
        share: The agent's largest share of the running time.
    """

    def __init__(self, level: str, share: float = SHARE) -> None:
        self.level = level
        self.share = share
        self.interval = 1
        self.spent = 0.0
        self._began = time.perf_counter()
        self._spent_before = 0.0

    def is_recorded(self, iteration: int) -> bool:
        """Return whether the values of an iteration are recorded."""
        return iteration % self.interval == 0

    def adapt(self) -> bool:
        """Choose the interval again, by what was spent lately; return whether it changed."""
        now = time.perf_counter()
        elapsed = now - self._began
        if elapsed < _WINDOW or self.share <= 0:
            return False
        share = (self.spent - self._spent_before) / elapsed
        self._began, self._spent_before = now, self.spent
        before = self.interval
        if share > self.share:
            self.interval = min(2 * before, _LARGEST_INTERVAL)
        elif share < self.share / 4:
            self.interval = max(before // 2, 1)
        return self.interval != before

    def pause(self, seconds: float) -> None:
        """Leave out time that the script was held."""
        self._began += seconds
