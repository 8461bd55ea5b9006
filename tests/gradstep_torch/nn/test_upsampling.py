"""Layers that change sizes: padding, interpolation, patches, shuffles; and rejected arguments."""

from __future__ import annotations

import math

import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, TensorError, UnsupportedError
from gradstep_torch import nn
from gradstep_torch.nn import functional as F  # noqa: N812 - as everybody calls it

ones = gradstep_torch.ones


def test_an_infinite_element_keeps_its_value_when_moved():
    x = gradstep_torch.tensor([[[1.0, math.inf, 2.0, 3.0]]])
    assert F.interpolate(x, scale_factor=2).isinf().sum().item() == 2
    assert F.interpolate(x, size=2).tolist() == [[[1.0, 2.0]]]


def test_fold_after_unfold_sums_overlaps():
    x = gradstep_torch.rand(1, 2, 4, 4)
    often = F.fold(F.unfold(ones(1, 2, 4, 4), 3), (4, 4), 3)
    assert gradstep_torch.allclose(F.fold(F.unfold(x, 3), (4, 4), 3), x * often)
    assert often[0, 0, 1, 1].item() == 4


def test_a_convolution_is_a_product_with_patches():
    x, weight = gradstep_torch.rand(2, 3, 5, 6), gradstep_torch.rand(4, 3, 3, 3)
    product = weight.view(4, -1) @ F.unfold(x, 3, padding=1)
    expected = F.conv2d(x, weight, padding=1)
    assert gradstep_torch.allclose(product.view(2, 4, 5, 6), expected, atol=1e-5)


def test_pixel_unshuffle_inverts_pixel_shuffle():
    x = gradstep_torch.rand(2, 8, 3, 5)
    assert F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2).tolist() == x.tolist()
    assert F.channel_shuffle(F.channel_shuffle(x, 2), 4).tolist() == x.tolist()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.interpolate(x, (3, 5), mode="bilinear"),
        lambda x: F.interpolate(x, (6, 2), mode="bicubic"),
        lambda x: F.interpolate(x, (6, 3)),
        lambda x: F.unfold(x, 2, padding=1),
        lambda x: F.fold(F.unfold(x, 2), (5, 4), 2),
        F.instance_norm,
        lambda x: F.rms_norm(x, (4,)),
        lambda x: F.local_response_norm(x, 2, 0.5),
    ],
)
def test_gradients_can_be_differentiated_twice(function):
    gradstep_torch.manual_seed(0)
    x = gradstep_torch.randn(1, 2, 5, 4, dtype=gradstep_torch.float64, requires_grad=True)
    assert gradstep_torch.autograd.gradcheck(lambda x: function(x) ** 2, (x,))
    assert gradstep_torch.autograd.gradgradcheck(lambda x: function(x) ** 2, (x,))


def test_running_values_of_an_instance_norm_are_those_of_the_batch_on_average():
    layer = nn.InstanceNorm1d(1, momentum=1.0, track_running_stats=True)
    layer(gradstep_torch.tensor([[[0.0, 2.0]], [[4.0, 10.0]]]))
    assert layer.running_mean.tolist() == [4.0]
    assert layer.running_var.tolist() == [10.0]
    assert layer.num_batches_tracked.item() == 0


def test_a_sample_without_a_batch_is_normalised_alone():
    x = gradstep_torch.rand(3, 4, 5)
    assert nn.InstanceNorm2d(3)(x).tolist() == nn.InstanceNorm2d(3)(x[None])[0].tolist()


def test_a_wrong_number_of_channels_warns_or_is_rejected():
    with pytest.warns(UserWarning, match="dim=1 does not match num_features"):
        nn.InstanceNorm1d(3)(gradstep_torch.rand(2, 4, 5))
    with pytest.raises(ArgumentError, match=r"num_features \(3\), but got: 4"):
        nn.InstanceNorm1d(3, affine=True)(gradstep_torch.rand(2, 4, 5))


