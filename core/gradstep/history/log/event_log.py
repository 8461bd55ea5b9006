"""EventLog: the Events of a branch in 40 bytes each, and a read-only view of them.

The last Events are in memory; those of a long run before them are in a temporary file.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import count, starmap
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gradstep.errors import GradStepError
from gradstep.history.records.event import Event, EventColumns, Outcome
from gradstep.program.operation import Backward, Step
from gradstep.spill import Block

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from numpy.typing import NDArray

    from gradstep.history.log.vocabulary import EventNumbers, Vocabulary
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.operation import Operation

__all__ = ["EventLog", "EventView"]

CHUNK = 4096

IN_MEMORY = 32
"""Full chunks that stay in memory, 5 MB: what looks back looks at these most of the time."""

_RECORD = struct.Struct("<IIIIqIBxxxd")  # of EventNumbers
_SIZE = _RECORD.size
_COLUMNS = np.dtype(
    {
        "names": ["operation", "reads_writes", "outcome", "rows", "iteration", "checksum", "loss"],
        "formats": ["<u4", "<u4", "<u4", "<u4", "<i8", "<u4", "<f8"],
        "offsets": [0, 4, 8, 12, 16, 24, 32],
        "itemsize": _SIZE,
    }
)
_FIRST_ROOM = 64
"""Events that a log has room for at first: a session may have thousands of short branches."""

_DONE = Outcome()
_serials = count(1)


class EventLog:
    """The append-only Events of one branch.

    What repeats (operations, reads and writes, outcomes, rows) is stored once, in a Vocabulary that
    all branches share. Full chunks never change, so that forks share them; the older ones of a long
    run leave memory for the Vocabulary's temporary file.

    Args:
        vocabulary: That of the log this one forks from, or a new one.

    Attributes:
        vocabulary: The values that its Events refer to by number.
        serial: A number that is unique among the logs of this process.

    Example:
        >>> from gradstep.history.log.vocabulary import Vocabulary
        >>> from gradstep.program.operation import Step
        >>> log = EventLog(Vocabulary(losses=("loss",)))
        >>> log.append(0, Step(), reads=("x.grad",), writes=("x",), checksum=7)
        1
        >>> log.event(1).writes
        ('x',)
    """

    __slots__ = ("_chunks", "_length", "_read", "_spilled", "_tail", "serial", "vocabulary")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.serial = next(_serials)
        self.vocabulary = vocabulary
        self._chunks: list[Block] = []
        self._spilled = 0
        self._read: tuple[int, memoryview] = (-1, memoryview(b""))
        self._tail = bytearray(_FIRST_ROOM * _SIZE)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def append(
        self,
        iteration: int,
        operation: Operation,
        *,
        outcome: Outcome = _DONE,
        reads: tuple[str, ...] = (),
        writes: tuple[str, ...] = (),
        checksum: int = 0,
        loss: float | None = None,
        rows: Sequence[int] | None = None,
    ) -> int:
        """Add one Event and return its index."""
        index, used = self._length + 1, None if rows is None else tuple(rows)
        event = Event(index, iteration, operation, outcome, reads, writes, checksum, loss, used)
        self.extend([self.vocabulary.numbers(event)])
        return index

    def extend(self, events: Iterable[EventNumbers]) -> None:
        """Add Events by the numbers of their parts in the Vocabulary; many together are fast."""
        packed = memoryview(b"".join(starmap(_RECORD.pack, events)))
        while packed:
            offset = self._length % CHUNK * _SIZE
            if not offset and self._length:
                self._seal()
            part = packed[: CHUNK * _SIZE - offset]
            end = offset + len(part)
            while end > len(self._tail):
                self._grow()
            self._tail[offset:end] = part
            self._length += len(part) // _SIZE
            packed = packed[len(part) :]

    def event(self, index: int) -> Event:
        """Return the Event with this index, counted from 1."""
        operation, reads_writes, outcome, rows, iteration, checksum, has_loss, loss = self._raw(
            index
        )
        words = self.vocabulary
        known = words.all_reads_writes[reads_writes]
        return Event(
            index,
            iteration,
            words.operations[operation],
            words.outcomes[outcome],
            known.reads,
            known.writes,
            checksum,
            loss if has_loss else None,
            words.rows(rows),
        )

    def brief(self, index: int) -> tuple[int, Operation, Outcome, ReadsWrites, float | None]:
        """Return iteration, operation, outcome, reads and writes, and loss."""
        operation, reads_writes, outcome, _, iteration, _, has_loss, loss = self._raw(index)
        words = self.vocabulary
        return (
            iteration,
            words.operations[operation],
            words.outcomes[outcome],
            words.all_reads_writes[reads_writes],
            loss if has_loss else None,
        )

    def iteration(self, index: int) -> int:
        """Return how many iterations were complete before an Event."""
        return self._raw(index)[4]

    def operation(self, index: int) -> Operation:
        """Return the Operation of an Event."""
        return self.vocabulary.operations[self._raw(index)[0]]

    def failed(self, index: int) -> bool:
        """Whether the Event's Operation failed, and so left the state unchanged."""
        return not self.vocabulary.outcomes[self._raw(index)[2]].ok

    def checksum(self, index: int) -> int:
        """Return the checksum of an Event."""
        return self._raw(index)[5]

    def reads_writes(self, index: int) -> ReadsWrites:
        """Return what an Event read and wrote."""
        return self.vocabulary.all_reads_writes[self._raw(index)[1]]

    def rows(self, index: int) -> int:
        """Return how many rows of a data set an Event used; 0 for none."""
        return len(self.vocabulary.rows(self._raw(index)[3]) or ())

    def written_between(self, after: int, up_to: int) -> frozenset[str]:
        """Return every address that the Events `after + 1` to `up_to` wrote."""
        numbers = np.unique(self._column("reads_writes", after, up_to)).tolist()
        known = self.vocabulary.all_reads_writes
        return frozenset(address for number in numbers for address in known[number].writes)

    def period(self, after: int, up_to: int) -> int:
        """Return the number of Events in an iteration, if all iterations of a range are alike.

        They are alike when Operations, outcomes and the tensors concerned are the same; losses,
        rows and checksums may differ.

        Args:
            after: The Event before the range.
            up_to: The last Event of the range.

        Returns:
            The number of Events in an iteration; 0 when the range has fewer than four iterations,
            or they are not all alike.
        """
        iterations = self._column("iteration", after, up_to)
        if not len(iterations) or iterations[-1] - iterations[0] < 3:  # noqa: PLR2004 - see above
            return 0
        period = int(np.count_nonzero(iterations == iterations[0] + 1))
        if not period or not (iterations[period:] - iterations[:-period] == 1).all():
            return 0
        alike = {
            "operation": None,
            "outcome": None,
            "reads_writes": np.array(self.vocabulary.alike),
        }
        for name, numbers in alike.items():
            column = self._column(name, after, up_to)
            if numbers is not None:
                column = numbers[column]
            if not (column[period:] == column[:-period]).all():
                return 0
        return period

    def find(
        self,
        after: int,
        up_to: int,
        *,
        operation: Callable[[Operation], bool] | None = None,
        reads_writes: Callable[[ReadsWrites], bool] | None = None,
        outcome: Callable[[Outcome], bool] | None = None,
    ) -> NDArray[np.int64]:
        """Return the indices of the Events from `after + 1` to `up_to` that pass every test.

        Each test is called once per distinct value, however long the log is.

        Example:
            >>> from gradstep.history.log.vocabulary import Vocabulary
            >>> from gradstep.program.operation import Step, ZeroGrad
            >>> log = EventLog(Vocabulary(losses=()))
            >>> _ = [log.append(0, operation) for operation in (Step(), ZeroGrad(), Step())]
            >>> log.find(0, 3, operation=lambda found: isinstance(found, Step)).tolist()
            [1, 3]
        """
        words = self.vocabulary
        chosen = np.ones(max(0, up_to - after), np.bool_)
        tests: tuple[tuple[str, Callable[[Any], bool] | None, Sequence[Any]], ...] = (
            ("operation", operation, words.operations),
            ("reads_writes", reads_writes, words.all_reads_writes),
            ("outcome", outcome, words.outcomes),
        )
        for name, test, known in tests:
            if test is not None:
                passes = np.fromiter(map(test, known), np.bool_, len(known))
                chosen &= passes[self._column(name, after, up_to)]
        return np.flatnonzero(chosen) + (after + 1)

    def last_loss(self, up_to: int, without: Collection[str] = ()) -> str:
        """Return the loss that was last computed up to an Event; empty for none.

        Args:
            up_to: The index of the Event.
            without: Names that do not count, such as those of metrics.
        """
        found = self.last(
            up_to, lambda _, reads_writes: bool({*reads_writes.written_losses}.difference(without))
        )
        return "" if found is None else self.reads_writes(found).written_losses[-1]

    def passes(self, loss: str, up_to: int) -> int:
        """Return how many Backwards have used a loss's graph since it was computed."""
        found = 0
        for index in range(up_to, 0, -1):
            if self.failed(index):
                continue
            operation = self.operation(index)
            if loss in self.reads_writes(index).written_losses:
                return found + isinstance(operation, Step)  # which runs its own backward
            found += isinstance(operation, Backward) and operation.loss == loss
        return found

    def last(self, up_to: int, matches: Callable[[Operation, ReadsWrites], bool]) -> int | None:
        """Return the last Event up to `up_to` that did not fail and matches; None for none.

        Args:
            up_to: The index of the Event where the search starts, going back.
            matches: Called once for each distinct pair of an Operation and its ReadsWrites.
        """
        words = self.vocabulary
        known: dict[tuple[int, int, int], bool] = {}
        for index in range(up_to, 0, -1):
            operation, reads_writes, outcome, *_ = self._raw(index)
            key = operation, reads_writes, outcome
            found = known.get(key)
            if found is None:
                found = known[key] = words.outcomes[outcome].ok and matches(
                    words.operations[operation], words.all_reads_writes[reads_writes]
                )
            if found:
                return index
        return None

    def columns(self, start: int, stop: int) -> EventColumns:
        """Return the Events at positions `start` to `stop - 1`, counted from 0, in columns."""
        words, stop = self.vocabulary, min(stop, self._length)
        failed = np.array([not outcome.ok for outcome in words.outcomes])
        return EventColumns(
            self.serial,
            self._column("operation", start, stop),
            self._column("iteration", start, stop),
            failed[self._column("outcome", start, stop)],
            tuple(words.operations),
        )

    def view(self, after: int = 0) -> EventView:
        """Return the Events after Event `after` as a read-only sequence that grows with the log."""
        return EventView(self, after)

    def fork(self, length: int) -> EventLog:
        """Return a log that starts with this one's first `length` Events."""
        other = EventLog(self.vocabulary)
        whole, rest = divmod(length, CHUNK)
        if length and not rest:
            whole, rest = whole - 1, CHUNK
        other._chunks = self._chunks[:whole]
        other._spilled = min(self._spilled, whole)
        room = max(_FIRST_ROOM, rest)
        other._tail = bytearray(room * _SIZE)
        other._tail[: rest * _SIZE] = self._chunk(whole)[: rest * _SIZE]
        other._length = length
        return other

    def _raw(self, index: int) -> EventNumbers:
        if not 1 <= index <= self._length:
            raise GradStepError(
                f"there is no Event {index:,}", f"choose one from 1 to {self._length:,}"
            )
        number, offset = divmod(index - 1, CHUNK)
        return _RECORD.unpack_from(self._chunk(number), offset * _SIZE)

    def _grow(self) -> None:
        """Double the room for Events; another thread may read the bytes that there were."""
        tail = bytearray(min(2 * len(self._tail), CHUNK * _SIZE))
        tail[: len(self._tail)] = self._tail
        self._tail = tail

    def _seal(self) -> None:
        """Begin another chunk, and move one from memory to the file."""
        self._chunks.append(Block(np.frombuffer(self._tail, np.uint8)))
        self._tail = bytearray(CHUNK * _SIZE)
        oldest = self._spilled
        if oldest < len(self._chunks) - IN_MEMORY and self._chunks[oldest].spill(
            self.vocabulary.file
        ):
            self._spilled += 1

    def _chunk(self, number: int) -> bytearray | memoryview:
        # The tail is read first: another thread may be about to append it to the full chunks.
        tail = self._tail
        if number >= len(self._chunks):
            return tail
        known, chunk = self._read  # in one step: another thread may read another chunk
        if known != number:
            chunk = self._chunks[number].array().data
            self._read = number, chunk
        return chunk

    def _column(self, name: str, start: int, stop: int) -> NDArray[np.int64]:
        parts = []
        at = start
        while at < stop:
            number, offset = divmod(at, CHUNK)
            take = min(CHUNK - offset, stop - at)
            parts.append(
                np.frombuffer(self._chunk(number), _COLUMNS)[name][offset : offset + take].copy()
            )
            at += take
        return np.concatenate(parts) if parts else np.empty(0, np.int64)


