"""Formulas: text that can be read and evaluated, and the LaTeX that is made of it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from gradstep.symbols import latex_symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Formula", "latex_number"]


@dataclass(frozen=True, slots=True)
class Formula:
    r"""What a number is computed by.

    Symbols in `text` are the names of hyper-parameters, state buffers, operands and other terms, so
    that a reader can find each of them; `param` is a parameter and `grad` its gradient.

    Attributes:
        text: An expression such as "lr * grad"; or words, where it cannot be said in symbols.
        by_hand: Its LaTeX, where that cannot be made from the text.
        makes: The name by which later formulas know the result; "" for that of the term.

    Example:
        >>> formula = Formula("momentum * momentum_buffer + grad", makes="momentum_buffer")
        >>> formula.latex
        'b_{t} = \\mu \\cdot b_{t-1} + g_{t}'
        >>> formula.names
        ('momentum', 'momentum_buffer', 'grad')
        >>> formula.with_numbers({"momentum": "0.9", "momentum_buffer": "-2", "grad": "5"})
        '0.9 \\cdot \\left({-}2\\right) + 5'
    """

    text: str
    by_hand: str = ""
    makes: str = ""

    @property
    def latex(self) -> str:
        """The formula as LaTeX; empty where it is words alone."""
        return self.by_hand or _typeset(self.text, self.makes)

    @property
    def names(self) -> tuple[str, ...]:
        """The symbols that it reads, each once, in their order; none where it is words."""
        return _names(self.text)

    @property
    def left(self) -> str:
        """What it makes, as LaTeX; empty where it does not say."""
        for sign in (" = ", r" \leftarrow "):
            before, found, _ = self.latex.partition(sign)
            if found:
                return before
        return ""

    @property
    def is_elementwise(self) -> bool:
        """Whether each element of the result follows from the same element of what is read."""
        return _elementwise(self.text)

    def symbol_of(self, name: str) -> str:
        r"""Return how the formula writes what it reads under a name; empty for a name in words.

        Example:
            >>> formula = Formula("rho * square_avg + grad ** 2", makes="square_avg")
            >>> formula.symbol_of("square_avg"), formula.symbol_of("my_buffer")
            ('v_{t-1}', '')
        """
        symbol = _symbol(name, self.makes)
        return "" if symbol.startswith(r"\mathrm") else symbol

    def with_numbers(self, numbers: Mapping[str, str]) -> str:
        r"""Return the right side as LaTeX with numbers for symbols; empty where it is words.

        Args:
            numbers: What is written for each symbol, as Python does; others stay symbols.

        Example:
            >>> Formula("lr * grad").with_numbers({"lr": "1e-05", "grad": "-2.5"})
            '10^{-5} \\cdot \\left({-}2.5\\right)'
        """
        tree = _parsed(self.text)
        if tree is None:
            return ""

        def write(name: str) -> str:
            number = numbers.get(name)
            if number is None:
                return _symbol(name, self.makes)
            number = latex_number(number)
            alone = isinstance(tree, ast.Name)
            return number if alone or number[:1] != "{" else rf"\left({number}\right)"

        return _Writer(write).write(tree)


@lru_cache(maxsize=512)
def _parsed(text: str) -> ast.expr | None:
    """Return the tree of an expression; None for words, and for what formulas do not use."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return tree if all(isinstance(node, _KNOWN) for node in ast.walk(tree)) else None


_KNOWN = (
    *(ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant, ast.Compare, ast.Attribute),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult, ast.USub),
    *(ast.Gt, ast.Lt, ast.GtE, ast.LtE, ast.Eq, ast.Load),
)


@lru_cache(maxsize=512)
def _names(text: str) -> tuple[str, ...]:
    tree = _parsed(text)
    if tree is None:
        return ()
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = [
        (node.col_offset, node.id)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called
    ]
    return tuple(dict.fromkeys(name for _, name in sorted(found)))


@lru_cache(maxsize=512)
def _typeset(text: str, makes: str) -> str:
    tree = _parsed(text)
    if tree is None:
        return ""

    right = _Writer(lambda name: _symbol(name, makes)).write(tree)
    if not makes:
        return right
    if makes == "grad":
        return rf"g_t \leftarrow {right}"
    left = r"\theta_{t}" if makes == "param" else latex_symbol(makes, "t")
    return f"{left} = {right}"


def _symbol(name: str, makes: str) -> str:
    """Return the LaTeX of a name that is read by a formula of the step."""
    if name == "param" and makes:
        return r"\theta_{t-1}"
    index = "t" if makes else ""
    return latex_symbol(name, "t-1" if name == makes and name != "grad" else index)


@lru_cache(maxsize=512)
def _elementwise(text: str) -> bool:
    tree = _parsed(text)
    if tree is None:
        return False
    return not any(
        isinstance(node, (ast.MatMult, ast.Attribute))
        or (isinstance(node, ast.Call) and ast.unparse(node.func) not in _BY_ELEMENT)
        for node in ast.walk(tree)
    )


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
        # how it is written, how strongly it binds, what its left and right must bind like
        ast.Add: (" + ", _SUM, _SUM, _PRODUCT),
        ast.Sub: (" - ", _SUM, _SUM, _PRODUCT),
        ast.Mult: (r" \cdot ", _PRODUCT, _SIGN, _PRODUCT),
        ast.MatMult: (r"\,", _PRODUCT, _PRODUCT, _POWER),
    }
)
_COMPARISONS: Mapping[type[ast.AST], str] = MappingProxyType(
    {ast.Gt: ">", ast.Lt: "<", ast.GtE: r"\ge", ast.LtE: r"\le", ast.Eq: "="}
)


class _Writer:
    """Writes a tree as LaTeX.

    Args:
        symbol: Writes a name.
    """

    def __init__(self, symbol: Callable[[str], str]) -> None:
        self._symbol = symbol

    def write(self, tree: ast.expr, least: int = _SUM) -> str:
        """Return the LaTeX of a tree, in parentheses when it binds less than `least`."""
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
        if name == "sqrt":
            return rf"\sqrt{{{inner[0]}}}"
        if name == "abs":
            return rf"\left|{inner[0]}\right|"
        if name == "norm":
            return rf"\left\lVert {inner[0]} \right\rVert"
        if name == "lerp":
            start, end = self.write(arguments[0], _PRODUCT), self.write(arguments[1])
            weight = self.write(arguments[2], _PRODUCT)
            return rf"{start} + {weight} \cdot \left({end} - {start}\right)"
        if name == "where":
            return self._cases(arguments)
        written = rf"\{name}" if name in _OWN else rf"\mathrm{{{_escaped(name)}}}"
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


_OWN = frozenset({"exp", "log", "max", "min", "sin", "cos", "tan", "sinh", "cosh", "tanh"})
"""Functions that LaTeX has a command for."""

_BY_ELEMENT = _OWN | {"sqrt", "abs", "sign", "clamp", "where", "lerp", "sigmoid", "softplus"}
