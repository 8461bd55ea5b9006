"""Export of programs as PyTorch scripts; with torch installed, the scripts run and are compared."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import random

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.errors import UnsupportedError
from gradstep.program import operation as ops
from gradstep.program.document.codec import decode
from gradstep.program.gallery import scenarios
from gradstep.program.program import Program
from gradstep.program.torch_export.export import RecordedOperation, export_script, export_test
from gradstep.program.torch_export.python_source import (
    FormulaNames,
    array_source,
    formula_source,
)

TINY = {
    "gradstep": 1,
    "name": 'tiny "program"',
    "iterations": 20,
    "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(100 * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
}
NET = {
    "gradstep": 1,
    "seed": 3,
    "data": {
        "a": {"kind": "moons", "samples": 40, "noise": 0.1, "batch_size": 7, "shuffle": True,
              "validation": 0.25}
    },
    "modules": {
        "trunk": [{"kind": "Linear", "in_features": 2, "out_features": 8}, {"kind": "Tanh"}],
        "head": [{"kind": "Linear", "in_features": 8, "out_features": 1}],
    },
    "losses": {
        "loss": {"data": "a", "chain": ["trunk", "head"], "criterion": {"kind": "MSELoss"}},
        "held_out": {"data": "a", "chain": ["trunk", "head"], "rows": "validation",
                     "expression": "mean(square(output[0] - 0.5)) + norm(tensor('head.0.bias'))"},
    },
    "optimizers": {
        "optimizer": {
            "kind": "Adam",
            "params": ["trunk.*", {"params": ["head.0.bias"], "lr": 0.1, "betas": [0.5, 0.9]}],
            "lr": 0.01,
        }
    },
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward"},
        {"op": "backward"},
        {"op": "clip_grad_norm", "max_norm": 0.5},
        {"op": "step"},
        {"op": "forward", "loss": "held_out", "every": 3},
    ],
}  # fmt: skip


def make(document):
    return Program.from_spec(decode(json.dumps(document).encode()))


def record(program, operations):
    return [RecordedOperation(operation, program.run(operation).loss) for operation in operations]


def record_loop(program, iterations):
    recorded = []
    for _ in range(iterations):
        recorded += record(program, program.loop_operations())
    return recorded


def on_torch(source):
    """Run a script on torch and return what it prints."""
    torch = pytest.importorskip("torch")
    out, dtype = io.StringIO(), torch.get_default_dtype()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(source, "script", "exec"), {"__name__": "__main__"})
    finally:
        torch.set_default_dtype(dtype)
    return out.getvalue()


def test_an_exported_script_is_idiomatic_pytorch():
    assert export_script(make(TINY)) == (
        '"""tiny \'program\', as GradStep runs it; written by `gradstep export`."""\n'
        "\n"
        "import torch\n"
        "\n"
        "torch.manual_seed(0)\n"
        "x = torch.tensor([1.0, 2.0]).requires_grad_()\n"
        "optimizer = torch.optim.SGD([x], lr=0.001)\n"
        "\n"
        "for iteration in range(20):\n"
        "    optimizer.zero_grad()\n"
        "    loss = torch.sum(100 * x)\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    if (iteration + 1) % 2 == 0:\n"
        '        print(f"iteration {iteration + 1}: loss {loss.item():.6g}")\n'
    )


def test_an_exported_script_has_modules_groups_batches_and_every_conditions():
    script = export_script(make(NET))
    for line in (
        "trunk = nn.Sequential(nn.Linear(2, 8), nn.Tanh())",
        "a_batches = batches(30, 7, True, False)",
        "optimizer = torch.optim.Adam([dict(params=[*trunk.parameters()]),"
        " dict(params=[head[0].bias], lr=0.1, betas=(0.5, 0.9))], lr=0.01)",
        "    nn.utils.clip_grad_norm_(parameters_of(optimizer), 0.5, norm_type=2.0)",
        "    if (iteration + 1) % 3 == 0:",
        "        held_out_rows = torch.arange(30, 40)",
        "        with torch.no_grad():",
    ):
        assert f"{line}\n" in script


def test_an_export_does_not_depend_on_the_current_state():
    program = make(NET)
    before = export_script(program)
    record_loop(program, 3)
    assert export_script(program) == before


@pytest.mark.slow
def test_every_scenario_is_exported_as_a_script_that_compiles():
    for scenario in scenarios():
        compile(export_script(Program.open(scenario.path)), scenario.id, "exec")


