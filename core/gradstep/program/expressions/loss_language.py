"""The expression language of losses: size-limited arithmetic and functions on tensors."""

from __future__ import annotations

import ast
from functools import cache
from math import pi, prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

import gradstep
from gradstep.autograd import sampling
from gradstep.autograd.ops import select
from gradstep.errors import ExpressionError
from gradstep.program.expressions.compiler import (
    ARITHMETIC,
    COMPARISONS,
    ExpressionFunction,
    ExpressionLanguage,
)
from gradstep.program.schema.limits import MAX_ELEMENTS
from gradstep.program.schema.program_spec import RANDOM_FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from gradstep.program.expressions.compiler import Expression

__all__ = ["draws_random", "loss_language"]

_CONSTANTS = MappingProxyType({"pi": pi})


def loss_language(
    names: Collection[str], modules: Collection[str] = (), dtype: str = "float32"
) -> ExpressionLanguage:
    """Return the language of a loss.

    Args:
        names: The names that the formula may use: tensors, other losses, and `input`, `target`,
            `output`. A name with dots is written as `tensor("model.0.weight")`.
        modules: The modules that it may call.
        dtype: The dtype of the program, in which the mean of a comparison is computed.

    Example:
        >>> from gradstep.program.expressions.compiler import compile_expression
        >>> x = gradstep.tensor([1.0, 2.0])
        >>> compile_expression("sum(100 * x)", loss_language(["x"]))({"x": x})
        tensor(300.)
        >>> residual = compile_expression("f(x) + x", loss_language(["x"], ["f"]))
        >>> residual({"x": x, "f": gradstep.exp})
        tensor([3.7183, 9.3891])
    """
    return ExpressionLanguage(
        _functions(dtype), names, _OPERATORS, _CONSTANTS, reference="tensor", callables=modules
    )


def draws_random(expression: Expression) -> bool:
    """Whether an expression draws random numbers.

    Example:
        >>> from gradstep.program.expressions.compiler import compile_expression
        >>> draws_random(compile_expression("x + randn_like(x)", loss_language(["x"])))
        True
    """
    return not expression.functions.isdisjoint(RANDOM_FUNCTIONS)


def _tensor(value: Any) -> gradstep.Tensor:  # noqa: ANN401 - a number or a tensor
    return value if isinstance(value, gradstep.Tensor) else gradstep.tensor(float(value))


def _tensor_method(name: str) -> ExpressionFunction:
    return ExpressionFunction(lambda value: getattr(_tensor(value), name)())


def _reduction(name: str, dtype: str) -> ExpressionFunction:
    """Return a reduction over all dimensions or over one; True counts as 1."""

    def reduce(value: object, dim: int | None = None) -> gradstep.Tensor:
        tensor = _tensor(value)
        if tensor._array.dtype == bool:
            tensor = tensor.to(getattr(gradstep, dtype))
        method = getattr(tensor, name)
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
        if one != two and one and two and prod(one) * prod(two) > MAX_ELEMENTS:
            _check_size(_result_size(tuple(one), tuple(two), call), [tuple(one), tuple(two)])
        return call(first, second)

    return bounded


def _check_size(size: int, shapes: list[tuple[int, ...]]) -> None:
    if size > MAX_ELEMENTS:
        raise ExpressionError(
            f"shapes {' and '.join(map(str, shapes))} give more than {MAX_ELEMENTS:,} numbers",
            "use smaller tensors",
        )


def _result_size(
    one: tuple[int, ...], two: tuple[int, ...], call: Callable[[Any, Any], Any]
) -> int:
    try:
        if call is ARITHMETIC[ast.MatMult]:
            return prod(np.broadcast_shapes(one[:-2], two[:-2])) * one[-2:][0] * two[-1]
        return prod(np.broadcast_shapes(one, two))
    except ValueError:
        return 0  # the operation itself reports why the shapes do not match


def _comparison(call: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    bounded = _bounded(call)
    return lambda first, second: bounded(_tensor(first), second)


def _clamp(value: object, low: object, high: object) -> gradstep.Tensor:
    return _tensor(value).clamp(_number("clamp", low), _number("clamp", high))


def _where(condition: Any, first: Any, second: Any) -> Any:  # noqa: ANN401 - tensors
    if not isinstance(condition, gradstep.Tensor) or condition._array.dtype != bool:
        raise ExpressionError("where takes a comparison first", "write where(x > 0, x, 0)")
    sizes = [tuple(getattr(value, "shape", ())) for value in (condition, first, second)]
    try:
        size = prod(np.broadcast_shapes(*sizes))
    except ValueError:
        size = 0  # the operation itself reports why the shapes do not match
    _check_size(size, sizes)
    return select.where(condition, _tensor(first), _tensor(second))


def _log_softmax(value: object, dim: object) -> Any:  # noqa: ANN401 - a tensor
    return _tensor(value).log_softmax(_integer_dim("log_softmax", dim))


def _argmax(value: object, dim: object) -> Any:  # noqa: ANN401 - a tensor
    return _tensor(value).argmax(_integer_dim("argmax", dim))


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ExpressionError(f"{name} takes numbers as its limits", "write clamp(x, -1, 1)")
    return value


_OPERATORS = MappingProxyType(
    {
        **{
            kind: call if kind in {ast.USub, ast.UAdd} else _bounded(call)
            for kind, call in ARITHMETIC.items()
        },
        **{kind: _comparison(call) for kind, call in COMPARISONS.items()},
    }
)


def _noise(name: str) -> ExpressionFunction:
    """Return a function that draws from the program's generator at each call."""
    draw = getattr(sampling, name)
    return ExpressionFunction(lambda value: draw(_tensor(value)))


@cache
def _functions(dtype: str) -> Mapping[str, ExpressionFunction]:
    return MappingProxyType(
        {
            **{
                name: _tensor_method(name)
                for name in (
                    *("exp", "log", "sqrt", "abs", "sin", "cos", "tanh", "sigmoid", "relu"),
                    *("square", "norm", "max", "min", "detach"),
                )
            },
            **{name: _reduction(name, dtype) for name in ("sum", "mean", "std")},
            "log_softmax": ExpressionFunction(_log_softmax, 2, 2),
            "argmax": ExpressionFunction(_argmax, 2, 2),
            "clamp": ExpressionFunction(_clamp, 3, 3),
            "where": ExpressionFunction(_where, 3, 3),
            "dot": _binary(gradstep.dot),
            "maximum": _binary(gradstep.maximum),
            "minimum": _binary(gradstep.minimum),
            **{name: _noise(name) for name in sorted(RANDOM_FUNCTIONS)},
        }
    )
