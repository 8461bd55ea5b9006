"""Scripts of every kind run unchanged under the agent, which sees what they do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.gradstep_agent.client import plain, record

pytestmark = [pytest.mark.torch, pytest.mark.slow]

SCRIPTS = Path(__file__).parent / "scripts"

LOOP = {"zero_grad": 1, "forward": 1, "backward": 1, "step": 1}


def times(count, **more):
    """The counts of a plain loop, changed by others; those of 0 are left out."""
    found = {**dict.fromkeys(LOOP, count), **more}
    return {kind: number for kind, number in found.items() if number}


EXPECTED = {  # the Operations, the iterations and the epochs of each script
    "plain_loop": (times(6), 6, 1),
    "epochs_of_batches": (times(9, forward=9 * 2 + 9), 9, 3),
    "functions": (times(9, forward=9 + 3), 9, 3),
    "trainer_object": (times(5), 5, 1),
    "raw_tensors": ({"backward": 5, "update_by_hand": 5, "clear_by_hand": 5}, 5, 1),
    "raw_data": ({"backward": 5, "update_by_hand": 5, "clear_by_hand": 5}, 5, 1),
    "parameters_by_hand": (times(5, step=0, update_by_hand=5), 5, 1),
    "gradients_set_to_none": (times(4, zero_grad=0, clear_by_hand=3), 4, 1),
    "accumulation": (
        times(8, zero_grad=3, step=2, clip_grad_norm=2, scheduler_step=2),
        8,
        1,
    ),
    "gan": (times(8, forward=4 * 7), 4, 1),
    "lbfgs": ({"step": 3, "zero_grad": 12, "forward": 12, "backward": 12}, 3, 1),
    "scaler": (
        times(
            6,
            step=5,
            clip_grad_norm=6,
            scaler_unscale=6,
            scaler_step=6,
            scaler_update=6,
        ),
        6,
        1,
    ),
    "own_optimizer_subclass": (times(6), 6, 3),
    "own_optimizer_class": (times(4, zero_grad=0, step=0, clear_by_hand=3, update_by_hand=4), 4, 1),
    "two_groups": (times(4, forward=8, scheduler_step=4), 4, 1),
    "plateau": (times(3, scheduler_step=3), 3, 1),
    "autograd_grad": ({"autograd_grad": 4, "update_by_hand": 4}, 4, 1),
    "backward_caught": (times(3, backward=4), 3, 1),
    "ends_in_an_error": (times(1, forward=2), 1, 1),
    "exits_with_a_status": ({"forward": 1, "backward": 1}, 1, 1),
    "recurrent": (times(3, clip_grad_value=3), 3, 1),
    "convolutional": (times(6), 6, 2),
    "loader_workers": (times(4), 4, 2),
    "average_of_weights": (times(3, forward=4, load_state_dict=1, update_by_hand=3), 3, 1),
    "frozen_layer": (times(3), 3, 1),
    "clipped_weights": (times(3, update_by_hand=3), 3, 1),
    "clipped_data": (times(3, forward=6, update_by_hand=2), 3, 1),
    "clipped_gradients_data": (times(3, gradient_by_hand=3), 3, 1),
    "averages_swapped_in": (times(6, forward=9, update_by_hand=6), 6, 3),
    "lazy_layers": (times(3), 3, 1),
    "command_line": (times(4), 4, 1),
    "standard_input": (times(4, forward=0), 4, 1),
    "early_stopping": (times(6, forward=6 * 3 + 1, load_state_dict=1), 6, 1),
    "checkpointed_activations": (times(3, forward=3 * 4), 3, 1),
    "weight_normalized": (times(3, forward=6), 3, 1),
    "meta_learning": (times(4, forward=8, autograd_grad=4), 4, 1),
    "shapes_first": (times(3, forward=4), 3, 1),
    "functional_model": ({"forward": 4, "autograd_grad": 4}, 4, 1),
    "schedulers": (times(20, scheduler_step=20), 20, 5),
    "averaged_model": (times(6, forward=10, scheduler_step=2), 6, 2),
    "mixed_precision": (times(4, clip_grad_norm=4), 4, 1),
    "while_loop": (times(6), 6, 1),
    "callbacks": (times(6), 6, 2),
    "transformer": (times(3), 3, 1),
    "saved_and_resumed": (times(7, scheduler_step=7, load_state_dict=1), 7, 1),
    "closure_of_sgd": (times(4), 4, 1),
    "gradient_penalty": (times(3, forward=9, autograd_grad=3), 3, 1),
    "own_function": (times(3), 3, 1),
    "sparse_embedding": (times(3, zero_grad=6, forward=6, step=6), 3, 1),
    "logs_and_warns": (times(2, backward=1, step=1), 2, 1),
    "widths": (times(6), 6, 2),
    "no_torch": ({}, 0, 0),
    "cnn_of_a_tutorial": (times(6, forward=14), 6, 2),
    "gpt_from_scratch": (times(10, forward=27, clip_grad_norm=5, step=5, zero_grad=5), 10, 1),
    "physics_informed": (
        {"forward": 17, "autograd_grad": 16, "zero_grad": 8, "backward": 8, "step": 4},
        3,
        1,
    ),
    "deep_q_learning": (times(12, forward=41, clip_grad_value=12, load_state_dict=16), 12, 3),
    "learner_with_exceptions": (times(7, zero_grad=6), 7, 2),
    "search_over_learning_rates": (times(18, forward=19, load_state_dict=1), 18, 6),
    "inside_of_torch": (times(2, forward=7, autograd_grad=7), 3, 1),
    "changing_parameters": (times(14, zero_grad=15, clear_by_hand=1, update_by_hand=1), 14, 1),
    "inference_tensors": (times(3, forward=17), 3, 1),
    "many_backwards": (times(4, forward=6, backward=12, clear_by_hand=2), 2, 1),
    "generators_and_threads": (times(5), 5, 1),
    "policy_gradient": (times(4, forward=20), 4, 1),
    "ensemble_of_vmap": (times(2, forward=5, autograd_grad=4), 5, 1),
    "transformed_functions": (
        {
            **times(4, forward=11, backward=2, step=2),
            "autograd_grad": 8,
            "update_by_hand": 5,
            "gradient_by_hand": 2,
        },
        7,
        1,
    ),
    "gradients_of_samples": (
        times(3, forward=4, backward=0, autograd_grad=3, gradient_by_hand=3),
        3,
        1,
    ),
    "interrupted": (times(5), 5, 1),
    "spawned_workers": (times(4), 4, 2),
    "odd_variables": (times(3), 3, 1),
    "float64_and_complex": (times(4, forward=0), 4, 1),
    "flattened_loop": (times(7, clip_grad_norm=7, scheduler_step=7), 7, 1),
    "teacher_and_student": (times(6, forward=12, scheduler_step=6, update_by_hand=6), 6, 2),
}


LEVELS = ("full", "series", "events")

ARGUMENTS = {"command_line": ["--epochs", "4", "-m", "0.5", "--no-cuda"]}
GIVEN = {"standard_input": "0.1\n1 2\n2 4\n-1 -2\n"}


def test_each_script_has_its_expectation():
    assert sorted(EXPECTED) == sorted(path.stem for path in SCRIPTS.glob("*.py"))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_script_prints_the_same_at_every_level_and_its_operations_are_seen(name):
    script, words, given = SCRIPTS / f"{name}.py", ARGUMENTS.get(name, ()), GIVEN.get(name, "")
    alone = plain(script, *words, given=given)
    operations, iterations, epochs = EXPECTED[name]
    for level in LEVELS:
        run = record(script, *words, given=given, level=level)
        assert run.out == alone.out, level
        assert run.status == alone.status, level
        assert without_warnings(run.err) == without_warnings(alone.err), level
        assert run.of("failed") == [], level
        assert run.counts() == operations, level
        assert (run.iterations, run.epochs) == (iterations, epochs), level


@pytest.mark.parametrize("level", ["events", "series"])
@pytest.mark.parametrize("name", ["epochs_of_batches", "lbfgs"])
def test_only_the_full_level_has_arrays_and_only_series_has_norms(name, level):
    run = record(SCRIPTS / f"{name}.py", level=level)
    assert not any(event.arrays for event in run.events)
    has_norms = [bool(place["norms"]) for place in run.of("place") if place["kind"] == "step"]
    assert has_norms == [level == "series"] * len(has_norms)


def test_a_warning_names_the_line_of_the_script_that_calls_torch(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\n"
        "sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5)\n"
        "scheduler = torch.optim.lr_scheduler.StepLR(sgd, 2)\n"
        "scheduler.step()\n"
    )
    run = record(script)
    assert f"{script}:4: UserWarning: Detected call of `lr_scheduler.step()`" in run.err
    assert run.err == plain(script).err


CAUGHT = """
import logging, sys, threading, traceback, warnings
import torch
from torch import nn