def test_reserved_names_are_renamed_in_the_script():
    document = {
        **TINY,
        "tensors": {"torch": {"value": 1.0, "requires_grad": True}, "lambda": {"value": 2}},
        "losses": {"loss": {"expression": "torch * 3"}},
        "optimizers": {"print": {"kind": "SGD", "params": ["torch"]}},
    }
    script = export_script(make(document))
    assert "torch_ = torch.tensor(1.0).requires_grad_()" in script
    assert "lambda_ = torch.tensor(2.0)" in script
    assert "loss = torch_ * 3" in script
    assert "print_ = torch.optim.SGD([torch_])" in script


def test_quotes_in_a_title_do_not_end_the_docstring():
    script = export_script(make({**TINY, "name": '"""\nimport os\\'}))
    assert "import os" in ast.get_docstring(ast.parse(script))
    assert "\nimport os" not in script


def test_array_source_evaluates_to_the_same_bits():
    array = np.array([0.1, 1 / 3, 1e-30, -0.0], "f4")
    numbers = array_source(array).removeprefix("torch.tensor(").removesuffix(")")
    assert np.array(json.loads(numbers), "f4").tobytes() == array.tobytes()
    assert array_source(np.array([np.nan], "f4")).startswith("decode_tensor(")
    assert array_source(np.arange(65.0)).startswith("decode_tensor(")


def test_formulas_are_translated_to_torch_functions():
    names = FormulaNames(
        {"x": "x", "input": "inputs", "loss_a": "loss_a"},
        {"m.0.weight": "m[0].weight"},
        {"body": "body", "words": "words_"},
        {"words"},
    )
    for text, expected in {
        "sum(x, 0)": "torch.sum(x, 0)",
        "norm(x) ** 2 - pi": "torch.linalg.vector_norm(x) ** 2 - math.pi",
        "exp(-1 / 2) * x": "torch.exp(torch.tensor(float(-1 / 2))) * x",
        "dot(input, x[0, -1])": "torch.dot(inputs, x[0, -1])",
        "tensor('m.0.weight') @ x": "m[0].weight @ x",
        "body(input[:, :2]) + x": "body(inputs[:, :2]) + x",
        "words(input)": "words_(inputs.long())",
        "where(x > 0, x, 0)": "torch.where(x > 0, x, torch.tensor(0.0))",
        "clamp(x, -1, 1)": "torch.clamp(x, -1, 1)",
        "mean(argmax(x, 1) == input)": (
            "torch.mean((torch.argmax(x, 1) == inputs).to(torch.get_default_dtype()))"
        ),
        "loss_a + 0.1 * std(detach(x))": "loss_a + 0.1 * torch.std(torch.detach(x))",
    }.items():
        assert formula_source(text, names) == expected


def test_operations_outside_the_loop_order_are_exported_one_by_one():
    program = make(TINY)
    order = [ops.Forward(), ops.Backward(), ops.Step(), ops.Step(), ops.Forward()]
    test = export_test(program, record(program, order))
    body = test.partition("optimizer = ")[2].partition("def test_")[0]
    assert body.count("\n    optimizer.step()\n") == 2
    assert "itertools.count" not in test


def test_an_unsupported_export_raises_an_error_with_the_reason():
    with pytest.raises(UnsupportedError, match="no loss was recorded"):
        export_test(make(TINY), [RecordedOperation(ops.Step())])
    odd = [RecordedOperation(ops.Step())] * 20_001
    with pytest.raises(UnsupportedError, match="outside the loop's order"):
        export_script(make(TINY), odd)


def test_a_session_is_exported_in_recorded_order():
    program = make(TINY)
    loop = [ops.ZeroGrad(), ops.Forward(), ops.Backward(), ops.Step()]
    order = [
        *loop,
        ops.Step(out_of_loop=True),
        *loop,
        *loop,
        ops.Skip(ops.ZeroGrad()),
        ops.Forward(),
    ]
    assert body_of(export_script(program, record(program, order))) == (
        "optimizer.zero_grad()\n"
        "loss = torch.sum(100 * x)\n"
        "loss.backward()\n"
        "optimizer.step()\n"
        "optimizer.step()\n"
        "for iteration in range(1, 3):\n"
        "    optimizer.zero_grad()\n"
        "    loss = torch.sum(100 * x)\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
        "    if (iteration + 1) % 2 == 0:\n"
        '        print(f"iteration {iteration + 1}: loss {loss.item():.6g}")\n'
        "pass  # skipped: optimizer.zero_grad()\n"
        "loss = torch.sum(100 * x)\n"
        'print(f"loss {loss.item():.6g}")\n'
    )


