"""Former and further names of clipping, and modules that draw nothing."""

from __future__ import annotations

import pytest

import gradstep_torch
from gradstep.errors import ArgumentError
from gradstep_torch import nn
from gradstep_torch.nn import utils


def with_gradient():
    x = gradstep_torch.zeros(2, requires_grad=True)
    x.grad = gradstep_torch.tensor([3.0, 4.0])
    return x


def test_the_deprecated_name_clips_with_a_warning():
    x = with_gradient()
    with pytest.warns(FutureWarning, match="clip_grad_norm_"):
        assert utils.clip_grad_norm(x, 1.0).item() == 5
    assert x.grad.tolist() == pytest.approx([0.6, 0.8])


def test_gradients_are_clipped_by_a_given_norm():
    x = with_gradient()
    utils.clip_grads_with_norm_([x], 1.0, utils.get_total_norm([x.grad]))
    assert x.grad.tolist() == pytest.approx([0.6, 0.8])


def test_skip_init_draws_no_random_numbers():
    gradstep_torch.manual_seed(0)
    expected = gradstep_torch.rand(2).tolist()
    gradstep_torch.manual_seed(0)
    layer = utils.skip_init(nn.Linear, 3, 4, bias=False)
    assert layer.weight.shape == (4, 3)
    assert gradstep_torch.rand(2).tolist() == expected
    with pytest.raises(ArgumentError, match="Expected a Module"):
        utils.skip_init(gradstep_torch.ones, 3)


def test_a_computed_weight_is_used():
    layer = nn.Linear(2, 1, bias=False)
    del layer.weight
    layer.weight = gradstep_torch.tensor([[2.0, 3.0]])
    assert layer(gradstep_torch.ones(1, 2)).tolist() == [[5.0]]


def test_parameters_convert_to_a_vector_and_back():
    layer = nn.Linear(2, 1)
    vector = utils.parameters_to_vector(layer.parameters())
    utils.vector_to_parameters(vector.detach() * 2, layer.parameters())
    assert layer.bias.item() == 2 * vector[2].item()
