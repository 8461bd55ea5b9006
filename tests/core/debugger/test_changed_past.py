"""A running script is changed in its past, without PyTorch: its torch is gradstep_torch."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.errors import DivergedError, OperationError
from gradstep.program.operation import SetHyperparameter
from gradstep.script.command import ScriptCommand
from gradstep.script.output_log import OutputLog
from gradstep.script.output_reader import OutputReader
from gradstep.script.process import ScriptProcess

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fork of Linux")

LOOP = """
import random
import torch

torch.manual_seed(0)
x = torch.randn(16, 3)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for i in range(8):
    optimizer.zero_grad()
    loss = ((model(x) - {target}) ** 2).mean()
    loss.backward()
    optimizer.step()
    {each}
"""


@pytest.fixture
def start(tmp_path):
    """Start a loop, held before its first Operation; it ends with the test at the latest."""
    started = []

    def loop(target="1", each="pass", output=None):
        path = tmp_path / "train.py"
        path.write_text(LOOP.format(target=target, each=each))
        command = ScriptCommand(str(path), (), is_stand_in=True)
        live = LiveScript(ScriptProcess(command, share=0, goes_on=False, output=output))
        started.append(live)
        return live

    yield loop
    for live in started:
        live.process.end()
        assert live.branches.sleeping == []


def losses(history):
    return [event.loss for event in history.events if event.loss is not None]


def test_a_branch_that_is_removed_ends_its_process_and_is_a_recording_if_it_is_restored(start):
    live = start()
    live.carry_out(lambda debugger: debugger.iterate(4))
    live.debugger.seek(6)
    live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.01)))
    live.carry_out(lambda debugger: debugger.iterate(1))
    main, other = live.debugger.branches
    woken = live.branches.tapes[other.id].feed._channel
    on_it = [item.branch for item in live.branches.sleeping].count(other.id)
    kept = len(live.branches.sleeping) - on_it
    live.debugger.checkout(main)
    removed = live.debugger.branches.remove(other)
    live.branches.end(removed.id)
    assert woken.has_ended
    assert len(live.branches.sleeping) == kept
    live.debugger.branches.restore(removed)
    live.debugger.checkout(removed)
    assert (live.debugger.process_of(removed), live.is_running) == ("ended", False)
    with pytest.raises(OperationError, match="the script has ended"):
        live.carry_out(lambda debugger: debugger.run())
    lost = "the process of this branch was ended when the branch was removed"
    assert live.branches.tapes[removed.id].run.lost == lost
    live.debugger.checkout(main)
    live.carry_out(lambda debugger: debugger.iterate(2))
    assert live.debugger.process_of(main) == "held"


def test_the_first_branch_stays_within_reach_after_more_branches_than_copies_are_kept(start):
    live = start()
    live.branches.max_kept = 3
    live.carry_out(lambda debugger: debugger.iterate(4))
    for rate in (0.01, 0.02, 0.03, 0.04, 0.05):
        live.debugger.checkout(0)
        live.debugger.seek(6)
        assert live.debugger.snapshot.abilities.edit == ""
        live.carry_out(lambda debugger, rate=rate: debugger.apply(SetHyperparameter("lr", rate)))
    assert len(live.debugger.branches) == 6
    assert len(live.branches.sleeping) <= 3


def test_both_branches_go_on_and_are_saved(start, tmp_path):
    live = start()
    live.carry_out(lambda debugger: debugger.iterate(4))
    live.debugger.seek(6)
    assert live.debugger.snapshot.abilities.edit == ""
    live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.01)))
    live.carry_out(lambda debugger: debugger.run())
    main, other = live.debugger.branches
    assert [live.debugger.process_of(branch) for branch in (main, other)] == ["held", "ended"]
    live.debugger.checkout(main)
    live.carry_out(lambda debugger: debugger.run())
    assert live.debugger.process_of(main) == "ended"
    assert (other.forked_at, len(main.history), len(other.history)) == (6, 32, 33)
    assert losses(main.history)[:2] == losses(other.history)[:2]
    assert losses(main.history)[2:] != losses(other.history)[2:]
    live.debugger.save(tmp_path / "run.gradstep")
    saved = Debugger.open(tmp_path / "run.gradstep")
    for branch in (main, other):
        assert losses(saved.checkout(branch.id).history) == losses(branch.history)
        saved.seek(20)
        live.debugger.checkout(branch)
        live.debugger.seek(20)
        expected = live.debugger.program.tensors["model.weight"].tolist()
        assert saved.program.tensors["model.weight"].tolist() == expected


def test_what_it_prints_is_read_once_on_both_branches(start):
    reader = OutputReader(OutputLog())
    live = start(each="print('pass', i)", output=reader)
    live.carry_out(lambda debugger: debugger.iterate(4))
    live.debugger.seek(6)
    live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.01)))
    live.carry_out(lambda debugger: debugger.run())
    live.debugger.checkout(0)
    live.carry_out(lambda debugger: debugger.run())
    live.process.end()
    assert reader.join(60)
    lines = [line.text for line in reader.log.lines if line.stream != "note"]
    first, later = [f"pass {i}" for i in range(4)], [f"pass {i}" for i in range(4, 8)]
    assert lines[:4] == first
    # The branch goes on from its fork, in the second pass, and main where it was held.
    assert sorted(lines[4:]) == sorted([*first[1:], *later, *later])


@pytest.mark.skipif(not Path("/proc/self/syscall").exists(), reason="the system does not tell")
def test_a_branch_that_waits_for_input_is_noticed(start):
    awaited = threading.Event()
    reader = OutputReader(OutputLog(), lambda: awaited.set() if reader.is_awaited else None)
    live = start(each="print(i) if i < 6 else print(input('More? '))", output=reader)
    live.carry_out(lambda debugger: debugger.iterate(4))
    live.debugger.seek(6)
    live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.01)))
    run = threading.Thread(target=live.carry_out, args=(lambda debugger: debugger.run(),))
    run.start()
    for _time in range(2):
        assert awaited.wait(60)
        awaited.clear()
        reader.type_line("yes")
    run.join(60)
    assert live.debugger.process_of(live.debugger.branches.current) == "ended"


def test_what_is_recorded_as_it_happens_has_both_branches(start, tmp_path):
    live = start()
    live.carry_out(lambda debugger: debugger.iterate(3))
    recorder = live.debugger.record_to(tmp_path / "recording.gradstep")
    live.debugger.seek(5)
    live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.01)))
    live.carry_out(lambda debugger: debugger.iterate(1))
    recorder.close()
    found = Debugger.open(tmp_path / "recording.gradstep")
    assert [(branch.id, len(branch.history)) for branch in found.branches] == [(0, 12), (1, 9)]
    found.checkout(1)
    live.debugger.seek(9)
    expected = live.debugger.program.tensors["model.weight"].tolist()
    assert found.program.tensors["model.weight"].tolist() == expected


def test_a_replay_that_does_something_else_is_reported_and_changes_nothing(start):
    live = start(target="random.SystemRandom().random()")
    live.carry_out(lambda debugger: debugger.iterate(3))
    for copy in live.branches.sleeping[1:]:
        copy.close()
    del live.branches.sleeping[1:]
    live.debugger.seek(10)
    with pytest.raises(DivergedError, match="the replay of Event"):
        live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.5)))
    assert "replay-diverged" in [finding.id for finding in live.debugger.findings]
    assert (len(live.debugger.branches), live.debugger.position) == (1, (10, None))
    live.debugger.seek(12)
    live.carry_out(lambda debugger: debugger.iterate(1))
    assert len(live.debugger.events) == 16


def test_without_a_copy_from_before_the_past_can_only_be_looked_at(start):
    live = start()
    live.carry_out(lambda debugger: debugger.iterate(2))
    for copy in live.branches.sleeping:
        copy.close()
    live.branches.sleeping.clear()
    live.branches.note_obstacle("the script uses CUDA")
    live.debugger.seek(3)
    assert live.debugger.snapshot.abilities.edit == (
        "A running script can be changed only at its latest event, because the script uses CUDA: "
        "go there first."
    )
    with pytest.raises(OperationError):
        live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("lr", 0.5)))
    with pytest.raises(OperationError, match="because the script uses CUDA"):
        live.debugger.fork()
    assert (len(live.debugger.branches), live.debugger.position) == (1, (3, None))


def test_copies_are_thinned_and_the_first_and_last_stay(start):
    live = start()
    live.branches.max_kept = 3
    for _ in range(16):
        live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
        live.process._note_edit()
    live.process.tape.edits.clear()
    kept = [copy.position for copy in live.branches.sleeping]
    assert len(kept) == 3
    assert kept[0] <= 1
    assert kept[-1] == 16
    assert all(copy.nbytes > 0 for copy in live.branches.sleeping)
    live.branches.budget_bytes = 1
    live.branches._measured = -1e9
    live.branches._thin()
    assert len(live.branches.sleeping) == 1
