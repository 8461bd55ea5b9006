"""What all optimizers share: groups, hooks, state dicts, closures, and rejected arguments."""

import copy

import numpy as np
import pytest

import gradstep
from gradstep import optim
from gradstep.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from gradstep.optim.step_hooks import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)


def leaf(*values, grad=None):
    tensor = gradstep.tensor(list(values), requires_grad=True)
    tensor.grad = None if grad is None else gradstep.tensor(grad)
    return tensor


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        ({"lr": -1}, "Invalid learning rate: -1"),
        ({"lr": float("nan")}, "Invalid learning rate: nan"),
        ({"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
        ({"betas": (0.9, -0.1)}, "Invalid beta parameter at index 1: -0.1"),
        ({"eps": -1e-8}, "Invalid epsilon value: -1e-08"),
        ({"weight_decay": -1}, "Invalid weight_decay value: -1"),
    ],
)
def test_a_hyperparameter_out_of_range_is_reported_with_its_value(options, phrase):
    with pytest.raises(ArgumentError, match=phrase):
        optim.Adam([leaf(1.0)], **options)


def test_a_hyperparameter_that_is_not_a_number_is_rejected():
    with pytest.raises(ArgumentTypeError, match="'fast' is not a number"):
        optim.SGD([leaf(1.0)], lr="fast")


@pytest.mark.parametrize(
    ("kind", "options", "phrase"),
    [
        ("Adafactor", {"eps": 1e-3}, r"Invalid eps: 0.001; pass 2 numbers such as \(None, 0.001"),
        ("Adafactor", {"eps": (None,)}, r"Invalid eps: \(None,\); pass 2 numbers"),
        ("Adafactor", {"eps": (None, None)}, "eps value at index 1: None is not a number"),
        ("Rprop", {"etas": 3}, r"Invalid etas: 3; pass 2 numbers such as \(0.5, 1.2\)"),
        ("Rprop", {"etas": (0.5, 1.2, 2)}, r"Invalid etas: \(0.5, 1.2, 2\); pass 2 numbers"),
        ("Rprop", {"etas": ("a", 2)}, "etas value at index 0: 'a' is not a number"),
        ("Rprop", {"step_sizes": 50}, "Invalid step_sizes: 50; pass 2 numbers"),
        ("Muon", {"eps": (1e-7, 1e-3)}, r"Invalid eps: \(1e-07, 0.001\) is not a number"),
        ("Muon", {"ns_coefficients": 3}, "Invalid ns_coefficients: 3; pass 3 numbers"),
        ("Muon", {"ns_steps": "five"}, "Invalid ns_steps: 'five' is not a number"),
    ],
)
def test_the_error_for_what_is_not_a_pair_or_a_number_shows_what_to_pass(kind, options, phrase):
    with pytest.raises(ArgumentTypeError, match=phrase):
        getattr(optim, kind)([gradstep.ones(2, 2, requires_grad=True)], **options)


def test_parameters_must_be_a_list_of_leaves():
    x = leaf(1.0)
    with pytest.raises(ArgumentError, match="optimizer got an empty parameter list"):
        optim.SGD([])
    with pytest.raises(ArgumentError, match="can't optimize a non-leaf Tensor"):
        optim.SGD([x * 2])
    with pytest.raises(ArgumentTypeError, match="should be an iterable of Tensors or dicts"):
        optim.SGD(x)
    with pytest.raises(ArgumentTypeError, match="can only optimize Tensors"):
        optim.SGD([1.0])
    with pytest.raises(ArgumentTypeError, match="ordered collections"):
        optim.SGD([{"params": {x}}])
    with pytest.raises(ArgumentError, match="appear in more than one parameter group"):
        optim.SGD([{"params": [x]}, {"params": [x]}])
    with pytest.raises(ArgumentError, match="Some param names are missing"):
        optim.SGD([("x", x), leaf(2.0)])


def test_a_parameter_given_twice_is_warned_of_and_updated_twice():
    x = leaf(1.0, grad=[1.0])
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizer = optim.Adam([x, leaf(0.0, grad=[1.0]), x], lr=0.1)
    optimizer.step()
    assert optimizer.state[x]["step"].item() == 2.0


def test_a_parameter_given_three_times_is_updated_three_times():
    x = leaf(3.0, grad=[1.0])
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizer = optim.SGD([x, x, x], lr=1.0)
    optimizer.step()
    assert x.item() == 0.0


def test_groups_have_options_of_their_own():
    x, y = leaf(1.0, grad=[1.0]), leaf(1.0, grad=[1.0])
    optim.SGD([{"params": x}, {"params": [y], "lr": 0.5}], lr=0.25).step()
    assert (x.item(), y.item()) == (0.75, 0.5)


def test_zero_grad_makes_none_or_zeros_of_the_same_tensor():
    x = leaf(1.0, grad=[3.0])
    optimizer = optim.SGD([x])
    grad = x.grad
    optimizer.zero_grad(set_to_none=False)
    assert x.grad is grad
    assert x.grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert x.grad is None


