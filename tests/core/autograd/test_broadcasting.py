"""Operations on shapes of every kind: broadcast, 0-d, empty."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, mutually_broadcastable_shapes

import gradstep
from gradstep.autograd.ops.select import where
from gradstep_torch.autograd import gradcheck

BINARY = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "maximum": gradstep.maximum,
    "where": lambda x, y: where(x > y, x, y),
}
SHAPES = mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3, min_side=0)


def numbers(shape, seed):
    array = np.random.default_rng(seed).uniform(0.5, 2.0, shape)
    return gradstep.tensor(array, requires_grad=True)


@pytest.mark.parametrize("name", BINARY)
@given(shapes=SHAPES)
@settings(max_examples=25)
def test_two_operands_broadcast_forward_and_backward(name, shapes):
    (left, right), result = shapes.input_shapes, shapes.result_shape
    x, y = numbers(left, 1), numbers(right, 2)
    output = BINARY[name](x, y)
    assert output.shape == result
    output.sum().backward()
    assert x.grad.shape == left
    assert y.grad.shape == right
    assert gradcheck(BINARY[name], (x, y))


REDUCTIONS = ["sum", "mean", "amax", "var", "logsumexp", "norm"]


@pytest.mark.parametrize("name", REDUCTIONS)
@given(shape=array_shapes(min_dims=1, max_dims=3, max_side=3), data=st.data())
@settings(max_examples=15)
def test_reductions_over_any_dimensions_agree_with_finite_differences(name, shape, data):
    dims = data.draw(st.sets(st.integers(-len(shape), -1), min_size=1).map(tuple))
    keep = data.draw(st.booleans())
    x = numbers(shape, 3)
    options = {"correction": 0} if name == "var" else {}

    def reduce(x):
        return getattr(x, name)(dim=dims, keepdim=keep, **options)

    assert reduce(x).ndim == len(shape) - (0 if keep else len(dims))
    assert gradcheck(reduce, x)


ANY_SHAPE = ["exp", "relu", "tanh", "sigmoid", "abs", "sum", "neg", "sqrt", "clone", "cos"]


@pytest.mark.parametrize("name", ANY_SHAPE)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,)])
def test_scalars_and_empty_tensors_have_values_and_gradients(name, shape):
    x = numbers(shape, 4)
    output = getattr(x, name)()
    assert isinstance(output._array, np.ndarray)
    output.sum().backward()
    assert x.grad.shape == shape
    assert isinstance(x.grad._array, np.ndarray)


@given(
    shape=array_shapes(min_dims=2, max_dims=4, max_side=3),
    inner=st.integers(0, 3),
    columns=st.integers(1, 3),
)
@settings(max_examples=25)
def test_products_of_batches_agree_with_finite_differences(shape, inner, columns):
    x, y = numbers((*shape, inner), 5), numbers((*shape[1:-1], inner, columns), 6)
    assert (x @ y).shape == (*shape, columns)
    assert gradcheck(operator.matmul, (x, y))


@given(shape=array_shapes(min_dims=1, max_dims=3, max_side=4), data=st.data())
@settings(max_examples=40)
def test_an_index_reads_and_writes_what_numpy_reads_and_writes(shape, data):
    size = shape[0]
    index = data.draw(
        st.one_of(
            st.integers(-size, size - 1),
            st.slices(size).filter(lambda s: s.step is None or s.step > 0),
            st.lists(st.integers(0, size - 1), min_size=1, max_size=4, unique=True),
            st.lists(st.booleans(), min_size=size, max_size=size).map(np.array),
            st.just(Ellipsis),
            st.none(),
        )
    )
    array = np.arange(np.prod(shape), dtype=float).reshape(shape)
    x = gradstep.tensor(array, requires_grad=True)
    place = gradstep.tensor(index) if isinstance(index, np.ndarray) else index
    np.testing.assert_array_equal(x[place].detach().numpy(), array[index])
    assert gradcheck(lambda x: x[place] * 2, x)
    y = x * 1
    y[place] = -1
    array[index] = -1
    np.testing.assert_array_equal(y.detach().numpy(), array)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), (array != -1) * 1.0)
