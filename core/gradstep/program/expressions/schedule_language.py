"""The expression language of learning-rate factors: arithmetic on the number of scheduler steps."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.errors import ExpressionError
from gradstep.program.expressions.compiler import (
    ARITHMETIC,
    COMPARISONS,
    ExpressionFunction,
    ExpressionLanguage,
    compile_expression,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["schedule_function"]


def schedule_function(text: str) -> Callable[[int], float]:
    """Return a factor of the learning rate as a function of `epoch`, the count of scheduler steps.

    Args:
        text: An expression of `epoch`, such as "0.95 ** epoch" or "min(1, (epoch + 1) / 10)".

    Raises:
        ExpressionError: If the text is not in the language.

    Example:
        >>> warmup = schedule_function("min(1, (epoch + 1) / 10)")
        >>> warmup(0), warmup(20)
        (0.1, 1.0)
    """
    expression = compile_expression(text, _LANGUAGE)

    def factor(epoch: int) -> float:
        return float(expression({"epoch": epoch}))

    return factor


def _of_numbers(call: Callable[..., float], least: int = 1, most: int = 1) -> ExpressionFunction:
    def called(*numbers: float) -> float:
        try:
            return call(*numbers)
        except ValueError as error:
            written = f"{call.__name__}({', '.join(map(str, numbers))})"
            raise ExpressionError(f"{written} has no value: {error}") from None

    return ExpressionFunction(called, least, most)


def _where(condition: Any, first: float, second: float) -> float:  # noqa: ANN401 - a truth value
    return first if condition else second


_LANGUAGE = ExpressionLanguage(
    MappingProxyType(
        {
            **{
                name: _of_numbers(getattr(math, name))
                for name in ("sqrt", "exp", "log", "sin", "cos", "floor")
            },
            "abs": _of_numbers(abs),
            "min": _of_numbers(min, 2, 8),
            "max": _of_numbers(max, 2, 8),
            "where": _of_numbers(_where, 3, 3),
        }
    ),
    ("epoch",),
    {**ARITHMETIC, **COMPARISONS},
    {"pi": math.pi},
)
