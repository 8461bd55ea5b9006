"""How often values are recorded, so that a script stays nearly as fast as without the agent."""

from __future__ import annotations

import pytest

from gradstep_agent.recording import RecordingRate


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("gradstep_agent.recording.time.perf_counter", lambda: now[0])
    return now


MEASURED = 1 / 1.8
"""Of what the agent costs, the part that it can measure itself."""


def run(rate, clock, iterations, *, seconds, on_events, on_values):
    """Let iterations pass that take so long, and in which the agent costs so much."""
    for number in range(iterations):
        recorded = rate.is_recorded(number)
        rate.begin_iteration(number)
        if rate.measures:
            rate.spend(on_events * MEASURED)
        rate.spent_on_values += on_values * recorded * MEASURED
        clock[0] += seconds + on_events + on_values * recorded
        rate.end_iteration(recorded=recorded)


def test_norms_take_a_quarter_of_the_share(clock):
    rate = RecordingRate("series", share=0.2)
    run(rate, clock, 4000, seconds=200e-6, on_events=10e-6, on_values=60e-6)
    assert rate.interval == 8  # 60 / (8 * 210 + 60) = 3 %; every fourth would be 7 %


def test_norms_take_less_where_events_have_used_up_the_share(clock):
    rate = RecordingRate("series", share=0.2)
    run(rate, clock, 4000, seconds=200e-6, on_events=90e-6, on_values=60e-6)
    assert rate.interval == 32  # 60 / (32 * 290 + 60) = 0.6 %; every 16th would be 1.3 %


def test_arrays_take_what_the_events_leave_of_the_share_but_half_of_it_at_least(clock):
    sparing, lavish = (RecordingRate("full", share=0.2) for _ in range(2))
    run(sparing, clock, 4000, seconds=1e-3, on_events=10e-6, on_values=1e-3)
    run(lavish, clock, 4000, seconds=1e-3, on_events=250e-6, on_values=1e-3)
    assert (sparing.interval, lavish.interval) == (4, 8)  # 20 % and, of longer iterations, 9 %


def test_what_costs_little_is_always_recorded(clock):
    rate = RecordingRate("series", share=0.2)
    run(rate, clock, 1000, seconds=10e-3, on_events=30e-6, on_values=60e-6)
    assert rate.interval == 1


def test_without_a_limit_everything_is_recorded(clock):
    rate = RecordingRate("full", share=0)
    run(rate, clock, 1000, seconds=1e-3, on_events=1e-3, on_values=1e-2)
    assert rate.interval == 1


def test_values_are_recorded_more_often_again_when_iterations_take_longer(clock):
    rate = RecordingRate("series", share=0.2)
    run(rate, clock, 4000, seconds=200e-6, on_events=30e-6, on_values=60e-6)
    run(rate, clock, 200, seconds=20e-3, on_events=30e-6, on_values=60e-6)
    assert rate.interval == 1


def test_the_agents_own_time_is_measured_in_some_iterations_and_estimated_in_the_others(clock):
    rate = RecordingRate("events")
    run(rate, clock, 1600, seconds=1e-3, on_events=40e-6, on_values=0.0)
    assert rate.spent == pytest.approx(1600 * 40e-6 * MEASURED, rel=0.01)


def test_at_the_level_of_events_no_values_are_recorded():
    assert not RecordingRate("events").is_recorded(0)


def recorded(megabytes, iterations):
    """Return the iterations that are recorded where each takes so much memory."""
    rate, found = RecordingRate("full", share=0), []
    for iteration in range(iterations):
        rate.begin_iteration(iteration)
        if rate.is_recorded(iteration):
            found.append(iteration)
            rate.nbytes += megabytes << 20
        rate.end_iteration(recorded=found[-1] == iteration)
    return found


def test_values_are_recorded_more_rarely_the_more_memory_they_take(clock):
    large = recorded(100, 70_000)
    assert large == [0, 2, 8, 16, 64, 128, 512, 1024, 4096, 16384, 32768, 65536]
    small = recorded(1, 70_000)
    assert small[:64] == list(range(64))
    assert small[64:128] == list(range(64, 192, 2))
    assert len(small) < 1024


@pytest.mark.parametrize("level", ["events", "series", "full"])
def test_between_two_choices_nothing_is_to_be_recorded_or_measured(clock, level):
    rate, chosen, recorded = RecordingRate(level, share=0.2), 0, False
    on_events = 10e-6 if level == "series" else 30e-6
    for iteration in range(3000):
        wanted = rate.is_measured(iteration) or rate.is_recorded(iteration)
        if iteration < rate.next_choice and not recorded:
            assert not wanted
            assert iteration % 16 != 5
        else:
            chosen += 1
            rate.begin_iteration(iteration)
            rate.spend(on_events * MEASURED * rate.measures)
            rate.end_iteration(recorded=recorded)
            wanted = rate.is_measured(iteration)
        recorded = wanted
        rate.spent_on_values += 60e-6 * MEASURED * recorded
        clock[0] += 200e-6 + on_events + 60e-6 * recorded
    most, interval = {"events": (400, 1), "series": (1200, 8), "full": (2000, 4)}[level]
    assert chosen < most
    assert rate.interval == interval
