"""In-place operations: the memory they write, and the history they leave."""

from __future__ import annotations

import pytest

import gradstep
from gradstep.errors import TensorError


def leaf(*values):
    return gradstep.tensor(values, requires_grad=True)


def test_a_chain_of_in_place_operations_is_differentiated():
    a = leaf(1.0, 2.0)
    x = a * 2
    x += 1
    x.mul_(a)
    x.sum().backward()
    assert x.grad_fn.name() == "MulBackward0"
    assert a.grad.tolist() == [5.0, 9.0]


def test_writing_into_a_view_rewrites_the_history_of_its_base():
    a = leaf(1.0, 2.0, 3.0)
    x = a * 1
    view = x[1:]
    view.mul_(10)
    assert x.tolist() == [1.0, 20.0, 30.0]
    assert x.grad_fn.name() == "CopySlices"
    (x * x).sum().backward()
    assert a.grad.tolist() == [2.0, 400.0, 600.0]


def test_writing_into_the_base_rewrites_the_history_of_its_views():
    a = leaf(1.0, 2.0, 3.0)
    x = a * 1
    view = x[1:]
    x.mul_(10)
    (view * view).sum().backward()
    assert a.grad.tolist() == [0.0, 400.0, 600.0]


def test_one_view_sees_what_another_has_written():
    a = leaf(1.0, 2.0, 3.0, 4.0)
    x = (a * 1).view(2, 2)
    row, column = x[0], x.t()[0]
    row.mul_(5)
    column.sum().backward()
    assert column.tolist() == [5.0, 3.0]
    assert a.grad.tolist() == [5.0, 0.0, 1.0, 0.0]


def test_a_constant_written_with_a_variable_becomes_part_of_the_graph():
    a = gradstep.tensor(2.0, requires_grad=True)
    x = gradstep.zeros(3)
    view = x[1:]
    view[0] = a * a
    assert x.requires_grad
    assert view.requires_grad
    (x * 3).sum().backward()
    assert a.grad.item() == 12.0


def test_assignment_by_mask_and_by_index_is_differentiated():
    a = leaf(1.0, 2.0, 3.0)
    x = a * 1
    x[x > 2] = 0
    x[[0, 1]] = a[1:] * 2
    assert x.tolist() == [4.0, 6.0, 0.0]
    x.sum().backward()
    assert a.grad.tolist() == [0.0, 2.0, 2.0]


def test_filling_cuts_the_gradient():
    a, b = leaf(1.0, 2.0), leaf(5.0)
    x = a * 1
    x.zero_()
    x.sum().backward()
    assert a.grad.tolist() == [0.0, 0.0]
    y = gradstep.zeros(2)
    y.copy_(b)
    y.sum().backward()
    assert b.grad.tolist() == [2.0]


def test_a_leaf_that_requires_grad_can_be_changed_only_inside_no_grad():
    x = leaf(1.0, 2.0)
    with pytest.raises(TensorError, match="a leaf Variable that requires grad"):
        x += 1
    with pytest.raises(TensorError, match="a view of a leaf Variable"):
        x[0] += 1
    with gradstep.no_grad():
        x += 1
        x[0] += 1
    assert x.tolist() == [3.0, 3.0]
    assert x.is_leaf


def test_a_view_taken_in_no_grad_cannot_be_changed_later():
    x = leaf(1.0, 2.0) * 1
    with gradstep.no_grad():
        view = x[0]
    with pytest.raises(TensorError, match="created in no_grad mode"):
        view.mul_(2)


def test_an_in_place_operation_cannot_change_shape_or_kind():
    with pytest.raises(TensorError, match="doesn't match the broadcast shape"):
        gradstep.ones(2).add_(gradstep.ones(3, 2))
    with pytest.raises(TensorError, match="can't be cast to the desired output type"):
        gradstep.tensor([1, 2]).add_(1.5)
    with pytest.raises(TensorError, match="single memory location"):
        gradstep.ones(1).expand(3).add_(1)


def test_a_rejected_operation_leaves_the_tensor_and_its_version():
    x = gradstep.tensor([1, 2])
    with pytest.raises(TensorError):
        x.add_(1.5)
    assert (x.tolist(), x._version) == ([1, 2], 0)


def test_filling_with_random_numbers_needs_no_grad_for_a_leaf():
    x = leaf(1.0, 2.0)
    with pytest.raises(TensorError, match="leaf"):
        x.normal_()
    gradstep.manual_seed(0)
    with gradstep.no_grad():
        x.uniform_(-1, 1)
    assert x.tolist() == pytest.approx([-0.0074868, 0.5364436], abs=1e-6)


def test_deleted_views_are_forgotten():
    x = gradstep.zeros(4)
    for _ in range(1000):
        x[0]
    assert len(x._views) < 20
