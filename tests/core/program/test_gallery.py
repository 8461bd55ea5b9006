"""The bundled scenarios: each builds, runs, and behaves as its lesson describes."""

from __future__ import annotations

import pytest

from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.program.program import Program

ALL = {scenario.id: scenario for scenario in scenarios()}


def opened(start: str) -> Program:
    """Open the scenario whose id begins with `start`."""
    return Program.open(next(one.path for name, one in ALL.items() if name.startswith(start)))


def iterate(program: Program, times: int) -> None:
    """Run the loop."""
    for _ in range(times):
        for operation in program.loop_operations():
            program.run(operation)


@pytest.mark.parametrize("name", ALL)
def test_every_scenario_is_restored_in_the_middle_of_an_iteration(name, comparable_state):
    program = Program.open(ALL[name].path)
    iterate(program, 1)
    assert program.iteration == 1
    for operation in program.loop_operations()[:2]:
        program.run(operation)
    state, middle = program.capture(), comparable_state(program)
    iterate(program, 2)
    end = comparable_state(program)
    program.restore(state)
    assert comparable_state(program) == middle
    iterate(program, 2)
    assert comparable_state(program) == end


@pytest.mark.parametrize("scenario", ALL.values(), ids=list(ALL))
def test_every_scenario_has_a_title_a_summary_and_a_description(scenario):
    assert scenario.title
    assert len(scenario.summary) > 20
    assert len(Program.open(scenario.path).spec.description) > 200


def test_each_operation_reads_and_writes_the_expected_addresses():
    program = opened("01")
    x = program.tensors["x"]
    assert x.grad is None
    assert program.run(Forward()).loss == 300.0
    assert x.grad is None
    program.run(Backward())
    assert x.grad.tolist() == [100.0, 100.0]
    assert x.tolist() == [1.0, 2.0]
    program.run(Step())
    assert x.tolist() == pytest.approx([0.9, 1.9])
    program.run(ZeroGrad())
    assert x.grad is None
    assert x.tolist() == pytest.approx([0.9, 1.9])


def test_linear_regression_learns_the_slope():
    program = opened("02")
    iterate(program, 300)
    assert program.tensors["model.0.weight"].item() == pytest.approx(2.0, abs=1e-3)


def test_the_two_layer_network_has_404220_parameters_and_batches_of_128():
    program = opened("03")
    assert sum(tensor.numel() for tensor in program.tensors.values()) == 404_220
    assert program.run(Forward()).rows == tuple(range(128))


def test_a_head_without_a_gradient_does_not_move():
    program = opened("04")
    iterate(program, 10)
    before = program.tensors["head_b.0.weight"].tolist()
    iterate(program, 9)
    assert program.tensors["head_b.0.weight"].tolist() == before
    iterate(program, 1)
    assert program.tensors["head_b.0.weight"].tolist() != before


def test_the_second_optimizer_holds_only_the_second_head():
    program = opened("05")
    held = {binding.optimizer: [] for binding in program.optimizer_tensors}
    for binding in program.optimizer_tensors:
        held[binding.optimizer].append(binding.address)
    assert held["optimizer_b"] == ["head_b.0.weight", "head_b.0.bias"]
    assert len(held["optimizer_a"]) == 4


def test_the_iris_scenario_reaches_a_low_loss():
    program = opened("06")
    iterate(program, 200)
    assert program.losses["loss"].item() < 0.2
    assert program.batches["loss"].epoch == 20


def test_the_rosenbrock_scenario_reaches_the_minimum():
    program = opened("07")
    iterate(program, 1000)
    assert program.tensors["x"].tolist() == pytest.approx([1.0, 1.0], abs=0.05)


def test_an_optimizer_of_the_wrong_model_moves_nothing():
    program = opened("08")
    before = {name: tensor.tolist() for name, tensor in program.tensors.items()}
    iterate(program, 3)
    assert {name: tensor.tolist() for name, tensor in program.tensors.items()} == before
    assert program.tensors["other.0.weight"].grad is None
    assert program.tensors["model.0.weight"].grad is not None
