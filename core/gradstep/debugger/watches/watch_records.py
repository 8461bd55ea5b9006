"""The watches as records for views, with as little replay as possible."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.conditions.array_functions import same_values
from gradstep.errors import ExpressionError, ReplayError
from gradstep.history.records.breakpoints import WatchRecord, WatchValue
from gradstep.history.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.debugger.state_reader import StateReader
    from gradstep.debugger.watches.watch import Value, Watch

__all__ = ["watch_records"]

TIME_LIMIT_S = 1.0
"""For all watches together: a stranger's session may watch two hundred huge sums."""

MAX_WHOLE_SIZE = 64
"""Elements up to which a record holds the whole array."""


def watch_records(
    watches: Sequence[Watch], reader: StateReader, *, compare: bool
) -> tuple[WatchRecord, ...]:
    """Return the values of watches at the current moment.

    Args:
        watches: The watches.
        reader: Gives the context at any moment.
        compare: With the values before the last Event; inside an Operation only cached ones.
    """
    deadline = perf_counter() + TIME_LIMIT_S
    before = _before(watches, reader) if compare else {}
    return tuple(
        _record(watch, before) if perf_counter() < deadline else _not_computed(watch)
        for watch in watches
    )


def _not_computed(watch: Watch) -> WatchRecord:
    error = f"not computed: all watches together take more than {TIME_LIMIT_S:g} s"
    return WatchRecord(watch.id, watch.expression, error=error)


def _before(watches: Sequence[Watch], reader: StateReader) -> dict[int, Value]:
    """Return the values before the last Event by watch, from one visit for all of them."""
    sound = [watch for watch in watches if watch.error is None]
    found = {} if reader.is_inside else _visited(sound, reader)
    for watch in sound:
        index = watch.index_before
        with suppress(ExpressionError):
            if index is None:
                found[watch.id] = watch.value
            elif watch.is_cached(index):
                found[watch.id] = watch.at(index)
    return found


def _visited(watches: Sequence[Watch], reader: StateReader) -> dict[int, Value]:
    """Look at the moment before for all watches that need it."""
    needing = {
        watch.id: watch
        for watch in watches
        if (index := watch.index_before) is not None and not watch.is_cached(index)
    }
    found: dict[int, Value] = {}

    def look(_: object) -> None:
        for watch in needing.values():
            with suppress(ExpressionError):
                found[watch.id] = watch.value

    if needing:
        with suppress(ReplayError):  # reported when the user goes there
            reader.visit((reader.present().event - 1,), look)
    return found


def _record(watch: Watch, before: dict[int, Value]) -> WatchRecord:
    try:
        value = watch.value
    except ExpressionError as error:
        return WatchRecord(watch.id, watch.expression, error=str(error), column=error.column)
    if watch.id not in before:
        return WatchRecord(watch.id, watch.expression, _shown(value))
    earlier = before[watch.id]
    changed = (value is None) != (earlier is None) or (
        value is not None and earlier is not None and not same_values(value, earlier)
    )
    moved = _moved(earlier, value)
    return WatchRecord(watch.id, watch.expression, _shown(value), _shown(earlier), changed, moved)


def _moved(before: Value, now: Value) -> float | None:
    if not (isinstance(before, np.ndarray) and isinstance(now, np.ndarray)):
        return None
    if before.shape != now.shape:
        return None
    return float(np.linalg.norm((now.astype(np.float64) - before).reshape(-1)))


def _shown(value: Value) -> WatchValue:
    if isinstance(value, np.ndarray):
        return summarise(value, whole=value.size <= MAX_WHOLE_SIZE)
    return value