def test_the_script_saves_a_state_at_the_event_that_is_loaded_later():
    program = make(TINY)
    steps = [
        RecordedOperation(ops.Forward(), 300.0, 1),
        RecordedOperation(ops.LoadState(1, ("modules",)), None, 2),
    ]
    assert body_of(export_script(program, steps)) == (
        "loss = torch.sum(100 * x)\n"
        "saved_1 = {\n"
        '    "optimizer": copy.deepcopy(optimizer.state_dict()),\n'
        '    "x": x.detach().clone(),\n'
        '    "torch.generator": torch.get_rng_state(),\n'
        "}\n"
        'x.data.copy_(saved_1["x"])\n'
        'print(f"loss {loss.item():.6g}")\n'
    )


def body_of(script):
    return script.partition("lr=0.001)\n\n")[2]


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")  # torch's, of one of them
@pytest.mark.filterwarnings("ignore:Using a target size")  # of one whose mistake this is
@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.id)
def test_torch_computes_the_losses_of_every_scenario(scenario):
    program = Program.open(scenario.path)
    recorded = record_loop(program, 12)
    count = sum(step.loss is not None for step in recorded)
    assert count >= 12
    assert on_torch(export_test(program, recorded)).endswith("recorded values\n")


@pytest.mark.torch
def test_torch_computes_the_losses_of_every_kind_of_operation():
    program = make(NET)
    recorded = record_loop(program, 4) + record(
        program,
        [
            ops.Forward(batch="held"),
            ops.Backward(retain_graph=True),
            ops.ClipGradValue(0.1),
            ops.SetHyperparameter("lr", 0.05),
            ops.SetHyperparameter("betas", [0.8, 0.9], group=1),
            ops.Step(),
            ops.Freeze("trunk.0.*"),
            ops.SetMode(training=False),
            ops.ZeroGrad(set_to_none=False),
            ops.Forward(),
            ops.Backward(),
            ops.Step(),
            ops.RebuildModule("trunk"),
            ops.Forward(),
            ops.Forward("held_out"),
        ],
    )
    assert on_torch(export_test(program, recorded)).endswith("recorded values\n")


COMPOSED = {
    "gradstep": 1,
    "seed": 5,
    "data": {
        "a": {"kind": "blobs", "samples": 40, "features": 4, "spread": 2.0, "batch_size": 8,
              "shuffle": True, "validation": 0.25}
    },
    "modules": {
        "body": [{"kind": "Linear", "in_features": 4, "out_features": 4}, {"kind": "Tanh"}],
        "left": [{"kind": "Linear", "in_features": 2, "out_features": 3}],
        "head": [{"kind": "Linear", "in_features": 4, "out_features": 3}],
    },
    "losses": {
        "total": {"data": "a", "expression": "task + 0.1 * penalty + 0.01 * noisy"},
        "task": {"data": "a", "output": "head(body(input) + input) + left(input[:, :2])",
                 "criterion": {"kind": "CrossEntropyLoss"}},
        "penalty": {"expression": "sum(abs(tensor('head.0.weight')))"},
        "noisy": {"data": "a", "output": "body(input + 0.1 * randn_like(input))",
                  "expression": "mean(where(output > 0, output, 0.1 * detach(output)) ** 2)"
                                " + std(clamp(output, -0.5, 0.5))"},
        "accuracy": {"data": "a", "output": "head(body(input) + input) + left(input[:, :2])",
                     "rows": "validation", "expression": "mean(argmax(output, 1) == target)"},
    },
    "optimizers": {"optimizer": {"kind": "Adam", "params": ["*"], "lr": 0.02}},
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward", "loss": "total"},
        {"op": "backward", "loss": "total"},
        {"op": "step"},
        {"op": "forward", "loss": "accuracy"},
    ],
}  # fmt: skip


def test_a_sum_of_losses_is_exported_with_its_parts_on_one_batch():
    script = export_script(make(COMPOSED))
    assert (
        "    total_rows = next(a_batches)\n"
        "    inputs = a_inputs[total_rows]\n"
        "    target = task_targets[total_rows]\n"
        "    task = task_criterion(head(body(inputs) + inputs) + left(inputs[:, :2]), target)\n"
        "    penalty = torch.sum(torch.abs(head[0].weight))\n"
    ) in script
    assert "    total = task + 0.1 * penalty + 0.01 * noisy\n" in script


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_torch_computes_sums_of_losses_residual_models_and_noise(dtype):
    program = make({**COMPOSED, "dtype": dtype})
    recorded = record_loop(program, 12)
    assert on_torch(export_test(program, recorded)).endswith("recorded values\n")


