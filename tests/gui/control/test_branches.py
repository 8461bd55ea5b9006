"""What-ifs, comparisons and ghosts through the controller, on a real program."""

from __future__ import annotations

import pytest

from gradstep.history.records.what_if import Edits
from gradstep.program.operation import Backward

TINY = {
    "gradstep": 1,
    "tensors": {"x": {"value": 8, "requires_grad": True}},
    "losses": {"loss": {"expression": "x * x"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}},
}


@pytest.fixture
def controller(opened):
    return opened(TINY, 4)


def test_a_what_if_keeps_the_current_branch_and_is_compared(controller):
    events = controller.snapshot.event_index
    controller.branches.what_if(Edits(at=5, set={"optimizer.lr": 0.5}))
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == events
    names = [(item.name, item.is_current) for item in controller.branches.records]
    assert names == [("main", True), ("lr 0.5 from #5", False)]
    assert controller.branches.comparison.branches == (0, 1)
    assert controller.branches.comparison.comparison.first_event == 8
    assert controller.document.modified


def test_ghosts_begin_where_their_branch_left(controller):
    controller.branches.set_ghosts_wanted(["loss/loss", "no/such"])
    controller.branches.what_if(Edits(at=9, set={"optimizer.lr": 0.5}))
    assert controller.wait_idle(60)
    (ghost,) = controller.branches.ghosts.values()
    x, y = ghost.curves["loss/loss"]
    assert (x.tolist(), y.tolist()) == ([2.0, 3.0, 4.0], [16.0, 4.0, 0.0])
    controller.branches.set_ghosts_wanted([])
    assert controller.wait_idle(60)
    assert controller.branches.ghosts == {}


def test_another_branch_is_looked_at(controller):
    controller.branches.what_if(Edits(skip=(5,)))
    controller.branches.checkout(1)
    assert controller.wait_idle(60)
    assert [item.is_current for item in controller.branches.records] == [False, True]
    assert controller.snapshot.event_count == 16


def test_a_branch_is_renamed_removed_and_brought_back(controller):
    controller.branches.set_ghosts_wanted(["loss/loss"])
    controller.branches.what_if(Edits(at=9, set={"optimizer.lr": 0.5}))
    controller.branches.rename(1, "twice the lr")
    assert controller.wait_idle(60)
    assert controller.branches.records[1].name == "twice the lr"
    assert [ghost.name for ghost in controller.branches.ghosts.values()] == ["twice the lr"]

    removed = []
    controller.branches.removed.connect(removed.append)
    controller.branches.remove(1)
    assert controller.wait_idle(60)
    assert ([item.id for item in controller.branches.records], removed) == ([0], ["twice the lr"])
    assert controller.branches.ghosts == {}
    assert controller.state.has_removed_branch

    controller.branches.restore()
    assert controller.wait_idle(60)
    assert [item.name for item in controller.branches.records] == ["main", "twice the lr"]
    assert not controller.state.has_removed_branch


def test_branches_come_back_in_the_other_order(controller):
    for at in (9, 13):
        controller.branches.what_if(Edits(at=at, set={"optimizer.lr": 0.5}))
    for branch in (1, 2):
        controller.branches.remove(branch)
    controller.branches.restore()
    assert controller.wait_idle(60)
    assert [item.id for item in controller.branches.records] == [0, 2]
    controller.branches.restore()
    controller.branches.restore()
    assert controller.wait_idle(60)
    assert [item.id for item in controller.branches.records] == [0, 1, 2]


def test_a_branch_that_cannot_be_renamed_or_removed_is_reported(controller):
    posted = []
    controller._messages.posted.connect(posted.append)
    controller.branches.remove(0)
    controller.branches.rename(0, " ")
    assert controller.wait_idle(60)
    assert [message.text for message in posted] == [
        "Could not remove a branch: branch 0 (main) is the current one",
        "Could not rename a branch: a branch cannot be called ''",
    ]
    assert not controller.state.has_removed_branch


def test_another_name_is_something_to_save(controller, tmp_path):
    controller.save(tmp_path / "a.gradstep")
    assert controller.wait_idle(60)
    assert not controller.document.modified
    controller.branches.rename(0, "the first line")
    assert controller.wait_idle(60)
    assert controller.document.modified


def test_another_program_brings_no_removed_branches_along(controller, tmp_path):
    controller.branches.what_if(Edits(skip=(5,)))
    controller.branches.remove(1)
    assert controller.wait_idle(60)
    controller.open(tmp_path / "program.json")
    assert controller.wait_idle(60)
    assert (controller.branches.restorable, controller.state.has_removed_branch) == ((), False)


def test_a_what_if_that_fails_midway_reports_the_reason(controller):
    posted = []
    controller._messages.posted.connect(posted.append)
    controller.branches.what_if(Edits(insert=((4, Backward()),)))
    assert controller.wait_idle(60)
    assert ["a second time" in message.text for message in posted] == [True]
    assert controller.branches.records[1].events == 4


def test_an_invalid_what_if_is_an_error_and_makes_no_branch(controller):
    posted = []
    controller._messages.posted.connect(posted.append)
    controller.branches.what_if(Edits(skip=(99,)))
    controller.branches.compare(7)
    assert controller.wait_idle(60)
    assert "Could not replay the what-if: there is no Event 99 to edit" in posted[0].text
    assert "there is no branch 7" in posted[1].text
    assert len(controller.branches.records) == 1


def test_a_replay_reports_progress_and_can_be_stopped(controller, qtbot):
    controller.iterate(2000)
    assert controller.wait_idle(60)
    reported = []
    controller.branches.progressed.connect(lambda *done: reported.append(done))
    controller.branches.what_if(Edits(at=1, set={"optimizer.lr": 0.125}))
    assert controller.state.work == "replaying"
    controller.pause()
    assert controller.wait_idle(60)
    assert controller.state.work == "paused"
    assert controller.branches.records[1].events < 8016


def test_a_comparison_is_forgotten_with_its_program(controller, tmp_path):
    controller.branches.what_if(Edits(at=5, set={"optimizer.lr": 0.5}))
    assert controller.wait_idle(60)
    assert controller.branches.comparison is not None
    controller.open(tmp_path / "program.json")
    assert controller.wait_idle(60)
    assert controller.branches.comparison is None
