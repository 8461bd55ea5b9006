import pytest

import gradstep_torch
from gradstep.errors import ArgumentTypeError, TensorError
from gradstep_torch import nn
from gradstep_torch.func import functional_call, grad, grad_and_value


def test_the_module_is_restored_afterwards():
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


def test_strict_reports_missing_and_unexpected_names():
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


def test_an_unused_argument_has_a_zero_gradient():
    grads, value = grad_and_value(lambda x, _: x.sum(), argnums=(0, 1))(
        gradstep_torch.ones(2), gradstep_torch.ones(3)
    )
    assert grads[1].tolist() == [0.0, 0.0, 0.0]
    assert not value.requires_grad


def test_a_non_tensor_argument_or_non_scalar_output_is_rejected():
    with pytest.raises(ArgumentTypeError, match="argument of type str"):
        grad(lambda x: x)("a")
    with pytest.raises(TensorError, match="to return a scalar tensor, got"):
        grad(lambda x: x * 2)(gradstep_torch.ones(2))
