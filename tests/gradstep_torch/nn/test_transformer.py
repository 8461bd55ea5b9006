"""Attention by several heads and transformers: masks, padding, hints and rejected arguments."""

from __future__ import annotations

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, TensorError
from gradstep_torch import nn


def attention(**options):
    gradstep_torch.manual_seed(0)
    return nn.MultiheadAttention(4, 2, batch_first=True, **options)


def encoder(**options):
    gradstep_torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, **options)
    return nn.TransformerEncoder(layer, 2)


def padding():
    return gradstep_torch.tensor([[False, False, True], [False, False, False]])


def test_the_causal_mask_hides_later_positions():
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    _, weights = attention()(*[gradstep_torch.randn(2, 3, 4)] * 3, attn_mask=mask)
    assert weights.triu(1).abs().sum().item() == 0
    np.testing.assert_allclose(weights.detach().numpy().sum(-1), 1, 1e-6)


def test_a_boolean_mask_equals_a_mask_of_minus_infinity():
    layer, x = attention(), gradstep_torch.randn(2, 3, 4)
    hidden = gradstep_torch.ones(3, 3).triu(1).bool()
    added = nn.Transformer.generate_square_subsequent_mask(3)
    outputs = [layer(x, x, x, attn_mask=mask)[0].tolist() for mask in (hidden, added)]
    assert outputs[0] == outputs[1]


def test_a_hidden_key_has_no_influence_and_no_gradient():
    layer, x = attention(), gradstep_torch.randn(2, 3, 4)
    memory = gradstep_torch.randn(2, 3, 4, requires_grad=True)
    output, weights = layer(x, memory, memory, key_padding_mask=padding())
    output.sum().backward()
    assert weights[0, :, 2].tolist() == [0.0] * 3
    assert memory.grad[0, 2].tolist() == [0.0] * 4
    assert memory.grad[1, 2].abs().sum().item() > 0


def test_attention_weights_are_averaged_or_per_head_or_none():
    layer, x = attention(), gradstep_torch.randn(2, 3, 4)
    output, mean = layer(x, x, x)
    other, each = layer(x, x, x, average_attn_weights=False)
    assert each.shape == (2, 2, 3, 3)
    assert gradstep_torch.allclose(each.mean(1), mean)
    lean, none = layer(x, x, x, need_weights=False)
    assert none is None
    assert gradstep_torch.allclose(lean, output, atol=1e-6)
    assert gradstep_torch.allclose(other, output)


def test_a_fully_masked_output_is_nan_with_weights_and_zero_without():
    layer, x = attention(bias=False), gradstep_torch.randn(1, 2, 4)
    nothing = gradstep_torch.ones(1, 2).bool()
    assert layer(x, x, x, key_padding_mask=nothing)[0].isnan().all().item()
    lean, _ = layer(x, x, x, key_padding_mask=nothing, need_weights=False)
    assert lean.abs().sum().item() == 0


def test_a_sequence_without_a_batch_is_a_batch_of_one():
    layer, x = attention(), gradstep_torch.randn(1, 3, 4)
    whole, weights = layer(x, x, x)
    alone, own = layer(x[0], x[0], x[0])
    assert gradstep_torch.allclose(whole[0], alone)
    assert own.shape == weights.shape[1:]


def test_is_causal_applies_the_causal_mask_when_weights_are_not_needed():
    layer, x = attention(), gradstep_torch.randn(2, 3, 4)
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    hinted, _ = layer(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)
    assert gradstep_torch.allclose(hinted, layer(x, x, x, attn_mask=mask)[0], atol=1e-6)


def test_padded_positions_are_zero_where_torch_skips_them():
    model, x = encoder().eval(), gradstep_torch.randn(2, 3, 4)
    recorded = model(x, src_key_padding_mask=padding())
    with gradstep_torch.no_grad():
        quick = model(x, src_key_padding_mask=padding())
    assert recorded[0, 2].abs().sum().item() > 0
    assert quick[0, 2].tolist() == [0.0] * 4
    assert gradstep_torch.allclose(quick[1], recorded[1])
    assert gradstep_torch.allclose(quick[0, :2], recorded[0, :2])


