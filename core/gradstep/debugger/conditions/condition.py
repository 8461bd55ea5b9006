"""Conditions: expressions over the live state, such as `norm(grad("model.0.weight")) > 1e3`.

They are compiled once, by the same whitelist as the losses of programs: safe in a stranger's
session, bounded in length, depth and work, and errors say where and why. The whole language is in
`gradstep.history.records.breakpoints.CONDITION_TERMS`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.conditions.array_functions import same_values
from gradstep.debugger.conditions.dotted_addresses import OUTPUT, expand_addresses
from gradstep.debugger.conditions.evaluation_context import MISSING, SCOPED
from gradstep.debugger.conditions.indexed_address import parse_indexed_address
from gradstep.debugger.conditions.language import (
    Reads,
    WorkLimit,
    activation,
    condition_language,
)
from gradstep.errors import ExpressionError
from gradstep.history.reads_writes import written_as
from gradstep.names import quoted
from gradstep.program.expressions.compiler import Expression, ExpressionFunction, compile_expression
from gradstep.program.operation import LoadState, RebuildModule, ReplaceOptimizer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["REPLACING", "Condition", "Memory", "Query"]

_OF_THE_EVENT = frozenset(("raised", "non_finite", "new_finding"))
_IN_THE_LOG = frozenset(("iteration", "event", "raised", "new_finding"))
_OF_THE_STATE = frozenset(("data", "grad", "activation", "state", "option", "lr"))
REPLACING = (RebuildModule, ReplaceOptimizer, LoadState)
"""Operations that change more than their Event lists as written."""

_NOTHING = object()


class Query:
    """A compiled expression over the live state.

    Args:
        text: The expression.
        context: Where its names get their values.

    Attributes:
        text: The expression, as the user wrote it.
        names: The names that it uses.
        reads: The addresses that it reads, apart from those of its names.

    Raises:
        ExpressionError: The expression is wrong; the error gives the column and the reason.

    Example:
        >>> from gradstep.debugger.conditions.evaluation_context import EvaluationContext
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> program = Program.from_spec(decode(
        ...     b'{"gradstep": 1, "tensors": {"x": {"value": [3, 4], "requires_grad": true}}}'))
        >>> Query('norm(data("x"))', EvaluationContext(program)).value()
        5.0
        >>> Query('norm(dat("x"))', EvaluationContext(program))
        Traceback (most recent call last):
        gradstep.errors.ExpressionError: column 6: there is no function 'dat'; did you mean 'data'?
    """

    __slots__ = (
        "_expression",
        "_memories",
        "_taking",
        "_touched",
        "_work_limit",
        "context",
        "names",
        "reads",
        "text",
    )

    def __init__(self, text: str, context: EvaluationContext) -> None:
        self.context = context
        self.reads: Reads = []
        self._work_limit = WorkLimit()
        self._memories: list[Memory] = []
        self._touched: dict[int, bool] = {}
        changed = ExpressionFunction(self._changed, texts=True, site=True)
        functions = {"changed": changed, **context.functions(self._remembering)}
        language = condition_language(context, self._work_limit, self.reads, functions)
        expanded = expand_addresses(text, context.program)
        try:
            self._expression: Expression = compile_expression(expanded.text, language)
        except ExpressionError as error:
            if error.column is None or not expanded.places:
                raise
            reason = error.message.partition(": ")[2]
            column = expanded.original_column(error.column)
            raise ExpressionError(reason, error.remedy, column) from None
        self.text = text
        self.names = frozenset(self._expression.names)
        self._taking = replace(self._expression, closure=self._take)

    @property
    def is_scoped(self) -> bool:
        """Whether it is evaluated for each parameter in turn."""
        return not self.names.isdisjoint(SCOPED)

    @property
    def is_about_the_event(self) -> bool:
        """Whether it is about what the last Event did, rather than about the state."""
        return bool(self._memories) or not self.names.isdisjoint(_OF_THE_EVENT)

    @property
    def asks_for_none(self) -> bool:
        """Whether it asks if there is a value at all."""
        return "is_none" in self._expression.functions

    @property
    def remembers(self) -> bool:
        """Whether it compares with values before the Event."""
        return bool(self._memories)

    @property
    def only_changed(self) -> bool:
        """Whether it holds only after Events that wrote what it reads."""
        return any(self._expression.closure is memory.closure for memory in self._memories)

    @property
    def is_in_the_log(self) -> bool:
        """Whether the Event log is enough to evaluate it, without the state."""
        known = _IN_THE_LOG.union(("loss",), self.context.program.losses)
        if not self.names <= known or self._memories:
            return False
        return not self.reads or set(self._expression.functions).isdisjoint(_OF_THE_STATE)

    def value(self, context: EvaluationContext | None = None) -> Any:  # noqa: ANN401 - a number, an array, a truth value, or MISSING
        """Evaluate it; in a program with one parameter, `data`, `grad` and `buf` mean that one.

        Args:
            context: Where names get their values instead.

        Raises:
            ExpressionError: It cannot be computed.
        """
        context = context or self.context
        self._work_limit.begin()
        context.scope = ""
        if self.is_scoped:
            parameters = context.parameters
            if len(parameters) != 1:
                name = min(self.names.intersection(SCOPED))
                raise ExpressionError(
                    f"{name} of which parameter?", f"name it, as in {name}({quoted(parameters[0])})"
                )
            context.scope = parameters[0]
        return self._expression(context)

    def remember(self) -> None:
        """Remember the current values, to compare with after the next Event.

        Raises:
            ExpressionError: A value that it compares cannot be computed.
        """
        if not self._memories:
            return
        self._work_limit.begin()
        scopes = self.context.parameters if self.is_scoped else ("",)
        for scope in scopes:
            self.context.scope = scope
            self._taking(self.context)

    def touched_by(self, operation: Operation, reads_writes: ReadsWrites) -> bool:
        """Whether an Event may have changed the value.

        Args:
            operation: Of the Event.
            reads_writes: What the Event read and wrote.
        """
        if self.names or isinstance(operation, REPLACING):
            return True
        found = self._touched.get(reads_writes.id)
        if found is None:
            found = not set(self.reads).isdisjoint(reads_writes.writes)
            self._touched[reads_writes.id] = found
        return found

    def _take(self, context: Any) -> None:  # noqa: ANN401 - an EvaluationContext, as all closures take it
        for memory in self._memories:
            memory.take(context)

    def _changed(self, what: Any) -> Callable[[Mapping[str, Any]], bool]:  # noqa: ANN401 - a text or a closure
        if isinstance(what, str) and what.endswith(OUTPUT):
            layer = what.removesuffix(OUTPUT)
            read = activation(self.context.program, layer, None, self.reads)
        elif isinstance(what, str):
            program = self.context.program
            place = parse_indexed_address(program, what)
            self.reads.append(written_as(place.address, place.parsed))
            read = lambda _: place.value(program)  # noqa: E731 - as the other two
        else:
            read = what
        memory = self._remembering(read)
        return memory.closure

    def _remembering(self, closure: Callable[[Any], Any]) -> Memory:
        memory = Memory(closure, self._work_limit)
        self._memories.append(memory)
        return memory


class Condition(Query):
    """A query that is true or false; with `data`, `grad` or `buf`, true for any parameter.

    Args:
        text: The expression.
        context: Where its names get their values.

    Attributes:
        holder: The parameter for which it held last; empty without `data`, `grad` or `buf`.

    Raises:
        ExpressionError: The expression is wrong; the error gives the column and the reason.

    Example:
        >>> from gradstep.debugger.conditions.evaluation_context import EvaluationContext
        >>> from gradstep.program.document.codec import decode
        >>> from gradstep.program.program import Program
        >>> program = Program.from_spec(decode(
        ...     b'{"gradstep": 1, "tensors": {"x": {"value": [3, 4], "requires_grad": true}}}'))
        >>> Condition('norm(data("x")) >= 5 and is_none(grad("x"))', EvaluationContext(program))()
        True
        >>> Condition("loss < 0.1", EvaluationContext(program))()
        False
    """

    __slots__ = ("holder",)

    def __init__(self, text: str, context: EvaluationContext) -> None:
        super().__init__(text, context)
        self.holder = ""

    def __call__(self, context: EvaluationContext | None = None) -> bool:
        """Whether it holds now.

        Args:
            context: Where names get their values instead.

        Raises:
            ExpressionError: It cannot be computed, or is a whole tensor and not one truth value.
        """
        context = context or self.context
        self._work_limit.begin()
        self.holder = ""
        if not self.is_scoped:
            context.scope = ""
            return self._holds(context)
        for scope in context.parameters:
            context.scope = scope
            if self._holds(context):
                self.holder = scope
                return True
        return False

    def _holds(self, context: EvaluationContext) -> bool:
        value = self._expression(context)
        if isinstance(value, np.ndarray) and value.size != 1:
            raise ExpressionError(
                f"{self.text!r} gives {value.size} values", "put any(...) or all(...) around it"
            )
        return bool(value)


class Memory:
    """The values that an expression had when it was last remembered, for each parameter.

    Args:
        closure: The expression.
        work_limit: Limits the work.

    Attributes:
        closure: Whether the value differs from then.
    """

    __slots__ = ("_before", "_closure", "_work_limit", "closure")

    def __init__(self, closure: Callable[[Any], Any], work_limit: WorkLimit) -> None:
        self._closure = closure
        self._work_limit = work_limit
        self._before: dict[str, Any] = {}
        self.closure = self._differs

    def take(self, context: EvaluationContext) -> None:
        """Remember the current value."""
        value = self._closure(context)
        self._work_limit.spend(value)
        self._before[context.scope] = value.copy() if isinstance(value, np.ndarray) else value

    def before(self, context: EvaluationContext) -> Any:  # noqa: ANN401 - a number, an array, or MISSING
        """Return the value that was remembered; MISSING when none was."""
        return self._before.get(context.scope, MISSING)

    def _differs(self, context: Any) -> bool:  # noqa: ANN401 - an EvaluationContext, as all closures take it
        before = self._before.get(context.scope, _NOTHING)
        if before is _NOTHING:
            return False
        value = self._closure(context)
        self._work_limit.spend(value)
        return not same_values(before, value)
