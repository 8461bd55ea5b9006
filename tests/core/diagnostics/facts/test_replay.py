"""The fact that a replay gave other numbers than when it was recorded."""

import pytest

from gradstep.debugger import Debugger
from gradstep.errors import ReplayError
from gradstep.program.operation import Step


@pytest.fixture
def diverging(dbg, monkeypatch):
    """A recording without Checkpoints, on a machine that computes other Steps by now."""
    monkeypatch.setattr(dbg.history, "_is_checkpoint_due", lambda _complete: False)
    dbg.iterate(3)
    run = type(dbg.program).run

    def other(self, operation):
        effect = run(self, operation)
        if isinstance(operation, Step):
            self.tensors["model.0.bias"].data.add_(1e-3)
        return effect

    monkeypatch.setattr(type(dbg.program), "run", other)
    return dbg


def replay_facts(dbg):
    return [(item.id, item.events) for item in dbg.findings if item.severity == "fact"]


def test_a_replay_that_differs_is_reported_where_the_cursor_lands(diverging):
    with pytest.raises(ReplayError, match="Event 4 diverged"):
        diverging.seek(9)
    assert diverging.position == (0, None)
    assert replay_facts(diverging) == [("replay-diverged", (4,))]
    diverging.seek(2)
    assert replay_facts(diverging) == [("replay-diverged", (4,))]


def test_what_diverges_earlier_than_found_before_is_kept_and_the_session_opens_again(
    dbg, tmp_path, monkeypatch
):
    monkeypatch.setattr(dbg.history, "_is_checkpoint_due", lambda _complete: False)
    dbg.iterate(5)
    run, since = type(dbg.program).run, []

    def other(self, operation):
        effect = run(self, operation)
        if isinstance(operation, Step) and self.iteration >= since[-1]:
            self.tensors["model.0.bias"].data.add_(1e-3)
        return effect

    monkeypatch.setattr(type(dbg.program), "run", other)
    for iteration, event in ((3, 12), (1, 4), (2, 8)):
        since.append(iteration)
        dbg.seek(0)
        with pytest.raises(ReplayError, match=f"Event {event} diverged"):
            dbg.seek(18)
    dbg.save(tmp_path / "a.gradstep")
    again = Debugger.open(tmp_path / "a.gradstep")
    for found in (dbg, again):
        found.seek(0)
        (fact,) = [item for item in found.findings if item.id == "replay-diverged"]
        assert (fact.events, fact.count) == ((4,), 1)
        assert "#4 gave other numbers" in fact.detail


def test_a_branch_that_leaves_before_the_divergence_does_not_inherit_it(diverging):
    with pytest.raises(ReplayError):
        diverging.seek(9)
    diverging.seek(2)
    diverging.zero_grad()
    assert replay_facts(diverging) == []
