"""Layers at their edges: padding that is uneven, ties, NaN, running means, padding rows, masks."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradstep
from gradstep import nn
from gradstep.nn import functional as F  # noqa: N812 - as everybody calls it

T = gradstep.tensor
INF, NAN = math.inf, math.nan


def test_an_even_kernel_is_padded_more_at_the_end():
    x = T([[1.0, 2.0, 3.0]])
    assert F.conv1d(x, gradstep.ones(1, 1, 2), padding="same").tolist() == [[3.0, 5.0, 3.0]]


def test_a_transposed_convolution_takes_the_gradients_way():
    x, w = gradstep.randn(2, 3, 7, requires_grad=True), gradstep.randn(4, 3, 3)
    y = F.conv1d(x, w, stride=2, padding=1)
    flowing = gradstep.randn(*y.shape)
    y.backward(flowing)
    back = F.conv_transpose1d(flowing, w, stride=2, padding=1)
    np.testing.assert_allclose(x.grad.numpy(), back.numpy(), 1e-5, 1e-5)


def test_an_output_size_settles_what_the_stride_leaves_open():
    layer = nn.ConvTranspose2d(1, 1, 3, stride=2)
    x = gradstep.ones(1, 1, 4, 4)
    assert layer(x).shape == (1, 1, 9, 9)
    assert layer(x, output_size=[10, 9]).shape == (1, 1, 10, 9)


def test_the_first_of_equals_is_the_largest_and_gets_the_gradient():
    x = T([[[2.0, 2.0, 1.0, 1.0]]], requires_grad=True)
    F.max_pool1d(x, 2).sum().backward()
    assert x.grad.tolist() == [[[1.0, 0.0, 1.0, 0.0]]]


def test_nan_is_the_largest_and_infinities_stay_where_they_are():
    x = T([[NAN, 1.0, -INF, -INF, INF, 0.0]])
    values, places = F.max_pool1d(x, 2, return_indices=True)
    assert [math.isnan(values[0, 0].item()), *values[0, 1:].tolist()] == [True, -INF, INF]
    assert places.tolist() == [[0, 2, 4]]
    averages = F.avg_pool1d(x, 2)[0].tolist()
    assert math.isnan(averages[0])
    assert averages[1:] == [-INF, INF]


def test_padding_never_is_the_largest():
    x = gradstep.full((1, 1, 2, 2), -5.0)
    values, places = F.max_pool2d(x, 2, stride=1, padding=1, return_indices=True)
    assert values.unique().tolist() == [-5.0]
    assert places.min().item() >= 0
    values, places = F.max_pool1d(T([[-INF, -INF]]), 3, 1, 1, return_indices=True)
    assert places.tolist() == [[0, 0]]


def test_overlapping_windows_add_their_gradients():
    x = T([[0.0, 9.0, 0.0]], requires_grad=True)
    F.max_pool1d(x, 2, stride=1).sum().backward()
    assert x.grad.tolist() == [[0.0, 2.0, 0.0]]


def test_an_empty_batch_passes():
    assert nn.Conv2d(1, 2, 3)(gradstep.ones(0, 1, 5, 5)).shape == (0, 2, 3, 3)
    assert nn.MaxPool2d(2)(gradstep.ones(0, 1, 4, 4)).shape == (0, 1, 2, 2)
    assert nn.Embedding(3, 2)(gradstep.ones(0, dtype=gradstep.int64)).shape == (0, 2)


def test_running_values_follow_the_batches_and_serve_in_evaluation():
    layer = nn.BatchNorm1d(1, momentum=0.5)
    layer(T([[1.0], [3.0]]))
    assert layer.running_mean.tolist() == [1.0]
    assert layer.running_var.tolist() == [1.5]  # the unbiased variance of the batch is 2
    layer.eval()
    assert layer(T([[1.0]])).tolist() == [[0.0]]
    assert layer.num_batches_tracked.item() == 1
    layer.reset_running_stats()
    assert layer.running_var.tolist() == [1.0]


def test_without_momentum_they_are_plain_means():
    layer = nn.BatchNorm1d(1, momentum=None)
    for value in (1.0, 2.0, 6.0):
        layer(T([[value - 1], [value + 1]]))
    assert layer.running_mean.tolist() == pytest.approx([3.0])


def test_a_change_of_the_input_between_forward_and_backward_is_noticed():
    x = gradstep.ones(2, 3, requires_grad=True)
    y = x * 2
    out = F.layer_norm(y, (3,))
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_a_second_backward_through_a_freed_layer_is_an_error():
    for call in (
        lambda x: F.max_pool1d(x, 2),
        lambda x: F.avg_pool1d(x, 2),
        lambda x: F.conv1d(x, gradstep.ones(1, 1, 2)),
        F.hardtanh,
    ):
        total = call(gradstep.ones(1, 1, 4, requires_grad=True)).sum()
        total.backward()
        with pytest.raises(RuntimeError, match="a second time"):
            total.backward()


def test_the_padding_row_begins_as_zeros_and_gets_no_gradient():
    table = nn.Embedding(3, 2, padding_idx=-1)
    assert table.padding_idx == 2
    assert table.weight[2].tolist() == [0.0, 0.0]
    table(T([2, 0, 0])).sum().backward()
    assert table.weight.grad.tolist() == [[2.0, 2.0], [0.0, 0.0], [0.0, 0.0]]


def test_pretrained_rows_are_frozen_by_default():
    rows = T([[1.0, 2.0]])
    assert not nn.Embedding.from_pretrained(rows).weight.requires_grad
    assert nn.Embedding.from_pretrained(rows, freeze=False).weight.requires_grad


@pytest.mark.parametrize(
    ("kind", "sizes"), [("Dropout1d", (8, 50, 4)), ("Dropout2d", (8, 50, 2, 2))]
)
def test_whole_channels_are_dropped(kind, sizes):
    gradstep.manual_seed(0)
    y = getattr(nn, kind)(0.5)(gradstep.ones(*sizes)).flatten(2)
    assert {tuple(row) for row in y.reshape(-1, 4).tolist()} == {(0.0,) * 4, (2.0,) * 4}
    kept = (y[..., 0] > 0).float().mean().item()
    assert 0.4 < kept < 0.6


def test_an_inplace_activation_overwrites_its_input():
    for module in (nn.ReLU6(True), nn.Hardtanh(inplace=True), nn.SELU(True), nn.Mish(True)):
        x = T([-3.0, 9.0])
        assert module(x) is x
        assert x.tolist() != [-3.0, 9.0]
