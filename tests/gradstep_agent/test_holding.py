"""A script that is held, stepped, asked for its tensors, and let go."""

from __future__ import annotations

import struct
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.gradstep_agent.client import Script, plain

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture
def start():
    """Start a script; it ends with the test at the latest."""
    with ExitStack() as running:
        yield lambda *args, **options: running.enter_context(Script(*args, **options))


def values(data):
    return struct.unpack(f"<{len(data) // 4}f", data)


def test_a_held_script_stops_before_each_operation(start):
    script = start(SCRIPTS / "plain_loop.py")
    script.send("step")
    seen = []
    for _ in range(5):
        seen.append(script.until("held"))
        script.send("step")
    script.until("held")
    script.send("go")
    run = script.finish()
    kinds = [(held["kind"], held["target"], held["line"]) for held in seen]
    assert kinds == [
        ("zero_grad", "optimizer", 11),
        ("forward", "model", 12),
        ("backward", "loss", 13),
        ("step", "optimizer", 14),
        ("zero_grad", "optimizer", 11),
    ]
    assert [held["iteration"] for held in seen] == [0, 0, 0, 0, 1]
    assert seen[4]["frames"][0]["variables"]["i"] == "1"
    assert run.out == plain(SCRIPTS / "plain_loop.py").out


def test_a_run_stops_at_an_event(start):
    script = start(SCRIPTS / "plain_loop.py")
    script.send("until", event=10)
    held = script.until("held")
    script.send("end")
    run = script.finish()
    assert (held["kind"], held["event"]) == ("backward", 11)
    assert run.status == 0
    assert run.out.count("\n") == 2


def test_the_tensors_of_a_held_script_can_be_asked_for(start):
    script = start(SCRIPTS / "plain_loop.py")
    script.send("until", event=3)
    assert script.until("held")["kind"] == "step"
    script.send("arrays", addresses=["model.0.bias", "model.0.bias.grad", "nothing"])
    answer = script.until("arrays")
    assert answer["arrays"] == [
        ["model.0.bias", "float32", [8]],
        ["model.0.bias.grad", "float32", [8]],
    ]
    assert answer["missing"] == ["nothing"]
    script.send("go")
    assert script.finish().status == 0


def test_arrays_of_a_step_are_those_that_it_wrote(start):
    script = start(SCRIPTS / "plain_loop.py")
    script.send("go")
    run = script.finish()
    steps = [event for event in run.events if event.kind == "step"]
    backwards = [event for event in run.events if event.kind == "backward"]
    before, after = steps[0].arrays, steps[1].arrays
    gradients = backwards[1].arrays
    for name in ("model.0.weight", "model.2.bias"):
        moved = [b - a for a, b in zip(values(before[name]), values(after[name]), strict=True)]
        expected = [-0.05 * g for g in values(gradients[f"{name}.grad"])]
        assert moved == pytest.approx(expected, abs=1e-6)


def test_when_the_debugger_disappears_the_script_goes_on(start):
    script = start(SCRIPTS / "plain_loop.py")
    script.send("step")
    script.until("held")
    script.socket.shutdown(2)
    run = script.finish()
    alone = plain(SCRIPTS / "plain_loop.py")
    assert (run.status, run.out, run.err) == (0, alone.out, "")


def test_when_the_debugger_disappears_the_script_can_end_with_it(start):
    script = start(SCRIPTS / "plain_loop.py", goes_on=False)
    script.send("step")
    script.until("held")
    script.socket.shutdown(2)
    run = script.finish()
    assert (run.status, run.out, run.err) == (1, "", "")


def test_the_random_numbers_of_a_script_are_its_own(start, tmp_path):
    script = tmp_path / "draws.py"
    script.write_text(
        "import random, torch\n"
        "random.seed(3); torch.manual_seed(4)\n"
        "m = torch.nn.Linear(2, 2); o = torch.optim.Adam(m.parameters())\n"
        "for _ in range(3):\n"
        "    o.zero_grad(); m(torch.randn(4, 2)).sum().backward(); o.step()\n"
        "print(random.random(), torch.rand(3).tolist())\n"
    )
    running = start(script)
    running.send("go")
    assert running.finish().out == plain(script).out
