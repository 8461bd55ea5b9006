"""Alignment: which Events of two branches are paired, and which pairs are the same."""

from __future__ import annotations

import pytest

from gradstep.debugger.comparing import alignment
from gradstep.debugger.comparing.alignment import aligned, is_same
from gradstep.history.log.event_log import EventLog
from gradstep.history.log.vocabulary import Vocabulary
from gradstep.history.records.comparison import Pair
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad

NAN = float("nan")


def log_of(*operations, iteration=0):
    log = EventLog(Vocabulary(()))
    for operation in operations:
        log.append(iteration, operation)
    return log


def pairs(one, two):
    return [tuple(pair) for pair in aligned(one, two)]


def test_iterations_that_are_too_long_to_match_are_paired_in_order(monkeypatch):
    monkeypatch.setattr(alignment, "_LONGEST", 3)
    one = log_of(ZeroGrad(), Forward(), Backward(), Step())
    two = log_of(Forward(), Backward())
    expected = [(1, 1), (2, 2), (3, None), (4, None)]
    assert pairs(one, two) == expected
    assert pairs(two, one) == [(b, a) for a, b in expected]


def test_operations_that_come_often_are_matched_too():
    """By default, difflib ignores what makes up more than a hundredth of 200 items or more."""
    rest = [Forward(), Backward()] * 150
    one, two = log_of(ZeroGrad(), *rest), log_of(Step(), *rest)
    assert pairs(one, two)[:4] == [(1, None), (None, 1), (2, 2), (3, 3)]
    assert pairs(one, two)[-1] == (301, 301)


def forward_log(loss):
    log = EventLog(Vocabulary(("loss",)))
    log.append(0, Forward(), writes=("loss",), loss=loss, checksum=7)
    return log


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [(1.0, 1.0, True), (NAN, NAN, True), (1.0, NAN, False), (NAN, 1.0, False), (1.0, 2.0, False)],
)
def test_events_with_the_same_checksum_are_the_same_when_their_losses_are(one, two, expected):
    assert is_same(forward_log(one), forward_log(two), Pair(1, 1)) is expected


def test_a_pair_that_only_one_branch_has_is_not_the_same():
    log = forward_log(1.0)
    assert not is_same(log, log, Pair(1, None))
    assert not is_same(log, log, Pair(None, 1))
