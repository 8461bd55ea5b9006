"""The modes of modules are reported with the line that sets them, for all that is in them."""

from __future__ import annotations

import pytest

from tests.gradstep_agent.client import plain, record

pytestmark = [pytest.mark.torch, pytest.mark.slow]

NETWORK = """
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(self.body(x))


x = torch.ones(4, 2)
model = Net()
model(x)
"""


@pytest.fixture
def recorded(tmp_path):
    """Return a function that records a script about a network, which prints what it did alone."""

    def run(text, **options):
        path = tmp_path / "train.py"
        path.write_text(NETWORK + text)
        alone, found = plain(path), record(path, **options)
        assert found.of("failed") == []
        assert (found.status, found.out, found.err) == (alone.status, alone.out, alone.err)
        return found

    return run


def modes(run):
    """Return the modes that were reported, each with what stands in its line."""
    lines = [*NETWORK.splitlines(), *run.lines]
    return [
        (frame["name"], frame["modes"], lines[frame["line"] - 1].strip())
        for frame in run.of("modes")
    ]


def reported(recorded, text):
    run = recorded(text)
    run.lines = text.splitlines()
    return modes(run)


def test_a_mode_is_reported_once_and_only_where_it_changes(recorded):
    text = (
        "for _ in range(3):\n    model.train()\n    model(x)\nmodel.eval()\nmodel.eval()\nmodel(x)"
    )
    assert reported(recorded, text) == [("model", [["", False]], "model.eval()")]


BY_HAND = """
for _ in range(2):
    model.train()
    model(x).sum().backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
            p.grad = None
    model.eval()
    model(x)
"""


def test_what_is_changed_by_hand_before_a_mode_is_set_is_reported_before_it(recorded):
    run = recorded(BY_HAND)
    before, last = 0, []
    for header in run.frames:
        if header["type"] == "rows":
            before += header["count"]
        elif header["type"] == "modes" and header["modes"] == [["", False]]:
            last.append(run.events[before - 1].kind)
    assert last == ["clear_by_hand"] * 2


def test_so_it_is_where_a_part_is_called_next(recorded):
    text = "model.eval()\nmodel.body(x)\nmodel.train()\nmodel.head(model.body(x))"
    assert reported(recorded, text) == [
        ("model", [["", False]], "model.eval()"),
        ("model", [["", True]], "model.train()"),
        ("model.body", [["", True]], "model.train()"),
    ]


def test_a_mode_that_is_changed_back_before_the_next_operation_is_not_reported(recorded):
    assert reported(recorded, "model.eval()\nmodel.train()\nmodel(x)") == []


def test_parts_that_stay_in_another_mode_are_reported_with_the_whole(recorded):
    text = "model.eval(); model(x)\nmodel.train()\nmodel.body[1].eval()\nmodel(x)"
    assert reported(recorded, text)[1:] == [
        ("model", [["", True], ["body.1", False]], "model.train()")
    ]


OWN_TRAIN = """
class Frozen(Net):
    def train(self, mode=True):
        super().train(mode)
        self.body[1].eval()
        return self


net = Frozen()
net(x)
net.train()
net(x)
net.eval()
net(x)
"""


def test_a_train_of_the_scripts_own_is_reported_where_it_is_called(recorded):
    assert reported(recorded, OWN_TRAIN) == [
        ("net", [["", True], ["body.1", False]], "net.train()"),
        ("net", [["", False]], "net.eval()"),
    ]


def test_a_mode_that_is_set_while_a_closure_runs_is_reported_before_its_step(recorded):
    text = """
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def closure():
    model.eval()
    loss = model(x).sum()
    loss.backward()
    return loss
optimizer.step(closure)
"""
    run = recorded(text)
    kinds = [frame["type"] for frame in run.frames]
    step = next(frame for frame in run.of("place") if frame["kind"] == "step")
    assert kinds.index("modes") < run.frames.index(step)
    assert [frame["modes"] for frame in run.of("modes")] == [[["", False]]]


def test_a_copy_and_a_module_that_was_never_called_are_not_reported(recorded):
    text = "import copy\nother = copy.deepcopy(model).eval()\nNet().eval()\nmodel(x)\nother(x)"
    assert reported(recorded, text) == []


def test_a_mode_that_is_set_in_another_thread_is_known_at_the_next_call(recorded):
    text = """
import threading
thread = threading.Thread(target=model.eval)
thread.start()
thread.join()
model(x)
"""
    run = recorded(text)
    assert run.of("modes") == []
    assert run.events[-1].place["detail"]["training"] is False


def test_a_mode_that_is_no_mode_raises_what_it_raises_alone(recorded):
    run = recorded("model.train(3)")
    assert "ValueError: training mode is expected to be boolean" in run.err


def test_a_module_that_is_compiled_by_torchscript_is_put_in_modes_as_before(recorded):
    text = "compiled = torch.jit.trace(model.eval(), x)\nprint(compiled.train().training)\nmodel(x)"
    assert reported(recorded, text) == [("model", [["", False]], text.splitlines()[0])]


@pytest.mark.parametrize("level", ["events", "series"])
def test_so_they_are_at_every_level(recorded, level):
    run = recorded("model.eval()\nmodel(x)", level=level)
    assert [frame["modes"] for frame in run.of("modes")] == [[["", False]]]
