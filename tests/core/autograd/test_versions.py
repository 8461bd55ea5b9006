"""Version counters, and what a change between forward and backward does."""

from __future__ import annotations

import pytest

import gradstep
from gradstep.errors import TensorError

CHANGED = "modified by an inplace operation"


def leaf(*values):
    return gradstep.tensor(values, requires_grad=True)


def test_every_way_to_write_in_place_counts_the_version_up():
    x = gradstep.zeros(3)
    x.add_(1)
    x += 1
    x[0] = 5
    x.detach().mul_(2)
    x[1:].zero_()
    x.copy_(gradstep.ones(3))
    x.uniform_()
    assert x._version == 7


def test_writing_through_data_does_not_count():
    x = leaf(1.0, 2.0)
    x.data -= 1
    x.data = gradstep.zeros(2)
    assert x._version == 0
    assert x.tolist() == [0.0, 0.0]


def test_a_changed_input_is_noticed_with_its_shape_node_and_versions():
    x, w = leaf(1.0, 2.0), gradstep.ones(2)
    loss = (x * w).sum()
    w.add_(1)
    with pytest.raises(TensorError, match=CHANGED) as caught:
        loss.backward()
    for part in ("[2]", "MulBackward0", "version 1", "expected version 0"):
        assert part in str(caught.value)


def test_a_changed_result_is_noticed():
    y = leaf(1.0).exp()
    y += 1
    with pytest.raises(TensorError, match=CHANGED):
        y.sum().backward()


def test_a_change_of_what_was_not_saved_does_no_harm():
    x, w = leaf(1.0), gradstep.ones(1)
    loss = (x + w).sum() + (x.detach() * w).sum()
    w.add_(1)
    loss.backward()
    assert x.grad.tolist() == [1.0]


def test_a_change_through_a_view_is_noticed():
    x, w = leaf(1.0, 2.0), gradstep.ones(2)
    loss = (x * w).sum()
    w[1] = 7
    with pytest.raises(TensorError, match=CHANGED):
        loss.backward()


def test_a_change_through_data_is_not_noticed_and_gives_the_gradient_of_the_new_values():
    x = leaf(3.0)
    loss = (x * x).sum()
    x.data.mul_(10)
    loss.backward()
    assert x.grad.tolist() == [60.0]


def test_an_index_changed_later_does_not_matter():
    x, index = leaf(1.0, 2.0), gradstep.tensor([0])
    loss = x[index].sum()
    index.fill_(1)
    loss.backward()
    assert x.grad.tolist() == [1.0, 0.0]
