"""Tensors: creation, attributes, conversions, and rejected arguments."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import gradstep
from gradstep.autograd.ops.select import where
from gradstep.errors import ArgumentTypeError, TensorError, TensorIndexError

T = gradstep.tensor


def leaf(*values):
    return T(values, requires_grad=True)


def test_a_tensor_copies_its_data_and_from_numpy_shares_it():
    array = np.zeros(2)
    copied, shared = T(array), gradstep.from_numpy(array)
    array[0] = 5
    assert (copied.tolist(), shared.tolist()) == ([0.0, 0.0], [5.0, 0.0])
    assert gradstep.as_tensor(array).numpy() is array
    assert gradstep.as_tensor(shared) is shared


def test_rows_of_different_lengths_are_rejected():
    with pytest.raises(ValueError, match=r"sequence of length 2 at dim 1 \(got 1\)"):
        T([[1, 2], [3]])


def test_tensors_inside_lists_become_numbers():
    assert T([T(1.0), T(2.0)]).tolist() == [1.0, 2.0]
    assert T([np.float64(1.0)]).dtype == gradstep.float64


def test_the_class_itself_makes_floats():
    assert gradstep.Tensor([1, 2]).dtype == gradstep.float32
    assert gradstep.Tensor(2, 3).shape == (2, 3)
    assert gradstep.Tensor().shape == (0,)


def test_filled_tensors_take_the_type_of_their_value_or_model():
    assert gradstep.full((2,), True).dtype == gradstep.bool
    assert gradstep.full_like(T([1]), 3).tolist() == [3]
    assert gradstep.ones_like(T([1])).dtype == gradstep.int64
    assert gradstep.zeros_like(T([1.0]), requires_grad=True).requires_grad
    assert gradstep.eye(2, 3).shape == (2, 3)
    assert T([1]).new_zeros(2).dtype == gradstep.int64
    with pytest.raises(TensorError, match="negative dimension"):
        gradstep.zeros(-1)


def test_its_shape_can_be_read_in_every_way():
    x = gradstep.zeros(2, 3)
    assert x.shape == x.size() == gradstep.Size([2, 3])
    assert (x.size(0), x.ndim, x.dim(), x.numel(), x.nelement(), len(x)) == (2, 2, 2, 6, 6, 2)
    assert (x.stride(), x.is_contiguous(), x.t().is_contiguous()) == ((3, 1), True, False)
    with pytest.raises(ArgumentTypeError, match="0-d"):
        len(T(1))


def test_one_element_becomes_a_number_and_several_do_not():
    assert T([[2.5]]).item() == float(T(2.5)) == 2.5
    assert int(T(2)) == [0, 1, 2][T(2)]
    assert bool(T([1]))
    with pytest.raises(TensorError, match="cannot be converted to Scalar"):
        T([1.0, 2.0]).item()
    with pytest.raises(TensorError, match="ambiguous"):
        bool(T([1, 2]))
    with pytest.raises(ArgumentTypeError, match="only integer tensors"):
        [0][T(0.0)]


def test_numpy_shares_memory_and_rejects_what_requires_grad():
    x = T([1.0])
    x.numpy()[0] = 5
    assert x.item() == 5.0
    assert np.asarray(x).tolist() == [5.0]
    with pytest.raises(TensorError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        leaf(1.0).numpy()


def test_the_flag_of_a_result_cannot_be_taken_away():
    y = leaf(1.0) * 2
    y.requires_grad = True
    with pytest.raises(TensorError, match="you can only change requires_grad flags of leaf"):
        y.requires_grad = False


def test_asking_for_the_grad_of_a_result_warns():
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
        assert (leaf(1.0) * 2).grad is None


def test_an_assigned_gradient_must_fit():
    x = leaf(1.0, 2.0)
    x.grad = gradstep.ones(2)
    (2 * x).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(TensorError, match="attempting to assign a gradient of size"):
        x.grad = gradstep.ones(3)
    with pytest.raises(TensorError, match="gradient with dtype"):
        x.grad = gradstep.ones(2).double()
    with pytest.raises(ArgumentTypeError, match="Tensor or None"):
        x.grad = 3
    with pytest.raises(TensorError, match="its own gradient"):
        x.grad = x
    del x.grad
    assert x.grad is None


def test_detach_shares_memory_without_history():
    x = leaf(1.0)
    y = (x * 2).detach()
    assert (y.requires_grad, y.is_leaf) == (False, True)
    z = x * 2
    assert z.detach_().is_leaf
    with pytest.raises(TensorError, match="detach views"):
        (x * 2)[0].detach_()


def test_a_tensor_is_a_key_and_compares_by_element():
    x = T([1.0, 2.0])
    assert {x: 1}[x] == 1
    assert (x == T([1.0, 3.0])).tolist() == [True, False]
    assert (x != 1).tolist() == [False, True]
    assert x is not None
    assert x != "text"


def test_it_can_be_iterated_and_unpacked():
    first, second = T([[1, 2], [3, 4]])
    assert (first.tolist(), second.tolist()) == ([1, 2], [3, 4])


def test_numbers_of_numpy_and_arrays_join_in():
    x = T([1.0, 2.0])
    assert (np.float64(2) * x).dtype == gradstep.float32
    assert (np.ones(2, np.float32) + x).tolist() == [2.0, 3.0]
    assert (x / np.array([2.0, 4.0], np.float32)).tolist() == [0.5, 0.5]
    with pytest.raises(ArgumentTypeError, match="cannot be combined with str"):
        x + "text"


def test_division_by_zero_overflow_and_nan_are_values_and_no_warnings():
    assert (T([1.0, -1.0]) / 0).tolist() == [float("inf"), float("-inf")]
    assert T([1e38]).mul(10).tolist() == [float("inf")]
    assert T([-1.0]).log().isnan().all()
    assert T([]).mean().isnan()


BAD = {
    r"The size of tensor a \(2\) must match the size of tensor b \(3\)": lambda: (
        gradstep.ones(2) + gradstep.ones(3)
    ),
    r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)": lambda: (
        gradstep.ones(2, 3) @ gradstep.ones(2, 3)
    ),
    "mat1 and mat2 must have the same dtype": lambda: (
        gradstep.ones(2, 3) @ gradstep.ones(3, 2).double()
    ),
    "at least 1D": lambda: gradstep.ones(2) @ T(1.0),
    "self must be a matrix": lambda: gradstep.ones(2).mm(gradstep.ones(2)),
    "is invalid for input of size 2": lambda: gradstep.ones(2).view(3),
    "view size is not compatible": lambda: gradstep.ones(2, 3).t().view(6),
    "non-empty": lambda: gradstep.stack([]),
    "Sizes of tensors must match": lambda: gradstep.cat([gradstep.ones(2, 3), gradstep.ones(3, 2)]),
    "equal size": lambda: gradstep.stack([gradstep.ones(2), gradstep.ones(3)]),
    "expanded size": lambda: gradstep.ones(3).expand(2, 4),
    "bool tensor is not supported": lambda: T([True]) - T([True]),
    "negative integer powers": lambda: T([2]) ** -1,
    "could not infer output dtype": lambda: T([1]).mean(),
    "boolean tensor": lambda: where(T([1]), 1.0, 0.0),
    "multiple times": lambda: gradstep.ones(2, 3).sum((0, 0)),
    "split_sizes": lambda: gradstep.ones(3).split([1, 1]),
    "exceeds dimension size": lambda: gradstep.ones(3).narrow(0, 2, 2),
    "shape mismatch": lambda: gradstep.ones(3).__setitem__(slice(0, 2), gradstep.ones(3)),
}


@pytest.mark.parametrize("phrase", BAD)
def test_what_does_not_fit_is_named(phrase):
    with pytest.raises(TensorError, match=phrase):
        BAD[phrase]()


BAD_INDICES = {
    "Dimension out of range": lambda: gradstep.ones(2, 3).sum(5),
    "out of bounds for dimension 0 with size 3": lambda: gradstep.ones(3)[5],
    "too many indices for tensor of dimension 1": lambda: gradstep.ones(3)[0, 0],
    "must be long": lambda: gradstep.ones(3)[T([0.5])],
    "shape of the mask": lambda: gradstep.ones(3)[T([True, False])],
    "Expected reduction dim": lambda: gradstep.zeros(0).argmax(),
    "Target 7 is out of bounds": lambda: gradstep.nn.functional.nll_loss(
        gradstep.zeros(1, 3), T([7])
    ),
}


@pytest.mark.parametrize("phrase", BAD_INDICES)
def test_an_index_or_dimension_that_is_not_there_is_named(phrase):
    with pytest.raises(TensorIndexError, match=phrase):
        BAD_INDICES[phrase]()


def test_a_reversed_slice_is_rejected_with_a_remedy():
    with pytest.raises(ValueError, match=r"step must be greater than zero; use \.flip"):
        gradstep.ones(3)[::-1]


def test_views_share_memory_and_copies_do_not():
    x = gradstep.zeros(2, 3)
    for view in (x.view(6), x.t(), x[0], x[:, 1:], x.unsqueeze(0), x.expand(4, 2, 3), x[0, 0]):
        assert np.shares_memory(view.numpy(), x.numpy())
    for made in (x.clone(), x[[0]], x[x == 0], x.repeat(2, 1), x.t().contiguous()):
        assert not np.shares_memory(made.numpy(), x.numpy())


def test_a_tensor_can_be_copied_deeply():
    x = leaf(1.0, 2.0)
    (2 * x).sum().backward()
    y = copy.deepcopy(x)
    assert (y.tolist(), y.requires_grad, y.grad.tolist()) == ([1.0, 2.0], True, [2.0, 2.0])
    assert not np.shares_memory(y.detach().numpy(), x.detach().numpy())
    with pytest.raises(TensorError, match="Only Tensors created explicitly"):
        copy.deepcopy(2 * x)
