"""Backward passes: what they add up, in which order, and their errors."""

from __future__ import annotations

import numpy as np
import pytest

import gradstep
from gradstep.autograd import engine
from gradstep.autograd.graph import walk
from gradstep.errors import ArgumentError, TensorError


def leaf(*values):
    return gradstep.tensor(values, requires_grad=True)


def test_a_leaf_has_no_gradient_before_and_the_right_one_after_backward():
    x = leaf(1.0, 2.0)
    loss = (100 * x).sum()
    assert x.grad is None
    loss.backward()
    assert x.grad.tolist() == [100.0, 100.0]


def test_gradients_of_several_passes_add_up_in_the_same_tensor():
    x = leaf(3.0, 4.0)
    (x * x).sum().backward()
    first = x.grad
    (x * x).sum().backward()
    assert x.grad is first
    assert x.grad.tolist() == [12.0, 16.0]


def test_a_leaf_used_often_gets_the_sum_over_its_uses_once():
    x = leaf(2.0)
    calls = []
    x.register_hook(lambda grad: calls.append(grad.tolist()))
    (x * x + 3 * x + x).sum().backward()
    assert calls == [[8.0]]
    assert x.grad.tolist() == [8.0]


def test_a_leaf_may_itself_be_the_root():
    x = gradstep.tensor(2.0, requires_grad=True)
    x.backward()
    assert x.grad.item() == 1.0


def test_the_gradient_that_the_user_gives_is_never_kept():
    x = leaf(3.0, 4.0)
    flowing = gradstep.ones(2)
    (x + 1).backward(flowing)
    x.grad.add_(1)
    assert flowing.tolist() == [1.0, 1.0]


def test_two_leaves_of_a_sum_do_not_share_their_gradient():
    x, y = leaf(1.0), leaf(2.0)
    (x + y).sum().backward()
    x.grad.add_(5)
    assert y.grad.tolist() == [1.0]


def test_nodes_are_visited_from_the_last_recorded_to_the_first():
    x = leaf(1.0, 2.0)
    early, late = x.exp(), x.sin()
    order = [
        step.node.name() if isinstance(step, engine.Visit) else "AccumulateGrad"
        for step in engine.visits([(late + early).sum()])
    ]
    assert order == [
        "SumBackward0", "AddBackward0", "SinBackward0", "ExpBackward0", "AccumulateGrad",
    ]  # fmt: skip


def test_a_leaf_is_accumulated_as_soon_as_its_last_use_is_visited():
    x, w = leaf(1.0), leaf(2.0)
    steps = list(engine.visits([((x * 2) * w).sum()]))
    kinds = [getattr(step, "leaf", None) for step in steps]
    assert kinds == [None, None, w, None, x]


def test_a_visit_shows_what_comes_in_and_what_goes_out():
    x = leaf(1.0, 2.0)
    total, product, accumulation = engine.visits([(100 * x).sum()])
    assert (total.incoming.tolist(), total.outgoing[0].tolist()) == (1.0, [1.0, 1.0])
    assert (product.outgoing[0].tolist(), product.outgoing[1]) == ([100.0, 100.0], None)
    assert accumulation.before is None
    assert accumulation.added.tolist() == accumulation.after.tolist() == [100.0, 100.0]


def test_an_accumulation_has_the_gradient_before_and_after():
    x = leaf(1.0)
    (2 * x).sum().backward()
    *_, accumulation = engine.visits([(3 * x).sum()])
    assert accumulation.before.tolist() == [2.0]
    assert accumulation.added.tolist() == [3.0]
    assert accumulation.after.tolist() == [5.0]


def test_walking_gives_the_very_gradients_that_backward_gives():
    x = gradstep.tensor(np.linspace(-1, 1, 12).reshape(3, 4), requires_grad=True)

    def loss():
        return ((x @ x.T).tanh() * x.sum(1)).softmax(0).log().sum()

    loss().backward()
    expected, x.grad = x.grad, None
    for _ in engine.visits([loss()]):
        pass
    assert np.array_equal(x.grad.numpy(), expected.numpy())


def test_a_walk_that_is_abandoned_leaves_the_leaves_it_has_not_reached():
    x, w = leaf(1.0), leaf(2.0)
    loss = ((x * 2) * w).sum()
    for step in engine.visits([loss], retain_graph=True):
        if isinstance(step, engine.Accumulation):
            break
    assert w.grad.tolist() == [2.0]
    assert x.grad is None
    loss.backward()
    assert x.grad.tolist() == [4.0]


def test_backward_without_a_graph_is_an_error():
    with pytest.raises(TensorError, match="element 0 of tensors does not require grad"):
        gradstep.ones(1).sum().backward()


def test_backward_from_several_elements_needs_a_gradient():
    with pytest.raises(TensorError, match="grad can be implicitly created only for scalar outputs"):
        (2 * leaf(1.0, 2.0)).backward()
    leaf(1.0).mul(2).backward()


def test_a_second_backward_is_an_error_where_something_was_saved():
    x = leaf(1.0, 2.0)
    loss = (x * 2).sum()
    loss.backward()
    with pytest.raises(TensorError, match="Trying to backward through the graph a second time"):
        loss.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_second_backward_may_run_where_nothing_was_saved():
    x = leaf(1.0)
    loss = (x + 1).sum()
    loss.backward()
    loss.backward()
    assert x.grad.tolist() == [2.0]


def test_retain_graph_allows_a_second_backward():
    x = leaf(3.0)
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    assert not any(node.freed for node in walk(loss.grad_fn))
    loss.backward()
    assert x.grad.tolist() == [12.0]
    assert [node.freed for node in walk(loss.grad_fn)] == [False, True, False]


