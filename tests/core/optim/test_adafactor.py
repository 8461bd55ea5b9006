"""Adafactor: its factored second moment, its step size, and rejected options."""

import numpy as np
import pytest

import gradstep
from gradstep import optim
from gradstep.errors import ArgumentError

GRADIENT = np.array([[1.0, 2.0, -2.0], [0.5, 4.0, 1.0]])


def first_step(**options):
    x = gradstep.tensor(np.ones((2, 3)), requires_grad=True)
    x.grad = gradstep.tensor(GRADIENT)
    optimizer = optim.Adafactor([x], **options)
    terms = {visit.term: visit.array.copy() for visit in optimizer.visits()}
    return x, optimizer, terms


def test_the_second_moment_is_kept_as_a_row_and_a_column():
    x, optimizer, terms = first_step()
    rows, columns = (GRADIENT**2).mean(1, keepdims=True), (GRADIENT**2).mean(0, keepdims=True)
    state = optimizer.state[x]
    assert list(state) == ["step", "row_var", "col_var"]
    np.testing.assert_allclose(state["row_var"].numpy(), rows, rtol=1e-12)
    np.testing.assert_allclose(state["col_var"].numpy(), columns, rtol=1e-12)
    np.testing.assert_allclose(terms["var_estimate"], rows @ columns / rows.mean(), rtol=1e-12)


def test_a_vector_keeps_its_whole_second_moment():
    x = gradstep.ones(3, requires_grad=True)
    x.grad = gradstep.tensor([1.0, 2.0, 3.0])
    optimizer = optim.Adafactor([x])
    optimizer.step()
    assert list(optimizer.state[x]) == ["step", "variance"]
    assert optimizer.state[x]["variance"].tolist() == [1.0, 4.0, 9.0]


def test_the_move_is_relative_to_the_parameter_and_clipped():
    _, _, terms = first_step(lr=0.5, d=1.0)
    assert terms["step_size"] == 0.5  # the parameter's root mean square is 1
    root = np.sqrt((terms["normalized_grad"] ** 2).mean())
    assert terms["clip_denominator"] == pytest.approx(max(1.0, root))
    np.testing.assert_allclose(terms["param"], 1.0 - terms["update"])


def test_an_empty_parameter_is_passed_over():
    x = gradstep.zeros(0, 3, requires_grad=True)
    x.grad = gradstep.zeros(0, 3)
    optimizer = optim.Adafactor([x])
    optimizer.step()
    assert optimizer.state[x]["step"].item() == 1.0


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        ({"lr": -1}, "Learning rate should be >= 0 but is: -1"),
        ({"beta2_decay": 0.8}, "beta2_decay should be <= 0 but is: 0.8"),
        ({"eps": (-1e-30, 1e-3)}, "epsilon1 should be >= 0"),
        ({"eps": (None, -1.0)}, "epsilon2 should be >= 0"),
        ({"d": 0.0}, "Clipping threshold d should be >= 1 but is: 0.0"),
        ({"weight_decay": -1}, "weight_decay should be >= 0 but is: -1"),
    ],
)
def test_options_out_of_range_are_rejected(options, phrase):
    with pytest.raises(ArgumentError, match=phrase):
        optim.Adafactor([gradstep.ones(1, requires_grad=True)], **options)


def test_its_state_has_shapes_of_its_own():
    x, optimizer, _ = first_step()
    assert optimizer.state_shape("row_var", (2, 3)) == (2, 1)
    assert optimizer.state_shape("col_var", (4, 2, 3)) == (4, 1, 3)
    assert optimizer.state_shape("variance", (3,)) == (3,)
    assert optimizer.state_shape("step", ()) == ()
    held = {name: value.numpy() for name, value in optimizer.state[x].items()}
    assert optimizer.is_state(held)
    assert optimizer.is_state({"row_var": held["row_var"]})
    assert not optimizer.is_state({**held, "step": np.ones(2)})
    assert not optimizer.is_state({**held, "row_var": 1.0})
