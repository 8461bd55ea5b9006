"""Losses with margins, and that of labels without an alignment."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, TensorError, TensorIndexError, UnsupportedError
from gradstep_torch import nn
from gradstep_torch.nn import functional as F  # noqa: N812 - as everybody calls it

T = gradstep_torch.tensor


def collapsed(path, blank=0):
    """Return the labels that an alignment stands for."""
    merged = [label for place, label in enumerate(path) if not place or label != path[place - 1]]
    return [label for label in merged if label != blank]


@pytest.mark.parametrize("labels", [[1], [1, 2], [1, 1], [2, 1, 2], []])
def test_the_ctc_loss_counts_every_alignment(labels):
    gradstep_torch.manual_seed(0)
    scores = gradstep_torch.randn(5, 1, 3, dtype=gradstep_torch.float64).log_softmax(2)
    chances = scores.exp().numpy()[:, 0]
    total = sum(
        math.prod(chances[time, label] for time, label in enumerate(path))
        for path in product(range(3), repeat=5)
        if collapsed(path) == labels
    )
    found = F.ctc_loss(scores, T([labels]).long(), [5], [len(labels)], reduction="sum")
    assert found.item() == pytest.approx(-math.log(total))


def test_gradients_of_the_ctc_loss_are_those_of_scores():
    gradstep_torch.manual_seed(0)
    x = gradstep_torch.randn(6, 2, 4, dtype=gradstep_torch.float64, requires_grad=True)
    targets = T([[1, 2, 2], [3, 1, 0]])
    assert gradstep_torch.autograd.gradcheck(
        lambda x: F.ctc_loss(x.log_softmax(2), targets, [6, 4], [3, 2]), (x,)
    )


def test_concatenated_labels_give_the_same_loss_as_padded_rows():
    x = gradstep_torch.randn(6, 2, 4).log_softmax(2)
    padded = F.ctc_loss(x, T([[1, 2, 2], [3, 1, 0]]), [6, 4], [3, 2])
    assert F.ctc_loss(x, T([1, 2, 2, 3, 1]), T([6, 4]), T([3, 2])).item() == padded.item()


def test_labels_longer_than_the_input_give_an_infinite_or_a_zero_loss():
    x = gradstep_torch.zeros(2, 1, 3, requires_grad=True)
    assert F.ctc_loss(x.log_softmax(2), T([[1, 1]]), [2], [2]).item() == math.inf
    loss = nn.CTCLoss(zero_infinity=True)(x.log_softmax(2), T([[1, 1]]), [2], [2])
    loss.backward()
    assert loss.item() == 0
    assert x.grad.abs().sum().item() == 0


def test_the_ctc_loss_cannot_be_differentiated_twice():
    x = gradstep_torch.zeros(2, 1, 3, requires_grad=True)
    loss = F.ctc_loss(x.log_softmax(2), T([[1]]), [2], [1])
    with pytest.raises(UnsupportedError, match="create_graph"):
        gradstep_torch.autograd.grad(loss, x, create_graph=True)


def test_only_scores_within_the_margin_count():
    x, y = T([[3.0, 2.5, 0.0]]), T([0])
    assert F.multi_margin_loss(x, y).item() == pytest.approx(0.5 / 3)
    assert F.multi_margin_loss(x, y, p=2).item() == pytest.approx(0.25 / 3)
    weight = T([2.0, 1.0, 1.0])
    assert F.multi_margin_loss(x, y, weight=weight).item() == pytest.approx(1 / 3)


def test_labels_after_the_terminator_are_ignored():
    x = gradstep_torch.randn(4)
    one = F.multilabel_margin_loss(x, T([2, -1, 0, 1]))
    assert one.item() == F.multilabel_margin_loss(x, T([2, -1, -1, -1])).item()


def test_any_distance_function_can_be_used():
    x = [gradstep_torch.randn(3, 4) for _ in range(3)]
    far = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(1))
    expected = F.triplet_margin_loss(*x, p=1, eps=0)
    assert far(*x).item() == pytest.approx(expected.item(), 1e-5)
    usual = nn.TripletMarginWithDistanceLoss()(*x).item()
    assert usual == pytest.approx(F.triplet_margin_loss(*x).item(), 1e-5)


def test_the_multi_label_loss_is_the_mean_cross_entropy():
    x, y = gradstep_torch.randn(3, 4), (gradstep_torch.rand(3, 4) > 0.5).float()
    expected = F.binary_cross_entropy_with_logits(x, y)
    np.testing.assert_allclose(F.multilabel_soft_margin_loss(x, y).item(), expected.item(), 1e-5)
    assert nn.MultiLabelSoftMarginLoss(reduction="none")(x, y).shape == (3,)


def ctc(targets, lengths, counts, **options):
    return F.ctc_loss(
        gradstep_torch.zeros(4, 2, 3).log_softmax(2), T(targets), lengths, counts, **options
    )


REJECTED = {
    "a cube": (
        lambda: F.multi_margin_loss(gradstep_torch.ones(2, 3), T([0, 1]), p=3),
        ArgumentError,
        "p == 1",
    ),
    "a cubic module": (lambda: nn.MultiMarginLoss(p=3), ArgumentError, "p == 1"),
    "too few targets": (
        lambda: F.multi_margin_loss(gradstep_torch.ones(2, 3), T([0])),
        TensorError,
        "inconsistent target size",
    ),
    "a class too many": (
        lambda: F.multi_margin_loss(gradstep_torch.ones(1, 3), T([3])),
        TensorIndexError,
        "Target 3 is out of bounds",
    ),
    "half a class": (
        lambda: F.multi_margin_loss(gradstep_torch.ones(1, 3), T([0.5])),
        TensorError,
        "scalar type Long",
    ),
    "weights of others": (
        lambda: F.multi_margin_loss(
            gradstep_torch.ones(1, 3), T([0]), weight=gradstep_torch.ones(2)
        ),
        TensorError,
        "inconsistent weight",
    ),
    "no margin": (
        lambda: nn.TripletMarginWithDistanceLoss(margin=0),
        ArgumentError,
        "greater than 0",
    ),
    "no margin of a function": (
        lambda: F.triplet_margin_with_distance_loss(*[gradstep_torch.ones(1, 2)] * 3, margin=-1),
        ArgumentError,
        "greater than 0",
    ),
    "labels of another shape": (
        lambda: F.multilabel_margin_loss(gradstep_torch.ones(2, 3), T([0, 1])),
        TensorError,
        "inconsistent target",
    ),
    "soft labels of another shape": (
        lambda: F.multilabel_soft_margin_loss(gradstep_torch.ones(2, 3), gradstep_torch.ones(2, 2)),
        TensorError,
        "size of tensor",
    ),
    "scores of no batch": (
        lambda: F.multilabel_margin_loss(gradstep_torch.ones(1, 2, 3), T([[[0, 1, 2]] * 2])),
        TensorError,
        "vector or matrix",
    ),
    "a blank too many": (lambda: ctc([[1], [1]], [4, 4], [1, 1], blank=3), TensorError, "blank"),
    "a length too few": (lambda: ctc([[1], [1]], [4], [1, 1]), TensorError, "of size 2"),
    "a length too long": (lambda: ctc([[1], [1]], [4, 5], [1, 1]), TensorError, "at most 4"),
    "more labels than given": (lambda: ctc([1, 1], [4, 4], [1, 2]), TensorError, "add up to 3"),
    "a row too short": (lambda: ctc([[1], [1]], [4, 4], [1, 2]), TensorError, "2 or more"),
    "a label too many": (lambda: ctc([[1], [3]], [4, 4], [1, 1]), TensorError, "from 0 to 2"),
}


@pytest.mark.parametrize(("call", "error", "message"), REJECTED.values(), ids=REJECTED)
def test_invalid_arguments_are_rejected_with_a_reason(call, error, message):
    with pytest.raises(error, match=message):
        call()
