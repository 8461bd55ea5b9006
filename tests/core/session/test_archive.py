from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ReplayError, SessionError
from gradstep.history.history import History
from gradstep.history.records.finding import BranchFindings, Finding
from gradstep.program.document import codec
from gradstep.program.gallery import scenarios
from gradstep.program.program import Program
from gradstep.script.mirror import Mirror
from gradstep.session import archive
from gradstep.session.archive import (
    histories_of,
    restored,
    series_rows,
    session_branch,
    session_of,
)
from gradstep.session.record import Session
from gradstep.session.store import read, write
from tests.core.script.sent_frames import descent, take


@pytest.fixture
def reopened(tmp_path, session, engine, make_program):
    """Save a History and read it back for another program."""

    def reopen(program=None, here=None):
        branches = tuple(session_branch(branch, here) for branch in engine.branches)
        path = tmp_path / "a.gradstep"
        write(path, Session(session.spec, branches=branches))
        program = program or make_program()
        return program, histories_of(read(path), program, dict)

    return reopen


@pytest.mark.parametrize("saved_at", [0, 1, 5, 8, 11])
def test_a_run_that_is_saved_opened_and_continued_is_the_uninterrupted_run(
    engine, reopened, same, saved_at
):
    engine.run(saved_at)
    program, histories = reopened()
    histories[0].resume(program)

    engine.run(12)
    other = type(engine)()
    other.program, other.branches = program, [replace(engine.branches[0], history=histories[0])]
    other.run(12)

    same(list(histories[0].events), list(engine.history.events))
    same(dict(program.capture()), dict(engine.program.capture()))
    same(series_rows(histories[0]), series_rows(engine.history))


def test_a_session_that_is_being_saved_ignores_what_happens_meanwhile(
    tmp_path, session, engine, same
):
    engine.run(6)
    engine.fork(3)
    engine.run(4)
    pending = Session(session.spec, branches=tuple(map(session_branch, engine.branches)))
    write(tmp_path / "at_once.gradstep", pending)
    engine.run(5000)
    write(tmp_path / "later.gradstep", pending)
    same(read(tmp_path / "later.gradstep"), read(tmp_path / "at_once.gradstep"))
    assert [len(branch.events) for branch in pending.branches] == [6, 4]


def test_any_moment_of_any_branch_can_be_restored(engine, reopened, same):
    engine.run(9)
    engine.fork(6)
    engine.run(7)
    program, histories = reopened()
    for branch in engine.branches:
        for index in (0, 3, 6, 9):
            branch.history.goto(engine.program, index)
            histories[branch.id].goto(program, index)
            same(dict(program.capture()), dict(engine.program.capture()))


def test_the_current_moment_opens_even_where_replays_diverge(engine, reopened, make_program):
    engine.run(9)
    engine.history.goto(engine.program, 7)
    program, histories = reopened(make_program(drift=1e-9), (7, engine.program.capture()))
    histories[0].goto(program, 7)
    assert program.x._grad._array.tolist() == engine.program.x._grad._array.tolist()
    with pytest.raises(ReplayError):
        histories[0].goto(program, 3)


def test_a_saved_branch_holds_checkpoints_up_to_a_limit(engine, monkeypatch):
    for _ in range(20):
        engine.run(4)
        engine.history.take_checkpoint(engine.program)
    size = engine.history.checkpoints.last.nbytes
    monkeypatch.setattr(archive, "_SAVED_CHECKPOINTS_BYTES", 5 * size)
    kept = session_branch(engine.branches[0]).checkpoints
    assert len(kept) == 5
    assert (min(kept), max(kept)) == (0, 80)
    assert len(engine.history.checkpoints) >= 20


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
def test_a_session_of_another_program_is_rejected(engine, session, make_program, spoil):
    engine.run(4)
    branch = spoil(session_branch(engine.branches[0]))
    with pytest.raises(SessionError):
        histories_of(Session(session.spec, branches=(branch,)), make_program(), dict)


def run(program, history, events):
    """Run the program's loop for some Events, past the ends of its iterations."""
    while events:
        for operation in program.loop_operations()[:events]:
            history.record(program, operation)
            events -= 1


