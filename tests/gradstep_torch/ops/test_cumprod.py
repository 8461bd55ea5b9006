"""The gradient of a cumulative product: correct at zeros, and in memory that grows linearly."""

import tracemalloc

import numpy as np
import pytest

import gradstep_torch as torch


def by_definition(x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """Sum, for each element, grad times the product of the other factors of each output."""
    return np.array(
        [
            sum(grad[i] * np.prod(np.delete(x[: i + 1], k)) for i in range(k, len(x)))
            for k in range(len(x))
        ]
    )


@pytest.mark.parametrize(
    "values",
    [[], [3.0], [2.0, -3.0, 0.5, 4.0, 1.5], [2.0, 0.0, 3.0, -1.0], [0.0, 2.0, 0.0, 5.0, 0.0, 1.0]],
)
def test_the_gradient_of_cumprod_is_the_sum_of_the_products_without_the_element(
    values: list[float],
) -> None:
    weights = np.arange(1.0, len(values) + 1)
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    (x.cumprod(0) * torch.from_numpy(weights)).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), by_definition(np.array(values), weights), rtol=1e-12)


def test_the_gradient_of_cumprod_along_the_first_dimension_treats_each_column_alone() -> None:
    values = np.array([[2.0, 0.0], [-1.0, 3.0], [0.5, 4.0]])
    x = torch.tensor(values, requires_grad=True)
    x.cumprod(0).sum().backward()
    for column in range(2):
        expected = by_definition(values[:, column], np.ones(3))
        np.testing.assert_allclose(x.grad.numpy()[:, column], expected, rtol=1e-12)


def test_the_second_derivative_of_cumprod_agrees_with_finite_differences() -> None:
    x = torch.tensor([[2.0, 0.0, -1.5, 0.5]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda value: value.cumprod(1), (x,))


def test_the_gradient_of_a_long_cumprod_needs_memory_for_a_few_copies_of_its_input() -> None:
    x = torch.ones(20_000, requires_grad=True)
    result = x.cumprod(0).sum()
    tracemalloc.start()
    try:
        result.backward()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(x.grad.numpy(), np.arange(20_000, 0, -1, dtype=np.float32))
    assert peak < 50 * x.numel() * x.element_size()
