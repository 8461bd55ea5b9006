"""Watches: the watched expressions of a Debugger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.numbered_items import NumberedItems
from gradstep.debugger.watches.watch import Watch
from gradstep.debugger.watches.watch_records import watch_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.debugger.state_reader import StateReader
    from gradstep.history.records.breakpoints import WatchRecord

__all__ = ["Watches"]


class Watches(NumberedItems[str, Watch]):
    """The watches of a Debugger, in the order in which they were added.

    Args:
        reader: Gives the values of expressions at any moment.
        texts: The expressions that a session kept.
        keep: Called with all expressions after each change.

    Example:
        >>> from gradstep.debugger import Debugger
        >>> from gradstep.program.document.codec import decode
        >>> dbg = Debugger(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": [3, 4], "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "sum(x * x)"}},
        ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
        >>> watch = dbg.watches.add("norm(grad('x'))")
        >>> _ = dbg.forward(), dbg.backward()
        >>> watch.value, watch.before, watch.at(0)
        (10.0, None, None)
        >>> dbg.watches.remove(watch.id)
        >>> len(dbg.watches)
        0
    """

    __slots__ = ("_reader",)

    def __init__(
        self,
        reader: StateReader,
        texts: Iterable[str] = (),
        keep: Callable[[tuple[str, ...]], None] | None = None,
    ) -> None:
        self._reader = reader
        super().__init__(
            ("watch", "watches"), self._new_watch, lambda watch: watch.expression, texts, keep
        )

    def add(self, expression: str) -> Watch:
        """Watch an expression.

        Args:
            expression: Such as `norm(grad("model.0.weight"))`; the whole language is in
                `gradstep.history.records.breakpoints.CONDITION_TERMS`.

        Returns:
            The watch: `value` is its value at the current moment, `history` those at others.

        Raises:
            ExpressionError: The expression is wrong, or cannot be computed now.
            OperationError: There are too many watches.
        """
        with np.errstate(all="ignore"):
            _ = self._new_watch(0, expression).value
        return self.append(expression)

    def put(self, expression: str, number: int | None = None) -> Watch:
        """Add or change a watch; one with a wrong expression is kept, with its `error`.

        Args:
            expression: What to watch.
            number: The watch to change; None to add one.

        Raises:
            OperationError: There is no such watch, or there are too many.
        """
        if number is None:
            return self.append(expression)
        watch = self.find(number)
        watch.redefine(expression)
        self.save_texts()
        return watch

    def take_over(self, other: Watches) -> None:
        """Replace the watches with those of another collection, under the same numbers."""
        self.replace_all((watch.id, watch.expression) for watch in other)

    def records(self, *, compare: bool = True) -> tuple[WatchRecord, ...]:
        """Return their values at the current moment, for views.

        Args:
            compare: With the values before the last Event, which may take a replay.
        """
        with np.errstate(all="ignore"):
            return watch_records(tuple(self), self._reader, compare=compare)

    def _new_watch(self, number: int, expression: str) -> Watch:
        return Watch(number, expression, self._reader, lambda watch: self.remove(watch.id))
