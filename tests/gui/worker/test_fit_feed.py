"""During a run, predicting takes a small share of the time, and none while nobody looks."""

from types import SimpleNamespace

import pytest

from gradstep.history.records.fit import Fit, FitChoice
from gradstep_gui.worker.fit_feed import FitFeed


class SlowReader:
    """Takes some time for each answer, by a clock of its own."""

    choices = (FitChoice("loss", "d"),)

    def __init__(self, seconds):
        self.seconds = seconds
        self.now = 0.0
        self.asked = []

    def read(self, loss, *, should_stop):
        assert not should_stop()
        self.asked.append(loss)
        self.now += self.seconds
        return Fit(len(self.asked))


@pytest.fixture
def reader():
    return SlowReader(0.2)


@pytest.fixture
def feed(reader):
    return FitFeed(lambda: reader.now)


def pull(feed, reader):
    return [update.fit.event for update in feed.pull(SimpleNamespace(fit=reader))]


def test_nothing_is_predicted_unless_it_is_wanted(feed, reader):
    assert pull(feed, reader) == []
    feed.want("loss")
    assert pull(feed, reader) == [1]
    feed.want(None)
    assert pull(feed, reader) == []
    assert reader.asked == ["loss"]


def test_after_predicting_the_run_has_nine_times_as_long_for_itself(feed, reader):
    feed.want("")
    assert pull(feed, reader) == [1]
    reader.now += 1.7
    assert pull(feed, reader) == []
    reader.now += 0.11
    assert pull(feed, reader) == [2]
    assert reader.asked == [None, None]


def test_quick_predictions_are_made_ten_times_a_second(feed, reader):
    reader.seconds = 0.001
    feed.want("loss")
    assert pull(feed, reader) == [1]
    reader.now += 0.09
    assert pull(feed, reader) == []
    reader.now += 0.011
    assert pull(feed, reader) == [2]
