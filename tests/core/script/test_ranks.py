"""The processes of torchrun, here of one that only starts them, are read each by themselves."""

from __future__ import annotations

import sys

import pytest

from gradstep.errors import ScriptError
from gradstep.script.command import ScriptCommand
from gradstep.script.ranks import record_ranks, start_ranks
from tests.core.script.started_ranks import install_torchrun

SCRIPT = """
import os, sys
import gradstep_torch as torch
rank = int(os.environ["RANK"])
model = torch.nn.Linear(2, 1)
for _ in range(2 + rank):
    model(torch.ones(3, 2)).sum().backward()
sys.stdout.write(f"rank {rank} {sys.argv[1:]}\\n")
sys.exit(3 * rank)
"""


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Return the command that runs the script with a number of processes."""
    search_path = install_torchrun(tmp_path)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    monkeypatch.setenv("PYTHONPATH", search_path)

    def make(*words):
        arguments = (*words, str(script), "--fast") if words else ()
        return ScriptCommand("torchrun", arguments, sys.executable)

    return make


def never():
    return False


def test_each_process_is_recorded_and_the_status_is_torchruns(command, capfd):
    status, found = record_ranks(command("2"), never)
    assert status == 3
    assert sorted(capfd.readouterr().out.splitlines()) == [
        "rank 0 ['--fast']",
        "rank 1 ['--fast']",
    ]
    assert list(found) == ["rank0", "rank1"]
    assert [len(tape.rows) for tape, _ in found.values()] == [4, 6]
    assert [tape.run.status for tape, _ in found.values()] == [0, 3]
    assert [lost for _, lost in found.values()] == ["", ""]
    assert found["rank0"][0].run.script.endswith("train.py")


def test_all_processes_are_started_and_held_together(command, capfd):
    group = start_ranks(command("2"))
    try:
        assert list(group.ranks) == [0, 1]
        group.begin()
        assert [rank.held.event for rank in group.ranks.values()] == [1, 1]
        for _ in range(10):
            if group.shown.has_ended:
                break
            group.advance(0)
        assert [len(rank.process.tape.rows) for rank in group.ranks.values()] == [4, 4]
        group.show(1)
        while not group.shown.has_ended:
            group.advance(0)
        assert [rank.process.tape.run.status for rank in group.ranks.values()] == [0, 3]
        assert group.failed == [1]
    finally:
        group.end()
    assert "rank 1 ['--fast']" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"), [("--wrong", "what is --wrong?"), ("0", "--no-python and --run-path")]
)
def test_what_torchrun_or_we_reject_is_said_and_nothing_is_recorded(command, capfd, words, message):
    status, found = record_ranks(command(words), never)
    assert (status != 0, found) == (True, {})
    assert message in capfd.readouterr().err
    with pytest.raises(ScriptError, match=r"ended with status \d before its processes began"):
        start_ranks(command(words))


def test_a_start_that_is_stopped_ends_torchrun_and_closes_what_has_come(command, tmp_path):
    (tmp_path / "train.py").write_text("import time; time.sleep(60)")
    with pytest.raises(ScriptError, match="stopped before its processes began") as caught:
        start_ranks(command("2"), lambda: True)
    listener, found = (caught.traceback[-1].frame.f_locals[name] for name in ("listener", "found"))
    assert listener.process.poll() is not None
    assert all(arrived.channel.socket.fileno() == -1 for arrived in found.values())


def test_a_recording_that_is_stopped_ends_torchrun(command):
    status, found = record_ranks(command("1"), lambda: True)
    assert status == -15
    assert len(found) <= 1
