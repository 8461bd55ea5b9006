"""Threads of tqdm's progress bars rest while a process is copied; here of what stands for tqdm."""

from __future__ import annotations

import sys
import threading

import pytest

from gradstep_agent import progress_bars
from tests.gradstep_agent.forked_scripts import PROGRESS_BAR


@pytest.fixture
def bars(monkeypatch):
    """Yield a class of progress bars; its thread ends with the test."""
    monkeypatch.setitem(sys.modules, "tqdm", None)
    names = {"sys": sys}
    exec(PROGRESS_BAR, names)
    kind = names["tqdm"]
    list(kind(range(2), mininterval=0))
    yield kind
    kind.monitor.was_killed.set()
    kind.monitor.join(60)


def test_the_thread_ends_and_another_one_takes_its_place(bars):
    before = bars.monitor
    resting = progress_bars.rest()
    assert resting == [before]
    assert not before.is_alive()
    progress_bars.resume(resting)
    assert bars.monitor is not before
    assert bars.monitor.is_alive()
    assert bars.monitor.report()
    assert bars.monitor.sleep_interval == before.sleep_interval


def test_a_copy_shares_no_lock_between_processes(bars):
    shared, threads_only = bars.get_lock().locks
    resting = progress_bars.rest()
    progress_bars.take_own_locks(resting)
    progress_bars.resume(resting)
    own, other = bars.get_lock().locks
    assert own is not shared
    assert own is type(bars.get_lock()).mp_lock
    assert other is threads_only


def test_other_threads_and_locks_of_the_user_are_left_alone(bars):
    end = threading.Event()
    thread = threading.Thread(target=end.wait, name="tqdm_monitor")
    thread.start()
    bars.lock = threading.RLock()
    assert progress_bars.rest() == []
    assert bars.monitor.is_alive()
    end.set()
    thread.join(60)
