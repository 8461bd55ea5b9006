"""How much is recorded, so that a script stays nearly as fast as without the agent."""

from __future__ import annotations

import math
import time

LEVELS = ("events", "series", "full")
"""What happened; the norms of each Step as well; every array that an Operation wrote as well."""

SHARE = 0.2
"""The agent's share of the time above which it records arrays and norms more rarely."""

_PART_FOR_SERIES = 0.25
"""Of the share, what norms may take; the rest is for what is always reported."""
_LEAST_PART_FOR_SERIES = 0.05
"""Of the share, what norms may take even where the rest is used up."""
_PART_FOR_ARRAYS = 0.5
"""Of the share, what arrays may take even where the rest is used up."""
_WINDOW = 0.25
_FIRST_WINDOW = 0.02
_LARGEST_INTERVAL = 1 << 16
_BYTES_AT_ONE_INTERVAL = 1 << 26
"""Values that are sent before they are recorded half as often: at most about 1 GB in all."""
_MEASURED, _MEASURED_AT = 16, 5
"""One of this many iterations is measured: not the first, in which more is described than usual."""
_UNMEASURED = 1.8
"""How much more events, norms and arrays cost than the agent measures: there are the functions that
call it, and what the script has to load into the processor's caches again. Found by running scripts
by turns with and without each: 1.3 to 2."""


class RecordingRate:
    """Chooses the iterations whose arrays and norms are recorded: every first, second, fourth, ...

    What happened is always reported; only values are omitted. From what the values of one
    iteration cost, and how long an iteration takes without them, follows how often they can be
    recorded. The more bytes were sent, the rarer they get: so memory is never used up, and what is
    recorded lies at distances that grow with the number of iterations.

    Args:
        level: One of `LEVELS`.
        share: The agent's largest share of the running time; 0 for no limit.

    Attributes:
        interval: Values are recorded in every so-many-th iteration.
        measures: Whether the agent measures itself in this iteration.
        next_choice: The next iteration that has anything to choose, if values are not recorded.
        spent_on_events: The seconds that what happened has cost so far, about.
        spent_on_values: The seconds that norms and arrays have cost.
        nbytes: The bytes of norms and arrays so far.
    """

    def __init__(self, level: str, share: float = SHARE) -> None:
        self.level = level
        self.share = share
        self.interval = 1
        self.measures = True
        self.next_choice = 0
        self.spent_on_events = 0.0
        self.spent_on_values = 0.0
        self.nbytes = 0
        self._weight = 1
        self._interval_by_time = 1
        self._window = _FIRST_WINDOW
        self._began = time.perf_counter()
        self._spent_before = (0.0, 0.0)
        self._iteration = self._first_iteration = 0  # of those that the interval is chosen from
        self._recorded = 0

    def is_recorded(self, iteration: int) -> bool:
        """Return whether the values of an iteration are recorded."""
        return self.level != "events" and iteration % self.interval == 0

    def is_measured(self, iteration: int) -> bool:
        """Return whether at least norms are recorded, which take little memory."""
        return self.level != "events" and iteration % self._interval_by_time == 0

    def spend(self, seconds: float) -> None:
        """Count the agent's own time in an iteration in which it measures itself."""
        self.spent_on_events += seconds * self._weight

    def begin_iteration(self, iteration: int) -> None:
        """Choose whether the agent measures itself in an iteration: in the first, then in some."""
        self._iteration = iteration
        is_early = iteration < _MEASURED
        self._weight = 1 if is_early else _MEASURED
        self.measures = is_early or iteration % _MEASURED == _MEASURED_AT
        self.next_choice = self._next_choice()

    def _next_choice(self) -> int:
        following = self._iteration + 1
        if self.measures:
            return following
        following += (_MEASURED_AT - following) % _MEASURED
        if self.level == "events":
            return following
        every = self._interval_by_time
        return min(following, (self._iteration // every + 1) * every)

    @property
    def spent(self) -> float:
        """The seconds that the agent has taken so far, about."""
        return self.spent_on_events + self.spent_on_values

    def end_iteration(self, *, recorded: bool) -> bool:
        """Choose the interval again, after an iteration; return whether it changed."""
        self._choose_by_time(recorded=recorded)
        by_size = min(1 << self.nbytes // _BYTES_AT_ONE_INTERVAL, _LARGEST_INTERVAL)
        before, self.interval = self.interval, max(self._interval_by_time, by_size)
        self.next_choice = self._next_choice()
        return self.interval != before

    def _choose_by_time(self, *, recorded: bool) -> None:
        """Choose how often values can be recorded in the time that there is."""
        self._recorded += recorded
        now = time.perf_counter()
        elapsed = now - self._began
        if elapsed < self._window or self.share <= 0 or not self._recorded:
            return
        on_events = self.spent_on_events - self._spent_before[0]
        on_values = self.spent_on_values - self._spent_before[1]
        cost = _UNMEASURED * on_values / self._recorded
        without = (elapsed - on_values) / max(self._iteration - self._first_iteration, 1)
        allowed = self._allowed(_UNMEASURED * on_events / elapsed)
        # an interval of n costs `cost` in `n * without + cost` seconds
        wanted = max(cost * (1 - allowed) / (allowed * without), 1.0)
        self._window = _WINDOW
        self._began = now
        self._spent_before = (self.spent_on_events, self.spent_on_values)
        self._first_iteration = self._iteration
        self._recorded = 0
        before = self._interval_by_time
        if wanted > before or wanted < before / 4:
            self._interval_by_time = min(2 ** math.ceil(math.log2(wanted)), _LARGEST_INTERVAL)

    def _allowed(self, share_of_events: float) -> float:
        """Return the share that values may take."""
        if self.level == "series":
            left = max(self.share - share_of_events, self.share * _LEAST_PART_FOR_SERIES)
            return min(left, self.share * _PART_FOR_SERIES)
        return max(self.share - share_of_events, self.share * _PART_FOR_ARRAYS)

    def pause(self, seconds: float) -> None:
        """Leave out time that the script was held."""
        self._began += seconds
