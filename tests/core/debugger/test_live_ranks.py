"""The ranks of a script are held together, and the Debugger shows any of them."""

from __future__ import annotations

import numpy as np
import pytest

from gradstep.debugger.live_ranks import LiveRanks
from gradstep.errors import OperationError
from gradstep.program.operation import Backward, SetHyperparameter
from tests.core.script.started_ranks import started

SCRIPT = """
import os, sys
import gradstep_torch as torch
rank = int(os.environ["RANK"])
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = model(torch.full((3, 2), 1.0 + rank)).sum()
    loss.backward()
    if sys.argv[1] == "averages":
        for one in model.parameters():
            one.grad.fill_(1.0)
    if sys.argv[1] == "fails" and rank == 1 and step == 1:
        raise ValueError("no batch")
    optimizer.step()
"""


@pytest.fixture
def live(tmp_path, request):
    grown = []
    with started(tmp_path, SCRIPT, request.param) as group:
        live = LiveRanks(group, grown.append)
        live.grown = grown
        yield live


def step(live, count=1):
    for _ in range(count):
        live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))


averages = pytest.mark.parametrize("live", ["averages"], indirect=True)


@averages
def test_all_are_held_before_the_first_operation(live):
    first, second = live.records()
    assert (first.number, first.state, first.place, first.at) == (
        *(0, "held", "Zero Grad #1"),
        "train.py:9",
    )
    assert (second.number, second.state, second.place) == (1, "held", "Zero Grad #1")
    assert (first.is_shown, second.is_shown) == (True, False)
    assert first.pid != second.pid
    assert live.is_running


@averages
def test_sound_ranks_are_equal_after_each_step(live):
    step(live, 10)
    first, second = live.records()
    assert (first.event, second.event) == (10, 10)
    assert (second.compared, second.divergence) == (2, None)
    assert first.parameter_norm == second.parameter_norm
    assert second.loss != first.loss


@pytest.mark.parametrize("live", ["alone"], indirect=True)
def test_ranks_that_do_not_average_part_at_the_first_step(live):
    step(live, 4)
    found = live.records()[1].divergence
    assert (found.step, found.event, found.at) == (1, 4, "train.py:17")
    assert (found.gradient.a, found.gradient.b) == ("3.0", "6.0")
    assert live.records(with_norms=False)[1].divergence == found


@averages
def test_another_rank_is_shown_at_the_same_event_with_breakpoints_and_watches(live):
    step(live, 3)
    debugger = live.debugger
    spec = debugger.break_when("loss > 100").spec
    debugger.watch("loss")
    losses = {}
    for number in (1, 0, 1):
        shown = live.show(number)
        assert shown is live.debugger
        assert live.shown == number
        assert shown.position == (3, None)
        assert [(point.id, point.spec) for point in shown.breakpoints] == [(1, spec)]
        assert [watch.expression for watch in shown.watches] == ["loss"]
        losses[number] = shown.snapshot.losses["loss"]
    assert losses[0] != losses[1]
    live.debugger.seek(1)
    assert live.show(0).position == (1, None)


@averages
def test_what_the_shown_rank_does_all_do_and_what_was_not_shown_is_there(live):
    step(live, 2)
    live.show(1)
    step(live, 6)  # it has new tensors meanwhile
    live.show(0)
    assert len(live.debugger.events) == 8
    assert isinstance(live.debugger.events[-1].operation, Backward)
    live.carry_out(lambda debugger: debugger.run())
    assert [record.status for record in live.records()] == [0, 0]
    found = live.debuggers()
    assert [len(debugger.events) for debugger in found.values()] == [15, 15]
    weights = [debugger.program.tensors["model.weight"].tolist() for debugger in found.values()]
    assert weights[0] == weights[1]


@averages
def test_a_change_is_made_in_all_ranks_but_not_in_the_past(live):
    step(live, 5)
    change = SetHyperparameter("lr", 0.5, out_of_loop=True)
    live.carry_out(lambda debugger: debugger.apply(change))
    step(live, 5)
    assert [record.divergence for record in live.records()] == [None, None]
    before, after = (live.debuggers()[1].events[index].operation for index in (5, 6))
    assert isinstance(before, SetHyperparameter)
    assert not isinstance(after, SetHyperparameter)
    live.debugger.seek(3)
    assert "because its ranks run together" in live.debugger.program.abilities.edit
    with pytest.raises(OperationError):
        live.carry_out(lambda debugger: debugger.apply(change))


@pytest.mark.parametrize("live", ["fails"], indirect=True)
def test_a_rank_that_fails_is_told_with_its_traceback(live):
    step(live, 8)
    first, second = live.records()
    assert (first.state, second.state) == ("held", "ended")
    assert (second.status, second.error) == (1, "ValueError: no batch (train.py:16)")
    assert second.traceback.endswith('    raise ValueError("no batch")\nValueError: no batch\n')
    assert second.is_first_failure
    assert not first.is_first_failure
    step(live)
    assert [record.event for record in live.records()] == [9, 7]
    assert np.isfinite(first.parameter_norm)
