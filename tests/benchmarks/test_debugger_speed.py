"""What the Debugger and its sessions cost; `make bench` measures, `make test` only runs them."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep.program.program import Program

IRIS = next(item.path for item in scenarios() if "iris" in item.id)
EVENTS = 4000


@pytest.fixture(scope="module")
def debugger():
    debugger = Debugger.open(IRIS)
    debugger.iterate(EVENTS // 4)
    return debugger


@pytest.fixture(scope="module")
def session(debugger, tmp_path_factory):
    path = tmp_path_factory.mktemp("speed") / "iris.gradstep"
    debugger.save(path)
    return path


def test_speed_of_an_iteration_without_a_debugger(benchmark):
    program = Program.open(IRIS)

    def iterate():
        for operation in program.loop_operations():
            program.run(operation)

    benchmark(iterate)
    assert program.iteration > 0


def test_speed_of_an_iteration_in_a_debugger(benchmark):
    debugger = Debugger.open(IRIS)
    benchmark(debugger.iterate)
    assert debugger.event.outcome.ok


def test_speed_of_an_iteration_that_is_recorded(benchmark, tmp_path):
    debugger = Debugger.open(IRIS)
    recorder = debugger.record_to(tmp_path / "recording.gradstep")
    benchmark(debugger.iterate)
    recorder.close()
    assert len(Debugger.open(recorder.path).events) == len(debugger.events)


def test_speed_of_a_step_back(benchmark, debugger):
    def back_and_forth():
        debugger.seek(EVENTS - 1)
        debugger.seek(EVENTS)

    benchmark(back_and_forth)
    assert debugger.event.index == EVENTS


def test_speed_of_going_to_the_middle(benchmark, debugger):
    def to_the_middle():
        debugger.seek(EVENTS // 2)
        debugger.seek(EVENTS)

    benchmark(to_the_middle)
    assert debugger.event.index == EVENTS


def test_speed_of_saving(benchmark, debugger, tmp_path):
    path = tmp_path / "a.gradstep"
    benchmark(debugger.save, path)
    assert path.stat().st_size < 20_000_000


def test_speed_of_opening(benchmark, session):
    assert len(benchmark(Debugger.open, session).events) == EVENTS