REJECTED = {
    "no size": (lambda: F.interpolate(ones(1, 1, 4)), ArgumentError, "either size or scale"),
    "two sizes": (lambda: F.interpolate(ones(1, 1, 4), 2, 2), ArgumentError, "only one of size"),
    "sizes for other dimensions": (
        lambda: F.interpolate(ones(1, 1, 4), (2, 2)),
        ArgumentError,
        "same number of spatial dimensions",
    ),
    "lines between pixels": (
        lambda: F.interpolate(ones(1, 1, 4, 4), 2, mode="linear"),
        UnsupportedError,
        'for images "bilinear"',
    ),
    "an unknown mode": (
        lambda: F.interpolate(ones(1, 1, 4), 2, mode="cubic"),
        UnsupportedError,
        "use nearest, ",
    ),
    "corners of the nearest": (
        lambda: F.interpolate(ones(1, 1, 4), 2, align_corners=True),
        ArgumentError,
        "align_corners option",
    ),
    "nothing left": (
        lambda: F.interpolate(ones(1, 1, 4), scale_factor=0.2),
        ArgumentError,
        "greater than 0",
    ),
    "antialias": (
        lambda: F.interpolate(ones(1, 1, 4, 4), 2, mode="bilinear", antialias=True),
        UnsupportedError,
        "antialias",
    ),
    "a factor to recompute": (
        lambda: F.interpolate(ones(1, 1, 4), 2, recompute_scale_factor=True),
        ArgumentError,
        "explicit size",
    ),
    "patches too big": (lambda: F.unfold(ones(1, 2, 2), 3), TensorError, "too small for"),
    "columns of no image": (
        lambda: F.fold(ones(1, 4, 3), (2, 3), 2),
        TensorError,
        "sliding blocks 1 \\* 2 = 2",
    ),
    "channels of no patch": (
        lambda: F.fold(ones(1, 3, 2), (2, 3), 2),
        TensorError,
        "divisible by the product",
    ),
    "columns without patches": (lambda: F.fold(ones(4), (2, 3), 2), TensorError, "2D or 3D"),
    "a sequence unfolded": (lambda: F.unfold(ones(4, 4), 2), TensorError, "3D or 4D"),
    "channels of no square": (lambda: F.pixel_shuffle(ones(3, 1, 1), 2), TensorError, "square"),
    "an odd height": (lambda: F.pixel_unshuffle(ones(1, 3, 2), 2), TensorError, "height to be"),
    "no image": (lambda: F.pixel_shuffle(ones(4, 4), 2), TensorError, "at least 3"),
    "no factor": (lambda: F.pixel_shuffle(ones(4, 4, 4), 0), TensorError, "> 0, but got 0"),
    "groups of no size": (lambda: F.channel_shuffle(ones(1, 3, 2), 2), TensorError, "3 channels"),
    "rows shuffled": (lambda: F.channel_shuffle(ones(1, 4), 2), TensorError, "> 2 dims"),
    "one element": (lambda: F.instance_norm(ones(2, 3, 1)), ArgumentError, "more than 1 spatial"),
    "no running values": (
        lambda: F.instance_norm(ones(2, 3, 2), use_input_stats=False),
        TensorError,
        "to be defined",
    ),
    "another rank": (lambda: nn.InstanceNorm2d(3)(ones(2, 3)), ArgumentError, "3D or 4D input"),
    "another width": (lambda: nn.RMSNorm(3)(ones(2, 4)), TensorError, r"\[\*, 3\]"),
    "no neighbours": (lambda: nn.LocalResponseNorm(2)(ones(2, 4)), TensorError, "3D or higher"),
    "a mirrored matrix": (
        lambda: nn.ReflectionPad2d(1)(ones(4, 4)),
        UnsupportedError,
        "4 numbers go with 3 or 4 dimensions, not 2",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), REJECTED.values(), ids=REJECTED)
def test_invalid_arguments_are_rejected_with_a_reason(call, error, message):
    with pytest.raises(error, match=message):
        call()
