"""Watches without a Debugger: a collection that reports each change, and its limit."""

import pytest

from gradstep.debugger.state_reader import StateReader
from gradstep.debugger.watches import Watches
from gradstep.errors import ExpressionError, OperationError
from gradstep.history.records.breakpoints import MAX_BREAKS


@pytest.fixture
def alone(cursor):
    kept = []
    return Watches(StateReader(cursor), ("iteration",), kept.append), kept


def test_watches_are_a_collection_that_reports_each_change(alone):
    watches, kept = alone
    added = watches.add("event + 1")
    assert (len(watches), watches[1], [watch.value for watch in watches]) == (2, added, [0.0, 1.0])
    watches.put("event + 2", added.id)
    watches.remove(1)
    added.remove()
    assert kept == [
        ("iteration", "event + 1"),
        ("iteration", "event + 2"),
        ("event + 2",),
        (),
    ]


def test_a_wrong_watch_is_rejected_when_added_and_kept_when_put(alone):
    watches, kept = alone
    with pytest.raises(ExpressionError, match="no 'los'"):
        watches.add("los")
    assert (len(watches), kept) == (1, [])
    assert "no 'los'" in str(watches.put("los").error)
    assert [bool(record.error) for record in watches.records()] == [False, True]


def test_the_201st_watch_is_rejected(cursor):
    watches = Watches(StateReader(cursor), ["loss"] * (MAX_BREAKS - 1))
    watches.add("iteration")
    for add in (watches.add, watches.put):
        with pytest.raises(OperationError, match="already 200 watches, which is the limit"):
            add("iteration")
    assert len(watches) == MAX_BREAKS
    watches.remove(1)
    assert watches.add("iteration").id == MAX_BREAKS + 1


def test_a_session_keeps_every_watch(network, tmp_path):
    for _ in range(MAX_BREAKS):
        network.watch("loss")
    network.save(tmp_path / "all.gradstep")
    again = type(network).open(tmp_path / "all.gradstep")
    assert again.watches.texts == ("loss",) * MAX_BREAKS
    with pytest.raises(OperationError, match="which is the limit"):
        again.watch("loss")
