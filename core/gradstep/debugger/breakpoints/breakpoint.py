"""Breakpoint: a condition that stops a run, or notes a line, where it holds."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

import msgspec

from gradstep.debugger.breakpoints.evaluation_points import usual_kinds
from gradstep.debugger.conditions.condition import Condition
from gradstep.debugger.conditions.template import Template
from gradstep.errors import ArgumentError, ExpressionError
from gradstep.history.records.breakpoints import ANY, BreakpointRecord, BreakpointSpec, LogLine
from gradstep.program.operation import Operation
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from gradstep.debugger.conditions.moment import Moment

__all__ = ["KINDS", "Breakpoint", "Kinds", "kinds_of"]

KINDS: Mapping[str, type[Any]] = MappingProxyType(
    {kind.__struct_config__.tag: kind for kind in get_args(Operation)}
)
"""The kinds of Operations by the names that breakpoints call them by, such as "zero_grad"."""

Kinds: TypeAlias = "str | type | Collection[str | type] | None"
"""One kind of Operation or several: "step", Step, ("forward", "backward"), "any", or None."""

MOST_HITS = 10**9


def kinds_of(kinds: Kinds) -> tuple[str, ...]:
    """Return kinds of Operations by name.

    Raises:
        ArgumentError: There is no such kind.

    Example:
        >>> kinds_of("step"), kinds_of(("forward", "Backward")), kinds_of(None)
        (('step',), ('forward', 'backward'), ())
        >>> kinds_of("stp")
        Traceback (most recent call last):
        gradstep.errors.ArgumentError: there is no kind of Operation 'stp'; did you mean 'step'?
    """
    several = (kinds,) if isinstance(kinds, (str, type)) else tuple(kinds or ())
    return tuple(dict.fromkeys(_kind(kind) for kind in several))


def _kind(kind: object) -> str:
    name = kind if isinstance(kind, str) else getattr(kind, "__struct_config__", kind)
    found = str(getattr(name, "tag", name)).strip().lower().replace(" ", "_")
    if found != ANY and found not in KINDS:
        known = (*KINDS, ANY)
        raise ArgumentError(f"there is no kind of Operation {kind!r}", nearest(found, known))
    return found


class Breakpoint:
    """A breakpoint of a Debugger; `Debugger.break_when` makes it.

    Args:
        number: Its number, for ever.
        spec: What it is to do.
        moment: Where its names get their values.
        changed: Called when it was enabled, disabled, or is to go.

    Attributes:
        id: Its number.
        spec: What it is to do.
        count: How often it was hit.
        error: Why it cannot be asked; None when it can.
        condition: What is asked; None when it cannot be compiled.
        template: What it notes instead of stopping; None when it stops.
    """

    __slots__ = ("_changed", "_usual", "condition", "count", "error", "id", "spec", "template")

    def __init__(
        self,
        number: int,
        spec: BreakpointSpec,
        moment: Moment,
        changed: Callable[[Breakpoint, BreakpointSpec | None], None],
    ) -> None:
        self.id = number
        self.spec = spec
        self.count = 0
        self.error: ExpressionError | None = None
        self.condition: Condition | None = None
        self.template: Template | None = None
        self._changed = changed
        self._usual: tuple[str, ...] = ()
        self.become(spec, moment)

    def __repr__(self) -> str:
        return f"Breakpoint({self.id}, {self.expression!r}, hits so far: {self.count})"

    @property
    def expression(self) -> str:
        """The condition, as it was written."""
        return self.spec.expression

    @property
    def before(self) -> tuple[str, ...]:
        """The kinds of Operation before which it is asked."""
        return self.spec.before

    @property
    def after(self) -> tuple[str, ...]:
        """The kinds of Operation after which it is asked.

        When nobody said when: those that write what it reads; see `usual_kinds`.
        """
        return self.spec.after if self.spec.after or self.spec.before else self._usual

    @property
    def hits(self) -> int:
        """From which hit on it stops."""
        return self.spec.hits

    @property
    def log(self) -> str | None:
        """What it notes instead of stopping."""
        return self.spec.log

    @property
    def enabled(self) -> bool:
        """Whether it is asked."""
        return self.spec.enabled

    @property
    def is_armed(self) -> bool:
        """Whether it is enabled, and can be computed."""
        return self.spec.enabled and self.error is None

    @property
    def holder(self) -> str:
        """The parameter for which it held last; empty when it asks about none in particular."""
        return "" if self.condition is None else self.condition.holder

    @property
    def record(self) -> BreakpointRecord:
        """How it stands, for views."""
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
        """Ask it again."""
        self._set(enabled=True)

    def disable(self) -> None:
        """Ask it no more, but keep it."""
        self._set(enabled=False)

    def remove(self) -> None:
        """Take it away."""
        self._changed(self, None)

    def met(self, event: int, note: Callable[[LogLine], None]) -> bool:
        """Count a hit, or note its line, and say whether it stops the run."""
        if self.error is not None:
            return True
        self.count += 1
        if self.template is None:
            return self.count >= self.spec.hits
        if self.count >= self.spec.hits:
            note(LogLine(event, self.id, self.template.filled()))
        return False

    def become(self, spec: BreakpointSpec, moment: Moment) -> None:
        """Do something else from now on; the count goes on while it asks the same."""
        if self.error is not None or spec.expression != self.spec.expression:
            self.count = 0
        self.spec = spec
        self.error, self.condition, self.template = None, None, None
        self._usual = ()
        try:
            self.condition = Condition(spec.expression, moment)
            self._usual = usual_kinds(self.condition)
            self.template = None if spec.log is None else Template(spec.log, moment)
        except ExpressionError as error:
            self.error = error

    def try_now(self) -> None:
        """Compute the condition once, so that one that cannot be computed tells so at once."""
        if self.condition is not None and self.error is None:
            try:
                self.condition()
            except ExpressionError as error:
                self.error = error

    def is_asked(self, kind: str, *, before: bool) -> bool:
        """Whether it is asked before, or after, a kind of Operation."""
        kinds = self.before if before else self.after
        return kind in kinds or ANY in kinds

    def _set(self, *, enabled: bool) -> None:
        self._changed(self, msgspec.structs.replace(self.spec, enabled=enabled))
