"""State dicts: what they hold, what loading copies, converts and checks, and their hooks."""

import copy
import pickle

import numpy as np
import pytest

import gradstep
from gradstep import optim
from gradstep.errors import ArgumentError


def leaf(*values, dtype=None):
    return gradstep.tensor(list(values), dtype=dtype, requires_grad=True)


def stepped(optimizer):
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = gradstep.ones_like(parameter).detach()
    optimizer.step()
    return optimizer


def test_it_numbers_parameters_over_all_groups():
    x, y, z = leaf(1.0), leaf(2.0), leaf(3.0)
    optimizer = stepped(optim.SGD([{"params": [x, y]}, {"params": z, "lr": 0.5}], momentum=0.9))
    saved = optimizer.state_dict()
    assert [group["params"] for group in saved["param_groups"]] == [[0, 1], [2]]
    assert [group["lr"] for group in saved["param_groups"]] == [0.001, 0.5]
    assert list(saved["state"]) == [0, 1, 2]
    assert saved["state"][2]["momentum_buffer"] is optimizer.state[z]["momentum_buffer"]
    assert saved["state"][2] is not optimizer.state[z]


def test_a_parameter_that_occurs_twice_has_one_number():
    x, y = leaf(1.0), leaf(2.0)
    with pytest.warns(UserWarning, match="duplicate"):
        optimizer = optim.SGD([x, x, y])
    assert optimizer.state_dict()["param_groups"][0]["params"] == [0, 0, 2]


def test_arrays_take_the_type_of_their_parameter_but_the_step_stays_float32():
    source = stepped(optim.Adam([leaf(1.0, dtype=gradstep.float32)]))
    x = leaf(1.0, dtype=gradstep.float64)
    optimizer = optim.Adam([x])
    optimizer.load_state_dict(source.state_dict())
    kinds = {name: value.dtype for name, value in optimizer.state[x].items()}
    assert kinds["exp_avg"] == kinds["exp_avg_sq"] == gradstep.float64
    assert kinds["step"] == gradstep.float32


def test_entries_of_any_kind_are_copied():
    x = leaf(1.0)
    source, optimizer = optim.SGD([x]), optim.SGD([x])
    inner = [gradstep.tensor([1.0]), np.ones(1), {"step": gradstep.tensor(2.0)}, "words", None]
    source.state[x] = {"kept": inner, "pair": (1, 2)}
    source.state["global"] = {"note": [3]}
    optimizer.load_state_dict(source.state_dict())
    kept = optimizer.state[x]["kept"]
    assert [type(item).__name__ for item in kept] == ["Tensor", "Tensor", "dict", "str", "NoneType"]
    assert [kept[0].item(), kept[1].item(), kept[2]["step"].item()] == [1.0, 1.0, 2.0]
    inner[0].add_(1.0)
    assert kept[0].item() == 1.0
    assert optimizer.state[x]["pair"] == (1, 2)
    assert optimizer.state["global"] == {"note": [3]}
    assert optimizer.state["global"]["note"] is not source.state["global"]["note"]


def test_options_come_from_the_state_dict_and_parameters_and_names_stay():
    x, y = leaf(1.0), leaf(2.0)
    saved = optim.SGD([leaf(3.0)], lr=0.5, weight_decay=0.1).state_dict()
    optimizer = optim.SGD([("x", x)], lr=0.1)
    optimizer.load_state_dict(saved)
    group = optimizer.param_groups[0]
    assert (group["lr"], group["weight_decay"], group["param_names"]) == (0.5, 0.1, ["x"])
    assert group["params"][0] is x
    named = optim.SGD([("y", y)]).state_dict()
    optimizer.load_state_dict(named)
    assert optimizer.param_groups[0]["param_names"] == ["y"]
    named["param_groups"][0]["param_names"].append("z")
    assert optimizer.param_groups[0]["param_names"] == ["y"]


def test_options_that_a_state_dict_lacks_are_the_defaults():
    saved = optim.SGD([leaf(3.0)], lr=0.5).state_dict()
    del saved["param_groups"][0]["momentum"]
    optimizer = optim.SGD([leaf(1.0)], momentum=0.75)
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["momentum"] == 0.75


def test_adamw_stays_decoupled_whatever_it_loads():
    saved = optim.Adam([leaf(3.0)]).state_dict()
    optimizer = optim.AdamW([leaf(1.0)])
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["decoupled_weight_decay"] is True


def test_groups_that_do_not_fit_are_rejected_with_both_sizes():
    saved = optim.SGD([leaf(1.0), leaf(2.0)]).state_dict()
    with pytest.raises(ArgumentError) as raised:
        optim.SGD([leaf(1.0)]).load_state_dict(saved)
    assert str(raised.value) == (
        "loaded state dict contains a parameter group that doesn't match the size of optimizer's "
        "group: its group 0 has 2 parameters, and the optimizer's 1; "
        "load it into an optimizer that was built in the same way"
    )
    with pytest.raises(ArgumentError) as raised:
        optim.SGD([{"params": leaf(1.0)}, {"params": leaf(1.0)}]).load_state_dict(saved)
    assert str(raised.value) == (
        "loaded state dict has a different number of parameter groups: it has 1, and the optimizer "
        "2; load it into an optimizer that was built in the same way"
    )


def test_hooks_see_the_optimizer_and_may_replace_the_state_dict():
    x, called = leaf(1.0), []
    optimizer = optim.SGD([x], lr=0.5)

    def note(name, result=None):
        def hook(*arguments):
            called.append((name, len(arguments), arguments[0] is optimizer))
            return result(*arguments[1:]) if result else None

        return hook

    optimizer.register_state_dict_pre_hook(note("before saving"))
    optimizer.register_state_dict_post_hook(note("after saving"))
    optimizer.register_state_dict_post_hook(note("replacing", lambda saved: {**saved, "more": 1}))
    saved = optimizer.state_dict()
    assert saved["more"] == 1

    def halved(given):
        groups = [{**group, "lr": group["lr"] / 2} for group in given["param_groups"]]
        return {**given, "param_groups": groups}

    optimizer.register_load_state_dict_pre_hook(note("before loading"))
    optimizer.register_load_state_dict_pre_hook(note("halving", halved))
    optimizer.register_load_state_dict_post_hook(note("after loading"))
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["lr"] == 0.25
    assert called == [
        ("before saving", 1, True),
        ("after saving", 2, True),
        ("replacing", 2, True),
        ("before loading", 2, True),
        ("halving", 2, True),
        ("after loading", 1, True),
    ]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_steps_by_itself_and_has_no_hooks(copied):
    x = leaf(1.0)
    optimizer = stepped(optim.Adam([x], lr=0.1))
    optimizer.register_step_post_hook(lambda *_: pytest.fail("the hook belongs to the original"))
    other = copied(optimizer)
    (own,) = other.param_groups[0]["params"]
    before = x.item()
    own.grad = gradstep.ones(1)
    other.step()
    assert (x.item(), other.state[own]["step"].item()) == (before, 2.0)
    assert optimizer.state[x]["step"].item() == 1.0
    assert own.item() < before
