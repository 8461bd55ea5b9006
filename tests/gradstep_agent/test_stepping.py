"""A script that is stepped into, asked about itself, and changed while it is held."""

from __future__ import annotations

import struct
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.gradstep_agent.client import Script, plain

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPTS = Path(__file__).parent / "scripts"
PLAIN = SCRIPTS / "plain_loop.py"


@pytest.fixture
def start():
    """Start a script; it ends with the test at the latest."""
    with ExitStack() as running:
        yield lambda *args, **options: running.enter_context(Script(*args, **options))


@pytest.fixture
def held(start):
    """Return a plain script that is held before an Operation of its first iteration."""

    def held_before(kind, script=PLAIN):
        running = start(script)
        running.step_to(kind)
        return running

    return held_before


def floats(data):
    return struct.unpack(f"<{len(data) // 4}f", data)


def test_backward_is_stepped_into_node_by_node(held):
    script = held("backward")
    script.send("into")
    graph = script.until("graph")
    seen = []
    for _ in range(4):
        seen.append(script.until("micro"))
        script.send("step")
    last = script.until("micro")
    script.send("out")
    following = script.until("held")
    gradient = script.ask("arrays", "arrays", addresses=["model.2.bias.grad"])
    script.send("go")
    run = script.finish()
    names = {number: name for number, name, _, _ in graph["nodes"]}
    assert [found["name"] for found in seen][:3] == [
        "MeanBackward0",
        "PowBackward0",
        "SubBackward0",
    ]
    assert [names[found["number"]] for found in seen] == [found["name"] for found in seen]
    assert floats(seen[0]["values"]["incoming 0"]) == (1.0,)
    assert floats(seen[0]["values"]["outgoing 0"]) == (1 / 32,) * 32
    assert {found["event"] for found in [*seen, last]} == {3}
    assert (following["kind"], following["event"]) == ("step", 4)
    assert sum(floats(seen[2]["values"]["outgoing 0"])) == pytest.approx(
        floats(gradient["values"]["model.2.bias.grad"])[0]
    )
    assert run.out == plain(PLAIN).out


def test_forward_is_stepped_into_module_by_module(held):
    script = held("forward")
    script.send("into")
    first = [script.until("micro")]
    for command in ("into", "into", "step", "out"):
        script.send(command)
        if command != "out":
            first.append(script.until("micro"))
    following = script.until("held")
    script.send("into")
    graph = script.until("graph")
    script.until("micro")
    script.send("go")
    run = script.finish()
    where = [(found["when"], found["name"], found["depth"]) for found in first]
    assert where == [
        ("before", "model.0", 1),
        ("after", "model.0", 1),
        ("before", "model.1", 1),
        ("after", "model.1", 1),
    ]
    linear, relu = (
        floats(first[1]["values"]["outgoing 0"]),
        floats(first[3]["values"]["outgoing 0"]),
    )
    assert relu == tuple(max(value, 0.0) for value in linear)
    assert following["kind"] == "backward"
    assert graph["nodes"][0][1] == "MeanBackward0"
    assert run.out == plain(PLAIN).out


def test_a_script_that_is_ended_inside_a_backward_ends(held):
    script = held("backward")
    script.send("into")
    script.until("micro")
    script.send("end")
    run = script.finish()
    assert (run.status, run.out, run.err) == (0, "", "")


def test_step_goes_into_a_closure_and_out_leaves_it(start):
    script = start(SCRIPTS / "lbfgs.py")
    script.send("step")
    first = script.until("held")
    script.send("step")
    inside = script.until("held")
    script.send("out")
    second = script.until("held")
    script.send("until", iteration=2)
    last = script.until("held")
    script.send("go")
    run = script.finish()
    assert [(at["kind"], at["depth"]) for at in (first, inside, second)] == [
        ("step", 0),
        ("zero_grad", 1),
        ("step", 0),
    ]
    assert [at["iteration"] for at in (first, second, last)] == [0, 1, 2]
    assert run.out == plain(SCRIPTS / "lbfgs.py").out


