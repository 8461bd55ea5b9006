"""A picture is drawn in turns, and the run waits for all of them."""

import time

import pytest
from PySide6.QtCore import QObject, QTimer

from gradstep_gui.control.frame_scheduler import FRAME_MS, FrameScheduler

TIMEOUT_MS = 60_000


class HeldWorker:
    """Remembers whether it is held."""

    def __init__(self):
        self.is_held = False
        self.wanted = []
        self.cost = 0.0

    def want_picture(self):
        self.wanted.append(time.perf_counter())

    def take_cost(self):
        cost, self.cost = self.cost, 0.0
        return cost

    def hold(self):
        self.is_held = True

    def release(self):
        self.is_held = False


@pytest.fixture
def worker():
    return HeldWorker()


@pytest.fixture
def frames(qapp, worker):
    parent = QObject()
    frames = FrameScheduler(worker, parent)
    yield frames
    frames.close()
    parent.deleteLater()


def test_the_run_is_held_until_everything_had_its_turn(qtbot, frames, worker):
    held = []
    for name in "abc":
        frames.in_turn(lambda name=name: held.append((name, worker.is_held)))
    assert held == []
    qtbot.waitUntil(lambda: len(held) == 3 and not worker.is_held, timeout=TIMEOUT_MS)
    assert held == [("a", True), ("b", True), ("c", True)]


def test_the_event_loop_runs_between_two_frames(qtbot, frames):
    seen = []
    ticks = QTimer(frames, interval=0)
    ticks.timeout.connect(lambda: seen.append("loop"))
    ticks.start()
    frames.in_turn(lambda: seen.append("first"))
    frames.in_turn(lambda: seen.append("second"))
    qtbot.waitUntil(lambda: "second" in seen, timeout=TIMEOUT_MS)
    ticks.stop()
    assert "loop" in seen[seen.index("first") : seen.index("second")]


def test_a_view_that_is_already_queued_is_not_queued_twice(qtbot, frames, worker):
    drawn = []
    draw = lambda: drawn.append(1)  # noqa: E731 - the same function twice
    for _ in range(3):
        frames.in_turn(draw)
    qtbot.waitUntil(lambda: bool(drawn) and not worker.is_held, timeout=TIMEOUT_MS)
    assert drawn == [1]


def test_flushing_draws_everything_at_once(frames):
    drawn = []
    frames.in_turn(lambda: frames.in_turn(lambda: drawn.append("asked for meanwhile")))
    frames.finish()
    assert drawn == ["asked for meanwhile"]


def test_nothing_is_drawn_after_the_end(qtbot, frames):
    drawn = []
    frames.in_turn(lambda: drawn.append(1))
    frames.close()
    frames.finish()
    assert drawn == []


def test_a_run_is_asked_for_a_picture_when_it_begins(frames, worker):
    frames.start()
    assert len(worker.wanted) == 1


def test_after_a_picture_the_run_has_nine_times_as_long_for_itself(qtbot, frames, worker):
    frames.start()
    worker.cost = 0.02
    frames.draw()
    qtbot.waitUntil(lambda: not worker.is_held, timeout=TIMEOUT_MS)
    worker.wanted.clear()
    drawn = time.perf_counter()
    qtbot.waitUntil(lambda: bool(worker.wanted), timeout=TIMEOUT_MS)
    assert worker.wanted[0] - drawn > 0.17


def test_a_picture_that_took_long_is_followed_by_one_within_a_second(qtbot, frames, worker):
    frames.start()
    worker.cost = 3600.0
    frames.draw()
    qtbot.waitUntil(lambda: not worker.is_held, timeout=TIMEOUT_MS)
    worker.wanted.clear()
    qtbot.waitUntil(lambda: bool(worker.wanted), timeout=TIMEOUT_MS)


def test_the_window_does_not_wake_up_between_two_pictures(qtbot, frames, worker):
    """Each time it does, it takes the interpreter from the run."""
    ticks = []
    frames.due.connect(lambda: ticks.append(time.perf_counter()))
    frames.start()
    worker.cost = 0.05  # so that the next picture is due after 0.45 s
    frames.in_turn(lambda: None)
    qtbot.waitUntil(lambda: worker.cost == 0.0, timeout=TIMEOUT_MS)
    drawn, before = time.perf_counter(), len(ticks)
    qtbot.waitUntil(lambda: len(ticks) > before, timeout=TIMEOUT_MS)
    assert ticks[before] - drawn > 0.4
    frames.start()
    assert frames._timer.interval() == FRAME_MS
