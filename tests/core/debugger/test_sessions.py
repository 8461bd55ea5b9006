"""Sessions are saved and opened through the Debugger, and continue as if never closed."""

import sqlite3
import time
import tracemalloc
from contextlib import closing

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ExpressionError, GradStepError, SerializationError, SessionError
from gradstep.program.operation import SetHyperparameter, Step

SECONDS = 5
"""As long as a stranger's file may take; measured in time of the processor."""


def test_saving_opening_and_continuing_equals_an_uninterrupted_run(make, state_of, tmp_path):
    plain, saved = make(), make()
    plain.iterate(10)
    saved.iterate(5)
    saved.forward()
    saved.save(tmp_path / "half.gradstep")
    again = Debugger.open(tmp_path / "half.gradstep")
    assert state_of(again) == state_of(saved)
    assert list(again.events) == list(saved.events)
    again.seek(7)
    again.seek(21)
    again.seek(len(again.events))
    saved.iterate(5)
    again.iterate(5)
    assert state_of(again) == state_of(saved)
    assert list(again.events) == list(saved.events)
    for name in saved.history.series.names:
        mine, theirs = (dbg.history.series.column(name)[1] for dbg in (again, saved))
        assert mine.tobytes() == theirs.tobytes()


def test_a_branch_that_is_not_current_continues_as_well(network, state_of, tmp_path):
    network.iterate(3)
    network.forward()
    network.seek(6)
    network.apply(SetHyperparameter("lr", 0.5))
    network.iterate(2)
    network.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    for dbg in (network, again):
        dbg.checkout(0)
        dbg.iterate(2)
    assert state_of(again) == state_of(network)
    for name in network.history.series.names:
        mine, theirs = (dbg.history.series.column(name)[1] for dbg in (again, network))
        assert mine.tobytes() == theirs.tobytes(), name


def test_branches_and_the_shown_moment_are_saved(network, state_of, tmp_path):
    network.iterate(3)
    network.seek(6)
    network.apply(SetHyperparameter("lr", 0.5))
    network.iterate(2)
    network.seek(9)
    network.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    assert again.position == (9, None)
    assert state_of(again) == state_of(network)
    assert [(b.id, b.parent, b.forked_at, b.name, len(b.history)) for b in again.branches] == [
        (b.id, b.parent, b.forked_at, b.name, len(b.history)) for b in network.branches
    ]
    again.checkout(0)
    network.checkout(0)
    assert state_of(again) == state_of(network)


def test_a_session_saved_before_the_fork_of_the_current_branch_opens_there(
    network, state_of, tmp_path
):
    network.iterate(3)
    network.fork()
    network.iterate(1)
    network.seek(6)
    network.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    assert (again.branches.current.id, again.position) == (network.branches.current.id, (6, None))
    assert state_of(again) == state_of(network)
    again.seek(16)
    network.seek(16)
    assert state_of(again) == state_of(network)


def test_a_session_that_was_renamed_still_opens(line, tmp_path):
    line.iterate(2)
    line.save(tmp_path / "a.gradstep")
    renamed = (tmp_path / "a.gradstep").rename(tmp_path / "a.json")
    assert len(Debugger.open(renamed).events) == 8


def test_a_file_is_never_replaced_by_one_of_another_kind(line, tmp_path):
    session, program, script = (tmp_path / f"a{kind}" for kind in (".gradstep", ".json", ".py"))
    line.save(session)
    program.write_text('{"gradstep": 1}')
    line.export(script)
    renamed = session.with_name("session.txt")
    renamed.write_bytes(session.read_bytes())
    before = {path: path.read_bytes() for path in (session, program, script, renamed)}
    for path in (session, program, renamed, tmp_path / "new.json", tmp_path / "new.gradstep"):
        with pytest.raises(SerializationError, match=r"not (as )?a Python script"):
            line.export(path)
    for path in (program, script, tmp_path / "new.py"):
        with pytest.raises(SerializationError, match=r"not (as )?a session"):
            line.save(path)
    assert {path: path.read_bytes() for path in before} == before
    line.save(renamed)
    line.export(script)


def test_findings_are_kept(line, tmp_path):
    line.step()
    line.save(tmp_path / "a.gradstep")
    assert Debugger.open(tmp_path / "a.gradstep").findings == line.findings
    assert [finding.id for finding in line.findings] == ["step-without-grad"]


def test_a_recording_follows_forks_and_opens_again(network, state_of, tmp_path):
    recorder = network.record_to(tmp_path / "auto.gradstep")
    network.iterate(3)
    network.seek(5)
    network.step()
    network.iterate(2)
    network.checkout(0)
    network.iterate(1)
    recorder.close()
    again = Debugger.open(tmp_path / "auto.gradstep")
    assert [len(branch.history) for branch in again.branches] == [
        len(branch.history) for branch in network.branches
    ]
    again.checkout(0)
    assert state_of(again) == state_of(network)


