"""EventView: the Events of a branch as a sequence, for those who only read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from gradstep.history.records.event import Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.event import EventColumns

__all__ = ["EventView"]


class EventView(Sequence[Event]):
    """The Events of a branch as a sequence: `view[0]` is Event 1.

    It may be read from another thread while the log grows.

    Example:
        >>> from gradstep.history.log.event_log import EventLog
        >>> from gradstep.history.log.vocabulary import Vocabulary
        >>> from gradstep.program.operation import Step
        >>> log = EventLog(Vocabulary(losses=()))
        >>> log.append(0, Step())
        1
        >>> [event.index for event in log.view()]
        [1]
    """

    __slots__ = ("_log",)

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def __len__(self) -> int:
        return len(self._log)

    @overload
    def __getitem__(self, position: int) -> Event: ...
    @overload
    def __getitem__(self, position: slice) -> list[Event]: ...
    def __getitem__(self, position: int | slice) -> Event | list[Event]:
        if isinstance(position, slice):
            return [self._log.event(at + 1) for at in range(*position.indices(len(self._log)))]
        length = len(self._log)
        at = position + length if position < 0 else position
        if not 0 <= at < length:
            raise IndexError(f"there is no Event at position {position:,} of {length:,}")
        return self._log.event(at + 1)

    def columns(self, start: int, stop: int) -> EventColumns:
        """Return the Events from place `start` to before `stop`, counted from 0, in columns."""
        return self._log.columns(start, stop)

    def __iter__(self) -> Iterator[Event]:
        return (self._log.event(index) for index in range(1, len(self._log) + 1))
