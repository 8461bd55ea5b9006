"""Fused losses and dropout: the numbers at the edges, and rejected reductions."""

from __future__ import annotations

import math

import pytest

import gradstep
from gradstep.autograd.ops import dropout, linear, loss
from gradstep.errors import ArgumentError, TensorError

T = gradstep.tensor


def test_a_fused_linear_is_one_node_and_its_error_names_the_shapes():
    x, w, b = (gradstep.ones(s, requires_grad=True) for s in ((4, 2), (3, 2), (3,)))
    out = linear.linear(x, w, b)
    assert out.grad_fn.name() == "AddmmBackward0"
    assert out.shape == (4, 3)
    with pytest.raises(TensorError, match=r"cannot be multiplied \(4x5 and 2x3\)"):
        linear.linear(gradstep.ones(4, 5), w, b)
    with pytest.raises(TensorError, match="same dtype"):
        linear.linear(x.double(), w, b)


def test_an_unknown_reduction_is_rejected():
    with pytest.raises(ArgumentError, match="not a valid value for reduction"):
        loss.mse_loss(T([1.0]), T([2.0]), "median")


def test_cross_entropy_of_large_scores_does_not_overflow():
    x = T([[1000.0, 0.0]], requires_grad=True)
    value = loss.cross_entropy(x, T([1]))
    assert value.item() == 1000.0
    value.backward()
    assert x.grad.tolist() == [[1.0, -1.0]]


def test_logits_of_any_size_have_a_finite_loss_and_gradient():
    x = T([1000.0, -1000.0], requires_grad=True)
    value = loss.binary_cross_entropy_with_logits(x, T([0.0, 1.0]), reduction="sum")
    assert value.item() == 2000.0
    value.backward()
    assert x.grad.tolist() == [1.0, -1.0]


def test_certain_probabilities_have_a_bounded_loss():
    assert loss.binary_cross_entropy(T([0.0]), T([1.0])).item() == 100.0
    with pytest.raises(TensorError, match="between 0 and 1"):
        loss.binary_cross_entropy(T([2.0]), T([1.0]))
    with pytest.raises(ArgumentError, match="must be the same as input size"):
        loss.binary_cross_entropy(T([0.5]), T([[1.0]]))


def test_only_ignored_targets_give_nan():
    value = loss.cross_entropy(gradstep.zeros(1, 2), T([-100]))
    assert math.isnan(value.item())


def test_targets_of_the_wrong_shape_or_type_are_named():
    with pytest.raises(ArgumentError, match=r"batch_size \(2\) to match target batch_size \(3\)"):
        loss.nll_loss(gradstep.zeros(2, 3), T([0, 1, 2]))
    with pytest.raises(TensorError, match=r"Expected target size \[2, 4\], got \[2, 3\]"):
        loss.nll_loss(gradstep.zeros(2, 3, 4), gradstep.zeros(2, 3).long())
    with pytest.raises(TensorError, match="to be Long or Byte, but got Float"):
        loss.nll_loss(gradstep.zeros(1, 3), T([0.5]))
    with pytest.raises(TensorError, match="weight tensor should be defined"):
        loss.nll_loss(gradstep.zeros(1, 3), T([0]), T([1.0]))
    with pytest.raises(TensorError, match="label_smoothing"):
        loss.cross_entropy(gradstep.zeros(1, 3), T([0]), label_smoothing=2.0)


def test_dropout_zeroes_some_scales_the_rest_and_passes_gradients_alike():
    gradstep.manual_seed(0)
    x = gradstep.ones(1000, requires_grad=True)
    out = dropout.dropout(x, 0.25)
    assert out.unique().tolist() == pytest.approx([0.0, 4 / 3])
    assert out.mean().item() == pytest.approx(1.0, abs=0.05)
    out.sum().backward()
    assert x.grad.tolist() == out.tolist()


def test_dropout_does_nothing_outside_training():
    x = gradstep.ones(3)
    assert dropout.dropout(x, 0.5, training=False) is x
    assert dropout.dropout(x, 1.0).tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        dropout.dropout(x, 1.5)


def test_the_slopes_at_kinks_are_torchs():
    def slope(function, *values):
        x = T(values, requires_grad=True)
        function(x).sum().backward()
        return x.grad.tolist()

    assert slope(gradstep.relu, 0.0) == [0.0]
    assert slope(gradstep.abs, 0.0) == [0.0]
    assert slope(lambda x: x.clamp(min=0), 0.0) == [1.0]
    assert slope(lambda x: gradstep.maximum(x, x.detach()), 1.0) == [0.5]
    assert slope(gradstep.Tensor.norm, 0.0, 0.0) == [0.0, 0.0]
    assert slope(lambda x: x**0, 0.0) == [0.0]
    assert slope(gradstep.Tensor.max, 2.0, 2.0) == [0.5, 0.5]
    assert slope(lambda x: x.max(0).values, 2.0, 2.0) == [1.0, 0.0]


def test_a_reduction_of_none_is_rejected():
    with pytest.raises(ArgumentError, match="abc is not a valid value for reduction"):
        gradstep.nn.functional.l1_loss(gradstep.ones(2), gradstep.ones(2), reduction="abc")
