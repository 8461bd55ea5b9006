"""Formulas: their symbols, and the LaTeX that is made of their text."""

import inspect

import pytest

from gradstep import optim
from gradstep.formula import Formula, latex_number


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("lr * grad", r"\gamma \cdot g"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("(a - b) - c", "a - b - c"),
        ("(a + b) * c", r"\left(a + b\right) \cdot c"),
        ("a / b * c", r"\frac{a}{b} \cdot c"),
        ("-a * b", r"-a \cdot b"),
        ("a * -b", r"a \cdot \left(-b\right)"),
        ("-(a + b)", r"-\left(a + b\right)"),
        ("beta1 ** step", r"\beta_1^{t}"),
        ("(a * b) ** 2", r"\left(a \cdot b\right)^{2}"),
        ("etaplus ** 2", r"\left(\eta^{+}\right)^{2}"),
        ("sqrt(a) + abs(b)", r"\sqrt{a} + \left|b\right|"),
        ("max(a, b)", r"\max\left(a, b\right)"),
        ("softmax(input)", r"\mathrm{softmax}\left(x\right)"),
        ("grad.T @ input", r"g^\top\,x"),
        ("lerp(a, b, c + 1)", r"a + \left(c + 1\right) \cdot \left(b - a\right)"),
        (
            "mean(a, -1) * sum(b)",
            r"\mathrm{mean}_{-1}\left(a\right) \cdot \mathrm{sum}\left(b\right)",
        ),
        ("sigmoid(input)", r"\sigma\left(x\right)"),
        ("my_term", r"\mathrm{my\_term}"),
    ],
)
def test_text_becomes_latex(text, latex):
    assert Formula(text).latex == latex


def test_cases_are_set_below_each_other():
    text = "where(a > 0, a, where(a < 0, b, 0))"
    assert Formula(text).latex == (
        r"\begin{cases} a & \text{if } a > 0 \\ b & \text{if } a < 0 \\ 0 & \text{else} \end{cases}"
    )


def test_what_a_formula_makes_is_read_as_of_the_step_before():
    formula = Formula("rho * square_avg + (1 - rho) * grad ** 2", makes="square_avg")
    assert formula.latex == r"v_{t} = \rho \cdot v_{t-1} + \left(1 - \rho\right) \cdot g_{t}^{2}"


def test_a_name_can_be_read_as_of_another_step():
    formula = Formula("ax + mu * (param - ax)", makes="ax", times=(("param", "t"),))
    assert formula.latex == (
        r"\bar\theta_{t} = \bar\theta_{t-1} + "
        r"\mu_{t} \cdot \left(\theta_{t} - \bar\theta_{t-1}\right)"
    )
    assert formula.symbol_of("param") == r"\theta_{t}"


@pytest.mark.parametrize(
    "text", ["words that say it", "ReLU()", "a if b else c", "x[0]", "lambda: 0", ""]
)
def test_words_have_no_latex_and_no_symbols(text):
    formula = Formula(text)
    assert (formula.latex, formula.names, formula.with_numbers({})) == ("", (), "")


def test_names_come_once_in_their_order_without_the_functions():
    assert Formula("sqrt(b) + max(a, b) * lr").names == ("b", "a", "lr")


def test_numbers_stand_for_symbols_and_negative_ones_in_parentheses():
    formula = Formula("param - lr * grad", makes="param")
    assert formula.with_numbers({"param": "1", "grad": "-3"}) == (
        r"1 - \gamma \cdot \left({-}3\right)"
    )


def test_a_single_negative_number_needs_no_parentheses():
    assert Formula("added", makes="after").with_numbers({"added": "-3"}) == "{-}3"


def test_every_term_of_every_optimizer_has_latex():
    algorithms = [
        value
        for value in vars(optim).values()
        if inspect.isclass(value) and issubclass(value, optim.Optimizer)
    ]
    formulas = [formula for kind in algorithms for formula in kind.TERMS.values()]
    assert len(formulas) > 100
    assert [formula.text for formula in formulas if not (formula.text and formula.latex)] == []


def test_a_formula_has_a_left_side_and_a_symbol_for_each_name():
    formula = Formula("grad + weight_decay * param", makes="grad")
    assert formula.left == "g_t"
    assert [formula.symbol_of(name) for name in formula.names] == [
        "g_{t}",
        r"\lambda",
        r"\theta_{t-1}",
    ]
    assert formula.symbol_of("total") == ""
    assert Formula("some words").left == ""


@pytest.mark.parametrize(
    ("text", "elementwise"),
    [
        ("lr * grad", True),
        ("where(a > 0, sqrt(a), abs(b))", True),
        ("grad @ weight", False),
        ("grad.T", False),
        ("rms(param) * lr", False),
        ("in words", False),
    ],
)
def test_only_elementwise_formulas_are_read_element_by_element(text, elementwise):
    assert Formula(text).is_elementwise is elementwise


@pytest.mark.parametrize(
    ("number", "latex"),
    [
        ("0.5", "0.5"),
        ("1e-05", "10^{-5}"),
        ("-1e+06", "{-}10^{6}"),
        ("2.5e-05", r"2.5 \cdot 10^{-5}"),
        ("NaN", r"\text{NaN}"),
        ("-Inf", r"{-}\infty"),
    ],
)
def test_numbers_are_written_as_powers_of_ten(number, latex):
    assert latex_number(number) == latex
