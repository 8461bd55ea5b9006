"""Errors for rejected expression syntax, with the column and a remedy."""

from __future__ import annotations

import ast
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["from_syntax_error", "index_value", "operator_symbol", "reject", "syntax_name"]


def reject(node: ast.expr, message: str, remedy: str = "") -> NoReturn:
    """Raise an ExpressionError at the column of a node.

    Example:
        >>> reject(ast.parse("a + b.c", mode="eval").body.right, "attributes are not allowed")
        Traceback (most recent call last):
        gradstep.errors.ExpressionError: column 5: attributes are not allowed
    """
    raise ExpressionError(message, remedy, node.col_offset + 1)


def from_syntax_error(text: str, error: SyntaxError) -> ExpressionError:
    """Return the ExpressionError for a syntax error, with the unexpected token and its column.

    Example:
        >>> try:
        ...     ast.parse("loss = 3", mode="eval")
        ... except SyntaxError as error:
        ...     print(from_syntax_error("loss = 3", error))
        column 6: '=' is not expected here; to compare, write ==
    """
    before = sum(map(len, text.splitlines(keepends=True)[: (error.lineno or 1) - 1]))
    column = before + (error.offset or len(text) - before + 1)
    reason = error.msg.split(". ")[0]
    if reason != "invalid syntax":
        return ExpressionError(reason, column=column)
    found = _WORD.match(text[column - 1 :].lstrip())
    if found is None:
        return ExpressionError("the expression is incomplete", "complete it", column)
    word = found[0]
    return ExpressionError(f"'{word}' is not expected here", _CORRECTIONS.get(word, ""), column)


_WORD = re.compile(r"\w+|<>|.")
_CORRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "=": "to compare, write ==",
        "&": "write and",
        "|": "write or",
        "!": "write not",
        "<>": "write !=",
    }
)


def syntax_name(node: ast.expr) -> str:
    """Return the name of a node's kind, with a matching verb.

    Example:
        >>> syntax_name(ast.parse("[1]", mode="eval").body)
        'lists are'
    """
    return _KINDS.get(type(node), "this is")


def operator_symbol(op: ast.AST) -> str:
    """Return the source text of an operator.

    Example:
        >>> operator_symbol(ast.FloorDiv())
        '//'
    """
    name = type(op).__name__
    return _SYMBOLS.get(name, name)


def index_value(node: ast.expr) -> int | slice:
    """Return the value of an index, a whole number or a slice; reject anything else.

    Example:
        >>> index_value(ast.parse("x[1:]", mode="eval").body.slice)
        slice(1, None, None)
    """
    if not isinstance(node, ast.Slice):
        return _whole_number(node)
    bounds = [
        None if part is None else _whole_number(part)
        for part in (node.lower, node.upper, node.step)
    ]
    if node.step is not None and bounds[2] is not None and bounds[2] < 1:
        reject(node.step, "the step of a slice must be at least 1", "write x[:, :2]")
    return slice(*bounds)


def _whole_number(node: ast.expr) -> int:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node, sign = node.operand, -1
    if not isinstance(node, ast.Constant) or type(node.value) is not int:
        reject(
            node, "an index must be a whole number or a slice", "write x[0], x[1, -1] or x[:, :2]"
        )
    return sign * node.value


_KINDS: Mapping[type[ast.AST], str] = MappingProxyType(
    {
        ast.Attribute: "attributes are",
        ast.Lambda: "lambda is",
        ast.IfExp: "if is",
        ast.ListComp: "comprehensions are",
        ast.GeneratorExp: "comprehensions are",
        ast.SetComp: "comprehensions are",
        ast.DictComp: "comprehensions are",
        ast.NamedExpr: "assignment is",
        ast.JoinedStr: "strings are",
        ast.Await: "await is",
        ast.Yield: "yield is",
        ast.YieldFrom: "yield is",
        ast.Starred: "* before an argument is",
        ast.List: "lists are",
        ast.Tuple: "tuples are",
        ast.Dict: "braces are",
        ast.Set: "braces are",
        ast.Slice: "slices are",
        ast.BoolOp: "and, or are",
        ast.Compare: "comparisons are",
    }
)
_SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "FloorDiv": "//", "Mod": "%", "BitXor": "^ (a power is written **)", "BitAnd": "&",
        "BitOr": "|", "LShift": "<<", "RShift": ">>", "Invert": "~", "Not": "not", "Is": "is",
        "IsNot": "is not", "In": "in", "NotIn": "not in", "Lt": "<", "LtE": "<=", "Gt": ">",
        "GtE": ">=", "Eq": "==", "NotEq": "!=", "MatMult": "@",
    }
)  # fmt: skip