BOTH_COMPUTED = {
    **COMPOSED,
    "loop": [
        {"op": "zero_grad"},
        {"op": "forward", "loss": "task"},
        {"op": "forward", "loss": "total", "batch": "current"},
        {"op": "backward", "loss": "task"},
        {"op": "backward", "loss": "total"},
        {"op": "step"},
    ],
}


def test_a_part_that_is_also_computed_by_itself_keeps_its_own_graph():
    script = export_script(make(BOTH_COMPUTED))
    assert "    total = total_task + 0.1 * penalty + 0.01 * noisy\n    task.backward()\n" in script


@pytest.mark.torch
def test_torch_computes_a_part_by_itself_beside_its_sum():
    program = make(BOTH_COMPUTED)
    recorded = record_loop(program, 6)
    assert on_torch(export_test(program, recorded)).endswith("recorded values\n")


MUON = {
    "gradstep": 1,
    "seed": 1,
    "data": {"a": {"kind": "iris", "batch_size": 30, "shuffle": True}},
    "modules": {
        "model": [
            {"kind": "Linear", "in_features": 4, "out_features": 16, "bias": False},
            {"kind": "ReLU"},
            {"kind": "Linear", "in_features": 16, "out_features": 3, "bias": False},
        ]
    },
    "losses": {
        "loss": {"data": "a", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}}
    },
    "optimizers": {"optimizer": {"kind": "Muon", "params": ["*"], "lr": 0.02}},
}


def test_a_test_compares_ten_steps_of_muon_and_says_why_it_ends():
    program = make(MUON)
    text = export_test(program, record_loop(program, 12))
    assert text.count('    ("optimizer.step()", ') == 10
    assert "# Later steps are not compared" in text
    assert "# Later steps" not in export_test(make(MUON), record_loop(make(MUON), 10))


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_torch_computes_the_first_losses_of_muon(dtype):
    program = make({**MUON, "dtype": dtype})
    recorded = record_loop(program, 100)
    assert "recorded values" in on_torch(export_test(program, recorded))


@pytest.mark.torch
def test_torch_computes_the_losses_of_a_float64_loop():
    program = make({**NET, "dtype": "float64"})
    assert "gives the 100" in on_torch(export_test(program, record_loop(program, 30)))


@pytest.mark.torch
def test_the_script_prints_the_losses_on_torch():
    last = on_torch(export_script(make(TINY))).splitlines()[-1]
    assert last.startswith("iteration 20: loss ")
    assert float(last.split()[-1]) == pytest.approx(-80.0, rel=1e-5)


DROPOUT = {
    **NET,
    "modules": {
        **NET["modules"],
        "trunk": [*NET["modules"]["trunk"], {"kind": "Dropout", "p": 0.4}],
    },
    "schedulers": {"decay": {"kind": "StepLR", "step_size": 2, "gamma": 0.5}},
}

ANY = [
    ops.ZeroGrad(),
    ops.Forward(),
    ops.Forward(),
    ops.Forward("held_out"),
    ops.Forward(batch="held"),
    ops.Backward(),
    ops.Backward(),
    ops.Backward(retain_graph=True),
    ops.Step(),
    ops.Step(),
    ops.SchedulerStep("decay"),
    ops.ClipGradNorm(0.5),
    ops.SetHyperparameter("lr", 0.02),
    ops.Freeze("trunk.0.*"),
    ops.Freeze("trunk.*", frozen=False),
    ops.SetMode(training=False),
    ops.SetMode(training=True),
    ops.RebuildModule("head"),
    ops.ReplaceOptimizer("SGD", options={"momentum": 0.5}),
    ops.ReplaceOptimizer("AdamW"),
    ops.ReplaceOptimizer("AdamW", rebind=True),
    ops.SetBatchSize("a", 11),
    ops.SetBatchSize("a", None),
    ops.SetValue("trunk.0.weight", 0.25, (1, 0)),
    ops.SetValue("trunk.0.weight", -0.5, (2, 1), through_data=True),
    ops.SetValue("head.0.bias", 0.125),
    ops.SetValue("head.0.bias", [0.5], through_data=True),
    ops.Skip(ops.Step()),
    ops.LoadState(0),
    ops.LoadState(3, ("modules", "optimizers")),
]


