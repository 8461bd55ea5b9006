"""Programs with epochs are exported as a loop over epochs around a loop over batches."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from gradstep.debugger import Debugger
from gradstep.program import operation as ops
from gradstep.program.document.codec import decode
from gradstep.program.program import Program
from gradstep.program.torch_export import export
from gradstep.program.torch_export.export import (
    RecordedOperation,
    export_script,
    export_test,
    list_program,
)

TRAIN = [
    {"op": "zero_grad"},
    {"op": "forward", "loss": "train"},
    {"op": "backward", "loss": "train"},
    {"op": "step"},
]
ACCUMULATE = [
    {"op": "forward", "loss": "train"},
    {"op": "backward", "loss": "train"},
    {"op": "step", "every": [2, "epoch"]},
    {"op": "zero_grad", "every": [2, "epoch"]},
]
TEST = {"op": "forward", "loss": "test", "every": "epoch"}
ACCURACY = {"op": "forward", "loss": "accuracy", "every": "epoch"}
DECAY = {"op": "scheduler_step", "scheduler": "decay", "every": "epoch"}


def document(loop, iterations=12, **options):
    """A program with 3 batches an epoch, the last of which is not full."""
    return {
        "gradstep": 1,
        "seed": 3,
        "iterations": iterations,
        "data": {
            "a": {"kind": "blobs", "samples": 40, "validation": 0.25, "batch_size": 12,
                  "shuffle": True, **options}
        },
        "modules": {
            "model": [{"kind": "Linear", "in_features": 2, "out_features": 8},
                      {"kind": "Dropout", "p": 0.3},
                      {"kind": "Linear", "in_features": 8, "out_features": 3}]
        },
        "losses": {
            "train": {"data": "a", "chain": ["model"], "criterion": {"kind": "CrossEntropyLoss"}},
            "test": {"data": "a", "rows": "validation", "chain": ["model"],
                     "criterion": {"kind": "CrossEntropyLoss"}},
            "noisy": {"data": "a", "expression": "mean(model(input + randn_like(input)) ** 2)"},
            "noise": {"expression": "sum(randn_like(tensor('model.0.weight')) ** 2)"},
        },
        "metrics": {
            "accuracy": {"data": "a", "chain": ["model"], "mode": "eval",
                         "expression": "mean(argmax(output, 1) == target)"}
        },
        "optimizers": {"optimizer": {"kind": "Adam", "params": ["*"], "lr": 0.02}},
        "schedulers": {"decay": {"kind": "StepLR", "step_size": 2, "gamma": 0.5}},
        "loop": loop,
    }  # fmt: skip


def make(tree):
    return Program.from_spec(decode(json.dumps(tree).encode()))


def loop_of(script):
    """Return the loop of a script, without its setup."""
    return script[script.index("\nfor ") + 1 :]


def test_the_lines_of_a_complete_epoch_follow_the_loop_over_its_batches():
    script = export_script(make(document([*TRAIN, DECAY, ACCURACY])))
    assert loop_of(script) == (
        "for epoch in range(4):\n"
        "    for train_rows in a_batches:\n"
        "        optimizer.zero_grad()\n"
        "        inputs = a_inputs[train_rows]\n"
        "        target = train_targets[train_rows]\n"
        "        train = train_criterion(model(inputs), target)\n"
        "        train.backward()\n"
        "        optimizer.step()\n"
        "    decay.step()\n"
        "    model_training = model.training\n"
        "    model.eval()\n"
        "    accuracy_rows = torch.arange(30, 40)\n"
        "    inputs = a_inputs[accuracy_rows]\n"
        "    target = accuracy_targets[accuracy_rows]\n"
        "    with torch.no_grad():\n"
        "        output = model(inputs)\n"
        "        accuracy = torch.mean("
        "(torch.argmax(output, 1) == target).to(torch.get_default_dtype()))\n"
        "    model.train(model_training)\n"
        '    print(f"epoch {epoch + 1}: train {train.item():.6g}, '
        'accuracy {accuracy.item():.6g}")\n'
    )
    assert "a_batches = Epochs(30, 12, True, False)\n" in script
    assert "accuracy_targets = train_targets\n" in script


def test_lines_for_some_batches_count_the_batches_of_an_epoch():
    every_third = {"op": "forward", "loss": "noisy", "batch": "current", "every": 4, "offset": 1}
    script = loop_of(export_script(make(document([*ACCUMULATE, every_third, TEST]))))
    assert script.startswith(
        "for epoch in range(4):\n"
        "    for batch, a_rows in enumerate(a_batches, 1):\n"
        "        train_rows = a_rows\n"
        "        inputs = a_inputs[train_rows]\n"
    )
    assert (
        "        if batch % 2 == 0 or batch == len(a_batches):\n            optimizer.step()\n"
    ) in script
    assert "        if (epoch * len(a_batches) + batch) % 4 == 1:\n" in script


@pytest.mark.parametrize(
    "loop",
    [
        TRAIN,
        [{"op": "forward", "loss": "noise"}, *TRAIN, TEST],
        [*TRAIN, {"op": "forward", "loss": "noisy"}, TEST],
        [*TRAIN, TEST, {"op": "set_mode", "training": True}],
        [*TRAIN, {"op": "set_batch_size", "data": "a", "size": 12}, TEST],
    ],
    ids=["no epochs", "noise first", "two batches", "not at the end", "batch size"],
)
def test_a_loop_that_is_not_one_of_epochs_is_one_loop_over_iterations(loop):
    assert loop_of(export_script(make(document(loop)))).startswith("for iteration in range(12):\n")


def test_iterations_that_end_inside_an_epoch_are_one_loop():
    script = export_script(make(document([*TRAIN, TEST], iterations=11)))
    assert loop_of(script).startswith("for iteration in range(11):\n")
    assert "    if a_batches.epoch_is_complete():\n" in script


def test_the_listing_knows_the_lines_of_code_in_both_loops():
    listing = list_program(make(document([*TRAIN, DECAY, TEST])))
    lines = listing.code.splitlines()
    assert [lines[span.first - 1] for span in listing.spans[3:5]] == [
        "        optimizer.step()",
        "    decay.step()",
    ]
    assert lines[listing.spans[5].last - 1].strip().startswith("test = test_criterion(")


def record(tree, *actions):
    """Iterate, or apply Operations; return the program and what was recorded."""
    debugger = Debugger(decode(json.dumps(tree).encode()))
    for action in actions:
        if isinstance(action, int):
            debugger.iterate(action)
        else:
            debugger.apply(action)
    return make(tree), [
        RecordedOperation(event.operation, event.loss, event.index) for event in debugger.events
    ]


RECORDINGS = {
    "whole epochs": ([6], "for epoch in range(2):", "Epochs("),
    "a rest": ([8], "for epoch in range(2):", "Batches("),
    "from the middle": (
        [ops.SetHyperparameter("lr", 0.1), 2, ops.SetHyperparameter("lr", 0.01), 9],
        "for epoch in range(1, 3):",
        "Batches(",
    ),
    "smaller batches": (
        [4, ops.SetBatchSize("a", 7), 13, ops.Forward("train"), 5],
        "for epoch in range(2, 4):",
        "Batches(",
    ),
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_iterations_that_complete_epochs_are_a_loop_over_epochs(name):
    actions, head, batches = RECORDINGS[name]
    script = export_script(*record(document([*TRAIN, TEST]), *actions))
    assert f"{head}\n    for train_rows in a_batches:\n" in script
    assert f"a_batches = {batches}30, 12, True, False)" in script


@pytest.mark.torch
@pytest.mark.parametrize("name", RECORDINGS)
@pytest.mark.parametrize("last", [{}, {"drop_last": True}], ids=["all rows", "drop_last"])
@pytest.mark.parametrize(
    "loop",
    [[*TRAIN, DECAY, TEST, ACCURACY], [*ACCUMULATE, {**DECAY, "every": 4}, TEST]],
    ids=["trained", "accumulated"],
)
def test_torch_computes_the_recorded_numbers_in_a_loop_over_epochs(name, last, loop):
    pytest.importorskip("torch")
    test = export_test(*record(document(loop, **last), *RECORDINGS[name][0]))
    names = {"__name__": "exported"}
    exec(compile(test, "exported.py", "exec"), names)
    names["test_torch_gives_the_recorded_values"]()


@pytest.mark.torch
@pytest.mark.parametrize(
    "loop",
    [
        [*TRAIN, DECAY, TEST, ACCURACY],
        [*ACCUMULATE, {**DECAY, "every": 4}, TEST],
        [*TRAIN, {"op": "forward", "loss": "noisy", "batch": "current"}, ACCURACY],
    ],
    ids=["trained", "accumulated", "noisy"],
)
@pytest.mark.parametrize("last", [{}, {"drop_last": True}], ids=["all rows", "drop_last"])
def test_a_loop_over_epochs_has_the_bits_of_one_loop_on_torch(monkeypatch, loop, last):
    torch = pytest.importorskip("torch")
    program = make(document(loop, **last))

    def parameters():
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(export_script(program), "exported.py", "exec"), names)
        return [*names["model"].parameters(), names["train"]], "epoch" in names

    nested, has_epochs = parameters()
    monkeypatch.setattr(export, "nested_loop", lambda *_: None)
    flat, has_none = parameters()
    assert (has_epochs, has_none) == (True, False)
    assert all(map(torch.equal, nested, flat))


def test_targets_are_written_once_and_only_where_a_loss_compares_with_them():
    script = export_script(make(document([*TRAIN, ACCURACY])))
    assert script.count("train_targets = ") == 1
    assert "accuracy_targets = train_targets\n" in script
    assert "noisy_targets" not in script
    assert script.count("torch.tensor([") == 1
    assert "train_targets = torch.tensor([\n    0, 2, 0, 0, 2, 2, 1," in script
