from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradstep.errors import ReplayError, SessionError
from gradstep.session import archive
from gradstep.session.archive import branch_record, histories_of, series_rows
from gradstep.session.record import Session
from gradstep.session.store import read, write


@pytest.fixture
def reopened(tmp_path, session, lines, make_program):
    """Save a History and read it back for another program."""

    def reopen(program=None, here=None):
        branches = tuple(branch_record(branch, here) for branch in lines.branches)
        path = tmp_path / "a.gradstep"
        write(path, Session(session.spec, branches=branches))
        program = program or make_program()
        return program, histories_of(read(path), program, dict)

    return reopen


@pytest.mark.parametrize("saved_at", [0, 1, 5, 8, 11])
def test_a_run_that_is_saved_opened_and_continued_is_the_uninterrupted_run(
    lines, reopened, same, saved_at
):
    lines.run(saved_at)
    program, histories = reopened()
    histories[0].resume(program)

    lines.run(12)
    other = type(lines)()
    other.program, other.branches = program, [lines.branches[0]._replace(history=histories[0])]
    other.run(12)

    same(list(histories[0].events), list(lines.history.events))
    same(dict(program.capture()), dict(lines.program.capture()))
    same(series_rows(histories[0]), series_rows(lines.history))


def test_any_moment_of_any_branch_can_be_gone_to(lines, reopened, same):
    lines.run(9)
    lines.fork(6)
    lines.run(7)
    program, histories = reopened()
    for branch in lines.branches:
        for index in (0, 3, 6, 9):
            branch.history.goto(lines.program, index)
            histories[branch.id].goto(program, index)
            same(dict(program.capture()), dict(lines.program.capture()))


def test_the_moment_that_is_looked_at_opens_where_replays_diverge(lines, reopened, make_program):
    lines.run(9)
    lines.history.goto(lines.program, 7)
    program, histories = reopened(make_program(drift=1e-9), (7, lines.program.capture()))
    histories[0].goto(program, 7)
    assert program.x.grad._array.tolist() == lines.program.x.grad._array.tolist()
    with pytest.raises(ReplayError):
        histories[0].goto(program, 3)


def test_a_saved_branch_holds_a_bounded_amount_of_states(lines, monkeypatch):
    for _ in range(20):
        lines.run(4)
        lines.history.take_checkpoint(lines.program)
    size = lines.history.checkpoints.last.nbytes
    monkeypatch.setattr(archive, "_SAVED_CHECKPOINTS_BYTES", 5 * size)
    kept = branch_record(lines.branches[0]).checkpoints
    assert len(kept) == 5
    assert (min(kept), max(kept)) == (0, 80)
    assert len(lines.history.checkpoints) >= 20


@pytest.mark.parametrize(
    "spoil",
    [
        lambda branch: replace(branch, checkpoints={}),
        lambda branch: replace(branch, checkpoints={0: {"work_s": 0.0}}),
        lambda branch: replace(branch, checkpoints={0: {"work_s": "a", "state": {}}}),
        lambda branch: replace(branch, checkpoints={0: []}),
        lambda branch: replace(branch, series=replace(branch.series, names=("a", "b"))),
        lambda branch: replace(branch, series=replace(branch.series, values=np.zeros((1, 1)))),
        lambda branch: replace(
            branch, events=[type(branch.events[0])(1, 2**70, branch.events[0].operation)]
        ),
    ],
)
def test_a_session_that_does_not_fit_its_program_is_refused(lines, session, make_program, spoil):
    lines.run(4)
    branch = spoil(branch_record(lines.branches[0]))
    with pytest.raises(SessionError):
        histories_of(Session(session.spec, branches=(branch,)), make_program(), dict)
