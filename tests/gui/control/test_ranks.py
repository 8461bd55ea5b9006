"""The ranks of a script as the window knows them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject

from gradstep_gui.control.ranks import RankController
from gradstep_gui.worker.updates import RanksUpdate
from tests.gui.views.test_ranks import DIVERGENCE, FIRST, SECOND


class Queue:
    """Remembers what it is asked, and is busy where a test says so."""

    def __init__(self):
        self.is_idle = True
        self.asked = []

    def stop(self):
        self.asked.append("stop")

    def begin_call(self, _title, kind, function):
        self.asked.append((kind, function()))

    def call(self, _title, function):
        self.asked.append(function())


@pytest.fixture
def ranks(qapp):
    parent = QObject()
    queue = Queue()
    host = SimpleNamespace(show_rank=lambda number: f"shown {number}", poll_ranks=lambda: "looked")
    ranks = RankController(queue, host, parent)
    ranks.queue, ranks.parent_ = queue, parent
    yield ranks
    ranks.close()


def publish(ranks, *records):
    ranks.handlers[RanksUpdate](RanksUpdate(records))


def test_another_rank_is_shown_after_what_runs_has_stopped(ranks):
    ranks.show(1)
    assert ranks.queue.asked == ["stop", ("loading", "shown 1")]


def test_it_looks_at_the_ranks_while_one_is_alive_and_nothing_else_is_done(ranks, qtbot):
    publish(ranks, FIRST, replace(SECOND, state="ended"))
    qtbot.waitUntil(lambda: ranks.queue.asked == ["looked"], timeout=60_000)
    ranks.queue.is_idle = False
    with qtbot.waitSignal(ranks._look.timeout, timeout=60_000):
        pass
    assert set(ranks.queue.asked) == {"looked"}
    publish(ranks, *(replace(one, state="ended") for one in (FIRST, SECOND)))
    assert not ranks._look.isActive()


def test_a_divergence_and_a_failure_are_news_once(ranks):
    diverged, failed = [], []
    ranks.diverged.connect(diverged.append)
    ranks.failed.connect(failed.append)
    publish(ranks, FIRST, SECOND)
    assert (diverged, failed) == ([], [])
    wrong = replace(SECOND, divergence=DIVERGENCE, is_first_failure=True)
    publish(ranks, FIRST, wrong)
    publish(ranks, FIRST, replace(wrong, event=20))
    assert (diverged, failed) == ([wrong], [wrong])
    assert ranks.records[1].event == 20
