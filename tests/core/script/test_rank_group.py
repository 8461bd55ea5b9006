"""Ranks are let go together, and none that waits for another one hangs the rest."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from gradstep.errors import OperationError
from gradstep.program.operation import SetHyperparameter
from gradstep.script import rank_group
from tests.core.script.started_ranks import is_alive, started

SCRIPT = """
import os, sys, time
import gradstep_torch as torch
rank, how, folder = int(os.environ["RANK"]), sys.argv[1], sys.argv[2]


def meet(name, numbers=(0, 1)):
    open(f"{folder}/{name}.{rank}", "w").close()
    while not all(os.path.exists(f"{folder}/{name}.{number}") for number in numbers):
        time.sleep(0.01)


model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(3, 2)).sum()
    loss.backward()
    optimizer.step()
    if how == "evaluates":
        if rank == 0:
            optimizer.zero_grad(), optimizer.zero_grad()
        meet(f"step{step}")
    if how == "deadlock" and step == 0:
        meet("one" if rank else "other", (0, 1))
"""


@pytest.fixture
def start(tmp_path):
    """Return what starts two ranks of the script, each held before its first Operation."""
    with ExitStack() as stack:

        def start_(how):
            group = stack.enter_context(started(tmp_path, SCRIPT, how, str(tmp_path)))
            group.begin()
            return group

        yield start_


def kinds(group):
    """Return before which kind of Operation each rank is held; None where it is not."""
    held = [rank.held for rank in group.ranks.values()]
    return [None if one is None else one.kind for one in held]


def test_each_does_one_operation(start):
    group = start("plain")
    for kind in ("zero_grad", "forward", "backward", "step", "zero_grad"):
        assert kinds(group) == [kind, kind]
        group.advance(0)


def test_a_run_takes_all_to_the_same_iteration(start):
    group = start("plain")
    while group.shown.held.iteration < 2:
        group.advance(2)
    assert [rank.held.iteration for rank in group.ranks.values()] == [2, 2]
    assert kinds(group) == ["zero_grad", "zero_grad"]


def test_one_that_waits_for_the_shown_one_joins_it_later(start):
    group = start("evaluates")
    for _ in range(4):
        group.advance(0)
    first, second = group.ranks.values()
    assert (first.held.kind, second.held, second.waits, second.is_past) == (
        *("zero_grad", None),
        *(True, True),
    )
    group.advance(0)
    group.advance(0)
    while second.is_under_way:
        group.poll()
    assert first.held.iteration == second.held.iteration == 1
    group.advance(0)
    assert kinds(group) == ["forward", "forward"]


def test_one_that_is_held_is_let_go_on_when_the_shown_one_waits_for_it(start):
    group = start("evaluates")
    group.show(1)
    for _ in range(4):
        group.advance(0)
    first, second = group.ranks.values()
    assert second.held.iteration == 1
    while first.is_under_way:
        group.poll()
    assert kinds(group) == ["zero_grad", "zero_grad"]
    assert first.held.iteration == 1
    group.advance(0)
    assert kinds(group) == ["forward", "forward"]


def test_when_all_wait_the_error_says_where_and_one_can_wait_on(start, monkeypatch, tmp_path):
    monkeypatch.setattr(rank_group, "GIVE_UP_S", 1.0)
    group = start("deadlock")
    for _ in range(3):
        group.advance(0)
    with pytest.raises(OperationError) as raised:
        group.advance(0)
    assert raised.value.message.endswith(
        "rank 0 waits after step optimizer (train.py:19); "
        "rank 1 waits after step optimizer (train.py:19)"
    )
    assert group.shown.process.tape.feed.coming is not None  # so that it can be stepped again
    with pytest.raises(OperationError, match="not held: a change is made in all ranks"):
        group.change(SetHyperparameter("lr", 0.2), {"action": "set_option"}, "")
    (tmp_path / "other.1").touch()
    (tmp_path / "one.0").touch()
    group.advance(0)
    while any(rank.is_under_way for rank in group.ranks.values()):
        group.poll()
    assert kinds(group) == ["zero_grad", "zero_grad"]


def test_what_is_skipped_is_skipped_in_all(start):
    group = start("plain")
    group.skip()
    assert kinds(group) == ["forward", "forward"]
    for rank in group.ranks.values():
        assert type(rank.process.tape.rows[0].operation).__name__ == "Skip"


def test_the_end_leaves_no_process(start):
    group = start("deadlock")
    pids = [rank.pid for rank in group.ranks.values()]
    group.end()
    while group.shown.process.read():
        pass
    assert [pid for pid in pids if is_alive(pid)] == []
