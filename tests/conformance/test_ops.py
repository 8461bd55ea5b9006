"""Every operation of the table, against torch, committed numbers and finite differences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gradstep_torch
from gradstep_torch.autograd import gradcheck, gradgradcheck
from tests.conformance.ops_table import BY_NAME, CASES

GOLDENS = json.loads((Path(__file__).parent / "ops_goldens.json").read_text())


def tensors(case, torch=gradstep_torch, layout=np.ascontiguousarray):
    return [torch.from_numpy(layout(array)).requires_grad_() for array in case.arrays()]


def weights(torch, output):
    flowing = np.linspace(0.5, 1.5, output.numel()).reshape(tuple(output.shape))
    return torch.from_numpy(flowing)


def gradients(torch, output, inputs):
    found = torch.autograd.grad(output, inputs, weights(torch, output), allow_unused=True)
    return [None if grad is None else grad.numpy() for grad in found]


def test_every_golden_belongs_to_a_case():
    assert set(GOLDENS) == set(BY_NAME)


@pytest.mark.parametrize("name", BY_NAME)
def test_value_and_gradient_are_the_committed_ones(name):
    case, golden = BY_NAME[name], GOLDENS[name]
    inputs = tensors(case)
    output = case.call(gradstep_torch, *inputs)
    assert list(output.shape) == golden["shape"]
    np.testing.assert_allclose(output.detach().numpy().ravel(), golden["output"], 2e-6, 1e-9)
    for grad, expected in zip(
        gradients(gradstep_torch, output, inputs), golden["grads"], strict=True
    ):
        assert (grad is None) == (expected is None)
        if grad is not None:
            np.testing.assert_allclose(grad.ravel(), expected, 2e-6, 1e-9)


@pytest.mark.torch
@pytest.mark.parametrize("name", BY_NAME)
def test_value_gradient_and_graph_are_torchs(name):
    torch = pytest.importorskip("torch")
    case = BY_NAME[name]
    theirs, ours = tensors(case, torch), tensors(case)
    expected, output = case.call(torch, *theirs), case.call(gradstep_torch, *ours)
    assert str(output.dtype).split(".")[1] == str(expected.dtype).split(".")[1]
    np.testing.assert_allclose(output.detach().numpy(), expected.detach().numpy(), case.rtol, 1e-12)
    found = gradients(gradstep_torch, output, ours)
    for grad, other in zip(found, gradients(torch, expected, theirs), strict=True):
        assert (grad is None) == (other is None)
        if grad is not None:
            np.testing.assert_allclose(grad, other, case.rtol, 1e-12)


def backwards(array):
    """The same numbers with the layout turned round."""
    return np.asfortranarray(array[..., ::-1])[..., ::-1] if array.ndim else array


@pytest.mark.parametrize("name", sorted(set(BY_NAME) - {"view"}))
def test_the_memory_layout_does_not_change_results(name):
    case = BY_NAME[name]
    plain, turned = tensors(case), tensors(case, layout=backwards)
    expected, output = case.call(gradstep_torch, *plain), case.call(gradstep_torch, *turned)
    np.testing.assert_allclose(output.detach().numpy(), expected.detach().numpy(), 1e-6)
    for grad, other in zip(
        gradients(gradstep_torch, output, turned),
        gradients(gradstep_torch, expected, plain),
        strict=True,
    ):
        if grad is not None:
            np.testing.assert_allclose(grad, other, 1e-6)


SMOOTH = [case for case in CASES if case.name != "to_float"]


@pytest.mark.parametrize("case", SMOOTH, ids=lambda case: case.name)
def test_the_gradient_agrees_with_finite_differences(case):
    assert gradcheck(lambda *xs: case.call(gradstep_torch, *xs), tensors(case))


@pytest.mark.parametrize("case", SMOOTH, ids=lambda case: case.name)
def test_the_second_derivative_agrees_with_finite_differences(case):
    assert gradgradcheck(lambda *xs: case.call(gradstep_torch, *xs), tensors(case), atol=1e-4)
