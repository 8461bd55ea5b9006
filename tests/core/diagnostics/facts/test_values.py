"""What is not finite in an optimizer's state, and what moves without a gradient."""

import numpy as np
import pytest

from gradstep.debugger import Debugger
from gradstep.program.operation import Freeze, LoadState, SetHyperparameter, SetValue


@pytest.fixture
def steep(make):
    """A slope so steep that the square of the gradient overflows, and the gradient does not."""

    def program(kind, slope):
        return make(
            data={},
            modules={},
            tensors={"x": {"value": [1.0, 2.0], "requires_grad": True}},
            losses={"loss": {"expression": f"sum({slope} * x)"}},
            optimizers={"optimizer": {"kind": kind, "params": ["x"], "lr": 0.1}},
        )

    return program


@pytest.mark.parametrize(
    ("kind", "entry"), [("Adam", "exp_avg_sq"), ("RMSprop", "square_avg"), ("Adagrad", "sum")]
)
def test_state_that_is_not_finite_is_named_though_all_else_is_finite(steep, kind, entry):
    dbg = steep(kind, 1e20)
    dbg.iterate(20)
    (finding,) = [item for item in dbg.findings if item.severity == "fact"]
    assert (finding.id, finding.subjects) == ("non-finite", ("x",))
    assert (
        finding.detail
        == f"{entry} of x in optimizer became NaN or infinite, first in term {entry} of x (#4)."
    )
    assert finding.events == (4,)


def test_a_whole_number_that_is_larger_than_any_of_numpy_is_finite(make):
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": [1.0], "requires_grad": True}},
        losses={"loss": {"expression": "sum(1e20 * x)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x"], "lr": 10**30}},
    )
    dbg.iterate(1)
    (finding,) = [item for item in dbg.findings if item.id == "non-finite"]
    assert finding.detail == "The data of x became NaN or infinite, first in term update of x (#4)."


def test_the_last_event_at_which_it_was_finite_is_cited(steep):
    dbg = steep("Adam", 1)
    dbg.iterate(40)
    parameter = dbg.program.tensors["x"]
    dbg.program.optimizers["optimizer"].state[parameter]["exp_avg_sq"][0] = float("inf")
    dbg.iterate(20)
    (finding,) = [item for item in dbg.findings if item.id == "non-finite"]
    # up to the next checkpoint, or the end
    assert "became NaN or infinite after #160 (#160 and #" in finding.detail


def test_data_that_is_not_finite_in_the_middle_of_an_iteration(steep):
    dbg = steep("SGD", 1e38)
    dbg.apply(SetHyperparameter("lr", 1e10))
    for press in (dbg.forward, dbg.backward, dbg.step):
        press()
    (finding,) = [item for item in dbg.findings if item.id == "non-finite"]
    assert finding.events == (4,)
    assert finding.detail == "The data of x became NaN or infinite, first in term update of x (#4)."


FIRST_IN = [
    (
        "mean(log(x))",
        "SGD",
        "The value of loss became NaN or infinite, first in operation Log (#1).",
    ),
    ("sum(exp(100 * x))", "SGD", "first in operation Exp (#1)."),
    (
        "sum(sqrt(x))",
        "SGD",
        "The gradient of x became NaN or infinite, first in node SqrtBackward0 (#2).",
    ),
    (
        "sum(1 / exp(100 * x))",
        "SGD",
        "; node ExpBackward0 already reads NaN or infinity as result (#2).",
    ),
    ("sum(x * 0)", "Adam", "The data of x became NaN or infinite, first in term update of x (#3)."),
]


@pytest.mark.parametrize(("formula", "kind", "detail"), FIRST_IN)
def test_the_place_inside_the_operation_that_made_it_is_named(make, formula, kind, detail):
    options = {"eps": 0.0} if kind == "Adam" else {}
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": [0.0, 2.0], "requires_grad": True}},
        losses={"loss": {"expression": formula}},
        optimizers={"optimizer": {"kind": kind, "params": ["x"], "lr": 0.1, **options}},
    )
    for press in (dbg.forward, dbg.backward, dbg.step):
        press()
    (finding,) = [item for item in dbg.findings if item.id == "non-finite"]
    assert finding.detail.endswith(detail)
    assert len(dbg.events) == 3
    assert dbg.program.losses["loss"] is not None


HUGE = {
    "operation Addmm of model.2": {"model.0.weight": 1.0, "model.2.weight": 1e38},
    "operation MseLoss of criterion": {"model.2.bias": 1e30},
}


@pytest.mark.parametrize("place", HUGE)
def test_the_operation_inside_a_module_is_named_and_not_the_whole_model(make, place):
    layers = [
        {"kind": "Linear", "in_features": 1, "out_features": 8},
        {"kind": "Tanh"},
        {"kind": "Linear", "in_features": 8, "out_features": 1},
    ]
    loss = {"data": "a", "chain": ["model"], "criterion": {"kind": "MSELoss"}}
    data = {"kind": "line", "samples": 8, "low": 50, "high": 60}
    dbg = make(data={"a": data}, modules={"model": layers}, losses={"loss": loss})
    for name, value in HUGE[place].items():
        shape = dbg.snapshot.parameters[name].data.shape
        dbg.apply(SetValue(name, np.full(shape, value).tolist()))
    dbg.forward()
    (finding,) = [item for item in dbg.findings if item.id == "non-finite"]
    assert f"became NaN or infinite, first in {place} (#{len(dbg.events)})." in finding.detail