def test_leading_padding_is_not_skipped():
    model, x = encoder().eval(), gradstep_torch.randn(2, 3, 4)
    with gradstep_torch.no_grad():
        output = model(x, src_key_padding_mask=padding().flip(1))
    assert output[0, 0].abs().sum().item() > 0


def test_encoder_layers_start_with_equal_but_separate_parameters():
    model = encoder()
    first, second = (layer.linear1.weight for layer in model.layers)
    assert first is not second
    assert first.tolist() == second.tolist()


def test_a_custom_activation_and_a_custom_encoder_are_used():
    layer = nn.TransformerEncoderLayer(4, 2, 8, activation=gradstep_torch.tanh)
    assert layer.activation is gradstep_torch.tanh
    model = nn.Transformer(4, 2, 1, 1, 8, custom_encoder=nn.TransformerEncoder(layer, 1))
    assert model.encoder.layers[0].activation is gradstep_torch.tanh


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.MultiheadAttention(5, 2), ArgumentError, "divisible by num_heads"),
        (lambda: nn.MultiheadAttention(4, 0), ArgumentError, "greater than 0"),
        (
            lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"),
            ArgumentError,
            "relu/gelu, not tanh",
        ),
        (
            lambda: nn.Transformer(4, 2, 1, 1)(
                gradstep_torch.ones(3, 2, 4), gradstep_torch.ones(3, 1, 4)
            ),
            TensorError,
            "batch is dimension 1",
        ),
        (
            lambda: nn.Transformer(4, 2, 1, 1)(
                gradstep_torch.ones(3, 2, 4), gradstep_torch.ones(3, 2, 5)
            ),
            TensorError,
            "equal to d_model, which is 4",
        ),
        (
            lambda: attention()(*[gradstep_torch.ones(2, 3, 5)] * 3),
            TensorError,
            "embedding dimension of 4, for 2 heads, but got 5",
        ),
        (
            lambda: attention()(*[gradstep_torch.ones(2, 3, 4)] * 3, is_causal=True),
            TensorError,
            "Need attn_mask",
        ),
        (
            lambda: attention()(
                *[gradstep_torch.ones(2, 3, 4)] * 3, attn_mask=gradstep_torch.ones(2, 3)
            ),
            TensorError,
            r"\[2, 3\], but should be \[3, 3\]",
        ),
        (
            lambda: attention()(
                *[gradstep_torch.ones(2, 3, 4)] * 3,
                key_padding_mask=gradstep_torch.zeros(3, 2).bool(),
            ),
            TensorError,
            r"of shape \[2, 3\] \(batch, keys\), but got \[3, 2\]",
        ),
        (
            lambda: attention()(
                *[gradstep_torch.ones(2, 3, 4)] * 3,
                key_padding_mask=gradstep_torch.zeros(2, 3).long(),
            ),
            TensorError,
            "True hides a position",
        ),
        (
            lambda: attention()(*[gradstep_torch.ones(3, 4)] * 2, gradstep_torch.ones(1, 3, 4)),
            TensorError,
            "expected value to be 2-D",
        ),
        (
            lambda: attention()(*[gradstep_torch.ones(1, 2, 3, 4)] * 3),
            TensorError,
            "2D or batched 3D",
        ),
    ],
)
def test_invalid_arguments_are_rejected_with_a_reason(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_masks_of_two_types_are_warned_about():
    layer, x = attention(), gradstep_torch.ones(2, 3, 4)
    with pytest.warns(UserWarning, match="mismatched key_padding_mask and attn_mask"):
        layer(x, x, x, key_padding_mask=padding(), attn_mask=gradstep_torch.zeros(3, 3))
