"""The functions, names and operators of the language of conditions, watches and log templates.

An expression may come from a stranger's session, so a `WorkLimit` bounds what it computes.
"""

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
from gradstep.names import quoted
from gradstep.program.expressions.compiler import (
    ARITHMETIC,
    COMPARISONS,
    ExpressionFunction,
    ExpressionLanguage,
)
from gradstep.program.schema.limits import MAX_ELEMENTS
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.history.debuggee import Debuggee

__all__ = ["Reads", "WorkLimit", "activation", "condition_language"]

Reads: TypeAlias = "list[str]"
"""Addresses that an expression reads, in order."""

_Closure: TypeAlias = "Callable[[Mapping[str, Any]], Any]"


WORK = 4 * MAX_ELEMENTS
"""Elements that one evaluation may touch: about half a second of work."""


class WorkLimit:
    """Counts the elements that an evaluation touches, and raises when there are too many.

    Example:
        >>> limit = WorkLimit()
        >>> limit.spend(np.zeros(10))
        >>> WORK - limit.left
        10
    """

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = WORK

    def begin(self) -> None:
        """Reset the count, at the start of an evaluation."""
        self.left = WORK

    def spend(self, *values: Any) -> None:  # noqa: ANN401 - arrays count, numbers do not
        """Count what an operation on these values will touch.

        Raises:
            ExpressionError: The limit is exceeded.
        """
        shapes = [value.shape for value in values if isinstance(value, np.ndarray)]
        if not shapes:
            return
        try:
            self.left -= int(np.prod(np.broadcast_shapes(*shapes), dtype=np.float64))
        except ValueError:
            return  # the operation itself reports the shapes better
        if self.left < 0:
            raise ExpressionError(
                f"it would touch more than {WORK:,} numbers", "use fewer or smaller tensors"
            )

    def metered(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that counts what it touches before it runs."""

        def metered(*values: Any) -> Any:  # noqa: ANN401 - arrays and numbers alike
            self.spend(*values)
            return call(*values)

        return metered


def condition_language(
    context: EvaluationContext,
    work_limit: WorkLimit,
    reads: Reads,
    functions: Mapping[str, ExpressionFunction],
) -> ExpressionLanguage:
    """Return the language that `CONDITION_TERMS` lists.

    Args:
        context: Where names get their values.
        work_limit: Limits the work.
        reads: Receives the addresses that the expression reads.
        functions: The function `changed`, and those that this context adds.
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

    def output(*names: object) -> _Closure:
        name, *loss = names
        return activation(program, name, loss[0] if loss else None, reads)

    def since_best(*names: object) -> _Closure:
        name, *best = names
        return _since_best(program, name, best[0] if best else None, reads)

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
            "activation": ExpressionFunction(output, 1, 2, texts=True, site=True),
            "since_best": ExpressionFunction(since_best, 1, 2, texts=True, site=True),
            "state": ExpressionFunction(state, 2, 3, texts=True, site=True),
            "option": ExpressionFunction(option, 2, 3, texts=True, site=True),
            "lr": ExpressionFunction(lr, 1, 2, texts=True, site=True),
            "is_none": ExpressionFunction(lambda value: value is MISSING),
            "dot": ExpressionFunction(work_limit.metered(dot), 2, 2),
            **{
                name: ExpressionFunction(work_limit.metered(call))
                for name, call in ARRAY_FUNCTIONS.items()
            },
            **functions,
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
        logic=True,
        methods=True,
    )


def _reading(program: Debuggee, address: Address, text: str, reads: Reads) -> _Closure:
    reads.append(text)
    return lambda _: or_missing(read(program, address))


def activation(program: Debuggee, name: object, loss: object, reads: Reads) -> _Closure:
    """Return the closure that gives the output of a module or layer.

    Args:
        program: The program.
        name: The full name of the module or layer.
        loss: The loss whose Forward ran it; None for the last of all.
        reads: Receives the losses.

    Raises:
        ExpressionError: There is no such layer, or the loss does not run it.
    """
    known = program.activation_losses()
    layer = _named("layer", name, known)
    losses = known[layer]
    if loss is not None:
        wanted = _named("loss", loss, program.losses)
        if wanted not in losses:
            raise ExpressionError(
                f"{wanted} is not computed with {layer}", f"{layer} is used by {', '.join(losses)}"
            )
        losses = (wanted,)
    reads.extend(losses)
    return lambda context: context.activation(layer, losses)  # type: ignore[attr-defined]


def _since_best(program: Debuggee, name: object, best: object, reads: Reads) -> _Closure:
    known = _named("loss or metric", name, program.losses)
    default = "max" if known in program.spec.metrics else "min"
    wanted = default if best is None else best
    if wanted not in {"min", "max"}:
        raise ExpressionError(
            "the best value is either the lowest or the highest",
            f'write since_best("{known}", "min") or since_best("{known}", "max")',
        )
    reads.append(known)
    return lambda context: context.since_best(known, wanted)  # type: ignore[attr-defined]


def _named(kind: str, name: object, known: Mapping[str, object]) -> str:
    if not isinstance(name, str):
        raise ExpressionError(f"the name of the {kind} is needed", 'write it in quotes, as in "x"')
    if name not in known:
        raise ExpressionError(f"there is no {kind} {name!r}", nearest(name, known))
    return name


def _holder(program: Debuggee, name: str) -> str:
    tensor = program.tensors[name]
    holders = [
        optimizer
        for optimizer, item in program.optimizers.items()
        if any(held is tensor for group in item.param_groups for held in group["params"])
    ]
    if len(holders) != 1:
        problem = f"{', '.join(holders)} hold {name}" if holders else f"no optimizer holds {name}"
        raise ExpressionError(problem, f'name one: state("optimizer", {quoted(name)}, ...)')
    return holders[0]


def _buffer(program: Debuggee, optimizer: str, name: str, key: object) -> tuple[Address, str]:
    kept = program.optimizers[optimizer].state.get(program.tensors[name])
    # An optimizer has no buffers before its first step; any name may be one.
    entry = _named("state", key, kept) if kept else str(key)
    return Address("state", name, optimizer, entry), f"{optimizer}/{name}/{entry}"


def _option(program: Debuggee, owner: object, key: object, group: object, reads: Reads) -> _Closure:
    name = _named("optimizer", owner, program.optimizers)
    groups = program.optimizers[name].param_groups
    number = 0 if group is None else _whole(group)
    if not 0 <= number < len(groups):
        raise ExpressionError(f"{name} has no group {number}", f"it has {len(groups)}, from 0")
    entry = _named("hyperparameter", key, program.optimizers[name].defaults)
    reads.append(f"{name}/{entry}")
    return lambda _: _number(program.optimizers[name].param_groups[number].get(entry))


def _whole(closure: Any) -> int:  # noqa: ANN401 - the closure of a number, or a text
    try:
        value = closure if isinstance(closure, str) else closure(MappingProxyType({}))
    except (AttributeError, KeyError):  # it depends on the state, as a loss does
        value = None
    if not isinstance(value, int):
        raise ExpressionError("a group is a whole number", "write 0 for the first")
    return value


def _number(value: object) -> Any:  # noqa: ANN401 - a number, an array, or none
    if isinstance(value, (int, float)):
        return float(value)
    numbers = isinstance(value, tuple) and all(isinstance(part, (int, float)) for part in value)
    return np.array(value, np.float64) if numbers else MISSING
