"""Recordings of scripts are compared: the first value that differs, its line, and the sources."""

from __future__ import annotations

import pytest

from gradstep.debugger import Debugger
from gradstep_gui.cli import main

pytestmark = pytest.mark.slow

TRAINING = """\
import sys
import torch
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.manual_seed(int(sys.argv[1]))
for step in range(4):
    optimizer.zero_grad()
    x = torch.randn(8, 3)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    for parameter in model.parameters():
        parameter.grad.fill_(float(sys.argv[2]) if step > 1 else 0.5)
    optimizer.step()
"""


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Record the script; return the name of the session."""
    monkeypatch.chdir(tmp_path)

    def record(name, *arguments, text=TRAINING, script="train.py"):
        (tmp_path / script).write_text(text)
        main(["record", "--stand-in", "-o", f"{name}.gradstep", script, *arguments])
        return f"{name}.gradstep"

    return record


def compared(capfd, *files):
    capfd.readouterr()
    status = main(["compare", *files])
    return status, capfd.readouterr().out.splitlines()


def test_two_runs_of_one_script_are_the_same(record, capfd):
    files = record("a", "1", "0.5"), record("b", "1", "0.5")
    status, lines = compared(capfd, *files)
    assert status == 0
    assert lines[2] == "No value differs in the 20 Events that both have."


def test_a_changed_line_is_shown_and_moved_lines_are_no_difference(record, capfd):
    changed = TRAINING.replace("lr=0.1", "lr=0.2").replace("model =", "# slower\nmodel =")
    files = record("a", "1", "0.5"), record("b", "1", "0.5", text=changed)
    status, lines = compared(capfd, *files)
    assert status == 1
    steps = "after Event 5 (Step optimizer train.py:14 and Step optimizer train.py:15)"
    assert "They diverge at Step #5 (model.weight)." in lines[2]
    assert f"model.weight[0, 0] differs first, {steps}: " in lines[3]
    assert "train.py differs first in line 4: `model = torch.nn.Linear(3, 1)` and `# slower`." in (
        lines
    )
    assert not any("Operations diverge" in line for line in lines)


def test_ranks_with_other_data_part_where_their_parameters_do(record, capfd):
    files = record("rank0", "1", "0.5"), record("rank1", "2", "0.75")
    status, lines = compared(capfd, *files)
    assert status == 1
    one, two = (Debugger.open(file) for file in files)
    for debugger in (one, two):
        debugger.seek(15)
    values = [
        float(item.program.tensors["model.weight"].detach().numpy()[0, 0]) for item in (one, two)
    ]
    (line,) = [line for line in lines if line.startswith("The parameters")]
    start, _, end = line.partition(": ")
    assert start == "The parameters diverge at Event 15 (Step optimizer train.py:14)"
    words = end.split()
    assert words[:2] == ["model.weight[0,", "0]"]
    assert [round(float(words[at]), 6) for at in (3, 7)] == [round(value, 6) for value in values]
    assert end.endswith("Before it, model.weight.grad[0, 0] was 0.5 and 0.75.")


def test_parameters_that_part_with_equal_gradients_are_said_to(record, capfd):
    slower = TRAINING.replace("lr=0.1", "lr=0.05")
    files = record("a", "1", "0.5"), record("b", "1", "0.5", text=slower)
    _, lines = compared(capfd, *files)
    (line,) = [line for line in lines if line.startswith("The parameters")]
    assert line.endswith(
        "Before it, model.weight.grad was equal: the optimizer's state or options differ."
    )


def test_ranks_whose_parameters_stay_equal_are_said_to(record, capfd):
    files = record("rank0", "1", "0.5"), record("rank1", "2", "0.5")
    _, lines = compared(capfd, *files)
    assert "The parameters are equal after the last Step." in lines
