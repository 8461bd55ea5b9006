"""The LaTeX of formulas, generated from their text."""

from __future__ import annotations

import ast
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from gradstep.formula.parsing import parsed
from gradstep.formula.symbols import latex_symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Times", "filled_in", "latex_number", "read_symbol", "typeset"]

Times: TypeAlias = "tuple[tuple[str, str], ...]"
"""Names, each with its time index."""


@lru_cache(maxsize=512)
def typeset(text: str, makes: str, times: Times) -> str:
    """Return the LaTeX of a formula with its left side; empty for words."""
    tree = parsed(text)
    if tree is None:
        return ""

    right = Writer(lambda name: read_symbol(name, makes, times)).write(tree)
    if not makes:
        return right
    if makes == "grad":
        return rf"g_t \leftarrow {right}"
    left = r"\theta_{t}" if makes == "param" else latex_symbol(makes, "t")
    return f"{left} = {right}"


def filled_in(tree: ast.expr, makes: str, times: Times, numbers: Mapping[str, str]) -> str:
    """Return the LaTeX of an expression with numbers, as Python writes them, for its names."""

    def write(name: str) -> str:
        number = numbers.get(name)
        if number is None:
            return read_symbol(name, makes, times)
        number = latex_number(number)
        alone = isinstance(tree, ast.Name)
        return number if alone or number[:1] != "{" else rf"\left({number}\right)"

    return Writer(write).write(tree)


def read_symbol(name: str, makes: str, times: Times) -> str:
    """Return the LaTeX of a name on the right side of a formula.

    The name of the result gets the index of the step before, unless `times` has another.
    """
    index = "t" if makes else ""
    if makes and (name == "param" or (name == makes and name != "grad")):
        index = "t-1"
    index = dict(times).get(name, index)
    if name == "param" and index:
        return rf"\theta_{{{index}}}"
    return latex_symbol(name, index)


def latex_number(text: str) -> str:
    r"""Return the LaTeX of a number as Python writes it.

    Example:
        >>> latex_number("-1.5e-07"), latex_number("1e+20"), latex_number("-Inf")
        ('{-}1.5 \\cdot 10^{-7}', '10^{20}', '{-}\\infty')
    """
    sign, size = ("{-}", text[1:]) if text.startswith("-") else ("", text)
    odd = {"Inf": r"\infty", "inf": r"\infty", "NaN": r"\text{NaN}", "nan": r"\text{NaN}"}.get(size)
    if odd is not None:
        return sign + odd
    mantissa, found, exponent = size.partition("e")
    if not found:
        return sign + size
    power = f"10^{{{int(exponent)}}}"
    return sign + (power if mantissa == "1" else rf"{mantissa} \cdot {power}")


_SUM, _SIGN, _PRODUCT, _POWER, _ATOM = range(5)

_OPERATORS: Mapping[type[ast.AST], tuple[str, int, int, int]] = MappingProxyType(
    {
        # its LaTeX, its precedence, the least precedence of its left and right operands
        ast.Add: (" + ", _SUM, _SUM, _PRODUCT),
        ast.Sub: (" - ", _SUM, _SUM, _PRODUCT),
        ast.Mult: (r" \cdot ", _PRODUCT, _SIGN, _PRODUCT),
        ast.MatMult: (r"\,", _PRODUCT, _PRODUCT, _POWER),
    }
)
_COMPARISONS: Mapping[type[ast.AST], str] = MappingProxyType(
    {ast.Gt: ">", ast.Lt: "<", ast.GtE: r"\ge", ast.LtE: r"\le", ast.Eq: "="}
)


class Writer:
    """Writes a tree as LaTeX.

    Args:
        symbol: Returns the LaTeX of a name.
    """

    def __init__(self, symbol: Callable[[str], str]) -> None:
        self._symbol = symbol

    def write(self, tree: ast.expr, least: int = _SUM) -> str:
        """Return the LaTeX of a tree, in parentheses if its precedence is below `least`."""
        text, binds = self._written(tree)
        return text if binds >= least else rf"\left({text}\right)"

    def _written(self, tree: ast.expr) -> tuple[str, int]:  # noqa: PLR0911 - one for each form
        match tree:
            case ast.Name(id=name):
                return self._symbol(name), _ATOM
            case ast.Constant(value=value):
                return latex_number(str(value)), _ATOM
            case ast.Attribute(value=value):
                return rf"{self.write(value, _ATOM)}^\top", _POWER
            case ast.UnaryOp(operand=operand):
                return f"-{self.write(operand, _PRODUCT)}", _SIGN
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return rf"\frac{{{self.write(left)}}}{{{self.write(right)}}}", _POWER
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return self._power(left, right), _POWER
            case ast.BinOp(left=left, op=operator, right=right):
                sign, binds, before, after = _OPERATORS[type(operator)]
                return self.write(left, before) + sign + self.write(right, after), binds
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                sign = _COMPARISONS[type(operator)]
                return f"{self.write(left)} {sign} {self.write(right)}", _SUM
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._call(name, arguments), _POWER
        return ast.unparse(tree), _SUM  # pragma: no cover - every known form is above

    def _power(self, base: ast.expr, exponent: ast.expr) -> str:
        written = self.write(base, _ATOM)
        if isinstance(base, ast.Name) and "^" in written:
            written = rf"\left({written}\right)"
        return f"{written}^{{{self.write(exponent)}}}"

    def _call(self, name: str, arguments: list[ast.expr]) -> str:
        inner = [self.write(argument) for argument in arguments]
        if name in _AROUND:
            return inner[0].join(_AROUND[name])
        if name == "lerp":
            start, end = self.write(arguments[0], _PRODUCT), self.write(arguments[1])
            weight = self.write(arguments[2], _PRODUCT)
            return rf"{start} + {weight} \cdot \left({end} - {start}\right)"
        if name in _ALONG and len(inner) > 1:
            return rf"\mathrm{{{name}}}_{{{inner[1]}}}\left({inner[0]}\right)"
        if name == "where":
            return self._cases(arguments)
        own = _LETTERS.get(name, name if name in _OWN else "")
        written = rf"\{own}" if own else rf"\mathrm{{{_escaped(name)}}}"
        return rf"{written}\left({', '.join(inner)}\right)"

    def _cases(self, arguments: list[ast.expr]) -> str:
        rows, rest = [], arguments
        while True:
            condition, then, other = rest
            rows.append(rf"{self.write(then)} & \text{{if }} {self.write(condition)}")
            if not (isinstance(other, ast.Call) and isinstance(other.func, ast.Name)):
                break
            if other.func.id != "where":
                break
            rest = other.args
        rows.append(rf"{self.write(other)} & \text{{else}}")
        inner = r" \\ ".join(rows)
        return rf"\begin{{cases}} {inner} \end{{cases}}"


def _escaped(name: str) -> str:
    return name.replace("_", r"\_")


_AROUND: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "sqrt": (r"\sqrt{", "}"),
        "abs": (r"\left|", r"\right|"),
        "norm": (r"\left\lVert ", r" \right\rVert"),
    }
)
"""Functions that are written around their argument."""

_ALONG = frozenset({"mean", "sum"})
"""Functions whose second argument is a dimension."""

_LETTERS = MappingProxyType({"sigmoid": "sigma", "cdf": "Phi", "pdf": "varphi"})
"""Functions that are written as a Greek letter."""

_OWN = frozenset({"exp", "log", "max", "min", "sin", "cos", "tan", "sinh", "cosh", "tanh"})
"""Functions that have a LaTeX command."""
