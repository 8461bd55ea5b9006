"""Breakpoint: a condition that stops a run, or logs a line, where it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gradstep.debugger.breakpoints.evaluation_points import default_kinds, written_addresses
from gradstep.debugger.conditions.condition import REPLACING, Condition
from gradstep.debugger.conditions.log_template import LogTemplate
from gradstep.errors import ExpressionError
from gradstep.history.records.breakpoints import ANY, BreakpointRecord, BreakpointSpec, LogLine
from gradstep.program.operation import line_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["MAX_HITS", "Breakpoint", "LastCheck"]

MAX_HITS = 10**9


class LastCheck(NamedTuple):
    """The outcome of the last evaluation of a breakpoint up to a moment.

    Attributes:
        log: The serial number of the Event log.
        event: The index of the moment; the breakpoint was not evaluated between the last evaluation
            and it.
        held: Whether its condition held; False when it was never evaluated.
    """

    log: int
    event: int
    held: bool


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
        is_edge_triggered: Whether it stops where its condition becomes true, rather than wherever
            it holds. One on the state is, unless the user has chosen where it is evaluated. A log
            point is not.
        written: It is evaluated after Events that write these addresses; None for every Event of
            its kinds.
        last_check: When it was last evaluated, and whether its condition held.
    """

    __slots__ = (
        "_changed",
        "_concerning",
        "_default_after",
        "condition",
        "count",
        "error",
        "id",
        "is_edge_triggered",
        "last_check",
        "spec",
        "template",
        "written",
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
        self.written: frozenset[str] | None = None
        self.is_edge_triggered = False
        self._concerning: dict[int, bool] = {}
        self.last_check: LastCheck | None = None
        self.redefine(spec, context)

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
        """Its current state, for views."""
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

    def record_hit(self, event: int, note: Callable[[LogLine], None]) -> bool:
        """Count a hit, or log its line, and return whether it stops the run."""
        if self.error is not None:
            return True
        self.count += 1
        if self.template is None:
            return self.count >= self.spec.hits
        if self.count >= self.spec.hits:
            note(LogLine(event, self.id, self.template.filled()))
        return False

    def redefine(self, spec: BreakpointSpec, context: EvaluationContext) -> None:
        """Change what it does; it keeps its count while it has the same condition."""
        if self.error is not None or spec.expression != self.spec.expression:
            self.count = 0
        self.spec = spec
        self.error, self.condition, self.template = None, None, None
        self._default_after, self.written, self.last_check = (), None, None
        self.is_edge_triggered = False
        self._concerning.clear()
        try:
            self.condition = Condition(spec.expression, context)
            self._default_after = default_kinds(self.condition)
            self.template = None if spec.log is None else LogTemplate(spec.log, context)
            if not spec.before and not spec.after:
                self.written = written_addresses(self.condition)
                is_about_the_state = not self.condition.is_about_the_event
                self.is_edge_triggered = is_about_the_state and self.template is None
        except ExpressionError as error:
            self.error = error

    def evaluate_once(self) -> None:
        """Evaluate the condition once, to report an error immediately."""
        if self.condition is not None and self.error is None:
            try:
                self.condition()
            except ExpressionError as error:
                self.error = error

    def is_evaluated(self, kind: str, *, before: bool) -> bool:
        """Whether it is evaluated before, or after, a kind of Operation."""
        kinds = self.before if before else self.after
        return kind in kinds or ANY in kinds

    def is_at(self, operation: Operation) -> bool:
        """Whether its line, if it has one, is that of an Operation of one of its kinds."""
        line = self.spec.line
        return not line or line == (operation.at or line_name(operation))

    def concerns(self, operation: Operation, reads_writes: ReadsWrites) -> bool:
        """Whether an Event of one of its kinds wrote what it reads: its own loss, not another.

        Args:
            operation: Of the Event.
            reads_writes: What the Event read and wrote.
        """
        written = self.written
        if written is None or isinstance(operation, REPLACING):
            return True
        found = self._concerning.get(reads_writes.id)
        if found is None:
            found = self._concerning[reads_writes.id] = not written.isdisjoint(reads_writes.writes)
        return found

    def _set(self, *, enabled: bool) -> None:
        self._changed(self, msgspec.structs.replace(self.spec, enabled=enabled))