def test_variables_and_tensors_are_handed_over(held):
    script = held("backward", SCRIPTS / "functions.py")
    rows = script.ask("variables", "variables", frame=0)["variables"]
    tensors = {name: more for name, kind, *more in rows if kind == "Tensor"}
    assert tensors["loss"] == ["float32", "@0/loss", [], True, False]
    at = script.step_to("step")
    addresses = ["@0/loss", "@0/nothing", f"{at['target']}/nothing/exp_avg"]
    answer = script.ask("arrays", "arrays", addresses=addresses)
    script.send("go")
    run = script.finish()
    assert answer["missing"] == addresses[1:]
    assert [layout[0] for layout in answer["arrays"]] == ["@0/loss"]
    assert run.out == plain(SCRIPTS / "functions.py").out


OBJECTS = """
import torch

class Noisy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if quiet:
            raise SystemExit("code of the script was run")
        return super().__torch_function__(func, types, args, kwargs)

    @property
    def shape(self):
        raise SystemExit("code of the script was run")

class Memory:
    __slots__ = ("batches", "limit")

    def __repr__(self):
        raise SystemExit("code of the script was run")

quiet = False
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
noisy, huge = torch.ones(2, 2).as_subclass(Noisy), 10 ** 9000
memory = Memory()
memory.batches = [{"x": torch.arange(6.0).view(2, 3)}]
lazy = torch.nn.LazyLinear(2)
for i in range(2):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 2)).square().mean()
    quiet = True
    loss.backward()
    quiet = False
    optimizer.step()
print(f"{loss.item():.6f}")
"""


