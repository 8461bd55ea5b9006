"""The runner without a Debugger: a cursor, breakpoints and a reader."""

import pytest

from gradstep.debugger.breakpoints import Breakpoints
from gradstep.debugger.runner import Runner
from gradstep.debugger.state_reader import StateReader
from gradstep.errors import OperationError


@pytest.fixture
def reader(cursor):
    return StateReader(cursor)


@pytest.fixture
def points(reader):
    return Breakpoints(reader.present)


@pytest.fixture
def runner(cursor, points, reader):
    return Runner(cursor, points, reader)


def test_a_run_stops_at_a_breakpoint_and_iterations_ignore_it(runner, points, cursor):
    points.add("iteration == 2")
    reason = runner.run(5)
    assert (reason.kind, reason.event, reason.breakpoint) == ("breakpoint", 8, points[0])
    assert runner.iterate(3).index == 20
    assert (cursor.program.iteration, points[0].count) == (5, 1)


def test_a_run_goes_back_to_the_last_hit_and_forward_along_the_record(runner, points, cursor):
    runner.iterate(4)
    points.add("iteration == 2")
    assert runner.run_back().event == 8
    assert runner.run_back().kind == "start"
    assert runner.run().event == 8
    assert (cursor.position, len(cursor.branches)) == (8, 1)


def test_log_lines_are_noted_and_do_not_stop(runner, points):
    points.add("iteration > 0", after="step", log="{iteration}")
    assert runner.run(3).sentence == "3 iterations done"
    assert [line.text for line in points.lines] == ["1", "2", "3"]


def test_run_until_follows_the_run(runner, cursor):
    assert runner.run_until("event >= 7 and iteration < 3")
    assert cursor.position == 7
    assert not runner.run_until("loss < 0", max_iterations=2)
    assert cursor.program.iteration == 3


def test_a_run_until_an_iteration_ends_where_so_many_are_done(runner, points, cursor):
    reason = runner.run_until_iteration(3)
    assert (reason.kind, reason.sentence) == ("iterations", "iteration 3 is done")
    assert (cursor.position, cursor.program.iteration) == (12, 3)
    cursor.seek(5)
    assert runner.run_until_iteration(2).event == 8  # along what is recorded
    assert len(cursor.branches) == 1
    points.add("iteration == 5")
    assert runner.run_until_iteration(9).kind == "breakpoint"
    assert cursor.program.iteration == 5


def test_an_iteration_that_is_done_already_is_rejected(runner, cursor):
    runner.iterate(2)
    with pytest.raises(OperationError, match="2 iterations done already, and 2 asked for"):
        runner.run_until_iteration(2)
    assert cursor.position == 8


def test_an_iteration_can_be_stopped_before_every_operation(runner, cursor):
    left = iter([False, False, True])
    assert runner.iterate(9, should_stop=lambda: next(left)).index == 2
    done = []
    runner.iterate(2, progress=done.append)
    assert (done, cursor.position) == ([1, 2], 8)
