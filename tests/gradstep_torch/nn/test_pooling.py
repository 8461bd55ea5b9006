"""Poolings that cover evenly, by powers, and undone; and images seen through a grid."""

from __future__ import annotations

import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, TensorError, UnsupportedError
from gradstep_torch import nn
from gradstep_torch.nn import functional as F  # noqa: N812 - as everybody calls it

T, ones = gradstep_torch.tensor, gradstep_torch.ones
IDENTITY = [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]


def test_adaptive_max_pooling_selects_the_first_of_equal_elements_and_nan():
    x = T([[[2.0, 2.0, float("nan"), 1.0]]])
    values, places = F.adaptive_max_pool1d(x, 2, return_indices=True)
    assert values[0, 0, 0].item() == 2
    assert values[0, 0, 1].isnan().item()
    assert places.tolist() == [[[0, 2]]]


def test_unpooling_restores_elements_at_their_positions():
    x = gradstep_torch.rand(2, 3, 5, 4)
    found, places = F.max_pool2d(x, 2, return_indices=True)
    back = F.max_unpool2d(found, places, 2, output_size=x.shape)
    assert back.shape == x.shape
    assert back[back > 0].sum().item() == pytest.approx(found.sum().item())
    assert F.max_pool2d(back, 2).tolist() == found.tolist()


def test_lp_pooling_with_power_one_is_a_sum():
    x = gradstep_torch.rand(1, 2, 6)
    assert gradstep_torch.allclose(F.lp_pool1d(x, 1, 3), F.avg_pool1d(x, 3) * 3)


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_identity_grid_samples_the_image_unchanged(mode, aligned):
    x = gradstep_torch.rand(1, 2, 4, 5)
    grid = F.affine_grid(T(IDENTITY), x.shape, align_corners=aligned)
    assert gradstep_torch.allclose(
        F.grid_sample(x, grid, mode, align_corners=aligned), x, atol=1e-5
    )


def test_volumes_are_sampled_with_a_grid_of_three_coordinates():
    x = gradstep_torch.rand(1, 2, 3, 4, 5)
    theta = gradstep_torch.eye(4)[None, :3]
    grid = F.affine_grid(theta, x.shape, align_corners=False)
    assert gradstep_torch.allclose(F.grid_sample(x, grid, align_corners=False), x, atol=1e-5)


@pytest.mark.parametrize(
    ("padding", "expected"), [("zeros", 0.0), ("border", 3.0), ("reflection", 2.0)]
)
def test_samples_outside_the_image_follow_the_padding_mode(padding, expected):
    x = T([[[[1.0, 2.0, 3.0]]]])
    grid = T([[[[2.0, 0.0]]]])  # one pixel beyond the last
    seen = F.grid_sample(x, grid, padding_mode=padding, align_corners=True)
    assert seen.item() == expected


def test_gradients_reach_image_and_grid():
    gradstep_torch.manual_seed(0)
    x = gradstep_torch.rand(1, 1, 4, 4, dtype=gradstep_torch.float64, requires_grad=True)
    theta = T([[[0.8, 0.1, 0.05], [-0.1, 0.7, 0.1]]]).double().requires_grad_()

    def seen(x, theta):
        return F.grid_sample(x, F.affine_grid(theta, (1, 1, 3, 3), align_corners=False))

    assert gradstep_torch.autograd.gradcheck(seen, (x, theta))


REJECTED = {
    "sizes for others": (
        lambda: F.adaptive_max_pool1d(ones(1, 1, 4), (2, 2)),
        ArgumentError,
        "2 numbers for 1 dimensions",
    ),
    "indices of another shape": (
        lambda: F.max_unpool1d(ones(1, 2), T([[0]]), 2),
        TensorError,
        "of one shape",
    ),
    "indices outside": (
        lambda: F.max_unpool1d(ones(1, 2), T([[0, 9]]), 2),
        TensorError,
        "invalid max index: 9",
    ),
    "a size far away": (
        lambda: F.max_unpool1d(ones(1, 2), T([[0, 1]]), 2, output_size=(9,)),
        ArgumentError,
        "invalid output_size",
    ),
    "maps of one image for two": (
        lambda: F.affine_grid(T(IDENTITY), (2, 1, 3, 3)),
        TensorError,
        "2x2x3",
    ),
    "a grid for sequences": (
        lambda: F.affine_grid(T(IDENTITY), (1, 1, 3)),
        UnsupportedError,
        "4D and 5D",
    ),
    "an unknown mode": (
        lambda: F.grid_sample(ones(1, 1, 2, 2), ones(1, 1, 1, 2), "cubic"),
        ArgumentError,
        "'cubic'",
    ),
    "an unknown padding": (
        lambda: F.grid_sample(ones(1, 1, 2, 2), ones(1, 1, 1, 2), padding_mode="wrap"),
        ArgumentError,
        "padding_mode",
    ),
    "cubes in volumes": (
        lambda: F.grid_sample(ones(1, 1, 2, 2, 2), ones(1, 1, 1, 1, 3), "bicubic"),
        TensorError,
        "only supports 4D",
    ),
    "a grid of a sequence": (
        lambda: F.grid_sample(ones(1, 1, 2, 2), ones(1, 1, 2)),
        TensorError,
        "same number of dimensions",
    ),
    "a grid of three coordinates": (
        lambda: F.grid_sample(ones(1, 1, 2, 2), ones(1, 1, 1, 3)),
        TensorError,
        "size 2 in last dimension",
    ),
    "a grid of doubles": (
        lambda: F.grid_sample(ones(1, 1, 2, 2), ones(1, 1, 1, 2).double()),
        TensorError,
        "same dtype",
    ),
    "a matrix": (lambda: nn.Softmax2d()(ones(2, 3)), ArgumentError, "3D or 4D"),
    "batches that differ": (
        lambda: nn.Bilinear(2, 3, 4)(ones(5, 2), ones(4, 3)),
        TensorError,
        "batch dimensions must match",
    ),
    "no first size": (lambda: nn.Bilinear(0, 3, 4), ArgumentError, "must be > 0"),
    "channels of a vector": (
        lambda: F.feature_alpha_dropout(ones(3), training=True),
        TensorError,
        "at least 2",
    ),
    "no probability": (
        lambda: F.alpha_dropout(ones(3), 2.0, training=True),
        ArgumentError,
        "between 0 and 1",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), REJECTED.values(), ids=REJECTED)
def test_invalid_arguments_are_rejected_with_a_reason(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_alpha_dropout_keeps_mean_and_variance():
    gradstep_torch.manual_seed(0)
    x = gradstep_torch.randn(20000)
    thinned = F.alpha_dropout(x, 0.2, training=True)
    assert thinned.mean().item() == pytest.approx(0, abs=0.03)
    assert thinned.std().item() == pytest.approx(1, abs=0.03)
    assert F.alpha_dropout(x, 1.0, training=True).abs().sum().item() == 0
    assert F.alpha_dropout(x, 0.2) is x


def test_a_hard_gumbel_sample_has_the_gradient_of_the_soft_one():
    x = gradstep_torch.zeros(3, 4, requires_grad=True)
    weights = gradstep_torch.arange(4.0)
    grads = []
    for hard in (True, False):
        gradstep_torch.manual_seed(0)
        sample = F.gumbel_softmax(x, tau=0.7, hard=hard)
        grads.append(gradstep_torch.autograd.grad((sample * weights).sum(), x)[0].tolist())
    assert grads[0] == grads[1]
