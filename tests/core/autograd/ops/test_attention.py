"""Scaled dot-product attention: values, gradients, masks and rejected arguments."""

# ruff: noqa: ARG005 - every call takes the library, whether it needs it or not

import numpy as np
import pytest

import gradstep
from gradstep.errors import TensorError
from gradstep.nn.functional import scaled_dot_product_attention
from gradstep_torch.autograd import gradcheck

MASKS = {
    "none": lambda t: {},
    "causal": lambda t: {"is_causal": True},
    "bool": lambda t: {"attn_mask": t.tensor([[True, False, True, True], [False] * 4])},
    "float": lambda t: {"attn_mask": t.tensor([[0.5, -1.0, 0.0, float("-inf")]])},
    "scale": lambda t: {"scale": 0.3},
}


@pytest.mark.torch
@pytest.mark.parametrize("name", MASKS)
def test_values_and_gradients_are_torchs(name):
    torch = pytest.importorskip("torch")

    def results(t):
        t.manual_seed(0)
        query, key, value = (t.randn(2, 3, n, 5).requires_grad_() for n in (2, 4, 4))
        found = t.nn.functional.scaled_dot_product_attention(query, key, value, **MASKS[name](t))
        (found**2).sum().backward()
        return [x.detach().numpy() for x in (found, query.grad, key.grad, value.grad)]

    for ours, other in zip(results(gradstep), results(torch), strict=True):
        np.testing.assert_allclose(ours, other, 1e-4, 1e-6)


def test_the_gradient_is_that_of_finite_differences():
    gradstep.manual_seed(0)
    given = [gradstep.randn(3, 2, dtype=gradstep.float64).requires_grad_() for _ in range(3)]
    assert gradcheck(lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True), given)


def test_a_query_that_sees_nothing_gets_zeros():
    x = gradstep.ones(2, 2)
    mask = gradstep.tensor([[True, True], [False, False]])
    assert scaled_dot_product_attention(x, x, x, mask).tolist() == [[1.0, 1.0], [0.0, 0.0]]


@pytest.mark.torch
def test_heads_of_keys_are_shared_as_in_torch():
    torch = pytest.importorskip("torch")
    found = []
    for t in (gradstep, torch):
        t.manual_seed(0)
        query, key = t.randn(1, 4, 3, 2), t.randn(1, 2, 3, 2)
        attend = t.nn.functional.scaled_dot_product_attention
        found.append(attend(query, key, key, enable_gqa=True).numpy())
    np.testing.assert_allclose(*found, 1e-5, 1e-6)


@pytest.mark.parametrize(
    ("change", "phrase"),
    [
        ({"value": gradstep.ones(2, 2).double()}, "same dtype"),
        ({"query": gradstep.ones(2)}, "at least 2 dimensional"),
        ({"attn_mask": gradstep.ones(2, 2), "is_causal": True}, "should not be set when is_causal"),
        ({"attn_mask": gradstep.ones(2, 2).long()}, "bool or float"),
    ],
)
def test_arguments_that_do_not_fit_are_rejected(change, phrase):
    given = {name: gradstep.ones(2, 2) for name in ("query", "key", "value")} | change
    with pytest.raises(TensorError, match=phrase):
        scaled_dot_product_attention(**given)
