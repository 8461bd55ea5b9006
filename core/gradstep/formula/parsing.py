"""Parsing of formulas: their syntax tree, and the names that they read."""

from __future__ import annotations

import ast
from functools import lru_cache

__all__ = ["is_elementwise", "names_in", "parsed"]


@lru_cache(maxsize=512)
def parsed(text: str) -> ast.expr | None:
    """Return the tree of an expression; None for words and for unsupported syntax."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return tree if all(map(_is_known, ast.walk(tree))) else None


def _is_known(node: ast.AST) -> bool:
    return isinstance(node, _KNOWN) and not (isinstance(node, ast.Call) and not node.args)


_KNOWN = (
    *(ast.BinOp, ast.UnaryOp, ast.Call, ast.Name, ast.Constant, ast.Compare, ast.Attribute),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult, ast.USub),
    *(ast.Gt, ast.Lt, ast.GtE, ast.LtE, ast.Eq, ast.Load),
)


@lru_cache(maxsize=512)
def names_in(text: str) -> tuple[str, ...]:
    """Return the names that an expression reads, without those of functions."""
    tree = parsed(text)
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
def is_elementwise(text: str) -> bool:
    """Whether an expression is computed element by element."""
    tree = parsed(text)
    if tree is None:
        return False
    return not any(
        isinstance(node, (ast.MatMult, ast.Attribute))
        or (isinstance(node, ast.Call) and ast.unparse(node.func) not in _BY_ELEMENT)
        for node in ast.walk(tree)
    )


_BY_ELEMENT = frozenset(
    {
        *("exp", "log", "sqrt", "abs", "sign", "max", "min", "clamp", "where", "lerp"),
        *("sin", "cos", "tan", "sinh", "cosh", "tanh", "sigmoid", "softplus"),
    }
)
"""Functions that work element by element."""
