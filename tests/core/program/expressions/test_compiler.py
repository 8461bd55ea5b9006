"""Expressions: their values, and errors with the column."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradstep.errors import ExpressionError
from gradstep.program.expressions.compiler import (
    ARITHMETIC,
    COMPARISONS,
    ExpressionFunction,
    ExpressionLanguage,
    compile_expression,
)

_FUNCTIONS = {
    "double": ExpressionFunction(lambda x: 2 * x),
    "grad": ExpressionFunction(len, texts=True),
}
PLAIN = ExpressionLanguage(_FUNCTIONS, ["x", "y", "a.0.b"], reference="tensor")
LOGIC = ExpressionLanguage(
    _FUNCTIONS, ["x", "y"], {**ARITHMETIC, **COMPARISONS}, {"pi": 3.0}, logic=True
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x + 2 * y", 8.0),
        ("-x ** 2", -4.0),
        ("(x - y) / 2", -0.5),
        ("double(double(x))", 8.0),
        ("2 ** -1 + x", 2.5),
        ("+x", 2.0),
        (" x ", 2.0),
        ("1e3 * x", 2000.0),
    ],
)
def test_arithmetic_follows_python(text, value):
    assert compile_expression(text, PLAIN)({"x": 2.0, "y": 3.0}) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x < y", True),
        ("0 < x < 1", False),
        ("x == 2 and not y < 3 or False", True),
        ("grad('abc') == pi", True),
        ("x >= 3 or y != 3", False),
    ],
)
def test_a_language_with_comparisons_also_has_boolean_operators(text, value):
    assert compile_expression(text, LOGIC)({"x": 2.0, "y": 3.0}) is value


def test_boolean_operators_short_circuit():
    assert compile_expression("x < 0 and y < 0", LOGIC)({"x": 1.0}) is False


def test_subscripts_take_whole_numbers():
    assert compile_expression("x[1]", PLAIN)({"x": [5, 6]}) == 6
    assert compile_expression("x[-1]", PLAIN)({"x": [5, 6]}) == 6


def test_names_and_strings_are_listed_in_order_of_appearance():
    expression = compile_expression("grad('b') + y + x + grad('a') * pi", LOGIC)
    assert expression.names == ("y", "x")
    assert expression.texts == ("b", "a")


def test_a_reference_quotes_a_name_with_dots():
    expression = compile_expression("tensor('a.0.b') + 1", PLAIN)
    assert expression.names == ("a.0.b",)
    assert expression({"a.0.b": 4}) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the expression is empty"),
        ("x +", "column 4: the expression is incomplete; complete it"),
        ("x\ny", "column 3: 'y' is not expected here"),
        ("import os", "column 1: 'import' is not expected here"),
        ("x = 3", "column 3: '=' is not expected here; to compare, write =="),
        ("x <> 3", "column 3: '<>' is not expected here; write !="),
        ("!x", "column 1: '!' is not expected here; write not"),
        ("(x", "column 1: '(' was never closed"),
        ("x.real", "column 1: attributes are not allowed"),
        ("x.__class__", "column 1: attributes are not allowed"),
        ("1 + x[0:y]", "column 9: an index must be a whole number or a slice"),
        ("x[::-1]", "column 5: the step of a slice must be at least 1"),
        ("x[y]", "column 3: an index must be a whole number"),
        ("x[1.0]", "column 3: an index must be a whole number"),
        ("x[True]", "column 3: an index must be a whole number"),
        ("x[()]", "column 1: an index is missing"),
        ("[x]", "column 1: lists are not allowed"),
        ("(x, y)", "column 1: tuples are not allowed"),
        ("{x: y}", "column 1: braces are not allowed"),
        ("lambda: x", "column 1: lambda is not allowed"),
        ("[x for x in y]", "column 1: comprehensions are not allowed"),
        ("x if y else 1", "column 1: if is not allowed"),
        ("f'{x}'", "column 1: strings are not allowed"),
        ("'x'", "column 1: a string is allowed only where"),
        ("double('x')", "column 8: a string is allowed only where"),
        ("x // y", "column 1: the operator // is not allowed"),
        ("x ^ y", "a power is written **"),
        ("x % y", "the operator % is not allowed"),
        ("~x", "the operator ~ is not allowed"),
        ("not x", "the operator not is not allowed"),
        ("x < y", "column 1: comparisons are not allowed"),
        ("x and y", "column 1: and, or are not allowed"),
        ("True", "column 1: True is not a number"),
        ("None", "column 1: None is not a real number"),
        ("1j", "column 1: 1j is not a real number"),
        ("1e999", "column 1: the number is too large"),
        (str(2**60), "column 1: the number is too large"),
        ("9 ** 9 ** 9", "column 1: the number is too large"),
        ("x + 1 / 0", "column 5: division by zero"),
        ("0 ** -1", "column 1: division by zero"),
        ("(-8) ** 0.5", "is not a real number"),
        ("1 @ 2", "column 1: this operator does not apply to numbers"),
        ("z", "column 1: there is no 'z'; available: x, y, a.0.b"),
        ("double", "column 1: double is a function; call it: double(...)"),
        ("doubel(x)", "column 1: there is no function 'doubel'; did you mean 'double'?"),
        ("double()", "column 1: double takes 1 argument, not 0"),
        ("double(x, y)", "column 1: double takes 1 argument, not 2"),
        ("double(x=1)", "column 1: named arguments are not allowed"),
        ("double(*x)", "column 8: * before an argument is not allowed"),
        ("double(x)(y)", "column 1: only a function's name can be called"),
        ("tensor(x)", "column 1: tensor takes one name in quotes"),
        ("tensor('a.0.c')", "did you mean 'a.0.b'?"),
        ("eval('1')", "column 1: there is no function 'eval'"),
        ("__import__('os')", "column 1: there is no function '__import__'"),
        ("(" * 300 + "x" + ")" * 300, "too many nested parentheses"),
        ("-" * 1900 + "x", "nested too deeply"),
        ("+".join("x" * 900), "nested too deeply"),
        ("x" * 2001, "the expression has 2001 characters"),
        ("\0", "column 1"),
        ("\ud800", "a lone surrogate is not allowed"),
        ("1if x else 2", "if is not allowed"),
    ],
)
def test_syntax_outside_the_whitelist_is_rejected_with_its_column(text, words):
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, PLAIN)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "values", "words"),
    [
        ("x / y", {"x": 1.0, "y": 0.0}, "division by zero"),
        ("x ** x ** x", {"x": 99.0}, "a number is too large"),
        ("x[3]", {"x": [1]}, "out of range"),
        ("x[0]", {"x": 1.0}, "not subscriptable"),
        ("x + y", {"x": 1.0}, "'y' has no value yet"),
        ("x ** y", {"x": -8.0, "y": 0.5}, "is not a real number"),
    ],
)
def test_an_expression_that_cannot_be_computed_reports_an_error(text, values, words):
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text, PLAIN)(values)
    assert words in str(caught.value)


@settings(max_examples=300)
@given(text=st.text(st.sampled_from("xy0129.+-*/@()[]<>=!'\"andort gbl,:{}\\\n"), max_size=40))
def test_any_text_either_compiles_or_raises_an_expression_error(text):
    for language in (PLAIN, LOGIC):
        try:
            expression = compile_expression(text, language)
        except ExpressionError:
            continue
        try:
            expression({"x": 1.5, "y": 2.0, "a.0.b": 0.0})
        except ExpressionError:
            continue


_SAFE = st.recursive(
    st.sampled_from(["x", "y", "2", "0.5"]),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*"]), inner),
    max_leaves=12,
)


@given(text=_SAFE)
def test_values_equal_those_of_python(text):
    names = {"x": 1.25, "y": -3.0}
    assert compile_expression(text, PLAIN)(names) == eval(text, {}, names)


@pytest.mark.parametrize("depth", [30, 190])
def test_nested_chains_of_comparisons_take_linear_time(depth):
    asked = []
    language = ExpressionLanguage(
        {"ask": ExpressionFunction(lambda value: asked.append(value) or value)},
        ["x"],
        LOGIC.operators,
    )
    text = "0<(" * depth + "ask(x)" + ")<2" * depth
    assert compile_expression(text, language)({"x": 1.0}) is True
    assert asked == [1.0]


@pytest.mark.parametrize("text", ["x and 1", "1 or x", "not x", "0 < x < 1"])
def test_an_array_of_several_values_has_no_truth_value(text):
    with pytest.raises(ExpressionError, match=r"neither true nor false; put any\(...\) or all"):
        compile_expression(text.replace("1 or", "0 or"), LOGIC)({"x": np.ones(2)})


def test_an_integer_too_large_for_a_float_is_rejected():
    text = "*".join(["9007199254740991"] * 100)
    with pytest.raises(ExpressionError, match="a number is too large"):
        compile_expression(text, LOGIC)({})


def test_a_language_can_replace_operators():
    import ast

    language = ExpressionLanguage({}, ["x"], {ast.Add: operator.mul})
    assert compile_expression("x + 5", language)({"x": 3}) == 15
    with pytest.raises(ExpressionError, match="the operator"):
        compile_expression("x * 5", language)
