"""What is posted of a moment, and what is not posted again."""

import pytest

from gradstep.debugger import Debugger, StopReason
from gradstep.program.document.codec import decode
from gradstep.program.operation import Forward
from gradstep_gui.records import Document
from gradstep_gui.worker import publisher as module
from gradstep_gui.worker.publisher import Publisher
from gradstep_gui.worker.updates import (
    BranchesUpdate,
    BreaksUpdate,
    DocumentUpdate,
    GhostsUpdate,
    ProgressUpdate,
    SeriesUpdate,
    SnapshotUpdate,
)

SPEC = b"""{"gradstep": 1,
    "tensors": {"x": {"value": 8, "requires_grad": true}},
    "losses": {"loss": {"expression": "x * x"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}"""
DOCUMENT = Document("square")


class Mailbox:
    """Keeps what was posted until it is taken."""

    def __init__(self):
        self.posted = []

    def post(self, *updates):
        self.posted.extend(updates)

    def take(self):
        posted, self.posted = self.posted, []
        return posted


@pytest.fixture
def debugger():
    return Debugger(decode(SPEC))


@pytest.fixture
def mailbox():
    return Mailbox()


@pytest.fixture
def publisher(mailbox):
    return Publisher(mailbox)


def kinds(updates):
    return {type(update) for update in updates}


def test_the_first_moment_brings_everything_and_the_same_one_only_its_snapshot(
    publisher, mailbox, debugger
):
    publisher.publish(debugger, DOCUMENT)
    assert kinds(mailbox.take()) == {
        DocumentUpdate,
        BranchesUpdate,
        GhostsUpdate,
        BreaksUpdate,
        SnapshotUpdate,
    }
    publisher.publish(debugger, DOCUMENT)
    assert kinds(mailbox.take()) == {SnapshotUpdate}


def test_a_changed_value_is_posted_again(publisher, mailbox, debugger):
    publisher.publish(debugger, DOCUMENT)
    mailbox.take()
    debugger.branches.rename(0, "first")
    publisher.series.want("plots", ("loss/loss",))
    publisher.publish(debugger, Document("square", modified=True))
    updates = mailbox.take()
    assert kinds(updates) == {DocumentUpdate, BranchesUpdate, SeriesUpdate, SnapshotUpdate}
    (branches,) = [update.branches for update in updates if isinstance(update, BranchesUpdate)]
    assert [branch.name for branch in branches] == ["first"]


def test_ghosts_are_the_other_branches_from_their_fork_on(publisher, mailbox, debugger):
    debugger.iterate(2)
    debugger.what_if(5, set={"optimizer.lr": 0.5})
    publisher.ghost_columns = ("loss/loss",)
    publisher.publish(debugger, DOCUMENT)
    (update,) = [found for found in mailbox.take() if isinstance(found, GhostsUpdate)]
    assert list(update.ghosts) == [1]
    assert update.ghosts[1].curves["loss/loss"][1].tolist() == [64.0, 16.0]


def test_ghosts_are_of_the_latest_branches_and_the_others_are_counted(publisher, mailbox, debugger):
    debugger.iterate(2)
    for number in range(module.MOST_GHOSTS + 2):
        debugger.what_if(5, set={"optimizer.lr": 0.1 + number / 100})
    publisher.ghost_columns = ("loss/loss", "element/x[]")
    publisher.publish(debugger, DOCUMENT)
    (update,) = [found for found in mailbox.take() if isinstance(found, GhostsUpdate)]
    assert list(update.ghosts) == list(range(3, module.MOST_GHOSTS + 3))
    assert update.left_out == 2
    publisher.ghost_columns = ()
    publisher.publish(debugger, DOCUMENT)
    (update,) = [found for found in mailbox.take() if isinstance(found, GhostsUpdate)]
    assert (dict(update.ghosts), update.left_out) == ({}, 0)


def test_of_long_branches_only_the_first_columns_are_read(
    publisher, mailbox, debugger, monkeypatch
):
    debugger.iterate(40)
    debugger.what_if(5, set={"optimizer.lr": 0.1})
    publisher.ghost_columns = ("loss/loss", "norm/x", "norm/x.grad")
    for points, read in ((100, publisher.ghost_columns[:2]), (1, publisher.ghost_columns[:1])):
        monkeypatch.setattr(module, "MOST_GHOST_POINTS", points)
        publisher._ghosts = None
        publisher.publish(debugger, DOCUMENT)
        (update,) = [found for found in mailbox.take() if isinstance(found, GhostsUpdate)]
        assert tuple(update.ghosts[1].curves) == read


def test_nothing_is_read_while_there_is_one_branch(publisher, mailbox, debugger, monkeypatch):
    debugger.iterate(2)
    monkeypatch.setattr(module, "curves_of", None)  # a call would fail
    publisher.ghost_columns = ("loss/loss",)
    publisher.publish(debugger, DOCUMENT)
    mailbox.take()
    debugger.iterate(1)
    publisher.publish(debugger, DOCUMENT)
    assert not [found for found in mailbox.take() if isinstance(found, GhostsUpdate)]


def test_a_branch_without_an_iteration_of_its_own_is_no_ghost(publisher, mailbox, debugger):
    debugger.iterate(2)
    debugger.apply(Forward())
    debugger.seek(8)
    debugger.iterate(1)
    publisher.ghost_columns = ("loss/loss",)
    publisher.publish(debugger, DOCUMENT)
    (update,) = [found for found in mailbox.take() if isinstance(found, GhostsUpdate)]
    assert len(debugger.branches) == 2
    assert list(update.ghosts) == []


def test_the_reason_of_a_stop_lasts_until_something_else_is_done(publisher, mailbox, debugger):
    debugger.apply(Forward())
    publisher.stopped(debugger, StopReason.done(1, 1))
    publisher.publish(debugger, DOCUMENT)
    (stopped,) = [found.breaks for found in mailbox.take() if isinstance(found, BreaksUpdate)]
    assert stopped.kind == "iterations"
    debugger.apply(Forward())
    publisher.publish(debugger, DOCUMENT)
    (after,) = [found.breaks for found in mailbox.take() if isinstance(found, BreaksUpdate)]
    assert (after.kind, after.sentence) == ("", "")


def test_progress_is_posted_now_and_then_and_at_the_end(publisher, mailbox, monkeypatch):
    monkeypatch.setattr(module, "PROGRESS_S", 3600.0)
    for done in range(1, 6):
        publisher.progress(done, 5)
    assert mailbox.take() == [ProgressUpdate(1, 5), ProgressUpdate(5, 5)]
