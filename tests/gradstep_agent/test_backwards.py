"""Which leaves a Backward reaches is reported also where the graphs of one line differ."""

from __future__ import annotations

import pytest

from tests.gradstep_agent.client import record

pytestmark = [pytest.mark.torch, pytest.mark.slow]

NETWORKS = """
import torch
from torch import nn

torch.set_num_threads(1)
a, b = nn.Linear(2, 1), nn.Linear(2, 1)


def train(net):
    loss = net(torch.ones(3, 2)).pow(2).mean()
    loss.backward()


"""


@pytest.fixture
def recorded(tmp_path):
    """Return a function that records a script at the level of events."""

    def run(text):
        path = tmp_path / "train.py"
        path.write_text(NETWORKS + text)
        found = record(path, level="events")
        assert (found.of("failed"), found.status) == ([], 0)
        return found

    return run


def leaves(run):
    """Return the network that each Backward says that it reaches; "" for one that does not."""
    backwards = [event for event in run.events if event.kind == "backward"]
    told = [event.place["detail"].get("leaves") for event in backwards]
    return ["" if names is None else names[0].partition(".")[0] for names in told]


def test_a_backward_of_the_same_leaves_does_not_repeat_them(recorded):
    run = recorded("for _ in range(9):\n    train(a)")
    assert leaves(run) == [""] * 9
    assert len(run.of("graph")) == 1


def test_networks_by_turns_are_told_apart(recorded):
    run = recorded("for _ in range(9):\n    for net in (a, b):\n        train(net)")
    assert leaves(run) == ["", "b", *["a", "b"] * 8]
    assert len(run.of("graph")) == 2


def test_a_network_is_noticed_that_comes_from_another_line_and_rarely(recorded):
    run = recorded("for _ in range(3):\n    for _ in range(5):\n        train(a)\n    train(b)")
    told = leaves(run)
    assert [number for number, name in enumerate(told) if name == told[5]] == [5, 11, 17]
    assert len({*told[6:11], *told[12:17]}) == 1


def test_layers_that_are_left_out_at_random_are_not_told_apart_for_ever(recorded):
    text = """
layers = nn.ModuleList(nn.Linear(1, 1) for _ in range(8))
for number in range(256):
    x = torch.ones(3, 1)
    for place, layer in enumerate(layers):
        x = layer(x) if number >> place & 1 else x
    (x.sum() + a.weight.sum()).backward()
"""
    run = recorded(text)
    assert 90 < len(run.of("graph")) < 110
    assert leaves(run)[-9:] == [""] * 9
