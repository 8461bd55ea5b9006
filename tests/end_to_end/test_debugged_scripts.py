"""A person's own script is held, stepped and let go, with torch, in the window and without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.debugger.live_script import LiveScript
from gradstep.errors import OperationError
from gradstep.program.micro_step import MicroStep
from gradstep.program.operation import (
    Backward,
    Forward,
    Freeze,
    SetHyperparameter,
    SetMode,
    SetValue,
    Skip,
    Step,
    ZeroGrad,
)
from gradstep.script.command import ScriptCommand
from gradstep.script.process import ScriptProcess

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SOUND = Path(__file__).parent / "scripts" / "sound"
AGENTS = Path(__file__).parents[1] / "gradstep_agent" / "scripts"

FORGOTTEN = """
import sys

import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
model = torch.nn.Linear(4, 1)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(int(sys.argv[1])):
    loss = criterion(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def command(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(FORGOTTEN)
    return ScriptCommand(str(script), ("6",), sys.executable)


def test_a_held_script_does_one_operation_at_a_time(command):
    live = LiveScript(ScriptProcess(command, share=0))
    assert live.debugger.program.optimizers.keys() == {"optimizer"}  # also before it is used
    before = live.debugger.program.tensors["model.weight"].tolist()
    for _ in range(3):
        event = live.carry_out(lambda debugger: debugger.apply(debugger.program.next_operation))
    assert event.operation == Step(at="train.py:14")
    assert live.debugger.program.tensors["model.weight"].tolist() != before
    live.debugger.break_when("iteration == 3")
    assert live.carry_out(lambda debugger: debugger.run(100)).kind == "breakpoint"
    live.debugger.seek(3)
    assert live.debugger.explain("model.weight").event == 3
    live.debugger.breakpoints.remove(1)
    assert live.carry_out(lambda debugger: debugger.run()).sentence == "the script has ended"
    assert live.process.status == 0
    assert len(live.debugger.events) == 18


CLEARED_AFTER_THE_LOSS = """
import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
model = torch.nn.Linear(4, 1)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(4):
    loss = criterion(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

BY_HAND = """
import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
model = torch.nn.Linear(4, 1)
for step in range(4):
    loss = ((model(x) - 1) ** 2).mean()
    model.zero_grad(set_to_none=False)
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.1 * parameter.grad
"""

DISTILLED = """
import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
student, teacher = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for step in range(4):
    out = student(x)
    with torch.no_grad():
        wanted = teacher(x)
    kd_loss = criterion(out, wanted)
    optimizer.zero_grad()
    scaler.scale(kd_loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""


OF_SAMPLES = """
import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(4):
    errors = (model(x) - x.sum(1, keepdim=True)) ** 2
    optimizer.zero_grad()
    errors.mean().backward()
    optimizer.step()
"""

GAN = """
import torch

torch.manual_seed(0)
generator, critic = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
of_generator, of_critic = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (generator, critic)]
for epoch in range(2):
    for x in torch.randn(2, 8, 4):
        fake = generator(torch.randn(8, 2))
        difference = critic(fake.detach()).mean() - critic(x).mean()
        of_critic.zero_grad()
        difference.backward()
        of_critic.step()
        loss = -critic(fake).mean()
        of_generator.zero_grad()
        loss.backward()
        of_generator.step()
        with torch.no_grad():
            for weight in critic.parameters():
                weight.clamp_(-0.1, 0.1)
"""


def rows_of(script, *, held=False):
    """Run a script, held before each of its Operations or not; return its Events."""
    process = ScriptProcess(ScriptCommand(str(script), (), sys.executable), share=0)
    if held:
        process.hold()
        while not process.tape.has_ended:
            process.advance()
    else:
        process.run()
    process.end()
    return process.tape.rows


def assert_same(rows, others):
    """Assert that Events are the same, but for what is known of graphs."""
    for one, other in zip(rows, others, strict=True):
        assert (one.operation, one.loss, one.writes, one.options) == (
            *(other.operation, other.loss, other.writes, other.options),
        )
        assert (one.iteration, one.epoch) == (other.iteration, other.epoch)
        assert all(np.array_equal(one.values[key], other.values[key]) for key in other.values)


@pytest.mark.parametrize(
    ("text", "pass_of_loop"),
    [
        (CLEARED_AFTER_THE_LOSS, ["Forward 10", "ZeroGrad 11", "Backward 12", "Step 13"]),
        (BY_HAND, ["Forward 8", "zero_grad 9", "Backward 10", "update_by_hand 13"]),
        (
            DISTILLED,
            [
                *("forward 11", "forward 13", "Forward 14", "ZeroGrad 15", "Backward 16"),
                *("Step 17", "scaler_update 18"),
            ],
        ),
        (
            GAN,
            [
                *("forward 9", "forward 10", "Forward 10", "ZeroGrad 11", "Backward 12"),
                *("Step 13", "Forward 14", "ZeroGrad 15", "Backward 16", "Step 17"),
                "update_by_hand 20",
            ],
        ),
    ],
)
def test_a_held_script_has_the_same_events_as_one_that_runs(tmp_path, text, pass_of_loop):
    script = tmp_path / "train.py"
    script.write_text(text)
    rows = rows_of(script)
    assert_same(rows, rows_of(script, held=True))
    told = [
        f"{getattr(row.operation, 'call', '') or type(row.operation).__name__} "
        f"{row.operation.at.partition(':')[2]}"
        for row in rows[: len(pass_of_loop)]
    ]
    assert told == pass_of_loop
    counted = [row.iteration for row in rows]
    assert counted == [number for number in range(4) for _ in pass_of_loop]
    assert all(row.loss < 20 for row in rows if isinstance(row.operation, Forward))  # unscaled


def test_the_value_of_an_expression_is_not_known_before_its_backward(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(OF_SAMPLES)
    rows, held = rows_of(script), rows_of(script, held=True)
    assert [row.operation for row in rows] == [row.operation for row in held]
    assert [row.operation for row in rows[:3]] == [
        Forward("loss", at="train.py:9"),
        ZeroGrad("optimizer", at="train.py:10"),
        Backward("loss", at="train.py:11"),
    ]
    assert [rows[0].loss is None, held[0].loss] == [False, None]


@pytest.mark.parametrize(
    "script",
    [
        *(
            SOUND / f"{n}.py"
            for n in (
                *("adapter_after_pretraining", "adversarial_examples", "closures_and_evaluations"),
                *("group_added_after_a_while", "heads_by_turns"),
                *("network_in_a_module_with_its_loss", "optimizer_in_a_wrapper"),
                *("optimizer_made_anew_each_epoch", "plateau_per_epoch", "trained_by_its_parts"),
            )
        ),
        *(AGENTS / f"{name}.py" for name in ("changing_parameters", "policy_gradient")),
        *(AGENTS / f"{name}.py" for name in ("averages_swapped_in", "clipped_data")),
    ],
    ids=lambda script: script.stem,
)
def test_so_it_has_where_graphs_options_modes_and_tensors_change(script):
    assert_same(rows_of(script), rows_of(script, held=True))


def test_a_script_whose_process_dies_keeps_what_it_did(command, tmp_path):
    live = LiveScript(ScriptProcess(command, share=0))
    live.carry_out(lambda debugger: debugger.iterate(2))
    recorded = len(live.debugger.events)
    live.process.end()
    with pytest.raises(OperationError, match="the script's process was ended by signal 15"):
        live.carry_out(lambda debugger: debugger.run())
    assert len(live.debugger.events) == recorded
    live.debugger.save(tmp_path / "run.gradstep")
    assert len(Debugger.open(tmp_path / "run.gradstep").events) == recorded


INSIDE = """
import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
block = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(8, 1))
model = torch.nn.Sequential(torch.nn.Linear(4, 8), block)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(3):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
    print(loss.item())
"""


def test_stepping_into_everything_shows_torchs_numbers_and_changes_none(tmp_path, capfd):
    script = tmp_path / "inside.py"
    script.write_text(INSIDE)
    subprocess.run([sys.executable, str(script)], check=True)
    plain = capfd.readouterr().out
    live = LiveScript(ScriptProcess(ScriptCommand(str(script), (), sys.executable), share=0))
    seen, gradients, predicted, looked = [], {}, {}, 0
    while live.debugger.next_operation is not None:
        done = live.carry_out(lambda debugger: debugger.step_into())
        if isinstance(done, MicroStep):
            seen.append((done.kind, done.title))
            if done.kind == "module":  # whose nodes nothing is known of before its end
                graphs = live.debugger.capture_snapshot(("loss.graph",)).graphs
                assert [graph.progress for graph in graphs.values()] == [None] * len(graphs)
                looked += len(graphs)
            if done.kind == "accumulate":
                gradients[done.title] = done.outputs["after"].tolist()
            elif (done.kind, done.title) == ("term", "param"):
                predicted[done.path[-1]] = done.outputs["param"].tolist()
        elif isinstance(done.operation, Backward):
            tensors = live.debugger.program.tensors
            assert gradients == {f"{n}.grad": t.grad.tolist() for n, t in tensors.items()}
        elif isinstance(done.operation, Step):
            for name, values in predicted.items():
                found = live.debugger.program.tensors[name].tolist()
                np.testing.assert_allclose(found, values, rtol=1e-5, atol=1e-7)
    assert live.process.status == 0
    assert looked > 0
    assert capfd.readouterr().out == plain
    assert [title for kind, title in seen if kind == "module"][:5] == [
        *("model.0", "model.1", "model.1.0", "model.1.1", "model.1"),
    ]
    nodes = [title for kind, title in seen if kind == "node"]
    assert nodes[:4] == ["MseLossBackward0", "AddmmBackward0", "TBackward0", "ReluBackward0"]
    assert len(predicted) == len(gradients) == 4


def test_what_is_changed_in_a_held_script_is_what_it_goes_on_with(tmp_path, capfd):
    script, changed = tmp_path / "inside.py", tmp_path / "changed.py"
    script.write_text(INSIDE)
    changed.write_text(
        INSIDE.replace(
            "    optimizer.zero_grad()\n",
            "    if step == 1:\n"
            "        optimizer.param_groups[0]['lr'] = 0.02\n"
            "        model[0].bias.data[1] = 0.5\n"
            "        model[0].weight.requires_grad_(False)\n"
            "        optimizer.step()\n"
            "    optimizer.zero_grad()\n",
        ).replace(
            "    optimizer.step()\n    print", "    if step != 1: optimizer.step()\n    print"
        )
    )
    subprocess.run([sys.executable, str(changed)], check=True)
    plain = capfd.readouterr().out
    live = LiveScript(ScriptProcess(ScriptCommand(str(script), (), sys.executable), share=0))
    live.carry_out(lambda debugger: debugger.iterate(1))
    for operation in (
        SetHyperparameter("lr", 0.02),
        SetValue("model.0.bias", 0.5, (1,)),
        Freeze("model.0.weight"),
        Step(),
    ):
        event = live.carry_out(lambda debugger, chosen=operation: debugger.apply(chosen))
        assert event.outcome.ok
    with pytest.raises(OperationError, match="no option 'rate'"):
        live.carry_out(lambda debugger: debugger.apply(SetHyperparameter("rate", 1.0)))
    while not isinstance(live.debugger.next_operation, Step):
        live.carry_out(lambda debugger: debugger.apply(debugger.next_operation))
    live.carry_out(lambda debugger: debugger.apply(Skip(debugger.next_operation)))
    live.carry_out(lambda debugger: debugger.run())
    assert live.process.status == 0
    assert capfd.readouterr().out == plain
    asides = [event.operation for event in live.debugger.events if event.operation.out_of_loop]
    assert [type(operation) for operation in asides] == [SetHyperparameter, SetValue, Freeze, Step]


IN_LISTS = """
import torch
nets = {"a.b": torch.nn.Linear(2, 1)}
opts = [torch.optim.SGD(nets["a.b"].parameters(), lr=0.1, momentum=0.9)]
for step in range(4):
    opts[0].zero_grad()
    nets["a.b"](torch.ones(3, 2)).sum().backward()
    opts[0].step()
"""


def test_what_lists_hold_is_changed_and_watched_in_a_held_script_by_its_name(tmp_path):
    script = tmp_path / "lists.py"
    script.write_text(IN_LISTS)
    live = LiveScript(ScriptProcess(ScriptCommand(str(script), (), sys.executable), share=0))
    live.carry_out(lambda debugger: debugger.iterate(2))
    for operation in (
        SetHyperparameter("lr", 0.02, optimizer="opts[0]"),
        SetValue('nets["a.b"].bias', 2.0, (0,)),
        Freeze('nets["a.b"].weight'),
        SetMode(training=False, module='nets["a.b"]'),
        ZeroGrad("opts[0]"),
    ):
        event = live.carry_out(lambda debugger, chosen=operation: debugger.apply(chosen))
        assert event.outcome.ok
    program = live.debugger.program
    assert program.optimizers["opts[0]"].param_groups[0]["lr"] == 0.02
    assert program.tensors['nets["a.b"].bias'].tolist() == [2.0]
    assert not program.tensors['nets["a.b"].weight'].requires_grad
    live.debugger.break_when('nets["a.b"].bias.grad.norm() == 3 and nets["a.b"].bias[0] < 1.99')
    assert live.carry_out(lambda debugger: debugger.run()).kind == "breakpoint"
    assert isinstance(live.debugger.event.operation, Step)
    live.process.end()


def test_the_window_debugs_a_script_and_finds_the_forgotten_zero_grad(command, driver, tmp_path):
    controller = driver.window.controller
    controller.debug(command)
    assert controller.wait_idle(60)
    assert controller.listing.code == FORGOTTEN
    controller.iterate(2)
    assert controller.wait_idle(60)
    assert [finding.id for finding in controller.snapshot.findings] == ["grad-accumulated"]
    controller.seek(1)
    assert controller.wait_idle(60)
    assert controller.snapshot.next_operation.at == "train.py:13"
    controller.run()
    assert controller.wait_idle(60)
    assert controller.snapshot.event_index == 18
    controller.save(tmp_path / "run.gradstep")
    assert controller.wait_idle(60)
    assert len(Debugger.open(tmp_path / "run.gradstep").events) == 18
