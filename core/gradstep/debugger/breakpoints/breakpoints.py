"""Breakpoints: the breakpoints of a Debugger, and the lines they log."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from gradstep.debugger.breakpoints.breakpoint import MAX_HITS, Breakpoint
from gradstep.debugger.breakpoints.evaluation_points import Kinds, kinds_of
from gradstep.debugger.numbered_items import NumberedItems
from gradstep.errors import ArgumentError
from gradstep.history.records.breakpoints import BreakpointSpec, LogLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.history.records.breakpoints import BreakpointRecord

__all__ = ["Breakpoints", "spec_of", "text_of"]

MAX_LINES = 10_000
"""Log lines that are kept, the latest ones."""


def text_of(spec: BreakpointSpec) -> str:
    """Return the text by which a session keeps a breakpoint.

    Example:
        >>> text_of(BreakpointSpec("loss > 10", after=("forward",)))
        '{"expression":"loss > 10","after":["forward"]}'
    """
    return msgspec.json.encode(spec).decode()


def spec_of(text: str) -> BreakpointSpec:
    """Return the breakpoint of a text: one that `text_of` returned, or a bare expression.

    Any other text, as in a damaged file, becomes a breakpoint whose expression reports the error.

    Example:
        >>> spec_of("loss > 10") == spec_of('{"expression": "loss > 10"}')
        True
    """
    if not text.lstrip().startswith("{"):
        return BreakpointSpec(text)
    try:
        spec = msgspec.json.decode(text, type=BreakpointSpec)
        check(spec)
    except (msgspec.MsgspecError, ArgumentError, RecursionError):
        return BreakpointSpec(text)
    return spec


def check(spec: BreakpointSpec) -> None:
    """Check all of a breakpoint but its expressions.

    Raises:
        ArgumentError: It names an unknown kind of Operation, or its hit count is out of range.
    """
    kinds_of(spec.before), kinds_of(spec.after)
    if not 1 <= spec.hits <= MAX_HITS:
        raise ArgumentError(f"a hit count of {spec.hits} is out of range", f"use 1 to {MAX_HITS:,}")


class Breakpoints(NumberedItems[BreakpointSpec, Breakpoint]):
    """The breakpoints of a Debugger, in the order in which they were added.

    Args:
        present: Returns the one live context, brought to the current moment.
        texts: The texts that a session kept.
        keep: Called with all texts after each change.

    Example:
        >>> from gradstep.debugger import Debugger
        >>> from gradstep.program.document.codec import decode
        >>> dbg = Debugger(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "sum(x * x)"}},
        ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.1}},
        ...     "loop": [{"op": "zero_grad"}, {"op": "forward"}, {"op": "backward"},
        ...              {"op": "step"}]}'''))
        >>> point = dbg.breakpoints.add("loss < 1")
        >>> dbg.run().sentence
        'loss < 1, after Event 18'
        >>> point.count, dbg.run(5).kind, dbg.run_back().event
        (1, 'iterations', 18)
        >>> dbg.breakpoints.remove(point.id)
        >>> len(dbg.breakpoints)
        0
    """

    __slots__ = ("_lines", "_present")

    def __init__(
        self,
        present: Callable[[], EvaluationContext],
        texts: Iterable[str] = (),
        keep: Callable[[tuple[str, ...]], None] | None = None,
    ) -> None:
        self._present = present
        self._lines: deque[LogLine] = deque(maxlen=MAX_LINES)
        super().__init__(
            ("breakpoint", "breakpoints"),
            lambda number, spec: Breakpoint(number, spec, present(), self._replace),
            lambda point: text_of(point.spec),
            map(spec_of, texts),
            keep,
        )

    def add(
        self,
        expression: str,
        before: Kinds = None,
        after: Kinds = None,
        hits: int = 1,
        log: str | None = None,
    ) -> Breakpoint:
        """Add a breakpoint; runs stop where its condition becomes true.

        Args:
            expression: Such as `loss > 10` or `changed("model.0.weight.grad")`; the whole language
                is in `gradstep.history.records.breakpoints.CONDITION_TERMS`.
            before: Kinds of Operation before which to evaluate it: "backward", several, or "any".
            after: Kinds after which to evaluate it. Without `before` and `after` it is evaluated
                after the Operations that write what it reads: a loss after each Forward of that
                loss, a gradient after Backward, parameters and optimizer state after Step. It then
                stops where its condition becomes true: where it holds, and did not hold when it was
                evaluated last. When it is about the last Event it is evaluated after every
                Operation. That one, and one with `before` or `after`, stops wherever its condition
                holds.
            hits: The first hit that stops a run; earlier ones are only counted. Going back, every
                hit stops.
            log: A text with `{expressions}` to log instead of stopping.

        Returns:
            The breakpoint, which can be disabled, enabled and removed.

        Raises:
            ExpressionError: The condition or the text is wrong, or cannot be computed now.
            ArgumentError: There is no such kind of Operation, or `hits` is not positive.
            OperationError: There are too many breakpoints.
        """
        spec = BreakpointSpec(expression, kinds_of(before), kinds_of(after), hits, log)
        check(spec)
        with np.errstate(all="ignore"):
            trial = Breakpoint(0, spec, self._present(), self._replace)
            trial.evaluate_once()
        if trial.error is not None:
            raise trial.error
        return self.append(spec)

    def put(self, spec: BreakpointSpec, number: int | None = None) -> Breakpoint:
        """Add or change a breakpoint; one with a wrong expression is kept, with its `error`.

        Args:
            spec: What it does.
            number: The breakpoint to change, which keeps its count while it has the same condition;
                None to add one.

        Raises:
            ArgumentError: There is no such kind of Operation, or the hit count is out of range.
            OperationError: There is no such breakpoint, or there are too many.
        """
        if number is None:
            check(spec)
            point = self.append(spec)
        else:
            point = self.find(number)
            self._replace(point, spec)
        with np.errstate(all="ignore"):
            point.evaluate_once()
        return point

    def take_over(self, other: Breakpoints) -> None:
        """Replace the breakpoints with those of another collection, under the same numbers.

        One that was here by its number, with the same condition, keeps its count.
        """
        counts = {(point.id, point.expression): point.count for point in self}
        self.replace_all((point.id, point.spec) for point in other)
        for point in self:
            point.count = counts.get((point.id, point.expression), 0)
        with np.errstate(all="ignore"):
            for point in self:
                point.evaluate_once()

    def continue_from(self, other: Breakpoints) -> None:
        """Take over the breakpoints of the same run, with their counts and what they logged."""
        self.take_over(other)
        for point, before in zip(self, other, strict=True):
            point.count = before.count
        self._lines = deque(other.lines, maxlen=MAX_LINES)

    def note(self, line: LogLine) -> None:
        """Append a log line."""
        self._lines.append(line)

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """What breakpoints logged instead of stopping, the latest 10,000 lines."""
        return tuple(self._lines)

    @property
    def armed(self) -> tuple[Breakpoint, ...]:
        """Those that runs evaluate: enabled, and without an error."""
        return tuple(item for item in self if item.is_armed)

    @property
    def records(self) -> tuple[BreakpointRecord, ...]:
        """Their current state, for views."""
        return tuple(item.record for item in self)

    def _replace(self, point: Breakpoint, spec: BreakpointSpec | None) -> None:
        """Change a breakpoint, or with None remove it.

        Raises:
            ArgumentError: There is no such kind of Operation, or the hit count is out of range.
            OperationError: It was removed before.
        """
        if spec is None:
            self.remove(point.id)
            return
        self.find(point.id)
        check(spec)
        point.redefine(spec, self._present())
        self.save_texts()
