"""Where the sentence of a moment gets the values before it."""

import sys

import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.program.operation import Backward, Forward, SetHyperparameter, SetValue, Step
from gradstep.script.command import ScriptCommand
from gradstep.script.mirror import Mirror
from gradstep.script.process import ScriptProcess
from tests.core.debugger.conftest import LINE, changed, open_program
from tests.core.script.sent_frames import descent, every_kind_of_frame, take

STEPPED = "Step moved x from [1, 2] to [0.9, 1.9]. x.grad is still there."
STEPPED_ONLY = "Step moved x to [0.9, 1.9]. x.grad is still there."


def iterated(count=2):
    loop = [{"op": name} for name in ("forward", "backward", "step", "zero_grad")]
    dbg = open_program(changed(LINE, loop=loop))
    dbg.iterate(count)
    return dbg


def test_values_before_an_event_are_found_after_a_run_and_after_a_seek():
    dbg = iterated()
    dbg.seek(7)
    assert dbg.snapshot.sentence == (
        "Step moved x from [0.9, 1.9] to [0.8, 1.8]. x.grad is still there."
    )
    dbg.seek(3)
    assert dbg.snapshot.sentence == STEPPED
    dbg.back()
    assert dbg.snapshot.sentence == "Backward wrote x.grad = [100, 100]. x did not move."


def test_a_run_is_not_slowed_down_by_values_before():
    dbg = iterated()
    dbg.seek(3)
    assert dbg.capture_snapshot((), compare=False).sentence == STEPPED_ONLY
    assert dbg.capture_snapshot((), compare=True).sentence == STEPPED


def test_the_sentence_of_the_same_moment_leaves_the_snapshot_as_it_is():
    dbg = iterated()
    assert dbg.capture_snapshot(()) is dbg.capture_snapshot(())
    assert dbg.capture_snapshot(()).sentence


def test_a_walk_that_was_finished_can_still_be_gone_back_into():
    dbg = iterated()
    dbg.seek(2)
    for _ in range(4):
        dbg.step_into()
    assert dbg.snapshot.sentence == "Inside Step: x is now [0.9, 1.9]."
    dbg.step_into()
    assert dbg.snapshot.sentence == STEPPED
    dbg.back()
    assert dbg.position == (2, 4)


def test_another_branch_has_values_of_its_own():
    dbg = iterated()
    dbg.seek(2)
    assert dbg.snapshot.sentence
    dbg.apply(SetValue("x", 5.0))
    dbg.apply(Step())
    assert dbg.snapshot.sentence == (
        "Step moved x from [5, 5] to [4.9, 4.9]. x.grad is still there."
    )


def test_a_past_that_cannot_be_reproduced_gives_no_values_before(monkeypatch):
    dbg = iterated()
    dbg.seek(3)
    history = dbg.history
    monkeypatch.setattr(type(history.log), "checksum", lambda _log, index: -1 if index <= 3 else 0)
    assert dbg.snapshot.sentence == STEPPED_ONLY
    assert dbg.position == (3, None)


def test_the_past_of_a_large_program_is_not_replayed():
    model = [{"kind": "Linear", "in_features": 400, "out_features": 300}]
    dbg = open_program(changed(LINE, modules={"model": model}))
    for operation in (Forward(), Backward(), Step()):
        dbg.apply(operation)
    assert dbg.snapshot.sentence == STEPPED_ONLY
    dbg.back()
    assert dbg.snapshot.sentence == "Backward wrote x.grad = [100, 100]. x did not move."
    dbg.seek(3)
    assert dbg.snapshot.sentence == STEPPED  # the sentence before has the values before


def test_a_recorded_script_has_the_same_sentences():
    dbg = Debugger(Mirror(take(descent(2).stream)))
    dbg.follow()
    said = []
    for index in range(len(dbg.events) + 1):
        dbg.seek(index)
        said.append(dbg.snapshot.sentence)
    assert said == [
        "This is the start: w is [1, 2], and w.grad is None.",
        "Zero Grad changed nothing.",
        "Forward computed loss = 5 and recorded its graph. w and w.grad did not change.",
        "Backward wrote w.grad = [2, 4]. w did not move.",
        "Step moved w from [1, 2] to [0.5, 1]. w.grad is still there.",
        "Zero Grad set w.grad to None. Nothing else changed.",
        "Forward computed loss = 1.25 and recorded its graph. w and w.grad did not change.",
        "Backward wrote w.grad = [1, 2]. w did not move.",
        "Step moved w from [0.5, 1] to [0.25, 0.5]. w.grad is still there.",
    ]


def test_what_a_script_does_by_hand_is_said_in_its_own_words():
    dbg = Debugger(Mirror(take(every_kind_of_frame().stream)))
    dbg.follow()
    said = {}
    for index in range(len(dbg.events) + 1):
        dbg.seek(index)
        operation = None if dbg.event is None else dbg.event.operation
        said[getattr(operation, "call", type(operation).__name__)] = dbg.snapshot.sentence
    assert said["options_by_hand"] == (
        "The script set lr of optimizer by hand. No parameter moved."
    )
    assert said["update_by_hand"] == (
        "The script moved model.0.bias from [-0.2, -0.1] to [0.8, 0.9] by hand."
    )
    assert said["Backward"] == (
        "Backward failed: RuntimeError: backward a second time. Nothing changed."
    )


SCRIPT = """
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
for i in range(6):
    optimizer.zero_grad()
    loss = (w**2).sum()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fork of Linux")
def test_a_running_script_has_them_in_its_past_and_on_its_branches(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    command = ScriptCommand(str(path), (), is_stand_in=True)
    live = LiveScript(ScriptProcess(command, share=0, goes_on=False))
    moved = (
        "Step moved w from [1, 2] to {}, and updated its momentum_buffer. w.grad is still there."
    )

    def said(command):
        live.carry_out(command)
        return live.debugger.snapshot.sentence

    try:
        forth = [said(lambda dbg: dbg.apply(dbg.next_operation)) for _ in range(7)]
        assert forth[2:4] == ["Backward wrote w.grad = [2, 4]. w did not move.",
                              moved.format("[0.8, 1.6]")]  # fmt: skip
        back = [said(lambda dbg: dbg.back()) for _ in range(4)]
        assert back == forth[-2:-6:-1]
        change = SetHyperparameter("lr", 0.5, out_of_loop=True)
        assert said(lambda dbg: dbg.apply(change)) == (
            "lr of optimizer was set from 0.1 to 0.5. Nothing else changed."
        )
        assert said(lambda dbg: dbg.apply(dbg.next_operation)) == moved.format("[0, 0]")
        assert said(lambda dbg: dbg.checkout(0)) == forth[-1]
    finally:
        live.process.end()
    assert live.branches.sleeping == []