def test_a_missing_or_broken_file_is_rejected(tmp_path):
    with pytest.raises(SessionError, match="no file"):
        Debugger.open(tmp_path / "none.gradstep")
    (tmp_path / "bad.gradstep").write_bytes(b"nonsense" * 100)
    with pytest.raises(SessionError):
        Debugger.open(tmp_path / "bad.gradstep")
    with pytest.raises(GradStepError, match="no file"):
        Debugger.open(tmp_path / "none.json")


def test_the_first_step_after_opening_is_measured_from_the_right_row(make, tmp_path):
    dbg = make("line")
    dbg.iterate(1)
    dbg.zero_grad()
    dbg.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    again.forward()
    again.backward()
    assert again.step().operation == Step()
    updates = again.history.series.column("update/x")[1]
    assert updates[1:].round(4).tolist() == [0.1414, 0.1414]


def test_breakpoints_and_watches_are_saved(network, tmp_path):
    network.break_when("loss < 0.1")
    network.break_when("raised", before="step", hits=3, log="at {iteration}").disable()
    network.watch('norm(grad("model.0.weight"))')
    network.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    assert [point.spec for point in again.breakpoints] == [
        point.spec for point in network.breakpoints
    ]
    assert [watch.expression for watch in again.watches] == ['norm(grad("model.0.weight"))']
    assert again.run(2).kind == "iterations"


def test_a_recording_keeps_breakpoints_as_they_are_set(network, tmp_path):
    recorder = network.record_to(tmp_path / "auto.gradstep")
    point = network.break_when("loss < 0.1")
    network.break_when("loss < 0.2")
    network.watch("loss")
    point.remove()
    recorder.close()
    again = Debugger.open(tmp_path / "auto.gradstep")
    assert [point.expression for point in again.breakpoints] == ["loss < 0.2"]
    assert [watch.expression for watch in again.watches] == ["loss"]


def test_a_recording_that_fails_is_reported_once_and_dropped(network, tmp_path, monkeypatch):
    recorder = network.record_to(tmp_path / "auto.gradstep")

    def full(_table, _texts):
        raise SessionError("the disk is full")

    monkeypatch.setattr(recorder, "texts", full)
    with pytest.raises(SessionError, match="the disk is full"):
        network.break_when("loss < 0.1")
    network.break_when("loss < 0.2")
    assert [point.expression for point in network.breakpoints] == ["loss < 0.1", "loss < 0.2"]
    recorder.discard()


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__",
        '{"expression": "loss > 1", "code": "print(1)"}',
        '{"expression": "loss > 1", "before": ["nothing"]}',
        '{"expression": "loss > 1", "hits": -1}',
        "{" * 5000,
        "(" * 9000,
        "x" * 1_000_000,
        "",
        "9**9**9**9 > 1",
        'data("model.0.weight")[99, 99] > 0',
    ],
)
def test_hostile_texts_open_as_wrong_expressions_and_harm_nothing(network, tmp_path, text):
    network.save(tmp_path / "a.gradstep")
    with closing(sqlite3.connect(tmp_path / "a.gradstep")) as connection, connection:
        for table in ("breakpoints", "watches"):
            connection.execute(f"INSERT INTO {table} (text) VALUES (?)", (text,))
    again = Debugger.open(tmp_path / "a.gradstep")
    again.run(1)
    assert [bool(point.record.error) for point in again.breakpoints] == [True]
    with pytest.raises(ExpressionError):
        _ = again.watches[0].value


def test_texts_beyond_the_limit_are_dropped(network, tmp_path):
    network.save(tmp_path / "a.gradstep")
    with closing(sqlite3.connect(tmp_path / "a.gradstep")) as connection, connection:
        connection.executemany(
            "INSERT INTO breakpoints (text) VALUES (?)", (("loss < 0",) for _ in range(10_000))
        )
    assert len(Debugger.open(tmp_path / "a.gradstep").breakpoints) == 200


def test_a_session_with_thousands_of_nested_branches_opens_in_seconds(line, tmp_path):
    path = tmp_path / "a.gradstep"
    line.iterate(3)
    line.save(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO branches VALUES (?, ?, 12, 'x')",
            ((number, number - 1) for number in range(1, 2000)),
        )
    start = time.process_time()
    again = Debugger.open(path)
    assert (len(again.branches), len(again.branches.forks)) == (2000, 0)
    assert time.process_time() - start < SECONDS


def test_a_branch_that_shares_its_events_takes_little_memory(line):
    line.iterate(3)
    tracemalloc.start()
    forks = [line.history.log.fork(12) for _ in range(100)]
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken / len(forks) < 8000
