"""The language of conditions, watches and log lines: one table, and its functions."""

from __future__ import annotations

import ast
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.debugger.conditions.array_functions import ARRAY_FUNCTIONS, dot
from gradstep.debugger.conditions.evaluation_context import MISSING, or_missing
from gradstep.errors import ExpressionError
from gradstep.history.live_values import read
from gradstep.history.reads_writes import Address
from gradstep.program.expressions.compiler import (
    ARITHMETIC,
    COMPARISONS,
    ExpressionFunction,
    ExpressionLanguage,
)
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.debugger.conditions.work_limit import WorkLimit
    from gradstep.program.program import Program

__all__ = ["TABLE", "Reads", "condition_language"]

Reads: TypeAlias = "list[str]"
"""Addresses that an expression reads, in order."""

_Closure: TypeAlias = "Callable[[Mapping[str, Any]], Any]"

TABLE: tuple[tuple[str, str], ...] = (
    ("loss", "the loss computed last; a loss of the program by its own name"),
    ("iteration", "complete passes of the loop"),
    ("event", "Events so far"),
    ('data("x")', 'a tensor\'s values; one element is data("x")[0, 1]'),
    ('grad("x")', "its gradient"),
    ('state("x", "exp_avg")', "a state buffer; name the optimizer first when several hold x"),
    ('lr("optimizer")', 'the learning rate of the first group, or lr("optimizer", 1)'),
    ('option("optimizer", "momentum")', "any hyper-parameter, likewise"),
    ("data grad buf", "for each parameter in turn; buf is its momentum_buffer or exp_avg"),
    ("any_data any_grad", "the elements of all parameters, of all gradients"),
    ('changed("x.grad")', "the last Event changed it; also for an element or any expression"),
    ("raised", "the last Operation failed"),
    ("non_finite", "the last Event wrote a NaN or an Inf"),
    ("new_finding", "a finding was first reported at the last Event"),
    ("is_none(...)", "there is no such value: a .grad that is None, a loss not computed yet"),
    ("isnan isinf any", "of any element"),
    ("isfinite all", "of all elements"),
    ("norm sum mean std min max", "over all elements; std as torch's, over n - 1"),
    ("dot(a, b)", "the sum of the products of the elements"),
    ("abs sign sqrt log exp", "element by element"),
    ("+ - * / ** < <= == and or not", "as in Python; also the numbers pi, inf, nan"),
)
"""The whole language, as form and meaning. No comparison with a missing value holds."""


def condition_language(
    context: EvaluationContext, work_limit: WorkLimit, reads: Reads, changed: ExpressionFunction
) -> ExpressionLanguage:
    """Return the language of `TABLE`.

    Args:
        context: Where names get their values.
        work_limit: Limits the work.
        reads: Receives the addresses that the expression reads.
        changed: The function `changed`.
    """
    program = context.program

    def reader(kind: Any) -> ExpressionFunction:  # noqa: ANN401 - the kind of an Address
        def site(name: object) -> _Closure:
            tensor = _named("tensor", name, program.tensors)
            return _reading(
                program,
                Address(kind, tensor),
                f"{tensor}.grad" if kind == "grad" else tensor,
                reads,
            )

        return ExpressionFunction(site, texts=True, site=True)

    def state(*names: object) -> _Closure:
        *owner, tensor, key = names
        name = _named("tensor", tensor, program.tensors)
        holder = (
            _named("optimizer", owner[0], program.optimizers) if owner else _holder(program, name)
        )
        return _reading(program, *_buffer(program, holder, name, key), reads)

    def option(owner: object, key: object, group: object = None) -> _Closure:
        return _option(program, owner, key, group, reads)

    def lr(owner: object, group: object = None) -> _Closure:
        return _option(program, owner, "lr", group, reads)

    return ExpressionLanguage(
        functions={
            "data": reader("data"),
            "grad": reader("grad"),
            "state": ExpressionFunction(state, 2, 3, texts=True, site=True),
            "option": ExpressionFunction(option, 2, 3, texts=True, site=True),
            "lr": ExpressionFunction(lr, 1, 2, texts=True, site=True),
            "changed": changed,
            "is_none": ExpressionFunction(lambda value: value is MISSING),
            "dot": ExpressionFunction(work_limit.metered(dot), 2, 2),
            **{
                name: ExpressionFunction(work_limit.metered(call))
                for name, call in ARRAY_FUNCTIONS.items()
            },
        },
        names=tuple(context),
        operators={
            **{
                kind: work_limit.metered(call)
                for kind, call in ARITHMETIC.items()
                if kind is not ast.MatMult
            },
            **{kind: work_limit.metered(call) for kind, call in COMPARISONS.items()},
        },
        constants={"inf": np.inf, "nan": np.nan, "pi": np.pi},
    )


def _reading(program: Program, address: Address, text: str, reads: Reads) -> _Closure:
    reads.append(text)
    return lambda _: or_missing(read(program, address))


def _named(kind: str, name: object, known: Mapping[str, object]) -> str:
    if not isinstance(name, str):
        raise ExpressionError(f"the name of the {kind} is needed", 'write it in quotes, as in "x"')
    if name not in known:
        raise ExpressionError(f"there is no {kind} {name!r}", nearest(name, known))
    return name


def _holder(program: Program, name: str) -> str:
    tensor = program.tensors[name]
    holders = [
        optimizer
        for optimizer, item in program.optimizers.items()
        if any(held is tensor for group in item.param_groups for held in group["params"])
    ]
    if len(holders) != 1:
        said = f"{', '.join(holders)} hold {name}" if holders else f"no optimizer holds {name}"
        raise ExpressionError(said, f'name one: state("optimizer", "{name}", ...)')
    return holders[0]


def _buffer(program: Program, optimizer: str, name: str, key: object) -> tuple[Address, str]:
    kept = program.optimizers[optimizer].state.get(program.tensors[name])
    # An optimizer has no buffers before its first step; any name may be one.
    entry = _named("state", key, kept) if kept else str(key)
    return Address("state", name, optimizer, entry), f"{optimizer}/{name}/{entry}"


def _option(program: Program, owner: object, key: object, group: object, reads: Reads) -> _Closure:
    name = _named("optimizer", owner, program.optimizers)
    groups = program.optimizers[name].param_groups
    number = 0 if group is None else _whole(group)
    if not 0 <= number < len(groups):
        raise ExpressionError(f"{name} has no group {number}", f"it has {len(groups)}, from 0")
    entry = _named("hyper-parameter", key, program.optimizers[name].defaults)
    reads.append(f"{name}/{entry}")
    return lambda _: _number(program.optimizers[name].param_groups[number].get(entry))


def _whole(closure: Any) -> int:  # noqa: ANN401 - the closure of a number, or a text
    value = closure if isinstance(closure, str) else closure(MappingProxyType({}))
    if not isinstance(value, int):
        raise ExpressionError("a group is a whole number", "write 0 for the first")
    return value


def _number(value: object) -> Any:  # noqa: ANN401 - a number, an array, or none
    if isinstance(value, (int, float)):
        return float(value)
    numbers = isinstance(value, tuple) and all(isinstance(part, (int, float)) for part in value)
    return np.array(value, np.float64) if numbers else MISSING
