"""What `and`, `or`, `not` and chains of comparisons compute: each part once, if it counts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from gradstep.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.program.expressions.compiler import Evaluator, Values

__all__ = ["boolean", "comparing", "negation"]


def boolean(op: ast.boolop, parts: list[Evaluator]) -> Evaluator:
    """Return what tells whether all parts hold, or any."""
    if isinstance(op, ast.And):
        return lambda values: all(_holds(part(values)) for part in parts)
    return lambda values: any(_holds(part(values)) for part in parts)


def negation(part: Evaluator) -> Evaluator:
    """Return what tells whether a part does not hold."""
    return lambda values: not _holds(part(values))


def comparing(calls: list[Callable[..., Any]], sides: list[Evaluator]) -> Evaluator:
    """Return what compares one side after the other, each computed once, while that holds."""
    if len(calls) == 1:
        (call,), (left, right) = calls, sides
        return lambda values: call(left(values), right(values))

    def compare(values: Values) -> bool:
        first = sides[0](values)
        for call, side in zip(calls, sides[1:], strict=True):
            second = side(values)
            if not _holds(call(first, second)):
                return False
            first = second
        return True

    return compare


def _holds(value: Any) -> bool:  # noqa: ANN401 - a number, an array, a truth value
    try:
        return bool(value)
    except ValueError:
        raise ExpressionError(
            "several values together are neither true nor false",
            "put any(...) or all(...) around them",
        ) from None