class Inner(nn.Module):
    def forward(self, x):
        warnings.warn("inner", stacklevel=3)
        raise ValueError("inner")

class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.fc = Inner(), nn.Linear(2, 1)

    def forward(self, x):
        try:
            self.inner(self.fc(x))
        except ValueError:
            traceback.print_exc()
        return self.inner(self.fc(x))

class Own(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)

def fail(*_):
    raise RuntimeError("closure")

class Bad(torch.utils.data.Dataset):
    def __len__(self):
        return 1

    def __getitem__(self, index):
        raise KeyError(index)

def attempt(call, *words):
    try:
        call(*words)
    except BaseException as error:
        traceback.print_exc()
        logging.exception("failed")
        print(len(traceback.extract_tb(error.__traceback__)))

model = Outer()
own = Own(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(own, 1)
own.step()
for _ in range(2):
    attempt(model, torch.ones(2))
    attempt(own.step, fail)
    loss = model.fc(torch.ones(2)).sum()
    loss.backward()
    attempt(loss.backward)
    attempt(torch.autograd.grad, loss, model.fc.weight)
    attempt(model.load_state_dict, {})
    attempt(scheduler.step, 1, 2, 3)
    attempt(own.zero_grad, 1, 2, 3)
    attempt(next, iter(torch.utils.data.DataLoader(Bad())))
thread = threading.Thread(target=attempt, args=(model, torch.ones(2)))
thread.start()
thread.join()
model(torch.ones(2))
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="a bare raise adds a frame before 3.11")
def test_a_traceback_that_a_script_prints_has_no_frames_of_the_agent(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(CAUGHT)
    alone, run = plain(script), record(script)
    assert "gradstep" not in run.err
    assert run.err == alone.err
    assert run.out == alone.out
    assert run.of("failed") == []


COMPILED = """
import torch
from torch import nn
from torch._dynamo.utils import counters

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 1)

    def forward(self, x):
        x = self.first(x)
        torch._dynamo.graph_break()
        return self.second(x)

net = Net()
sgd = torch.optim.SGD(net.parameters(), lr=0.5)
compiled = torch.compile(net, backend="eager")

@torch.compile(backend="eager")
def loss_of(x):
    return nn.functional.mse_loss(net.first(x).relu(), x)

for _ in range(2):
    sgd.zero_grad()
    (loss_of(torch.ones(3, 2)) + compiled(torch.ones(3, 2)).sum()).backward()
    sgd.step()
print(counters["stats"]["unique_graphs"], counters["stats"]["calls_captured"])
print([reason for reason in counters["graph_break"] if "graph_break()" not in reason])
"""


def test_what_is_compiled_is_compiled_as_without_the_agent(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(COMPILED)
    alone, run = plain(script), record(script)
    assert (run.out, run.err) == (alone.out, alone.err)
    assert run.of("failed") == []


def test_the_file_whose_line_ended_a_script_is_sent_though_nothing_happened_in_it(tmp_path):
    (tmp_path / "helper.py").write_text("def mean_of(losses):\n    return 1 / len(losses)\n")
    script = tmp_path / "train.py"
    script.write_text("import torch\nfrom helper import mean_of\nmean_of([])\n")
    run = record(script)
    assert [frame["file"] for frame in run.of("source")] == [str(tmp_path / "helper.py")]
    (ended,) = run.of("bye")
    assert ended["error"] == "ZeroDivisionError: division by zero (helper.py:2)"


COMPILED_STEP = """
import torch
from torch._dynamo.utils import counters

weights = torch.ones(3, requires_grad=True)
adam = torch.optim.Adam([weights], lr=0.5)

@torch.compile(backend="eager")
def update():
    adam.step()

for _ in range(3):
    adam.zero_grad()
    weights.square().sum().backward()
    update()
    print(weights.tolist())
print(counters["stats"]["unique_graphs"], counters["stats"]["calls_captured"])
"""


def test_a_step_that_is_compiled_is_seen_and_compiled_as_without_the_agent(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(COMPILED_STEP)
    alone, run = plain(script), record(script)
    assert run.out == alone.out
    assert run.err.count("UserWarning") == alone.err.count("UserWarning")
    assert run.of("failed") == []
    assert [event.kind for event in run.events] == ["zero_grad", "backward", "step"] * 3


def without_warnings(text):
    """Leave out torch's warnings, which some runs of one script show and others do not."""
    return [line for line in text.splitlines() if "Warning" not in line]


def test_names_that_addresses_cannot_have_are_changed(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\n"
        "model = torch.nn.Module()\n"
        "model.a = torch.nn.ParameterDict({'x/y': torch.ones(1), 'grad': torch.ones(1)})\n"
        "model.a['long' * 60] = torch.nn.Parameter(torch.ones(1))\n"
        "sgd = torch.optim.SGD(model.parameters(), lr=0.5)\n"
        "sum(value.sum() for value in model.a.values()).backward()\n"
        "sgd.step()\n"
    )
    found = {frame["name"] for frame in record(script).of("tensor")}
    assert found == {"model.a.x|y", "model.a.grad_", "…" + ("long" * 60)[-159:]}


def test_what_changes_its_shape_or_element_type_gets_another_name():
    run = record(SCRIPTS / "changing_parameters.py")
    forms = {}
    for frame in (*run.of("tensor"), *run.of("place")):
        for address, dtype, shape in frame["arrays"]:
            if "/" not in address:
                forms.setdefault(address.removesuffix(".grad"), set()).add((dtype, *shape))
    assert {name: found for name, found in forms.items() if len(found) > 1} == {}
    assert forms["net.0.weight"] == {("float32", 4, 2)}
    assert forms["net.0.weight (2)"] == {("float64", 4, 2)}
    assert forms["net.0.weight (3)"] == {("float32", 3, 2)}
    stepped = [next(iter(event.arrays)) for event in run.events if event.kind == "step"]
    assert stepped[:6] == ["net.0.weight"] * 2 + ["net.0.weight (2)"] * 2 + ["net.0.weight"] * 2
    leaves = [{leaf for _, _, _, leaf in graph["nodes"] if leaf} for graph in run.of("graph")]
    assert "net.0.weight (2)" in leaves[1]