class EventView(Sequence[Event]):
    """The Events of a log as a read-only sequence that grows with it: `view[0]` is Event 1.

    Another thread may read it while the log grows.

    Args:
        log: The log.
        after: The Event before the first of the view; 0 for all Events.

    Example:
        >>> from gradstep.history.log.vocabulary import Vocabulary
        >>> from gradstep.program.operation import Step
        >>> log = EventLog(Vocabulary(losses=()))
        >>> log.append(0, Step())
        1
        >>> [event.index for event in log.view()]
        [1]
    """

    __slots__ = ("_after", "_log")

    def __init__(self, log: EventLog, after: int = 0) -> None:
        self._log = log
        self._after = after

    def __len__(self) -> int:
        return len(self._log) - self._after

    @overload
    def __getitem__(self, position: int) -> Event: ...
    @overload
    def __getitem__(self, position: slice) -> list[Event]: ...
    def __getitem__(self, position: int | slice) -> Event | list[Event]:
        if isinstance(position, slice):
            first = self._after + 1
            return [self._log.event(at + first) for at in range(*position.indices(len(self)))]
        length = len(self)
        at = position + length if position < 0 else position
        if not 0 <= at < length:
            raise IndexError(f"there is no Event at position {position:,} of {length:,}")
        return self._log.event(self._after + at + 1)

    def columns(self, start: int, stop: int) -> EventColumns:
        """Return the Events at positions `start` to `stop - 1`, counted from 0, in columns."""
        return self._log.columns(self._after + start, self._after + stop)

    def __iter__(self) -> Iterator[Event]:
        return (self._log.event(index) for index in range(self._after + 1, len(self._log) + 1))
