"""Factors of matrices: their parts, their gradients, and matrices that have none."""

import numpy as np
import pytest

import gradstep_torch
from gradstep.errors import ArgumentError, TensorError, UnsupportedError
from gradstep_torch.autograd import gradcheck, gradgradcheck


def matrix(*shape, seed=0):
    values = np.random.default_rng(seed).standard_normal(shape)
    return gradstep_torch.from_numpy(values).requires_grad_()


def even(x):
    return x + x.mT


def signless(q, r):
    return q**2, r**2


@pytest.mark.parametrize("triangle", ["L", "U"])
def test_gradients_of_eigenvalues_and_vectors_are_right_twice(triangle):
    def call(x):
        values, vectors = gradstep_torch.linalg.eigh(even(x), triangle)
        return values, vectors**2

    assert gradcheck(call, [matrix(2, 3, 3)])
    assert gradgradcheck(call, [matrix(3, 3)])


def test_eigenvalues_and_eigenvectors_reconstruct_the_matrix():
    x = even(matrix(4, 4)).detach()
    values, vectors = gradstep_torch.linalg.eigh(x)
    assert gradstep_torch.allclose(vectors @ values.diag() @ vectors.mT, x)
    assert gradstep_torch.allclose(gradstep_torch.linalg.eigvalsh(x), values)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 3), (2, 5)])
def test_gradients_of_qr_are_right_twice(shape):
    assert gradcheck(lambda x: signless(*gradstep_torch.linalg.qr(x)), [matrix(*shape)])
    assert gradgradcheck(lambda x: signless(*gradstep_torch.linalg.qr(x)), [matrix(*shape[-2:])])


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 2, 4)])
def test_gradients_of_the_pseudoinverse_are_right_twice(shape):
    assert gradcheck(gradstep_torch.linalg.pinv, [matrix(*shape)])
    assert gradgradcheck(gradstep_torch.linalg.pinv, [matrix(*shape[-2:])])


def test_gradients_of_least_squares_are_right():
    def call(a, b):
        return gradstep_torch.linalg.lstsq(a, b).solution

    assert gradcheck(call, [matrix(5, 2), matrix(5, 1, seed=1)])


def test_least_squares_find_the_line_through_points():
    x = gradstep_torch.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    found = gradstep_torch.linalg.lstsq(
        x, gradstep_torch.tensor([[1.0], [3.0], [6.0]]), driver="gelsd"
    )
    assert found.solution.flatten().tolist() == pytest.approx([2.5, 5 / 6], rel=1e-5)
    assert found.residuals.item() == pytest.approx(1 / 6, rel=1e-4)
    assert (found.rank.item(), tuple(found.singular_values.shape)) == (2, (2,))


def test_a_power_is_the_product_of_its_factors():
    x = matrix(3, 3)
    assert gradstep_torch.allclose(gradstep_torch.linalg.matrix_power(x, 5), x @ x @ x @ x @ x)
    assert gradstep_torch.allclose(gradstep_torch.linalg.matrix_power(x, -2), (x @ x).inverse())
    assert gradcheck(lambda x: gradstep_torch.linalg.matrix_power(x, 3), [x])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda own, t: own.eigh(t.ones(2, 3)), TensorError, "batches of square matrices"),
        (lambda own, t: own.eigh(t.eye(2), "X"), ArgumentError, "to be 'L' or 'U', but got X"),
        (lambda own, t: own.eigh(t.eye(2) * float("nan")), TensorError, "failed to converge"),
        (lambda own, t: own.qr(t.eye(2), "full"), ArgumentError, "unrecognized mode 'full'"),
        (lambda own, t: own.qr(t.ones(2)), TensorError, "at least 2 dimensions"),
        (
            lambda own, t: own.qr(t.ones(3, 2, requires_grad=True), "complete"),
            UnsupportedError,
            "mode='complete' lacks",
        ),
        (lambda own, t: own.lstsq(t.ones(3, 2), t.ones(2, 1)), TensorError, "should match other"),
        (lambda own, t: own.lstsq(t.eye(2), t.eye(2), driver="x"), ArgumentError, "one of \\(gels"),
        (
            lambda own, t: own.matrix_power(t.ones(2, 3), 2),
            TensorError,
            "batches of square matrices",
        ),
    ],
)
def test_invalid_arguments_are_rejected(call, error, message):
    with pytest.raises(error, match=message):
        call(gradstep_torch.linalg, gradstep_torch)
