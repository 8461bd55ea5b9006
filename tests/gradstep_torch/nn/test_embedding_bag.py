"""Rows put together bag by bag."""

from __future__ import annotations

import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, RejectedArgumentError, UnsupportedError
from gradstep_torch import nn
from gradstep_torch.nn import functional as F  # noqa: N812 - as everybody calls it

T = gradstep_torch.tensor
TABLE = T([[1.0, 2.0], [3.0, 5.0], [4.0, 0.0]])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("sum", [[5.0, 2.0], [0.0, 0.0], [3.0, 5.0]]),
        ("mean", [[2.5, 1.0], [0.0, 0.0], [3.0, 5.0]]),
        ("max", [[4.0, 2.0], [0.0, 0.0], [3.0, 5.0]]),
    ],
)
def test_bags_begin_at_their_offsets_and_may_be_empty(mode, expected):
    assert F.embedding_bag(T([0, 2, 1]), TABLE, T([0, 2, 2]), mode=mode).tolist() == expected
    ended = F.embedding_bag(
        T([0, 2, 1]), TABLE, T([0, 2, 2, 3]), mode=mode, include_last_offset=True
    )
    assert ended.tolist() == expected


def test_padding_does_not_count_and_gets_no_gradient():
    layer = nn.EmbeddingBag(3, 2, padding_idx=-1)
    assert layer.weight[2].tolist() == [0.0, 0.0]
    layer(T([[0, 2], [0, 1]])).sum().backward()
    assert layer.weight.grad.tolist() == [[1.5, 1.5], [0.5, 0.5], [0.0, 0.0]]


def test_per_sample_weights_scale_the_rows():
    weights = T([[2.0, 1.0]], requires_grad=True)
    out = F.embedding_bag(T([[0, 1]]), TABLE, mode="sum", per_sample_weights=weights)
    assert out.tolist() == [[5.0, 9.0]]
    out.sum().backward()
    assert weights.grad.tolist() == [[3.0, 8.0]]


def test_given_rows_are_frozen_by_default():
    assert not nn.EmbeddingBag.from_pretrained(TABLE).weight.requires_grad
    layer = nn.EmbeddingBag.from_pretrained(TABLE, freeze=False, mode="sum")
    assert layer(T([[0, 1]])).tolist() == [[4.0, 7.0]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: F.embedding_bag(T([0]), TABLE), ArgumentError, "offsets has to be"),
        (lambda: F.embedding_bag(T([[0]]), TABLE, T([0])), ArgumentError, "has to be None"),
        (lambda: F.embedding_bag(T([[0]]), TABLE, mode="min"), ArgumentError, "'min'"),
        (lambda: F.embedding_bag(T([0]), TABLE, T([1])), ArgumentError, "has to be 0"),
        (lambda: F.embedding_bag(T([0]), TABLE, T([0, 2])), ArgumentError, "up to 2"),
        (lambda: F.embedding_bag(T([[[0]]]), TABLE), ArgumentError, "not of dimension 3"),
        (lambda: F.embedding_bag(T([[0]]), TABLE[0]), ArgumentError, "weight has to be"),
        (lambda: F.embedding_bag(T([[0]]), TABLE, max_norm=1.0), UnsupportedError, "max_norm"),
        (
            lambda: F.embedding_bag(T([[0]]), TABLE, per_sample_weights=T([[1.0]])),
            UnsupportedError,
            "mode='sum'",
        ),
        (
            lambda: F.embedding_bag(T([[0]]), TABLE, mode="sum", per_sample_weights=T([1.0])),
            ArgumentError,
            "same shape",
        ),
        (lambda: nn.EmbeddingBag(3, 2, padding_idx=3), RejectedArgumentError, "got 3 of 3"),
        (lambda: nn.EmbeddingBag(3, 2, max_norm=1.0), UnsupportedError, "omit it"),
        (lambda: nn.EmbeddingBag.from_pretrained(T([1.0])), RejectedArgumentError, "2-dim"),
    ],
)
def test_invalid_arguments_are_rejected_with_a_reason(call, error, message):
    with pytest.raises(error, match=message):
        call()
