"""Breakpoint: a condition that stops a run, or logs a line, where it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gradstep.debugger.breakpoints.evaluation_points import default_kinds
from gradstep.debugger.conditions.condition import Condition
from gradstep.debugger.conditions.log_template import LogTemplate
from gradstep.errors import ExpressionError
from gradstep.history.records.breakpoints import ANY, BreakpointRecord, BreakpointSpec, LogLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.debugger.conditions.evaluation_context import EvaluationContext

__all__ = ["MAX_HITS", "Breakpoint"]

MAX_HITS = 10**9


class Breakpoint:
    """A breakpoint of a Debugger; `Breakpoints.add` makes it.

    Args:
        number: Its number, which never changes.
        spec: What it does.
        context: Where its names get their values.
        changed: Called with its new spec, or None to remove it.

    Attributes:
        id: Its number.
        spec: What it does.
        count: How often it was hit.
        error: Why it cannot be evaluated; None when it can.
        condition: The compiled condition; None when it cannot be compiled.
        template: The text it logs instead of stopping; None when it stops.
    """

    __slots__ = (
        "_changed",
        "_default_after",
        "condition",
        "count",
        "error",
        "id",
        "spec",
        "template",
    )

    def __init__(
        self,
        number: int,
        spec: BreakpointSpec,
        context: EvaluationContext,
        changed: Callable[[Breakpoint, BreakpointSpec | None], None],
    ) -> None:
        self.id = number
        self.spec = spec
        self.count = 0
        self.error: ExpressionError | None = None
        self.condition: Condition | None = None
        self.template: LogTemplate | None = None
        self._changed = changed
        self._default_after: tuple[str, ...] = ()
        self.become(spec, context)

    def __repr__(self) -> str:
        return f"Breakpoint({self.id}, {self.expression!r}, hits so far: {self.count})"

    @property
    def expression(self) -> str:
        """The condition, as the user wrote it."""
        return self.spec.expression

    @property
    def before(self) -> tuple[str, ...]:
        """The kinds of Operation before which it is evaluated."""
        return self.spec.before

    @property
    def after(self) -> tuple[str, ...]:
        """The kinds of Operation after which it is evaluated; see `default_kinds`."""
        return self.spec.after if self.spec.after or self.spec.before else self._default_after

    @property
    def hits(self) -> int:
        """The first hit that stops a run."""
        return self.spec.hits

    @property
    def log(self) -> str | None:
        """The text it logs instead of stopping."""
        return self.spec.log

    @property
    def enabled(self) -> bool:
        """Whether runs evaluate it."""
        return self.spec.enabled

    @property
    def is_armed(self) -> bool:
        """Whether it is enabled, and can be evaluated."""
        return self.spec.enabled and self.error is None

    @property
    def holder(self) -> str:
        """The parameter for which it held last; empty without `data`, `grad` or `buf`."""
        return "" if self.condition is None else self.condition.holder

    @property
    def record(self) -> BreakpointRecord:
        """Its present state, for views."""
        error = self.error
        return BreakpointRecord(
            self.id,
            self.spec,
            self.count,
            "" if error is None else str(error),
            None if error is None else error.column,
            self.after,
        )

    def enable(self) -> None:
        """Evaluate it again in runs."""
        self._set(enabled=True)

    def disable(self) -> None:
        """Keep it, but do not evaluate it."""
        self._set(enabled=False)

    def remove(self) -> None:
        """Remove it.

        Raises:
            OperationError: It was removed before.
        """
        self._changed(self, None)

    def met(self, event: int, note: Callable[[LogLine], None]) -> bool:
        """Count a hit, or log its line, and return whether it stops the run."""
        if self.error is not None:
            return True
        self.count += 1
        if self.template is None:
            return self.count >= self.spec.hits
        if self.count >= self.spec.hits:
            note(LogLine(event, self.id, self.template.filled()))
        return False

    def become(self, spec: BreakpointSpec, context: EvaluationContext) -> None:
        """Change what it does; it keeps its count while it has the same condition."""
        if self.error is not None or spec.expression != self.spec.expression:
            self.count = 0
        self.spec = spec
        self.error, self.condition, self.template = None, None, None
        self._default_after = ()
        try:
            self.condition = Condition(spec.expression, context)
            self._default_after = default_kinds(self.condition)
            self.template = None if spec.log is None else LogTemplate(spec.log, context)
        except ExpressionError as error:
            self.error = error

    def try_now(self) -> None:
        """Evaluate the condition once, so that an error shows at once."""
        if self.condition is not None and self.error is None:
            try:
                self.condition()
            except ExpressionError as error:
                self.error = error

    def is_evaluated(self, kind: str, *, before: bool) -> bool:
        """Whether it is evaluated before, or after, a kind of Operation."""
        kinds = self.before if before else self.after
        return kind in kinds or ANY in kinds

    def _set(self, *, enabled: bool) -> None:
        self._changed(self, msgspec.structs.replace(self.spec, enabled=enabled))
