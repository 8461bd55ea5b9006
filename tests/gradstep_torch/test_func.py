import pytest

import gradstep_torch
from gradstep.errors import ArgumentTypeError, TensorError
from gradstep_torch import nn
from gradstep_torch.func import functional_call, grad, grad_and_value


def test_a_module_is_afterwards_as_it_was():
    layer = nn.Linear(1, 1, bias=False)
    weight = layer.weight
    with pytest.raises(TensorError):
        functional_call(layer, {"weight": gradstep_torch.ones(2, 3)}, gradstep_torch.ones(1, 1))
    assert layer.weight is weight


def test_gradients_go_to_the_tensors_given():
    layer = nn.Linear(1, 1, bias=False)
    weight = gradstep_torch.tensor([[2.0]], requires_grad=True)
    functional_call(layer, {"weight": weight}, (gradstep_torch.tensor([[3.0]]),)).sum().backward()
    assert weight.grad.tolist() == [[3.0]]
    assert layer.weight.grad is None


def test_strict_tells_both_what_is_missing_and_what_is_unknown():
    with pytest.raises(TensorError, match=r"Unexpected key\(s\): 'w'; Missing key\(s\): 'bias'"):
        functional_call(
            nn.Linear(1, 1),
            {"w": gradstep_torch.ones(1), "weight": gradstep_torch.ones(1, 1)},
            gradstep_torch.ones(1, 1),
            strict=True,
        )


def test_gradients_have_the_form_of_the_argument():
    found = grad(lambda p: (p["a"] * p["b"][0]).sum())(
        {"a": gradstep_torch.tensor([2.0]), "b": (gradstep_torch.tensor([3.0]),)}
    )
    assert found["a"].tolist() == [3.0]
    assert found["b"][0].tolist() == [2.0]


def test_what_the_value_does_not_depend_on_has_a_gradient_of_zeros():
    grads, value = grad_and_value(lambda x, _: x.sum(), argnums=(0, 1))(
        gradstep_torch.ones(2), gradstep_torch.ones(3)
    )
    assert grads[1].tolist() == [0.0, 0.0, 0.0]
    assert not value.requires_grad


def test_what_cannot_be_differentiated_by_is_named():
    with pytest.raises(ArgumentTypeError, match="argument of type str"):
        grad(lambda x: x)("a")
    with pytest.raises(TensorError, match="to return a scalar tensor, got"):
        grad(lambda x: x * 2)(gradstep_torch.ones(2))