def test_a_closure_runs_with_grad_enabled_before_gradients_are_read():
    x = leaf(2.0)
    optimizer = optim.SGD([x], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    with gradstep.no_grad():
        assert optimizer.step(closure).item() == 4.0
    assert x.item() == pytest.approx(1.6)


def test_hooks_are_called_in_torchs_order():
    called = []
    optimizer = optim.SGD([leaf(1.0)])
    handles = [
        register_optimizer_step_pre_hook(lambda *_: called.append("all before")),
        optimizer.register_step_pre_hook(lambda *_: called.append("own before")),
        optimizer.register_step_post_hook(lambda *_: called.append("own after")),
        register_optimizer_step_post_hook(lambda *_: called.append("all after")),
    ]
    optimizer.step()
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert called == ["all before", "own before", "own after", "all after"]


def test_a_loaded_state_continues_as_the_saved_one_would():
    x, y = leaf(1.0, 2.0), leaf(1.0, 2.0)
    first = optim.Adam([x], lr=0.1)
    x.grad = gradstep.tensor([1.0, -1.0])
    first.step()
    second = optim.Adam([y], lr=0.9)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    y.data.copy_(x.detach())
    y.grad = gradstep.tensor([1.0, -1.0])
    first.step()
    second.step()
    assert x.tolist() == y.tolist()
    assert second.param_groups[0]["lr"] == 0.1


def test_loading_copies_so_that_two_optimizers_never_share_memory():
    x = leaf(1.0, grad=[1.0])
    first, second = optim.SGD([x], momentum=0.9), optim.SGD([x], momentum=0.9)
    first.step()
    second.load_state_dict(first.state_dict())
    first.step()
    assert second.state[x]["momentum_buffer"].item() == 1.0


def test_a_state_of_another_shape_is_rejected():
    saved = optim.SGD([leaf(1.0), leaf(2.0)]).state_dict()
    with pytest.raises(ArgumentError, match="doesn't match the size of optimizer's group"):
        optim.SGD([leaf(1.0)]).load_state_dict(saved)
    with pytest.raises(ArgumentError, match="different number of parameter groups"):
        optim.SGD([{"params": [leaf(1.0)]}, {"params": [leaf(1.0)]}]).load_state_dict(saved)


def test_state_that_a_user_replaced_is_used():
    x = leaf(0.0, grad=[0.0])
    optimizer = optim.SGD([x], lr=1.0, momentum=0.5)
    optimizer.step()
    optimizer.state[x]["momentum_buffer"] = gradstep.tensor([8.0])
    optimizer.step()
    assert x.item() == -4.0


def test_alternating_gradients_keep_every_parameters_own_step_count():
    parameters = [leaf(0.0) for _ in range(3)]
    optimizer = optim.Adam(parameters)
    for step in range(6):
        for place, parameter in enumerate(parameters):
            parameter.grad = None if place == step % 3 else gradstep.ones(1)
        optimizer.step()
    assert [optimizer.state[p]["step"].item() for p in parameters] == [4.0, 4.0, 4.0]
    np.testing.assert_array_equal(parameters[0].tolist(), parameters[1].tolist())


def test_a_step_of_the_users_own_calls_the_hooks():
    class Signed(optim.Optimizer):
        def step(self, closure=None):
            for parameter in self.param_groups[0]["params"]:
                parameter.data -= parameter.grad.sign()

    x, called = leaf(5.0, grad=[3.0]), []
    optimizer = Signed([x], {})
    optimizer.register_step_post_hook(lambda *_: called.append(x.item()))
    optimizer.step()
    assert called == [4.0]
    assert optimizer.has_stepped


def test_it_is_shown_by_its_groups_and_their_options():
    groups = [{"params": leaf(1.0)}, {"params": leaf(2.0), "lr": 0.5}]
    options = "nesterov: False", "weight_decay: 0"
    lines = repr(optim.SGD(groups, lr=0.1)).split("\n")
    assert lines[:2] == ["SGD (", "Parameter Group 0"]
    assert lines[11:13] == ["", "Parameter Group 1"]
    assert lines[2:11] == [
        "    dampening: 0",
        "    differentiable: False",
        "    foreach: None",
        "    fused: None",
        "    lr: 0.1",
        "    maximize: False",
        "    momentum: 0",
        *(f"    {option}" for option in options),
    ]
    assert lines[17] == "    lr: 0.5"
    assert lines[-1] == ")"


def test_the_error_of_an_optimizer_without_an_update_names_the_method_to_override():
    x = leaf(1.0, grad=[1.0])
    with pytest.raises(UnsupportedError) as raised:
        optim.Optimizer([x], {}).step()
    assert str(raised.value) == "Optimizer has no update; override step()"


def test_every_formula_names_its_result():
    for algorithm in (optim.SGD, optim.Adam, optim.RAdam, optim.Muon, optim.LBFGS):
        for key, formula in algorithm.TERMS.items():
            if key not in {"ascent_grad", "weight_decay", "decayed_grad", "decayed_param"}:
                assert formula.makes == key.partition(".")[0]
