"""Errors of layers: the type that torch raises, and the words that people search for."""

from __future__ import annotations

import warnings

import pytest

import gradstep_torch
from gradstep.errors import GradStepError, UnsupportedError


def F(t):  # noqa: N802 - as everybody calls it
    return t.nn.functional


REJECTED = [
    (lambda t: F(t).conv2d(t.ones(5), t.ones(1, 1, 2, 2)), RuntimeError, "Expected 3D"),
    (lambda t: F(t).conv2d(t.ones(1, 4, 5, 5), t.ones(8, 3, 3, 3)), RuntimeError,
     "to have 3 channels, but got 4"),
    (lambda t: F(t).conv2d(t.ones(1, 1, 2, 2), t.ones(1, 1, 3, 3)), RuntimeError,
     "Kernel size can't be greater than actual input size"),
    (lambda t: F(t).conv1d(t.ones(1, 1, 4).double(), t.ones(1, 1, 3)), RuntimeError, None),
    (lambda t: F(t).conv1d(t.ones(1, 1, 4), t.ones(1, 1, 3), stride=2, padding="same"),
     RuntimeError, "not supported for strided convolutions"),
    (lambda t: F(t).conv1d(t.ones(1, 1, 4), t.ones(1, 1, 3), stride=0), RuntimeError,
     "non-positive stride is not supported"),
    (lambda t: F(t).conv1d(t.ones(1, 1, 4), t.ones(1, 1, 3), padding=-1), RuntimeError,
     "negative padding is not supported"),
    (lambda t: F(t).conv2d(t.ones(1, 1, 4, 4), t.ones(1, 1, 3, 3), stride=(1, 2, 3)),
     RuntimeError, "expected stride to be a single integer value or a list of 2 values"),
    (lambda t: t.nn.Conv2d(1, 1, 3, stride=2, padding="same"), ValueError,
     "not supported for strided convolutions"),
    (lambda t: t.nn.Conv2d(3, 4, 3, groups=2), ValueError, "in_channels must be divisible"),
    (lambda t: t.nn.Conv2d(3, 4, 3, padding_mode="none"), ValueError, "padding_mode must be one"),
    (lambda t: t.nn.Conv2d(3, 4, 3, padding="all"), ValueError, "Invalid padding string 'all'"),
    (lambda t: t.nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"), ValueError,
     "padding mode is supported"),
    (lambda t: F(t).conv_transpose1d(t.ones(1, 4, 5), t.ones(3, 8, 3)), RuntimeError,
     "to have 3 channels, but got 4"),
    (lambda t: F(t).conv_transpose1d(t.ones(1, 1, 5), t.ones(1, 1, 3), output_padding=1),
     RuntimeError, "output padding must be smaller than either stride or dilation"),
    (lambda t: t.nn.ConvTranspose1d(1, 1, 3, 2)(t.ones(1, 1, 5), output_size=[20]), ValueError,
     "requested an output size"),
    (lambda t: F(t).max_pool2d(t.ones(5, 5), 2), RuntimeError, "3D or 4D"),
    (lambda t: F(t).max_pool2d(t.ones(1, 5, 5), 2, padding=2), RuntimeError,
     "pad should be at most half of effective kernel size"),
    (lambda t: F(t).max_pool2d(t.ones(1, 2, 2), 3), RuntimeError, "utput size is too small"),
    (lambda t: F(t).max_pool2d(t.ones(1, 4, 4), 2, stride=0), RuntimeError,
     "should not be zero"),
    (lambda t: F(t).avg_pool2d(t.ones(1, 4, 4), 2, divisor_override=0), RuntimeError,
     "divisor must be not zero"),
    (lambda t: F(t).adaptive_avg_pool2d(t.ones(1, 4, 4), (1, 2, 3)), ValueError, None),
    (lambda t: F(t).pad(t.ones(2, 2), (1,)), RuntimeError, "must be divisible by 2"),
    (lambda t: F(t).pad(t.ones(2), (1, 1, 1, 1)), RuntimeError, "Padding length should be less"),
    (lambda t: F(t).pad(t.ones(2, 2), (1, 1), mode="x"), NotImplementedError,
     "Unrecognised padding mode x"),
    (lambda t: F(t).pad(t.ones(1, 2, 2), (2, 2), mode="reflect"), RuntimeError,
     "Padding size should be less than the corresponding input dimension"),
    (lambda t: t.nn.BatchNorm1d(3)(t.ones(1, 3)), ValueError,
     "Expected more than 1 value per channel when training"),
    (lambda t: t.nn.BatchNorm2d(3)(t.ones(2, 3, 4)), ValueError,
     r"expected 4D input \(got 3D input\)"),
    (lambda t: t.nn.BatchNorm1d(3)(t.ones(2, 4)), RuntimeError,
     "running_mean should contain 4 elements not 3"),
    (lambda t: F(t).batch_norm(t.ones(2, 4), None, None), RuntimeError,
     "running_mean must be defined in evaluation mode"),
    (lambda t: t.nn.LayerNorm(3)(t.ones(2, 4)), RuntimeError,
     r"Given normalized_shape=\[3\], expected input with shape \[\*, 3\]"),
    (lambda t: F(t).group_norm(t.ones(2, 3), 2), RuntimeError, "divisible by num_groups"),
    (lambda t: t.nn.GroupNorm(2, 3), ValueError, "must be divisible by num_groups"),
    (lambda t: t.nn.Embedding(3, 2)(t.tensor([3])), IndexError, "index out of range in self"),
    (lambda t: t.nn.Embedding(3, 2)(t.tensor([-1])), IndexError, "index out of range in self"),
    (lambda t: t.nn.Embedding(3, 2)(t.tensor([1.0])), RuntimeError, "scalar types"),
    (lambda t: F(t).dropout1d(t.ones(2)), RuntimeError, "dropout1d: Expected 2D or 3D input"),
    (lambda t: t.nn.RNN(3, 2)(t.ones(3)), ValueError, "Expected input to be 2D or 3D, got 1D"),
    (lambda t: t.nn.GRU(3, 2)(t.ones(3, 1, 4)), RuntimeError,
     "must be equal to input_size. Expected 3, got 4"),
    (lambda t: t.nn.RNN(3, 2)(t.ones(3, 1, 3), t.ones(2, 1, 2)), RuntimeError,
     r"Expected hidden size \(1, 1, 2\), got \[2, 1, 2\]"),
    (lambda t: t.nn.LSTM(3, 2)(t.ones(3, 1, 3), (t.ones(1, 1, 2), t.ones(2, 1, 2))),
     RuntimeError, r"Expected hidden\[1\] size"),
    (lambda t: t.nn.RNN(3, 2)(t.ones(3, 3), t.ones(2, 1, 2)), RuntimeError,
     "hx should also be 2-D but got 3-D"),
    (lambda t: t.nn.RNN(3, 2)(t.ones(3, 1, 3), t.ones(1, 2)), RuntimeError,
     "hx should also be 3-D but got 2-D"),
    (lambda t: t.nn.RNN(3, 2, nonlinearity="x"), ValueError, "Unknown nonlinearity 'x'"),
    (lambda t: t.nn.LSTM(3, 2, dropout=2), ValueError, "dropout should be a number in range"),
    (lambda t: t.nn.GRU(3, 0), ValueError, "hidden_size must be greater than zero"),
    (lambda t: t.nn.GRU(3, 1.5), TypeError, "hidden_size should be of type int, got: float"),
    (lambda t: t.nn.RNNCell(3, 2)(t.ones(1, 1, 3)), ValueError, "1D or 2D, got 3D"),
    (lambda t: t.nn.RNNCell(3, 2)(t.ones(1, 4)), RuntimeError,
     "inconsistent input_size: got 4 expected 3"),
    (lambda t: t.nn.LSTMCell(3, 2)(t.ones(1, 3), (t.ones(1, 2), t.ones(1, 3))), RuntimeError,
     "hidden1 has inconsistent hidden_size: got 3, expected 2"),
    (lambda t: t.nn.GRUCell(3, 2)(t.ones(1, 3), t.ones(2, 2)), RuntimeError,
     "doesn't match hidden0 batch size"),
    (lambda t: F(t).celu(t.ones(1), 0.0), RuntimeError, "alpha cannot be 0"),
    (lambda t: F(t).softshrink(t.ones(1), -1.0), RuntimeError, "lambda must be"),
    (lambda t: F(t).glu(t.ones(3)), RuntimeError, "Halving dimension must be even"),
    (lambda t: F(t).prelu(t.ones(2, 3), t.ones(2)), RuntimeError,
     "Mismatch of parameter numbers and input channel size"),
    (lambda t: F(t).smooth_l1_loss(t.ones(1), t.ones(1), beta=-1.0), RuntimeError,
     "does not support negative values for beta"),
    (lambda t: F(t).huber_loss(t.ones(1), t.ones(1), delta=0.0), RuntimeError,
     "does not support non-positive values for delta"),
    (lambda t: F(t).huber_loss(t.ones(2), t.ones(2), reduction="x"), ValueError,
     "x is not a valid value for reduction"),
    (lambda t: F(t).gaussian_nll_loss(t.ones(2), t.ones(2), -t.ones(2)), ValueError,
     "var has negative entry"),
    (lambda t: F(t).gaussian_nll_loss(t.ones(2), t.ones(2), t.ones(3)), ValueError,
     "var is of incorrect size"),
    (lambda t: F(t).margin_ranking_loss(t.ones(2), t.ones(2, 1), t.ones(2)), RuntimeError,
     "should have same dimension"),
    (lambda t: F(t).cosine_embedding_loss(t.ones(2), t.ones(2), t.ones(2)), RuntimeError,
     "1D target tensor expects 2D input tensors"),
    (lambda t: t.nn.TripletMarginLoss(margin=-1.0), ValueError, "margin to be greater than 0"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "words"), REJECTED)
