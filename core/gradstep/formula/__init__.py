"""Formulas as text that can be evaluated, and their LaTeX."""

from gradstep.formula.definitions import definition
from gradstep.formula.formula import Formula
from gradstep.formula.latex import latex_number
from gradstep.formula.symbols import latex_symbol

__all__ = ["Formula", "definition", "latex_number", "latex_symbol"]