def pressed(document, seed, count=60):
    """Press buttons at random, between some passes of the loop; failed Operations are skipped."""
    program = make(document)
    debugger = Debugger(program.spec)
    chooser = random.Random(seed)
    for _ in range(count):
        if chooser.random() < 0.2:
            debugger.iterate(chooser.randrange(1, 4))
        else:
            debugger.apply(chooser.choice(ANY))
    return debugger.program, [
        RecordedOperation(event.operation, event.loss, event.index)
        for event in debugger.events
        if event.outcome.ok
    ]


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::UserWarning")  # torch's, of schedulers that step first
@pytest.mark.parametrize("seed", range(12))
def test_torch_computes_the_losses_of_random_operations(seed):
    program, recorded = pressed({**DROPOUT, "dtype": "float64"}, seed)
    assert "recorded values" in on_torch(export_test(program, recorded))
    compile(export_script(program, recorded), "script", "exec")


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")
@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("scenario", scenarios(), ids=lambda scenario: scenario.id)
def test_the_script_of_every_scenario_prints_its_losses_on_torch(scenario):
    program = Program.open(scenario.path)
    recorded = record_loop(program, 12)
    printed = on_torch(export_script(program, recorded)).splitlines()
    last = {step.operation.loss: step.loss for step in recorded if step.loss is not None}
    for line, (name, value) in zip(printed[-len(last) :], last.items(), strict=True):
        assert line.split()[0] == name
        assert float(line.split()[1]) == pytest.approx(value, rel=1e-3, abs=1e-5, nan_ok=True)


@pytest.mark.parametrize("failed", [ops.Freeze("nope"), ops.Forward("nope")])
def test_a_skipped_operation_that_failed_is_a_comment(failed):
    program = Program.from_spec(decode(json.dumps(TINY).encode()))
    text = export_script(
        program, [RecordedOperation(ops.Skip(failed)), RecordedOperation(ops.ZeroGrad())]
    )
    assert f"pass  # skipped: {failed!r}" in text


def test_a_test_compares_losses_gradients_and_parameters():
    program = make(TINY)
    order = [ops.ZeroGrad(), ops.Forward(), ops.Backward(), ops.Step()]
    test = export_test(program, record(program, order))
    assert (
        'RECORDED = [\n    ("loss", 300.0),\n    ("loss.backward()", 141.4213562373095),\n'
        '    ("optimizer.step()", 2.1023'
    ) in test
    assert "    loss.backward()\n    yield" in test


@pytest.mark.torch
@pytest.mark.parametrize("line", ["loss.backward()", "optimizer.step()", "optimizer.zero_grad()"])
def test_a_test_fails_without_one_of_its_statements(line):
    program = make(NET)
    test = export_test(program, record_loop(program, 2))
    assert on_torch(test)
    broken = "\n".join(text for text in test.splitlines() if text.strip() != line)
    with pytest.raises(AssertionError, match=r"value \d+: .* gives"):
        on_torch(broken)


@pytest.mark.torch
def test_a_test_of_one_iteration_fails_without_its_backward():
    program = make(TINY)
    order = [ops.ZeroGrad(), ops.Forward(), ops.Backward(), ops.Step()]
    test = export_test(program, record(program, order))
    with pytest.raises(AssertionError, match=r"value 2: loss.backward\(\) gives 0"):
        on_torch(test.replace("    loss.backward()\n", ""))


ENDS_CLEARED = [ops.Forward(), ops.Backward(), ops.Step(), ops.ZeroGrad()]


def test_a_test_compares_the_gradients_after_the_last_zero_grad():
    test = export_test(make(TINY), record(make(TINY), ENDS_CLEARED))
    assert '    ("optimizer.zero_grad()", 0.0),\n]' in test
    assert "    optimizer.zero_grad()\n    yield" in test


def test_a_test_compares_them_only_where_no_backward_follows():
    order = [ops.ZeroGrad(), *ENDS_CLEARED[:3]]
    assert '("optimizer.zero_grad()"' not in export_test(make(TINY), record(make(TINY), order))


@pytest.mark.torch
def test_a_test_fails_without_the_last_zero_grad():
    program = make(NET)
    order = [*ENDS_CLEARED, *ENDS_CLEARED]
    test = export_test(program, record(program, order))
    assert on_torch(test)
    before, call, after = test.rpartition("    optimizer.zero_grad()\n")
    assert call
    with pytest.raises(AssertionError, match=r"value 7: optimizer.zero_grad\(\) gives"):
        on_torch(before + after)
