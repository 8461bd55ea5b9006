"""The language of losses: its functions give what torch's give, within its limits."""

import numpy as np
import pytest

import gradstep
from gradstep.errors import ExpressionError
from gradstep.program.expressions.compiler import compile_expression
from gradstep.program.expressions.loss_language import draws_random, loss_language

X = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]])


def evaluate(text, modules=(), dtype="float64", **values):
    values = {"x": gradstep.tensor(X), **values}
    names = [name for name in values if name not in modules]
    return compile_expression(text, loss_language(names, modules, dtype))(values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[:, 1]", X[:, 1]),
        ("x[:, :2]", X[:, :2]),
        ("x[1:, ::2]", X[1:, ::2]),
        ("x[-1]", X[-1]),
        ("x > 0", X > 0),
        ("0 >= x", X <= 0),
        ("mean(x > 0)", 0.5),
        ("sum(x > 0, 0)", [1.0, 1.0, 1.0]),
        ("where(x > 0, x, 0)", np.maximum(X, 0)),
        ("where(x != 0, x, 7) * 2", np.where(X != 0, X, 7) * 2),
        ("clamp(x, -1, 0.5)", np.clip(X, -1, 0.5)),
        ("std(x)", X.std(ddof=1)),
        ("std(x, 1)", X.std(1, ddof=1)),
        ("argmax(x, 1)", [0, 1]),
        ("mean(argmax(x, 1) == argmax(x, 1))", 1.0),
        ("log_softmax(x, 1)", X - np.log(np.exp(X).sum(1, keepdims=True))),
    ],
)
def test_functions_and_slices_give_the_values_of_numpy(text, expected):
    np.testing.assert_allclose(evaluate(text).detach().numpy(), expected, rtol=1e-12)


def test_detach_stops_the_gradient():
    x = gradstep.tensor([2.0], requires_grad=True)
    compile_expression("sum(x * detach(x))", loss_language(["x"]))({"x": x}).backward()
    assert x.grad.tolist() == [2.0]


def test_where_and_slices_pass_the_gradient_of_what_they_chose():
    x = gradstep.tensor([1.0, -1.0, 5.0], requires_grad=True)
    text = "sum(where(x > 0, x ** 2, 0)[:2])"
    compile_expression(text, loss_language(["x"]))({"x": x}).backward()
    assert x.grad.tolist() == [2.0, 0.0, 0.0]


def test_noise_is_drawn_again_from_the_generator():
    x = gradstep.zeros(1000)
    gradstep.manual_seed(0)
    first, second = (evaluate("x + randn_like(x)", x=x) for _ in range(2))
    gradstep.manual_seed(0)
    assert first.tolist() == gradstep.randn(1000).tolist() != second.tolist()
    uniform = evaluate("rand_like(x)", x=x)
    assert uniform.min().item() >= 0
    assert uniform.max().item() < 1
    assert draws_random(compile_expression("rand_like(x)", loss_language(["x"])))
    assert not draws_random(compile_expression("exp(x)", loss_language(["x"])))


def test_modules_are_called_with_any_value():
    value = evaluate("body(body(x) + x)", ["body"], body=lambda tensor: tensor * 2)
    np.testing.assert_allclose(value.numpy(), 6 * X)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("body", "column 1: body is a module; call it: body(input)"),
        ("body()", "column 1: body takes one value"),
        ("body(x, x)", "column 1: body takes one value"),
        ("boddy(x)", "there is no function 'boddy'; did you mean 'body'?"),
        ("x and x", "and, or are not allowed"),
        ("clamp(x, x, 1)", "clamp takes numbers as its limits; write clamp(x, -1, 1)"),
        ("where(x, x, 0)", "where takes a comparison first; write where(x > 0, x, 0)"),
        ("argmax(x, 0.5)", "argmax takes a whole number as its dimension, not 0.5"),
        ("x[0:1.5]", "an index must be a whole number or a slice"),
    ],
)
def test_a_wrong_use_is_explained(text, words):
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, ["body"], body=abs)
    assert words in str(caught.value)


def test_a_choice_that_would_not_fit_in_memory_is_rejected():
    column, row = gradstep.zeros(10_000, 1), gradstep.zeros(1, 10_000)
    with pytest.raises(ExpressionError, match="more than 50,000,000 numbers"):
        evaluate("where(c > 0, r, 0)", c=column, r=row)
    with pytest.raises(ExpressionError, match="more than 50,000,000 numbers"):
        evaluate("c > r", c=column, r=row)
