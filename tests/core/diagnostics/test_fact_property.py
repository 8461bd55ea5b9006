"""No fact is reported that the naive checker does not confirm, and none is missed that it finds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from gradstep.debugger import Debugger
from tests.core.diagnostics.naive_checker import check
from tests.core.diagnostics.random_programs import recordings

UNCHECKED = {"replay-diverged", "optimizer-rebuilt"}
"""Facts that random programs show too rarely; `test_fact_table` has their cases."""


def reported(debugger):
    """Return the facts: the Events cited and the number of occurrences, by id and names."""
    found = {}
    for item in debugger.findings:
        if item.severity != "suspicion" and item.id not in UNCHECKED:
            key = item.id, frozenset(item.subjects)
            events, count = found.get(key, ((), 0))
            found[key] = tuple(sorted({*events, *item.events})), count + item.count
    return found


def disagreements(debugger, recording):
    """Return what only one of the two says, in a form that can be read."""
    facts, confirmed = reported(debugger), check(recording)
    log = [
        f"#{event.index} it{event.iteration} {event.operation!r} {event.outcome.message}"
        for event in recording.events
    ]
    false = {key: value for key, value in facts.items() if confirmed.get(key) != value}
    missed = {key: value for key, value in confirmed.items() if facts.get(key) != value}
    return (false, missed, log, recording.document) if false or missed else ()


def agree(drawn):
    debugger, recording = drawn
    assert disagreements(debugger, recording) == ()


SETTINGS = {
    "suppress_health_check": list(HealthCheck),
}


@settings(max_examples=60, **SETTINGS)
@given(recordings())
def test_facts_are_those_that_the_naive_checker_finds(drawn):
    agree(drawn)


@settings(max_examples=25, **SETTINGS)
@given(recordings())
def test_a_session_that_is_opened_again_shows_the_same_facts(tmp_path_factory, drawn):
    debugger, recording = drawn
    path = tmp_path_factory.mktemp("sessions") / "one.gradstep"
    debugger.save(path)
    opened = Debugger.open(path)
    assert reported(opened) == reported(debugger)
    half = len(recording.events) // 2
    opened.seek(half)
    debugger.seek(half)
    assert reported(opened) == reported(debugger)


@pytest.mark.slow
@pytest.mark.timeout(1200)  # on a machine that has other work to do
@settings(max_examples=2000, **SETTINGS)
@given(recordings())
def test_facts_are_those_that_the_naive_checker_finds_in_many_programs(drawn):
    agree(drawn)
