"""Reference cycles: young ones are collected at once, others while nothing happens."""

import gc

import pytest
from PySide6.QtCore import QObject

from gradstep_gui import cycle_collector
from gradstep_gui.cycle_collector import MIDDLE_DELAYED, OLD_DELAYED, REST_S, CycleCollector

LIMITS = (700, 10, 10)


class Collector:
    """A CycleCollector whose counts and time are set, and what it has collected."""

    def __init__(self, monkeypatch):
        self.counts, self.now, self.collected = (0, 0, 0), 0.0, []
        monkeypatch.setattr(cycle_collector, "gc", self)
        self._owner = QObject()
        self.it = CycleCollector(self._owner, lambda: self.now)

    def disable(self):
        pass

    def get_count(self):
        return self.counts

    def get_threshold(self):
        return LIMITS

    def collect(self, generation=2):
        self.collected.append(generation)

    def look(self, *counts):
        """Return what is collected with these counts."""
        self.counts, self.collected = counts, []
        self.it.collect()
        return self.collected


@pytest.fixture
def collector(qapp, monkeypatch):
    return Collector(monkeypatch)


def test_young_cycles_are_collected_as_python_would(collector):
    assert collector.look(700, 10, 0) == []
    assert collector.look(701, 10, 0) == [0]


def test_cycles_that_survived_once_wait_until_nothing_happens(collector):
    assert collector.look(701, 11, 0) == [0]
    collector.now += REST_S + 0.1
    assert collector.look(700, 11, 0) == []
    assert collector.look(701, 10, 0) == [0]
    assert collector.look(701, 11, 0) == [1]
    collector.it.note_work()
    assert collector.look(701, 11, 0) == [0]


def test_old_cycles_wait_until_nothing_happens(collector):
    assert collector.look(0, 0, 11) == []
    collector.now += REST_S + 0.1
    assert collector.look(0, 0, 10) == []
    assert collector.look(0, 0, 11) == [2]
    collector.it.note_work()
    assert collector.look(0, 0, 11) == []


def test_none_wait_for_ever(collector):
    assert collector.look(701, 10 * MIDDLE_DELAYED, 0) == [0]
    assert collector.look(701, 10 * MIDDLE_DELAYED + 1, 0) == [1]
    assert collector.look(0, 0, 10 * OLD_DELAYED) == []
    assert collector.look(0, 0, 10 * OLD_DELAYED + 1) == [2]


def test_it_collects_in_place_of_python(qapp):
    gc.enable()
    owner = QObject()
    CycleCollector(owner)
    assert not gc.isenabled()  # and the tests do the same
