"""Matrices that have no solution are rejected by name."""

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import TensorError, UnsupportedError


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.linalg.inv(t.zeros(2, 2)), r"linalg\.inv: .* singular"),
        (lambda t: t.linalg.inv(t.ones(2, 3)), r"square matrices, .* 2 by 3 matrices"),
        (lambda t: t.linalg.solve(t.zeros(2, 2), t.ones(2)), r"linalg\.solve: .* singular"),
        (lambda t: t.linalg.solve(t.eye(2), t.ones(3)), r"equation AX = B \(2x2 and 3x1\)"),
        (lambda t: t.linalg.solve(t.eye(2), t.ones(2).double()), "the same dtype"),
        (lambda t: t.linalg.solve_triangular(t.eye(2), t.ones(2), upper=True), "at least 2 dim"),
        (lambda t: t.linalg.cholesky(-t.eye(2)), "not positive-definite"),
        (lambda t: t.linalg.det(t.ones(2)), "at least 2 dimensions, but its shape is"),
        (lambda t: t.linalg.svd(t.ones(2, 2).long()), "Expected a floating point"),
        (lambda t: t.linalg.svd(t.full((2, 2), float("nan"))), "non-finite values"),
        (lambda t: t.linalg.matrix_norm(t.eye(2), 3), "Order 3 not supported"),
        (lambda t: t.linalg.matrix_norm(t.ones(2)), "at least 2 dimensions"),
        (lambda t: t.linalg.norm(t.ones(2, 2, 2), "fro"), r"1D or 2D\. Got 3D"),
        (lambda t: t.linalg.norm(t.ones(2), "fro"), "two dimensions"),
        (lambda t: t.linalg.vector_norm(t.ones(2).long()), "Expected a floating point"),
        (lambda t: t.ones(2).norm("nuc"), "needs two dimensions, got 1"),
        (lambda t: t.trace(t.ones(2)), "expected a matrix"),
        (lambda t: t.ones(3).repeat_interleave(t.tensor([1, 2])), "same size as input along dim"),
        (lambda t: t.ones(3).repeat_interleave(-1), "can not be negative"),
    ],
)
def test_invalid_arguments_are_rejected(call, message):
    with pytest.raises(TensorError, match=message):
        call(gradstep_torch)
    assert issubclass(TensorError, RuntimeError)


def test_half_precision_has_no_factorizations():
    with pytest.raises(UnsupportedError, match="not implemented for 'Half'"):
        gradstep_torch.linalg.cholesky(gradstep_torch.eye(2).half())


def test_the_gradient_of_a_determinant_is_right_where_the_matrix_is_singular():
    a = gradstep_torch.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    gradstep_torch.linalg.det(a).backward()
    np.testing.assert_allclose(a.grad.numpy(), [[4.0, -2.0], [-2.0, 1.0]], atol=1e-5)


def test_writing_into_a_factor_keeps_the_gradient_of_the_others():
    a = gradstep_torch.tensor([[3.0, 0.0], [0.0, 4.0]], requires_grad=True)
    u, s, _ = gradstep_torch.linalg.svd(a)
    with gradstep_torch.no_grad():
        u.zero_()
    s.sum().backward()
    assert a.grad.tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_without_vectors_svd_gives_zeros_for_them():
    u, s, v = gradstep_torch.svd(gradstep_torch.ones(2, 3), compute_uv=False)
    assert (u.tolist(), v.shape) == ([[0.0, 0.0], [0.0, 0.0]], (3, 3))
    np.testing.assert_allclose(s.numpy(), [6**0.5, 0.0], atol=1e-6)


def test_the_median_of_an_empty_tensor_or_with_a_nan_is_nan():
    assert gradstep_torch.median(gradstep_torch.empty(0)).isnan().item()
    x = gradstep_torch.tensor([1.0, float("nan"), 0.0])
    assert x.median(0).indices.item() == 1
    assert x.median().isnan().item()


def test_infinities_are_replaced_by_the_given_numbers():
    x = gradstep_torch.tensor([float("inf"), float("-inf"), float("nan"), 2.0], requires_grad=True)
    found = gradstep_torch.nan_to_num(x, 0.5, 1.0, -1.0)
    found.sum().backward()
    assert found.tolist() == [1.0, -1.0, 0.5, 2.0]
    assert x.grad.tolist() == [0.0, 0.0, 0.0, 1.0]
