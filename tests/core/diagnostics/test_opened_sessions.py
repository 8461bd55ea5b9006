"""What is found on the branches of a session that is opened again."""

import pytest

from gradstep.debugger import Debugger
from gradstep.program.operation import Freeze, RebuildModule

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
