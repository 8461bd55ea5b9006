"""Layers that take the size of their input from the first one."""

import copy

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import TensorError
from gradstep_torch import nn


def test_a_lazy_layer_becomes_a_linear_with_the_same_initial_values():
    gradstep_torch.manual_seed(3)
    plain = nn.Linear(4, 2)
    gradstep_torch.manual_seed(3)
    lazy = nn.LazyLinear(2)
    lazy(gradstep_torch.ones(5, 4))
    assert type(lazy) is nn.Linear
    assert lazy.weight.tolist() == plain.weight.tolist()
    assert lazy.bias.tolist() == plain.bias.tolist()
    assert repr(lazy.weight).startswith("Parameter containing:")


@pytest.mark.torch
def test_a_lazy_network_trains_as_in_torch():
    torch = pytest.importorskip("torch")
    losses = []
    for library in (gradstep_torch, torch):
        library.manual_seed(0)
        model = library.nn.Sequential(
            library.nn.LazyLinear(8), library.nn.Tanh(), library.nn.LazyLinear(1)
        )
        x = library.linspace(-1, 1, 12).reshape(4, 3)
        model(x)
        optimizer = library.optim.Adam(model.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            loss = (model(x) ** 2).mean()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_an_optimizer_created_before_the_first_input_updates_the_parameters():
    model = nn.LazyLinear(1, bias=False)
    optimizer = gradstep_torch.optim.SGD(model.parameters(), lr=0.5)
    model(gradstep_torch.ones(1, 3)).sum().backward()
    before = model.weight.detach().clone()
    optimizer.step()
    np.testing.assert_allclose(model.weight.detach().numpy(), before.numpy() - 0.5, rtol=1e-6)


def test_the_shape_cannot_be_read_before_it_is_known():
    layer = nn.LazyLinear(2)
    assert repr(layer.weight) == "<UninitializedParameter>"
    with pytest.raises(TensorError, match=r"uninitialized parameter.*run the model forward once"):
        _ = layer.weight.shape


def test_a_copy_of_a_lazy_layer_is_initialized_independently():
    layer = nn.LazyLinear(2, dtype=gradstep_torch.float64)
    other = copy.deepcopy(layer)
    other(gradstep_torch.ones(1, 3).double())
    assert other.weight.dtype == gradstep_torch.float64
    assert type(layer) is nn.LazyLinear
    assert isinstance(layer.weight, nn.UninitializedParameter)


def test_a_lazy_layer_takes_a_state_dict_before_its_first_input():
    plain, lazy = nn.Linear(3, 2), nn.LazyLinear(2)
    assert isinstance(lazy.state_dict()["weight"], nn.UninitializedParameter)
    lazy.load_state_dict(plain.state_dict())
    assert lazy.weight.shape == (2, 3)
    x = gradstep_torch.ones(5, 3)
    assert gradstep_torch.equal(lazy(x), plain(x))
    assert repr(lazy) == repr(plain)
    assert type(lazy) is nn.Linear


@pytest.mark.parametrize(
    ("make", "plain", "shape"),
    [
        (lambda: nn.LazyConv1d(4, 3), lambda: nn.Conv1d(2, 4, 3), (5, 2, 6)),
        (
            lambda: nn.LazyConv2d(4, 3, 1, 0, 1, 2, False),
            lambda: nn.Conv2d(2, 4, 3, 1, 0, 1, 2, False),
            (5, 2, 6, 6),
        ),
        (
            lambda: nn.LazyConvTranspose2d(4, 3, groups=2),
            lambda: nn.ConvTranspose2d(2, 4, 3, groups=2),
            (5, 2, 6, 6),
        ),
        (
            lambda: nn.LazyBatchNorm2d(momentum=0.3),
            lambda: nn.BatchNorm2d(2, momentum=0.3),
            (5, 2, 6, 6),
        ),
        (
            nn.LazyInstanceNorm1d,
            lambda: nn.InstanceNorm1d(2, affine=True, track_running_stats=True),
            (2, 6),
        ),
    ],
)
def test_every_lazy_layer_becomes_an_ordinary_one(make, plain, shape):
    x = gradstep_torch.rand(*shape)
    outputs = []
    for kind in (make, plain):
        gradstep_torch.manual_seed(3)
        layer = kind()
        outputs.append((layer(x).tolist(), repr(layer), list(layer.state_dict())))
    assert outputs[0] == outputs[1]


def test_a_lazy_convolution_rejects_input_that_is_not_an_image():
    with pytest.raises(TensorError, match=r"4D \(batched\) input to LazyConv2d"):
        nn.LazyConv2d(4, 3)(gradstep_torch.ones(2, 3))