def test_a_leaf_that_no_longer_requires_grad_gets_none():
    x = leaf(1.0)
    loss = (2 * x).sum()
    x.requires_grad_(False)
    loss.backward()
    assert x.grad is None


def test_backward_works_inside_no_grad():
    x = leaf(1.0)
    loss = (2 * x).sum()
    with gradstep.no_grad():
        loss.backward()
    assert x.grad.tolist() == [2.0]


def test_inputs_chooses_what_is_accumulated():
    x, w = leaf(1.0), leaf(2.0)
    (x * w).sum().backward(inputs=[x])
    assert x.grad.tolist() == [2.0]
    assert w.grad is None
    with pytest.raises(TensorError, match="cannot be empty"):
        (x * w).sum().backward(inputs=[])


def test_backward_takes_one_tensor_as_well_as_several():
    x = gradstep.tensor([1.0, 2.0], requires_grad=True)
    gradstep.autograd.backward(x * x, gradstep.tensor([1.0, 10.0]))
    gradstep.autograd.backward((x * x).sum(), inputs=x)
    gradstep.autograd.backward([x.sum(), x.sum()])
    assert x.grad.tolist() == [2 + 2 + 2, 40 + 4 + 2]


def test_a_gradient_of_another_shape_is_rejected():
    with pytest.raises(TensorError, match="Mismatch in shape"):
        (2 * leaf(1.0, 2.0)).backward(gradstep.ones(3))


def test_create_graph_gives_gradients_that_can_be_differentiated():
    x = leaf(3.0)
    (x**3).sum().backward(create_graph=True)
    assert x.grad.tolist() == [27.0]
    (second,) = gradstep.autograd.grad(x.grad.sum(), x)
    assert second.tolist() == [18.0]


def test_the_third_derivative_is_right():
    x = gradstep.tensor(2.0, dtype=gradstep.float64, requires_grad=True)
    value = x**4
    for expected in (32.0, 48.0, 48.0):
        (value,) = gradstep.autograd.grad(value, x, create_graph=True)
        assert value.item() == expected


def test_leaf_data_swapped_after_recording_still_gives_second_derivatives():
    x = leaf(3.0)
    y = (x * x).sum()
    x.data = gradstep.tensor([5.0])
    (first,) = gradstep.autograd.grad(y, x, create_graph=True)
    (second,) = gradstep.autograd.grad(first.sum(), x)
    assert (first.tolist(), second.tolist()) == ([6.0], [2.0])


def test_grad_touches_no_grad_attribute():
    x = leaf(3.0)
    (found,) = gradstep.autograd.grad((x * x).sum(), x)
    assert found.tolist() == [6.0]
    assert x.grad is None


def test_grad_of_a_tensor_in_the_middle_does_not_visit_what_lies_behind():
    x = leaf(3.0)
    y = x.exp()
    loss = (y * y).sum()
    (found,) = gradstep.autograd.grad(loss, y)
    assert found.tolist() == (2 * y).tolist()
    assert not y.grad_fn.freed


def test_grad_of_an_unused_input_is_an_error_unless_allowed():
    x, other = leaf(3.0), leaf(1.0)
    with pytest.raises(TensorError, match="appears to not have been used in the graph"):
        gradstep.autograd.grad((x * x).sum(), other)
    assert gradstep.autograd.grad((x * x).sum(), other, allow_unused=True) == (None,)
    (zeros,) = gradstep.autograd.grad((x * x).sum(), other, materialize_grads=True)
    assert zeros.tolist() == [0.0]
    with pytest.raises(TensorError, match="does not require grad"):
        gradstep.autograd.grad((x * x).sum(), gradstep.ones(1))


def test_a_node_that_is_looked_at_is_an_instance_of_its_kind():
    x = gradstep.ones(2, requires_grad=True)
    loss = (x * x).sum()
    product = loss.grad_fn.next_functions[0][0]
    assert [type(node).__name__ for node in (loss.grad_fn, product)] == [
        "SumBackward0",
        "MulBackward0",
    ]
    assert loss.grad_fn is loss.grad_fn


def test_inputs_that_get_the_same_gradient_do_not_share_its_memory():
    x, y = (gradstep.ones(2, requires_grad=True) for _ in range(2))
    (x + y).backward(gradstep.ones(2), inputs=[x, y])
    x.grad.zero_()
    assert y.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_batch_of_gradients_gives_the_rows_of_the_jacobian(create_graph):
    x = gradstep.tensor([1.0, 2.0], requires_grad=True)
    y = gradstep.stack([x[0] * x[1], x[1] ** 3, x[0] * 5])
    (rows,) = gradstep.autograd.grad(
        y, x, gradstep.eye(3), is_grads_batched=True, create_graph=create_graph
    )
    assert rows.tolist() == [[2.0, 1.0], [0.0, 12.0], [5.0, 0.0]]
    assert rows.requires_grad == create_graph


def test_a_batch_of_gradients_needs_gradients_with_a_first_dimension():
    x = gradstep.ones(2, requires_grad=True)
    with pytest.raises(ArgumentError, match="is_grads_batched needs grad_outputs"):
        gradstep.autograd.grad(x * x, x, is_grads_batched=True)


def test_converting_a_tensor_to_a_number_warns_that_no_gradient_goes_through_it():
    x = gradstep.tensor(2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True"):
        assert float(x) == 2.0
    with gradstep.no_grad():
        assert float(x) == 2.0
    assert float(x.detach()) == x.item()