def test_what_objects_hold_is_listed_where_they_are_opened(held, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(OBJECTS)
    script = held("backward", path)
    opened = ["model", "model.0", "memory", "memory.batches", "memory.batches[0]", "lazy", "noisy"]
    answer = script.ask("variables", "variables", frame=0, open=opened)
    rows = {row[0]: row for row in answer["variables"]}
    addresses = ["@0/memory.batches[0]['x']", "@0/model.0.weight", "@0/noisy", "@0/model.1.x"]
    arrays = script.ask("arrays", "arrays", addresses=addresses)
    script.send("go")
    run = script.finish()
    names = [(row[0], row[7]) for row in answer["variables"]]
    start = names.index(("model", 0))
    assert names[start : start + 4] == [("model", 0), (".0", 1), (".weight", 2), (".bias", 2)]
    assert answer["variables"][start + 2][1:] == [
        "Parameter", "float32", "@0/model.0.weight", [3, 2], True, False, 2, False
    ]  # fmt: skip
    assert rows["['x']"][3:5] == ["@0/memory.batches[0]['x']", [2, 3]]
    assert (rows["noisy"][1], rows["noisy"][4]) == ("Noisy", [2, 2])
    assert rows["huge"][2] == f"an integer of {(10**9000).bit_length():,} bits"
    assert rows["memory"][1:3] == ["Memory", ""]
    assert [layout[:1] + layout[2:] for layout in arrays["arrays"]] == [
        ["@0/memory.batches[0]['x']", [2, 3]],
        ["@0/model.0.weight", [3, 2]],
        ["@0/noisy", [2, 2]],
    ]
    assert arrays["missing"] == ["@0/model.1.x"]
    assert (run.status, run.out) == (0, plain(path).out)


def test_what_is_set_in_a_held_script_is_what_it_goes_on_with(held, tmp_path):
    script = held("zero_grad")
    zeros = bytes(4 * 8)
    done = [
        script.ask("do", "done", action="set_option", target="optimizer", option="lr", value=0.25),
        script.ask("do", "done", action="set_values", target="model.0.bias", body=zeros),
        script.ask("do", "done", action="set_values", target="model.2.bias", index=0, value=0.5),
        script.ask("do", "done", action="freeze", target="model.0.weight"),
        script.ask("do", "done", action="train", target="model", training=False),
    ]
    options = script.run.of("optimizer")[-1]["groups"][0]["options"]
    script.send("go")
    run = script.finish()
    changed = tmp_path / "changed.py"
    changed.write_text(
        PLAIN.read_text()
        .replace("lr=0.05)", "lr=0.25)")
        .replace(
            "for i in",
            "with torch.no_grad():\n    model[0].bias.zero_(); model[2].bias.fill_(0.5)\n"
            "model[0].weight.requires_grad_(False)\nfor i in",
        )
    )
    assert run.out == plain(changed).out
    assert options["lr"] == 0.25
    aside = [event for event in run.events if event.place["detail"].get("aside")]
    assert [event.kind for event in aside] == [
        *("set_option", "set_values", "set_values", "freeze", "train_mode"),
    ]
    assert [event.number for event in aside] == [found["event"] for found in done]
    assert aside[1].arrays == {"model.0.bias": zeros}
    assert "update_by_hand" not in run.counts()


def test_operations_are_done_aside_and_skipped(held, tmp_path):
    script = held("step")
    script.ask("do", "done", action="step", target="optimizer")
    script.ask("do", "done", action="zero_grad", target="model")
    script.send("skip")
    assert script.until("held")["kind"] == "zero_grad"
    script.send("go")
    run = script.finish()
    changed = tmp_path / "changed.py"
    changed.write_text(
        PLAIN.read_text().replace(
            "    optimizer.step()\n",
            "    optimizer.step()\n    if i == 0: optimizer.zero_grad()\n",
        )
    )
    details = [(event.kind, event.place["detail"], event.iteration) for event in run.events[3:6]]
    assert details == [
        ("step", {"aside": True}, 0),
        ("zero_grad", {"aside": True}, 0),
        ("step", {"skipped": True}, 0),
    ]
    assert run.out == plain(changed).out
    assert run.iterations == 6


def test_what_cannot_be_done_is_refused_with_the_reason(held):
    script = held("backward")
    asked = [
        {"action": "set_values", "target": "model.0.bias", "index": 0, "value": 1.0},
        {"action": "set_values", "target": "nothing", "index": 0, "value": 1.0},
        {"action": "set_option", "target": "optimizer", "option": "lr", "value": "high"},
        {"action": "set_option", "target": "optimizer", "option": "rate", "value": 1},
        {"action": "fly"},
    ]
    messages = [script.ask("do", "refused", **more)["message"] for more in asked]
    script.send("go")
    run = script.finish()
    assert "change it before the next Forward" in messages[0]
    assert messages[1:] == [
        "there is no tensor named 'nothing'",
        "'high' is not a number",
        "optimizer has no option 'rate'",
        "unknown action 'fly'",
    ]
    assert run.out == plain(PLAIN).out


def test_what_raises_when_it_is_done_aside_is_refused_with_the_error(held, tmp_path):
    path = tmp_path / "raises.py"
    path.write_text(
        PLAIN.read_text().replace(
            "optimizer = torch.optim.SGD(",
            "class Own(torch.optim.SGD):\n"
            "    calls = 0\n"
            "    def step(self, closure=None):\n"
            "        self.calls += 1\n"
            "        if self.calls == 1: raise RuntimeError('not yet')\n"
            "        return super().step(closure)\n"
            "optimizer = Own(",
        )
    )
    script = held("step", path)
    refused = script.ask("do", "refused", action="step", target="optimizer")
    script.send("go")
    run = script.finish()
    assert refused["message"] == "RuntimeError: not yet"
    assert (run.status, run.out) == (0, plain(PLAIN).out)


def test_a_forward_cannot_be_skipped(held):
    script = held("forward")
    assert "needs what it returns" in script.ask("skip", "refused")["message"]
    script.send("go")
    assert script.finish().out == plain(PLAIN).out
