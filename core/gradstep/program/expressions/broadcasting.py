"""Finds where a loss compares every output with every target, because their shapes broadcast."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from gradstep.errors import GradStepError
from gradstep.program.expressions.compiler import compile_expression

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.program.expressions.compiler import ExpressionLanguage

__all__ = ["broadcast_warning"]

_COMPARING = frozenset(("maximum", "minimum"))
_ROWS = frozenset(("input", "output"))


def broadcast_warning(
    text: str, language: ExpressionLanguage, values: Mapping[str, Any], rows: int
) -> str:
    """Return a warning about a target and an output that broadcast against each other; or "".

    A column of N outputs minus a row of N targets has N x N elements, and their mean is a loss that
    falls while the model learns the mean of the targets.

    Args:
        text: The expression.
        language: Its language.
        values: The values of its names, for one batch.
        rows: The number of rows of the batch.

    Example:
        >>> import gradstep
        >>> from gradstep.program.expressions.loss_language import loss_language
        >>> values = {"output": gradstep.zeros(4, 1), "target": gradstep.zeros(4)}
        >>> language = loss_language(list(values))
        >>> broadcast_warning("mean((output - target) ** 2)", language, values, 4)
        'output of size (4, 1) and target of size (4,) are broadcast in output - target'
        >>> broadcast_warning("mean(output) - mean(target)", language, values, 4)
        ''
    """
    if rows <= 1:
        return ""
    for place, first, second in _pairs(ast.parse(text.strip(), mode="eval")):
        if not _compares(first, second) and not _compares(second, first):
            continue
        sizes = [_size(side, language, values) for side in (first, second)]
        if len(sizes[0]) != len(sizes[1]) and all(size[:1] == (rows,) for size in sizes):
            sides = " and ".join(
                f"{ast.unparse(side)} of size {size}"
                for side, size in zip((first, second), sizes, strict=True)
            )
            return f"{sides} are broadcast in {ast.unparse(place)}"
    return ""


def _pairs(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """Yield each operation on two operands, with these."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            yield node, node.left, node.right
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _COMPARING
        ):
            yield node, node.args[0], node.args[1]


def _compares(first: ast.expr, second: ast.expr) -> bool:
    """Whether one operand has the target and the other what is computed from the inputs."""
    return (
        "target" in _names(first)
        and "target" not in _names(second)
        and bool(_ROWS & _names(second))
    )


def _names(side: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(side) if isinstance(node, ast.Name)}


def _size(
    side: ast.expr, language: ExpressionLanguage, values: Mapping[str, Any]
) -> tuple[int, ...]:
    try:
        value = compile_expression(ast.unparse(side), language)(values)
    except GradStepError:  # whatever is wrong, the whole expression reports it
        return ()
    return tuple(getattr(value, "shape", ()))
