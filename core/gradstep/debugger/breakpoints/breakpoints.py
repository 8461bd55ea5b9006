"""Breakpoints: those of a Debugger, kept in order, and saved as their text."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import msgspec

from gradstep.debugger.breakpoints.breakpoint import MOST_HITS, Breakpoint, kinds_of
from gradstep.errors import ArgumentError, OperationError
from gradstep.history.records.breakpoints import BreakpointSpec, LogLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.debugger.conditions.moment import Moment

__all__ = ["MOST", "Breakpoints", "spec_of", "text_of"]

MOST = 200
"""Breakpoints of one Debugger: more than a person sets, and a run asks them all."""

LINES = 10_000
"""Lines that are kept of what breakpoints noted."""


def text_of(spec: BreakpointSpec) -> str:
    """Return a breakpoint as the text that a session keeps.

    Example:
        >>> text_of(BreakpointSpec("loss > 10", after=("forward",)))
        '{"expression":"loss > 10","after":["forward"]}'
    """
    return msgspec.json.encode(spec).decode()


def spec_of(text: str) -> BreakpointSpec:
    """Return the breakpoint that a text stands for: what `text_of` gave, or a bare expression.

    A text that is neither, in a file from anybody, gives a breakpoint that cannot be computed and
    says so.

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
        ArgumentError: A kind of Operation or the hit count is none.
    """
    kinds_of(spec.before), kinds_of(spec.after)
    if not 1 <= spec.hits <= MOST_HITS:
        raise ArgumentError(f"a hit count of {spec.hits}", "use 1 to stop at every hit, or more")


class Breakpoints:
    """The breakpoints of a Debugger.

    Args:
        moment: Where names get their values.
        texts: Those of a session.
        changed: Called after each change of what a session keeps.

    Attributes:
        lines: What breakpoints noted lately, oldest first.
    """

    def __init__(self, moment: Moment, texts: Iterable[str], changed: Callable[[], None]) -> None:
        self.lines: deque[LogLine] = deque(maxlen=LINES)
        self._moment = moment
        self._tell = changed
        self._next = 1
        self._items: list[Breakpoint] = []
        for text in texts:
            if len(self._items) < MOST:
                self._items.append(self._make(spec_of(text)))

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(self._items)

    @property
    def texts(self) -> tuple[str, ...]:
        """What a session keeps of them."""
        return tuple(text_of(item.spec) for item in self._items)

    @property
    def armed(self) -> tuple[Breakpoint, ...]:
        """Those that a run asks."""
        return tuple(item for item in self._items if item.is_armed)

    def add(self, spec: BreakpointSpec) -> Breakpoint:
        """Set another; one that cannot be computed tells so in its `error`.

        Raises:
            ArgumentError: A kind of Operation or the hit count is none.
            OperationError: There are too many.
        """
        check(spec)
        if len(self._items) >= MOST:
            raise OperationError(f"there are {MOST} breakpoints already", "remove one first")
        made = self._make(spec)
        self._items.append(made)
        self._tell()
        return made

    def find(self, number: int) -> Breakpoint:
        """Return the one with a number.

        Raises:
            OperationError: There is none.
        """
        for item in self._items:
            if item.id == number:
                return item
        raise OperationError(f"there is no breakpoint {number}", "set one first")

    def replace(self, point: Breakpoint, spec: BreakpointSpec | None) -> None:
        """Let a breakpoint do something else, or with None take it away.

        It keeps its count while it asks the same.

        Raises:
            ArgumentError: A kind of Operation or the hit count is none.
            OperationError: It is not among them any more.
        """
        self.find(point.id)
        if spec is None:
            self._items.remove(point)
        else:
            check(spec)
            point.become(spec, self._moment)
        self._tell()

    def _make(self, spec: BreakpointSpec) -> Breakpoint:
        number, self._next = self._next, self._next + 1
        return Breakpoint(number, spec, self._moment, self.replace)
