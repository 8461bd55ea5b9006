"""What is found on the branches of a session that is opened again."""

import pytest

from gradstep.debugger import Debugger
from gradstep.program.operation import Freeze, RebuildModule, SetHyperparameter

MOMENTUM = {"kind": "SGD", "params": ["model.*"], "lr": 0.1, "momentum": 0.9}


@pytest.fixture
def opened(make, tmp_path):
    """A session of two branches, of which only the second has a mistake, at Events 9 and 10."""
    dbg = make(optimizers={"optimizer": MOMENTUM})
    dbg.iterate(4)
    dbg.seek(8)
    dbg.zero_grad(set_to_none=False)
    dbg.step()
    dbg.save(tmp_path / "two.gradstep")
    return Debugger.open(tmp_path / "two.gradstep")


MOVED = {"moved-without-gradient": (9, 10)}


def test_what_only_values_show_is_kept_in_the_session(opened, found):
    assert found(opened) == MOVED


def test_a_fact_of_one_branch_is_not_reported_on_another(opened, found):
    opened.checkout(0)
    assert found(opened) == {}
    opened.checkout(1)
    assert found(opened) == MOVED


def test_a_fact_is_not_inherited_by_a_fork_that_leaves_before_it(opened, found):
    opened.seek(9)
    for _ in range(3):
        opened.forward()
    assert len(opened.events) > 10
    assert "moved-without-gradient" not in found(opened)


def test_what_optimizers_hold_is_found_at_the_event_that_changed_it(make, found, tmp_path):
    dbg = make()
    dbg.iterate(1)
    dbg.apply(RebuildModule("model"))
    dbg.apply(Freeze("*"))
    dbg.step()
    recorded = found(dbg)
    dbg.save(tmp_path / "stale.gradstep")
    opened = Debugger.open(tmp_path / "stale.gradstep")
    assert found(opened) == recorded
    assert recorded["optimizer-stale"] == (5, 7)
    opened.seek(6)
    assert found(opened) == {}


@pytest.fixture
def branched(make):
    """Three branches: two with facts that only values show, again and again; one too slow."""
    dbg = make(optimizers={"optimizer": MOMENTUM})
    for _ in range(2):
        dbg.iterate(3)
        dbg.apply(Freeze("model.0.*"))
        for _ in range(3):
            dbg.zero_grad(set_to_none=False)
            dbg.step()
        dbg.apply(Freeze("model.0.*", frozen=False))
        dbg.iterate(30)
        dbg.seek(16)
    dbg.seek(0)
    dbg.apply(SetHyperparameter("lr", 1e-7))
    dbg.iterate(125)
    return dbg


def findings_everywhere(debugger):
    """Return every finding at several moments of every branch, with all its occurrences."""
    found = {}
    for branch in list(debugger.branches):
        debugger.checkout(branch)
        for event in (*range(0, len(branch.history), 7), len(branch.history)):
            debugger.seek(event)
            found[branch.id, event] = debugger.findings
        found[branch.id] = [
            (item.id, item.subjects, item.events.tolist()) for item in debugger.snapshot.occurrences
        ]
    return found


def test_every_branch_has_the_same_findings_at_every_moment(branched, tmp_path):
    branched.save(tmp_path / "one.gradstep")
    recorded = findings_everywhere(branched)
    assert len(branched.branches) == 3
    ids = {item.id for found in recorded.values() for item in found if hasattr(item, "id")}
    assert ids >= {"moved-without-gradient", "frozen-but-moved", "small-steps"}
    assert findings_everywhere(Debugger.open(tmp_path / "one.gradstep")) == recorded


def test_the_findings_of_branches_that_were_not_looked_at_are_saved_again(branched, tmp_path):
    recorded = findings_everywhere(branched)
    branched.checkout(1)
    for name in ("one.gradstep", "two.gradstep"):
        branched.save(tmp_path / name)
        branched = Debugger.open(tmp_path / name)
    assert findings_everywhere(branched) == recorded


def test_a_branch_that_continues_after_opening_adds_to_its_findings(branched, tmp_path):
    branched.checkout(0)
    branched.save(tmp_path / "one.gradstep")
    opened = Debugger.open(tmp_path / "one.gradstep")
    for debugger in (branched, opened):
        debugger.iterate(4)
        debugger.zero_grad(set_to_none=False)
        debugger.step()
    assert opened.findings == branched.findings


def test_what_a_killed_process_recorded_is_analyzed_when_it_is_opened(branched, tmp_path):
    recorder = branched.record_to(tmp_path / "killed.gradstep")
    for event in (20, 16):  # branches that the recording did not have at first
        branched.checkout(1)
        branched.seek(event)
        branched.zero_grad()
        branched.step()
    found = findings_everywhere(branched)
    recorder.close()
    opened = Debugger.open(tmp_path / "killed.gradstep")
    assert findings_everywhere(opened) == found