def test_misuse_is_rejected_with_torchs_message(call, kind, words):
    with pytest.raises(kind, match=words) as caught:
        call(gradstep_torch)
    assert isinstance(caught.value, GradStepError)


@pytest.mark.torch
@pytest.mark.parametrize(("call", "kind", "words"), REJECTED)
def test_torch_rejects_misuse_with_the_same_message(call, kind, words):
    torch = pytest.importorskip("torch")
    with pytest.raises(kind, match=words):
        call(torch)


def test_unsupported_embedding_options_are_reported():
    for name, value in (("max_norm", 1.0), ("scale_grad_by_freq", True)):
        with pytest.raises(UnsupportedError, match=name):
            gradstep_torch.nn.Embedding(3, 2, **{name: value})


@pytest.mark.parametrize("loss", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"])
def test_a_loss_of_two_shapes_warns(loss):
    with pytest.warns(UserWarning, match="Using a target size"):
        getattr(gradstep_torch.nn.functional, loss)(
            gradstep_torch.ones(2, 1), gradstep_torch.ones(2)
        )


def test_dropout_after_the_only_layer_warns():
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last"):
        gradstep_torch.nn.RNN(3, 2, dropout=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradstep_torch.nn.RNN(3, 2, num_layers=2, dropout=0.5)
