"""Tensors print as torch prints them."""

from __future__ import annotations

import numpy as np
import pytest

import gradstep
from gradstep import nn
from gradstep.errors import ArgumentTypeError

SHOWN = {
    "tensor(5)": lambda t: t.tensor(5),
    "tensor(2.5000, requires_grad=True)": lambda t: t.tensor(2.5, requires_grad=True),
    "tensor([1., 2.])": lambda t: t.tensor([1.0, 2.0]),
    "tensor([ 1.0000, -2.5000])": lambda t: t.tensor([1.0, -2.5]),
    "tensor([1.0000e+10, 1.0000e+00])": lambda t: t.tensor([1e10, 1.0]),
    "tensor([nan, inf, 1.])": lambda t: t.tensor([float("nan"), float("inf"), 1.0]),
    "tensor([True])": lambda t: t.tensor([True]),
    "tensor([])": lambda t: t.zeros(0),
    "tensor([], size=(2, 0))": lambda t: t.zeros(2, 0),
    "tensor([1.], dtype=torch.float64)": lambda t: t.tensor([1.0], dtype=t.float64),
    "tensor([1], dtype=torch.int32)": lambda t: t.tensor([1], dtype=t.int32),
    "tensor(3., grad_fn=<SumBackward0>)": lambda t: t.tensor([1.0, 2.0], requires_grad=True).sum(),
    "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])": lambda t: t.arange(2000),
    "tensor([[1, 2],\n        [3, 4]])": lambda t: t.tensor([[1, 2], [3, 4]]),
}

MORE = [
    lambda t: t.ones(50, 50),
    lambda t: t.ones(3, 2, 2) / 3,
    lambda t: t.arange(40.0) / 39,
    lambda t: t.arange(40.0) * 25.6 - 1e-3,
    lambda t: t.arange(30).view(2, 3, 5),
    lambda t: t.tensor([1e-5, 1.0]),
    lambda t: t.zeros(3),
    lambda t: t.tensor([-1.5, 200.25]) * t.ones(2, requires_grad=True),
    lambda t: (t.arange(12.0) * 0.75).reshape(3, 4).requires_grad_().exp(),
    lambda t: t.zeros(1001, 2, dtype=t.float64),
    lambda t: t.tensor([[True, False]]),
    lambda t: t.ones(2, 3, requires_grad=True).t(),
    lambda t: t.arange(3000).view(3, 10, 100),
]


@pytest.mark.parametrize("text", SHOWN)
def test_a_tensor_prints_as_in_the_documentation(text):
    assert repr(SHOWN[text](gradstep)) == text.replace("torch.", "gradstep.")


@pytest.mark.torch
@pytest.mark.parametrize("make", [*SHOWN.values(), *MORE])
def test_a_tensor_prints_as_torch_prints_it(make):
    torch = pytest.importorskip("torch")
    assert repr(make(gradstep)) == repr(make(torch)).replace("torch.", "gradstep.")


def test_a_scalar_takes_a_format():
    assert f"{gradstep.tensor(1.23456):.2f}" == "1.23"
    assert f"{gradstep.tensor([1.5])}" == "tensor([1.5000])"


def test_a_scalar_without_a_format_is_its_number_and_print_shows_the_tensor():
    loss = gradstep.tensor(0.1, requires_grad=True)
    assert f"{loss}" == str(loss.item())
    assert str(loss) == "tensor(0.1000, requires_grad=True)"
    assert f"{nn.Parameter(gradstep.tensor(2.0))}".startswith("Parameter containing:")


@pytest.mark.parametrize("value", [gradstep.ones(2), nn.Parameter(gradstep.tensor(2.0))])
def test_several_elements_and_parameters_take_no_format(value):
    with pytest.raises(ArgumentTypeError, match=r"unsupported format string.*\.item\(\)"):
        f"{value:.2f}"


def test_types_sizes_and_devices_print_with_our_name():
    assert repr(gradstep.float32) == "gradstep.float32"
    assert repr(gradstep.Size([2, 3])) == "gradstep.Size([2, 3])"
    assert repr(gradstep.device("cpu")) == "device(type='cpu')"
    assert gradstep.zeros(1).type() == "gradstep.FloatTensor"
    assert np.dtype("float32").name == gradstep.float32.name