@pytest.mark.parametrize(
    "scenario",
    [item for item in scenarios() if "two_layer" not in item.id],
    ids=lambda scenario: scenario.id,
)
@pytest.mark.parametrize("saved_at", [2, 7])
def test_every_scenario_continues_after_a_save_bit_for_bit(
    tmp_path, same, engine, scenario, saved_at
):
    program = Program.open(scenario.path)
    branch = replace(engine.branches[0], history=History.start(program))
    run(program, branch.history, saved_at)
    write(tmp_path / "a.gradstep", session_of(program, [branch], 0, saved_at))
    run(program, branch.history, 10)

    other, histories = restored(read(tmp_path / "a.gradstep"))
    run(other, histories[0], 10)

    same(other.capture().to_tree(), program.capture().to_tree())
    same(list(histories[0].events), list(branch.history.events))
    same(series_rows(histories[0]), series_rows(branch.history))


def test_a_session_opens_at_a_moment_in_the_past_and_carries_its_files(tmp_path, same, engine):
    (tmp_path / "b.csv").write_text("u,y\n1,2\n2,4\n3,7\n")
    spec = codec.decode(CSV_PROGRAM)
    program = Program.from_spec(spec, tmp_path)
    branch = replace(engine.branches[0], history=History.start(program))
    run(program, branch.history, 9)
    branch.history.goto(program, 3)
    write(tmp_path / "a.gradstep", session_of(program, [branch], 0, 3))
    (tmp_path / "b.csv").unlink()

    other, histories = restored(read(tmp_path / "a.gradstep"))

    assert len(histories[0]) == 9
    same(other.capture().to_tree(), program.capture().to_tree())
    same(dict(other.files), {"b.csv": b"u,y\n1,2\n2,4\n3,7\n"})


def test_a_session_holds_breakpoints_watches_findings_layout_and_the_state_of_the_present(engine):
    program = Program.from_spec(codec.decode(SMALL_PROGRAM))
    branch = replace(engine.branches[0], history=History.start(program))
    run(program, branch.history, 9)
    branch.history.goto(program, 7)
    finding = BranchFindings(0, 7, known=(Finding("a-fact", "fact", "A fact", "detail"),))
    found = session_of(
        program,
        [branch],
        0,
        7,
        breakpoints=["loss < 1"],
        watches=["loss", "iteration"],
        findings=[finding],
        layout=b"docks",
    )
    assert (found.breakpoints, found.watches) == (("loss < 1",), ("loss", "iteration"))
    assert (found.findings, found.layout) == ((finding,), b"docks")
    assert (found.branch, found.position) == (0, 7)
    assert 7 in found.branches[0].checkpoints
    assert 7 not in session_of(program, [branch], 1, 7).branches[0].checkpoints


SMALL_PROGRAM = b"""{"gradstep": 1,
    "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
    "losses": {"loss": {"expression": "sum(x * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}}}"""


def test_a_session_whose_program_cannot_be_built_is_rejected(session):
    spec = codec.decode(CSV_PROGRAM)
    with pytest.raises(SessionError, match=r"does not fit its program: \$\.data\.b\.path"):
        restored(replace(session, spec=spec))


CSV_PROGRAM = b"""{"gradstep": 1,
    "data": {"b": {"kind": "csv", "path": "b.csv", "inputs": ["u"], "target": "y",
                   "batch_size": 2, "shuffle": true}},
    "modules": {"line": [{"kind": "Linear", "in_features": 1, "out_features": 1}]},
    "losses": {"loss": {"data": "b", "chain": ["line"], "criterion": {"kind": "MSELoss"}}},
    "optimizers": {"optimizer": {"kind": "Adam", "params": ["line.*"], "lr": 0.1}}}"""


def test_a_program_without_tensors_and_losses_is_saved_and_opened(tmp_path):
    from gradstep.debugger import Debugger
    from gradstep.program.document.codec import decode

    path = tmp_path / "empty.gradstep"
    Debugger(decode(b'{"gradstep": 1, "name": "nothing yet"}')).save(path)
    assert Debugger.open(path).program.spec.name == "nothing yet"


def test_a_script_whose_values_end_before_its_events_is_refused():
    debugger = Debugger(Mirror(take(descent(3).stream)))
    debugger.follow()
    session = debugger.begin_save("a.gradstep").session
    (tape,) = session.tape.branches.values()
    del tape.rows[-1]
    with pytest.raises(SessionError, match="the values of branch 0 end before its Events do"):
        restored(session)
