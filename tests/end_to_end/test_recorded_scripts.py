"""People's own scripts, recorded with torch, are read back without it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep_gui.cli import main
from tests.gradstep_agent.test_scripts import ARGUMENTS, GIVEN

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPTS = sorted((Path(__file__).parents[1] / "gradstep_agent" / "scripts").glob("*.py"))

FORGOTTEN = """
import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(5):
    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
    loss.backward()
    optimizer.step()
print("weight", model.weight.tolist())
"""


def record(script, folder, *more, words=(), given=""):
    """Run `gradstep record` in a folder; return the process, which wrote run.gradstep."""
    command = [sys.executable, "-m", "gradstep_gui", "record", str(script), "--python"]
    return subprocess.run(
        [*command, sys.executable, "-o", "run.gradstep", *more, "--", *words],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_session_of_a_script_opens_and_replays(script, tmp_path):
    words, given = ARGUMENTS.get(script.stem, ()), GIVEN.get(script.stem, "")
    done = record(script, tmp_path, "--json", words=words, given=given)
    summary = json.loads(done.stdout[done.stdout.rindex("\n{") :])
    debugger = Debugger.open(tmp_path / "run.gradstep")
    facts = [item for item in debugger.findings if item.severity == "fact"]
    assert done.returncode == (1 if facts else summary["status"])
    events = [(event.operation, event.checksum) for event in debugger.events]
    for event in (0, len(events), len(events) // 2, len(events)):
        debugger.seek(event)
    assert [(event.operation, event.checksum) for event in debugger.events] == events


def test_a_forgotten_zero_grad_is_found_at_its_line(tmp_path):
    (tmp_path / "train.py").write_text(FORGOTTEN)
    done = record("train.py", tmp_path, "--json")
    found = json.loads(done.stdout.split("\n", 1)[1])
    assert done.returncode == 1
    assert (found["events"], found["iterations"], found["status"]) == (15, 5, 0)
    assert [item["id"] for item in found["findings"]] == ["grad-accumulated"]


def test_the_recorded_weights_are_the_scripts_own(tmp_path):
    (tmp_path / "train.py").write_text(FORGOTTEN)
    done = record("train.py", tmp_path)
    debugger = Debugger.open(tmp_path / "run.gradstep")
    printed = json.loads(done.stdout.removeprefix("weight "))
    recorded = debugger.program.tensors["model.weight"].detach().numpy()
    assert np.array_equal(recorded, np.array(printed, np.float32))


def test_reports_and_pictures_need_no_torch(tmp_path):
    (tmp_path / "train.py").write_text(FORGOTTEN)
    record("train.py", tmp_path)
    probe = (
        "import sys\n"
        "from gradstep_gui.cli import main\n"
        "status = main(['report', 'run.gradstep'])\n"
        "assert 'torch' not in sys.modules\n"
        "assert main(['--screenshot', 'run.png', 'run.gradstep']) == 0\n"
        "assert 'torch' not in sys.modules\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run([sys.executable, "-c", probe], cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert (tmp_path / "run.png").stat().st_size > 10_000


def test_two_recordings_are_compared_by_their_first_difference(tmp_path, capsys):
    for name, text in (("a", FORGOTTEN), ("b", FORGOTTEN.replace("lr=0.01", "lr=0.02"))):
        (tmp_path / f"{name}.py").write_text(text)
        record(f"{name}.py", tmp_path)
        (tmp_path / "run.gradstep").rename(tmp_path / f"{name}.gradstep")
    assert main(["compare", str(tmp_path / "a.gradstep"), str(tmp_path / "b.gradstep")]) == 1
    assert "model.weight" in capsys.readouterr().out