def test_what_is_overwritten_again_was_not_finite_all_the_same(steep):
    dbg = steep("Adam", 1e20)
    for press in (dbg.forward, dbg.backward, dbg.step):
        press()
    dbg.apply(LoadState(0))
    (finding,) = [item for item in dbg.findings if item.id == "non-finite"]
    assert finding.events == (3,)


def test_a_recording_that_ends_in_nan_is_not_found_so_a_second_time(steep, tmp_path):
    dbg = steep("Adam", 1e20)
    dbg.iterate(1)
    dbg.save(tmp_path / "nan.gradstep")
    opened = Debugger.open(tmp_path / "nan.gradstep")
    opened.iterate(1)
    assert [item.events for item in opened.findings if item.id == "non-finite"] == [(4,)]


def test_finite_state_is_not_reported(steep):
    dbg = steep("Adam", 1e18)
    dbg.iterate(40)
    assert [item for item in dbg.findings if item.severity == "fact"] == []


def test_a_gradient_that_backward_makes_zero_is_none_that_was_left_over(make):
    dbg = make(
        data={},
        modules={},
        tensors={"x": {"value": [1.0, 2.0], "requires_grad": True}},
        losses={"loss": {"expression": "sum(relu(x))"}},
        optimizers={"optimizer": {"kind": "Adam", "params": ["x"], "lr": 0.5}},
    )
    dbg.iterate(30)
    assert dbg.snapshot.parameters["x"].grad.tolist() == [0, 0]
    assert "moved-without-gradient" not in {item.id for item in dbg.findings}


def left_a_zero_gradient(dbg):
    """Run one iteration, then zero the gradients without removing them."""
    dbg.iterate(1)
    dbg.zero_grad(set_to_none=False)


def weights(dbg):
    return {name: item.data.copy() for name, item in dbg.snapshot.parameters.items()}


def moved_ids(dbg):
    return {item.id for item in dbg.findings} & {"frozen-but-moved", "moved-without-gradient"}


def test_a_frozen_parameter_with_a_zero_gradient_does_not_move(dbg):
    left_a_zero_gradient(dbg)
    dbg.apply(Freeze("model.*"))
    before = weights(dbg)
    dbg.step()
    for name, data in weights(dbg).items():
        assert np.array_equal(data, before[name])
    assert moved_ids(dbg) == set()


def test_a_frozen_parameter_does_not_move_at_a_learning_rate_of_zero(dbg):
    dbg.zero_grad()
    dbg.forward()
    dbg.backward()
    dbg.apply(Freeze("model.*"))
    dbg.apply(SetHyperparameter("lr", 0.0))
    dbg.step()
    assert moved_ids(dbg) == set()


def test_only_the_frozen_parameters_that_moved_are_named(make):
    dbg = make(
        data={},
        modules={},
        tensors={
            "x": {"value": [1.0, 2.0], "requires_grad": True},
            "y": {"value": [0.0, 0.0], "requires_grad": True},
        },
        losses={"loss": {"expression": "sum(x * x) + sum(y * y)"}},
        optimizers={"optimizer": {"kind": "SGD", "params": ["x", "y"], "lr": 0.1}},
    )
    dbg.forward()
    dbg.backward()
    dbg.apply(Freeze("*"))
    dbg.step()
    (finding,) = [item for item in dbg.findings if item.id == "frozen-but-moved"]
    assert (finding.subjects, finding.events) == (("x",), (4,))


def test_a_move_without_gradient_is_reported_in_the_middle_of_an_iteration(make):
    momentum = {"kind": "SGD", "params": ["model.*"], "lr": 0.1, "momentum": 0.9}
    dbg = make(optimizers={"optimizer": momentum}, loop=None)
    for press in (dbg.zero_grad, dbg.forward, dbg.backward, dbg.step):
        press()
    dbg.zero_grad(set_to_none=False)
    dbg.step()
    (finding,) = [item for item in dbg.findings if item.id == "moved-without-gradient"]
    assert finding.events == (5, 6)
    assert "memory of earlier gradients" in finding.detail


def test_a_write_by_hand_next_to_a_move_without_gradient_does_not_hide_it(make):
    momentum = {"kind": "SGD", "params": ["model.*"], "lr": 0.1, "momentum": 0.9}
    dbg = make(optimizers={"optimizer": momentum})
    left_a_zero_gradient(dbg)
    dbg.apply(SetValue("model.2.weight", 1.0))
    dbg.step()
    (finding,) = [item for item in dbg.findings if item.id == "moved-without-gradient"]
    assert "model.2.weight" in finding.subjects


def test_a_branch_knows_the_gradients_that_were_zeroed_before_it_forked(make):
    momentum = {"kind": "SGD", "params": ["model.*"], "lr": 0.1, "momentum": 0.9}
    dbg = make(optimizers={"optimizer": momentum})
    left_a_zero_gradient(dbg)
    dbg.step()
    dbg.seek(5)
    dbg.forward()
    dbg.step()
    (finding,) = [item for item in dbg.findings if item.id == "moved-without-gradient"]
    assert finding.events == (5, 7)


def test_before_the_first_step_no_learning_rate_is_to_blame(make):
    free = {
        "tensors": {"x": {"value": [0.0, 1.0], "requires_grad": True}},
        "data": {},
        "modules": {},
    }
    free["optimizers"] = {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 1e30}}
    at_once = make(**free, losses={"loss": {"expression": "sum(x / x)"}})
    at_once.iterate(1)
    assert at_once.findings[0].remedy == "Go to the event before and inspect what it reads."
    later = make(**free, losses={"loss": {"expression": "sum(x ** 2)"}})
    later.iterate(5)
    assert "A smaller learning rate or clipping" in later.findings[0].remedy
