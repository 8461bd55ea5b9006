"""Hooks of tensors and nodes."""

from __future__ import annotations

import pytest

import gradstep
from gradstep.errors import ArgumentTypeError, TensorError


def leaf(*values):
    return gradstep.tensor(values, requires_grad=True)


def test_hooks_run_in_order_then_accumulation_then_the_hook_after_it():
    x, log = leaf(3.0), []
    x.register_hook(lambda grad: log.append(("first", grad.tolist())) or grad * 2)
    x.register_hook(lambda grad: log.append(("second", grad.tolist())))
    x.register_post_accumulate_grad_hook(lambda t: log.append(("after", t.grad.tolist())))
    (5 * x).sum().backward()
    assert log == [("first", [5.0]), ("second", [10.0]), ("after", [10.0])]


def test_a_hook_of_an_inner_tensor_changes_what_flows_on():
    x = leaf(3.0)
    y = x * x
    y.register_hook(lambda grad: grad * 10)
    y.sum().backward()
    assert x.grad.tolist() == [60.0]


def test_retain_grad_keeps_what_the_hooks_have_made():
    x = leaf(3.0)
    y = x * x
    y.retain_grad()
    y.register_hook(lambda grad: grad * 10)
    assert y.retains_grad
    y.sum().backward()
    assert y.grad.tolist() == [10.0]


def test_a_removed_hook_is_not_called():
    x, log = leaf(3.0), []
    handle = x.register_hook(log.append)
    handle.remove()
    handle.remove()
    (2 * x).sum().backward()
    assert log == []


def test_a_hook_in_a_with_block_is_removed_at_its_end():
    x, log = leaf(3.0), []
    with x.register_hook(log.append):
        (2 * x).sum().backward()
    (2 * x).sum().backward()
    assert len(log) == 1


def test_a_gradient_that_a_hook_has_seen_is_not_shared_with_the_leaf():
    x, seen = leaf(3.0), []
    x.register_hook(seen.append)
    (2 * x).sum().backward()
    (2 * x).sum().backward()
    assert seen[0].tolist() == [2.0]


def test_a_hook_may_not_change_the_shape_or_the_kind():
    x = leaf(3.0)
    handle = x.register_hook(lambda _: gradstep.ones(2))
    with pytest.raises(TensorError, match="changed the size"):
        (2 * x).sum().backward()
    handle.remove()
    x.register_hook(lambda _: 5)
    with pytest.raises(ArgumentTypeError, match="Tensor or None"):
        (2 * x).sum().backward()


def test_hooks_of_a_node_see_and_change_gradients():
    x, log = leaf(3.0), []
    y = x * x
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    y.grad_fn.register_hook(lambda inputs, outputs: log.append((inputs, outputs)))
    y.sum().backward()
    ((inputs, outputs),) = log
    assert [grad.tolist() for grad in inputs] == [[6.0], [6.0]]
    assert [grad.tolist() for grad in outputs] == [[2.0]]
    assert x.grad.tolist() == [12.0]


def test_hooks_need_a_gradient_to_come():
    with pytest.raises(TensorError, match="cannot register a hook"):
        gradstep.ones(1).register_hook(print)
    with pytest.raises(TensorError, match="can't retain_grad"):
        gradstep.ones(1).retain_grad()
    with pytest.raises(TensorError, match="non-leaf"):
        (2 * leaf(1.0)).register_post_accumulate_grad_hook(print)
