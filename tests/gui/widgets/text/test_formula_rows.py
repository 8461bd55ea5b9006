"""Formulas look the same with rows that measure equal parts once."""

import pytest
import ziamath
from ziamath.nodes.mnode import _node_classes
from ziamath.nodes.mrow import Mrow

from gradstep.autograd.graph import Node
from gradstep.formula import Formula
from gradstep_gui.widgets.text import formula_rows
from gradstep_gui.widgets.text.formula_rows import MeasuredRow

NUMBERS = ("0.5", "-0.3562", "4.073e-10", "-1.2e-5", "12")

NESTED = (
    r"z = \tanh\left(\left({-}0.1599\right)\right) = {-}0.1585",
    r"\bar{x} = \left({-}4.07 \cdot 10^{-5}\right) \cdot \left(1 - \left({-}0.05\right)^{2}\right)",
    r"\frac{\left(\frac{a}{b}\right)^2}{\sqrt{\left(c + \left(\frac{d}{e}\right)\right)}}",
    r"\sum_{i=1}^{n} \left(\max\left(x_i, \left|y_i\right|\right)\right)",
    r"x \over y",
    "-",
    r"\left(\right)",
)


def kinds(kind=Node):
    for found in kind.__subclasses__():
        yield found
        yield from kinds(found)


def rules():
    """Return the gradient rules of all operations, in symbols and in numbers."""
    for kind in sorted(kinds(), key=lambda kind: kind.__name__):
        for part in filter(None, kind.rule.split(";")):
            formula = Formula(part.partition(":")[2].strip())
            if formula.latex:
                yield formula.latex
                bound = {name: NUMBERS[at % 5] for at, name in enumerate(formula.names)}
                yield formula.with_numbers(bound)


def drawn(latex, size, rows, monkeypatch):
    """Return the SVG of a formula with rows of one kind."""
    monkeypatch.setitem(_node_classes, "mrow", rows)
    return ziamath.Latex(latex, size=size, color="#123456").svg()


@pytest.mark.parametrize("size", [11.5, 20.0])
def test_nested_formulas_look_the_same(monkeypatch, size):
    monkeypatch.setattr(formula_rows, "_known", {})
    for latex in NESTED * 2:  # measured, and then known
        plain = drawn(latex, size, Mrow, monkeypatch)
        assert drawn(latex, size, MeasuredRow, monkeypatch) == plain, latex
    assert formula_rows._known


def test_the_gradient_rules_look_the_same_whatever_was_measured_before(monkeypatch):
    known = {}
    monkeypatch.setattr(formula_rows, "_known", known)
    monkeypatch.setattr(formula_rows, "MOST_KNOWN", 500)
    found = sorted(set(rules()))[::3]
    assert len(found) > 20
    for latex in found:
        plain = drawn(latex, 16.0, Mrow, monkeypatch)
        assert drawn(latex, 16.0, MeasuredRow, monkeypatch) == plain, latex
        assert len(known) <= 500


def test_equal_parts_are_measured_once(monkeypatch):
    monkeypatch.setattr(formula_rows, "_known", {})
    drawn(NESTED[0], 16.0, MeasuredRow, monkeypatch)
    made = []
    monkeypatch.setattr(
        formula_rows.Mnode, "fromelement", count_calls(formula_rows.Mnode.fromelement, made)
    )
    drawn(NESTED[0], 16.0, MeasuredRow, monkeypatch)
    again = len(made)
    drawn(NESTED[0], 16.0, Mrow, monkeypatch)
    assert 2 * again < len(made) - again


def count_calls(call, calls):
    def counted(*args, **kwargs):
        calls.append(args)
        return call(*args, **kwargs)

    return counted


def test_ziamath_uses_them():
    assert _node_classes["mrow"] is MeasuredRow
