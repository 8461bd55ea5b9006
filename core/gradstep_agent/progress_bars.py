"""Lets the threads of tqdm's progress bars rest while the script's process is copied.

Such a thread only waits, and now and then refreshes bars that have not moved for long. A copy would
not have it, and could find locked what it held; so it ends before, and another one begins after.
"""

from __future__ import annotations

import atexit
import threading
from typing import Any

_SECONDS_TO_END = 2.0


def rest() -> list[Any]:
    """End the threads that watch progress bars; return what `resume` needs.

    One that does not end in time is found, as any other thread, by what comes next.
    """
    monitors: list[Any] = [thread for thread in threading.enumerate() if _is_monitor(thread)]
    for monitor in monitors:
        monitor.was_killed.set()
        monitor.join(_SECONDS_TO_END)
    return monitors


def resume(monitors: list[Any]) -> None:
    """Begin threads like those that have ended."""
    for monitor in monitors:
        atexit.unregister(monitor._atexit_signal)
        monitor.tqdm_cls.monitor = type(monitor)(monitor.tqdm_cls, monitor.sleep_interval)


def take_own_locks(monitors: list[Any]) -> None:
    """Have the bars of a copy share no lock with the process that it is a copy of.

    They share one through memory, and a copy that is ended while it has it would not give it back.
    """
    from multiprocessing import RLock  # noqa: PLC0415 - few scripts need it

    for monitor in monitors:
        lock = monitor.tqdm_cls.get_lock()
        kind = type(lock)
        shared, kind.mp_lock = kind.mp_lock, None
        if shared is not None:
            kind.mp_lock = own = RLock()
            lock.locks = [own if one is shared else one for one in lock.locks]


def _is_monitor(thread: threading.Thread) -> bool:
    """Return whether a thread is the one that a class of tqdm's bars has, with tqdm's own lock."""
    kind: Any = type(thread)
    bars: Any = getattr(thread, "tqdm_cls", None)
    return (
        (kind.__module__, kind.__name__) == ("tqdm._monitor", "TMonitor")
        and getattr(bars, "monitor", None) is thread
        and hasattr(thread, "_atexit_signal")
        and type(bars.get_lock()).__name__ == "TqdmDefaultWriteLock"
    )
