"""Watches: the watched expressions of a Debugger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradstep.debugger.watches.watch import Watch
from gradstep.debugger.watches.watch_records import watch_records
from gradstep.errors import OperationError
from gradstep.history.records.breakpoints import MAX_BREAKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.debugger.watches.watch import MomentReader
    from gradstep.history.records.breakpoints import WatchRecord

__all__ = ["Watches"]


def _ignore(_: tuple[str, ...]) -> None:
    """Keep the texts nowhere."""


class Watches:
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

    __slots__ = ("_items", "_keep", "_next", "_reader")

    def __init__(
        self,
        reader: MomentReader,
        texts: Iterable[str] = (),
        keep: Callable[[tuple[str, ...]], None] = _ignore,
    ) -> None:
        self._reader = reader
        self._keep = keep
        self._next = 1
        self._items: list[Watch] = []
        for text in tuple(texts)[:MAX_BREAKS]:
            self._items.append(self._make(text))

    def __iter__(self) -> Iterator[Watch]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Watch:
        return self._items[index]

    def __repr__(self) -> str:
        return f"Watches({self._items})"

    def add(self, expression: str) -> Watch:
        """Watch an expression.

        Args:
            expression: Such as `norm(grad("model.0.weight"))`; the whole language is in
                `gradstep.history.records.breakpoints.CONDITION_TERMS`.

        Returns:
            The watch: `value` is its value at the present moment, `history` gives those at others.

        Raises:
            ExpressionError: The expression is wrong, or cannot be computed now.
            OperationError: There are too many watches.
        """
        with np.errstate(all="ignore"):
            _ = Watch(0, expression, self._reader, self._drop).value
        return self._append(expression)

    def put(self, expression: str, number: int | None = None) -> Watch:
        """Add or change a watch; one with a wrong expression is kept, with its `error`.

        Args:
            expression: What to watch.
            number: The watch to change; None to add one.

        Raises:
            OperationError: There is no such watch, or there are too many.
        """
        if number is None:
            return self._append(expression)
        watch = self.find(number)
        watch.become(expression)
        self._keep(self.texts)
        return watch

    def find(self, number: int) -> Watch:
        """Return the watch with a number.

        Raises:
            OperationError: There is none.
        """
        for item in self._items:
            if item.id == number:
                return item
        raise OperationError(f"there is no watch {number}", "add one first")

    def remove(self, number: int) -> None:
        """Remove a watch.

        Raises:
            OperationError: There is no such watch.
        """
        self._drop(self.find(number))

    def records(self, *, compare: bool = True) -> tuple[WatchRecord, ...]:
        """Return their values at the present moment, for views.

        Args:
            compare: With the values before the last Event, which may take a replay.
        """
        with np.errstate(all="ignore"):
            return watch_records(self._items, self._reader, compare=compare)

    @property
    def texts(self) -> tuple[str, ...]:
        """What a session keeps of them: their expressions."""
        return tuple(item.expression for item in self._items)

    def _append(self, expression: str) -> Watch:
        if len(self._items) >= MAX_BREAKS:
            raise OperationError(
                f"there are already {MAX_BREAKS} watches, which is the limit", "remove one first"
            )
        made = self._make(expression)
        self._items.append(made)
        self._keep(self.texts)
        return made

    def _make(self, expression: str) -> Watch:
        number, self._next = self._next, self._next + 1
        return Watch(number, expression, self._reader, self._drop)

    def _drop(self, watch: Watch) -> None:
        """Remove a watch, unless it was removed before."""
        if watch in self._items:
            self._items.remove(watch)
            self._keep(self.texts)
