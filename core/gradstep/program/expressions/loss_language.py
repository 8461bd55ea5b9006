"""The expression language of losses: size-limited arithmetic and functions on tensors."""

from __future__ import annotations

import ast
from math import pi, prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

import gradstep
from gradstep.errors import ExpressionError
from gradstep.program.expressions.compiler import ARITHMETIC, ExpressionFunction, ExpressionLanguage
from gradstep.program.schema.limits import MAX_ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = ["loss_language"]

_CONSTANTS = MappingProxyType({"pi": pi})


def loss_language(names: Collection[str]) -> ExpressionLanguage:
    """Return the language of a loss.

    Args:
        names: The names that the formula may use: tensors, and `input`, `target`, `output`. A name
            with dots is written as `tensor("model.0.weight")`.

    Example:
        >>> from gradstep.program.expressions.compiler import compile_expression
        >>> x = gradstep.tensor([1.0, 2.0])
        >>> compile_expression("sum(100 * x)", loss_language(["x"]))({"x": x})
        tensor(300.)
    """
    return ExpressionLanguage(_FUNCTIONS, names, _OPERATORS, _CONSTANTS, reference="tensor")


def _tensor(value: Any) -> gradstep.Tensor:  # noqa: ANN401 - a number or a tensor
    return value if isinstance(value, gradstep.Tensor) else gradstep.tensor(float(value))


def _tensor_method(name: str) -> ExpressionFunction:
    return ExpressionFunction(lambda value: getattr(_tensor(value), name)())


def _reduction(name: str) -> ExpressionFunction:
    """Return a reduction over all dimensions or over one."""

    def reduce(value: object, dim: int | None = None) -> gradstep.Tensor:
        method = getattr(_tensor(value), name)
        return method() if dim is None else method(_integer_dim(name, dim))  # type: ignore[no-any-return]

    return ExpressionFunction(reduce, 1, 2)


def _integer_dim(name: str, dim: object) -> int:
    if not isinstance(dim, int):
        raise ExpressionError(f"{name} takes a whole number as its dimension, not {dim}")
    return dim


def _binary(call: Callable[[Any, Any], Any]) -> ExpressionFunction:
    def both(first: object, second: object) -> Any:  # noqa: ANN401 - a tensor
        return call(_tensor(first), _tensor(second))

    return ExpressionFunction(_bounded(both), 2, 2)


def _bounded(call: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Wrap a binary operation to reject results that would not fit in memory."""

    def bounded(first: Any, second: Any) -> Any:  # noqa: ANN401 - numbers and tensors alike
        one, two = getattr(first, "shape", ()), getattr(second, "shape", ())
        if one != two and one and two:
            size = prod(one) * prod(two)
            if size > MAX_ELEMENTS and _result_size(tuple(one), tuple(two), call) > MAX_ELEMENTS:
                raise ExpressionError(
                    f"shapes {tuple(one)} and {tuple(two)} give more than {MAX_ELEMENTS:,} numbers",
                    "use smaller tensors",
                )
        return call(first, second)

    return bounded


def _result_size(
    one: tuple[int, ...], two: tuple[int, ...], call: Callable[[Any, Any], Any]
) -> int:
    try:
        if call is ARITHMETIC[ast.MatMult]:
            return prod(np.broadcast_shapes(one[:-2], two[:-2])) * one[-2:][0] * two[-1]
        return prod(np.broadcast_shapes(one, two))
    except ValueError:
        return 0  # the operation itself reports why the shapes do not match


_OPERATORS = MappingProxyType(
    {
        kind: call if kind in {ast.USub, ast.UAdd} else _bounded(call)
        for kind, call in ARITHMETIC.items()
    }
)
_FUNCTIONS = MappingProxyType(
    {
        **{
            name: _tensor_method(name)
            for name in ("exp", "log", "sqrt", "abs", "sin", "cos", "tanh")
        },
        **{
            name: _tensor_method(name)
            for name in ("sigmoid", "relu", "square", "norm", "max", "min")
        },
        **{name: _reduction(name) for name in ("sum", "mean")},
        "dot": _binary(gradstep.dot),
        "maximum": _binary(gradstep.maximum),
        "minimum": _binary(gradstep.minimum),
    }
)
