"""The variables of a script are known where it is held, and nowhere else."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.debugger.variable_reader import MOST_ELEMENTS
from gradstep.errors import ScriptError
from gradstep.history.records.variables import FrameRecord
from gradstep.program.gallery import scenarios
from gradstep.script.command import ScriptCommand
from gradstep.script.frames import Variable, Variables, decode_header
from gradstep.script.mirror import Mirror
from gradstep.script.process import ScriptProcess
from tests.core.script.held_script import HeldScript
from tests.core.script.sent_frames import descent, take

FRAMES = [("step", "/home/ada/train.py", 7), ("<module>", "/home/ada/train.py", 12)]
SCRIPT = """
import torch
import math
from math import sqrt

class Box:
    def __repr__(self):
        raise AssertionError("no code of the user is run")

class Trainer:
    def __init__(self):
        torch.manual_seed(0)
        self.model = torch.nn.Linear(3, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def step(self, x, rate=0.5):
        box, words = Box(), ["a", "b"]
        boxes, nothing = [Box(), Box()], None
        self.optimizer.zero_grad()
        out = self.model(x)
        loss = out.square().mean()
        loss.backward()
        weight = self.model.weight
        self.optimizer.step()

trainer = Trainer()
big = torch.arange(100_000.0)
for i in range(2):
    trainer.step(torch.ones(4, 3))
"""


def held(*variables, frame=0):
    return Variables(frame=frame, frames=FRAMES, variables=list(variables))


@pytest.fixture
def script():
    made = HeldScript(descent(2))
    made.held_arrays = {
        "@0/loss": np.array(2.5, np.float32),
        "@0/x": np.arange(100, dtype=np.float32).reshape(10, 10),
        "@0/x.grad": np.ones((10, 10), np.float32),
        "@0/huge": np.zeros(MOST_ELEMENTS + 10, np.float32),
    }
    made.held_variables = {
        0: held(
            Variable("i", "int", "3"),
            Variable("loss", "Tensor", "float32", "@0/loss", [], True),
            Variable("x", "Tensor", "float32", "@0/x", [10, 10], True, True),
        ),
        1: held(Variable("epochs", "int", "5"), frame=1),
    }
    return made


def test_frames_and_variables_are_read_and_small_tensors_with_their_values(script):
    live = LiveScript(script)
    found = live.debugger.variables.read()
    assert found.frames == tuple(FrameRecord(*frame) for frame in FRAMES)
    assert [(item.name, item.kind, item.text) for item in found.variables] == [
        ("i", "int", "3"),
        ("loss", "Tensor", "float32"),
        ("x", "Tensor", "float32"),
    ]
    assert found.variables[1].value.minimum == 2.5
    assert found.variables[2].value is None
    assert (found.variables[2].shape, found.variables[2].has_grad) == ((10, 10), True)
    assert [item.name for item in live.debugger.variables.read(1).variables] == ["epochs"]


def test_a_tensor_and_its_gradient_are_fetched_and_of_a_large_one_the_beginning(script):
    variables = LiveScript(script).debugger.variables
    values = variables.values("@0/x", (10, 10))
    assert (values.record.shape, values.record.maximum, values.record.mean) == ((10, 10), 99, 49.5)
    assert variables.values("@0/x.grad", (10, 10)).record.array.sum() == 100
    huge = variables.values("@0/huge", (MOST_ELEMENTS + 10,))
    assert huge.record.shape == (MOST_ELEMENTS,)
    assert variables.values("@0/gone", (2,)).record is None


def test_what_is_opened_is_asked_for_with_the_path_of_each_row(script):
    script.held_variables[0] = held(
        Variable("self", "Trainer", "", depth=0, can_open=True),
        Variable(".groups", "list", "1 item", depth=1, can_open=True),
        Variable("[0]", "Tensor", "float32", "@0/self.groups[0]", [2], depth=2),
        Variable(".rate", "float", "0.5", depth=1),
        Variable("i", "int", "3", depth=0),
        Variable("odd", "int", "3", depth=9),  # deeper than anything that could hold it
    )
    script.held_arrays["@0/self.groups[0]"] = np.array([4, 5], np.float32)
    opened = {"self", "self.groups", "x" * 3000, *(f"y{i}" for i in range(300))}
    found = LiveScript(script).debugger.variables.read(0, opened)
    assert [(item.path, item.depth, item.can_open) for item in found.variables] == [
        ("self", 0, True),
        ("self.groups", 1, True),
        ("self.groups[0]", 2, False),
        ("self.rate", 1, False),
        ("i", 0, False),
        ("iodd", 1, False),
    ]
    assert found.variables[2].value.maximum == 5
    (asked,) = script.asked
    assert (len(asked), asked[:3]) == (201, (0, "self", "self.groups"))


def test_elsewhere_it_says_where_they_are_known(script):
    live = LiveScript(script)
    live.carry_out(lambda debugger: debugger.iterate(1))
    live.debugger.seek(2)
    assert "only where the script is held" in live.debugger.variables.read().obstacle
    assert live.debugger.variables.values("@0/x", (10, 10)).record is None
    live.debugger.seek(4)
    assert live.debugger.variables.read().obstacle == ""
    live.carry_out(lambda debugger: debugger.run())
    assert "has ended" in live.debugger.variables.read().obstacle
    assert "are not recorded" in Debugger(Mirror(take(descent(1).stream))).variables.read().obstacle
    program = Debugger.open(scenarios()[0].path)
    assert "are in Parameters" in program.variables.read().obstacle
    assert script.asked == [(0,)]


@pytest.mark.parametrize(
    "variables",
    [
        [["x", "Tensor", "float32", "@0/x", [-1]]],
        [["x", "Tensor"]],
        [["x", "int", "3", "", [], False, False, "more"]],
        [["x" * 300, "int", "3"]],
        [["x", "int", "3" * 5000]],
        [["x", "int", "3"]] * 1001,
        [["x", "int", "3", "", [1] * 40]],
        [["x", "int", "3", "", [], False, False, 33, False]],
        [["x", "int", "3", "", [], False, False, -1, False]],
        {"x": 3},
    ],
)
def test_an_answer_that_is_none_is_rejected(variables):
    header = {"type": "variables", "frame": 0, "frames": [], "variables": variables}
    with pytest.raises(ScriptError, match="invalid message"):
        decode_header(json.dumps(header).encode())
    with pytest.raises(ScriptError, match="invalid message"):
        decode_header(json.dumps({**header, "variables": [], "frames": [["f", "g"]]}).encode())


@pytest.fixture
def live(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    command = ScriptCommand(str(path), (), is_stand_in=True)
    started = LiveScript(ScriptProcess(command, share=0, goes_on=False))
    yield started
    started.process.end()


@pytest.mark.slow
def test_a_script_is_asked_and_runs_none_of_its_own_code_for_it(live):
    live.carry_out(lambda debugger: debugger.run_until("event == 3"))
    found = live.debugger.variables.read()
    assert [(frame.function, frame.line) for frame in found.frames] == [
        ("step", 24),
        ("<module>", 29),
    ]
    rows = {item.name: item for item in found.variables}
    assert {name: (item.kind, item.text) for name, item in rows.items()} == {
        "self": ("Trainer", ""),
        "x": ("Tensor", "float32"),
        "rate": ("float", "0.5"),
        "box": ("Box", ""),
        "words": ("list", "['a', 'b']"),
        "boxes": ("list", "2 items"),
        "nothing": ("NoneType", "None"),
        "out": ("Tensor", "float32"),
        "loss": ("Tensor", "float32"),
        "weight": ("Parameter", "float32"),
    }
    assert rows["loss"].value.minimum == pytest.approx(live.debugger.events[-1].loss or 0.0, abs=9)
    assert (rows["weight"].requires_grad, rows["weight"].has_grad) == (True, True)
    gradient = live.debugger.variables.values("@0/weight.grad", (2, 3)).record
    expected = live.debugger.program.tensors["model.weight"].grad.tolist()
    assert gradient.array.tolist() == pytest.approx(np.array(expected))
    opened = live.debugger.variables.read(0, ["self", "self.model", "boxes", "words"]).variables
    rows = {item.path: item for item in opened}
    assert rows["self.model.weight"].address == "@0/self.model.weight"
    assert rows["self.model.weight"].value.array.shape == (2, 3)
    assert (rows["words[1]"].text, rows["boxes[0]"].kind) == ("'b'", "Box")
    assert (rows["self.optimizer"].can_open, rows["words[1]"].can_open) == (True, False)
    outer = {item.name: item for item in live.debugger.variables.read(1).variables}
    assert set(outer) == {"trainer", "big", "i"}
    first = live.debugger.variables.values("@1/big", outer["big"].shape).record
    assert (first.shape, first.maximum) == ((MOST_ELEMENTS,), MOST_ELEMENTS - 1)
    live.carry_out(lambda debugger: debugger.run())
    assert live.process.tape.run.status == 0
