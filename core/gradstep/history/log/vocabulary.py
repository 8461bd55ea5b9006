"""Vocabulary: values that repeat from Event to Event, stored once and numbered."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

from gradstep.history.log.checksum import row_bytes
from gradstep.history.reads_writes import ReadsWrites, reads_writes_of
from gradstep.history.records.event import Outcome
from gradstep.program.operation import Backward, Forward, SchedulerStep, Step, ZeroGrad
from gradstep.spill import Block, SpillFile

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from numpy.typing import NDArray

    from gradstep.history.records.event import Event
    from gradstep.program.operation import Operation

__all__ = ["EventNumbers", "Vocabulary"]

EventNumbers: TypeAlias = tuple[int, int, int, int, int, int, bool, float]
"""An Event: its Operation, what it read and wrote, its outcome and its rows by their numbers; the
iteration, the checksum, whether there is a loss, and the loss."""

# These are compared by value; others by their JSON, because in Python 1.0 equals True and lists
# cannot be hashed.
_PLAIN = frozenset((ZeroGrad, Forward, Backward, Step, SchedulerStep))

_REMEMBERED_ROWS = 1024
"""Batches that are stored once: those of the first epoch, which may repeat. Later ones are not
looked up."""

_PAGE = 1024
"""Batches in a page; full pages are in the temporary file, but for the last two."""

_ROW_BYTES = 8
"""Bytes of a row's number as `row_bytes` packs it."""

_REMEMBERED_READS_WRITES = 4096
"""Most tuples looked up by identity; programs return the same ones again and again."""


class Vocabulary:
    """Operations, outcomes, reads and writes, and rows by number; number 0 is the empty one.

    Args:
        losses: Names of the program's losses, needed to parse addresses.

    Attributes:
        operations: The Operations by number.
        outcomes: The outcomes by number.
        all_reads_writes: What Operations read and wrote, by number.
        alike: For each of those, the number of the first that concerns the same tensors.
        file: The temporary file for what a long run has too much of.

    Example:
        >>> words = Vocabulary(losses=("loss",))
        >>> [words.operation_id(Step(name)) for name in ("a", "b", "a")]
        [0, 1, 0]
        >>> words.rows(words.rows_id(row_bytes((4, 2))))
        (4, 2)
    """

    __slots__ = (
        "_alike",
        "_kept",
        "_losses",
        "_operation_by_identity",
        "_operation_ids",
        "_outcome_ids",
        "_page",
        "_pages",
        "_reads_writes_by_identity",
        "_reads_writes_by_value",
        "_row_ids",
        "alike",
        "all_reads_writes",
        "file",
        "operations",
        "outcomes",
    )

    def __init__(self, losses: Collection[str]) -> None:
        self._losses = frozenset(losses)
        self.operations: list[Operation] = []
        self._operation_ids: dict[Hashable, int] = {}
        self._operation_by_identity: dict[int, int] = {}
        self.outcomes: list[Outcome] = [Outcome()]
        self._outcome_ids: dict[Outcome, int] = {Outcome(): 0}
        self.all_reads_writes: list[ReadsWrites] = []
        self.alike: list[int] = []
        self._alike: dict[tuple[tuple[str, ...], ...], int] = {}
        self._reads_writes_by_value: dict[tuple[tuple[str, ...], tuple[str, ...]], ReadsWrites] = {}
        self._reads_writes_by_identity: dict[tuple[int, int], ReadsWrites] = {}
        self._kept: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        self.file = SpillFile()
        self._pages: list[tuple[Block, Block]] = []
        self._page: list[bytes] = []
        self._row_ids: dict[bytes, int] = {}
        self.reads_writes((), ())

    def numbers(self, event: Event) -> EventNumbers:
        """Return an Event by the numbers of its parts."""
        return (
            self.operation_id(event.operation),
            self.reads_writes(event.reads, event.writes).id,
            self.outcome_id(event.outcome),
            self.rows_id(row_bytes(event.rows)),
            event.iteration,
            event.checksum,
            event.loss is not None,
            nan if event.loss is None else event.loss,
        )

    def operation_id(self, operation: Operation) -> int:
        """Return the number of an Operation."""
        # A loop applies the same objects again and again, and hashing one costs more.
        number = self._operation_by_identity.get(id(operation))
        if number is not None:
            return number
        key = operation if type(operation) in _PLAIN else msgspec.json.encode(operation)
        number = self._operation_ids.get(key)
        if number is None:
            number = self._operation_ids[key] = len(self.operations)
            self.operations.append(operation)
            self._operation_by_identity[id(operation)] = number
        return number

    def outcome_id(self, outcome: Outcome) -> int:
        """Return the number of an Outcome; 0 is plain success."""
        number = self._outcome_ids.get(outcome)
        if number is None:
            number = self._outcome_ids[outcome] = len(self.outcomes)
            self.outcomes.append(outcome)
        return number

    def reads_writes(self, reads: tuple[str, ...], writes: tuple[str, ...]) -> ReadsWrites:
        """Return the ReadsWrites of these addresses, the same object every time."""
        # Hashing twenty addresses costs more than the rest of an Event, so tuples are looked up by
        # id first; they are kept alive, so that no id is reused.
        known = self._reads_writes_by_identity.get((id(reads), id(writes)))
        if known is not None:
            return known
        known = self._reads_writes_by_value.get((reads, writes))
        if known is None:
            known = reads_writes_of(len(self.all_reads_writes), reads, writes, self._losses)
            self.all_reads_writes.append(known)
            self.alike.append(self._alike.setdefault(known.tensors, known.id))
            self._reads_writes_by_value[reads, writes] = known
        if len(self._kept) < _REMEMBERED_READS_WRITES:
            self._kept.append((reads, writes))
            self._reads_writes_by_identity[id(reads), id(writes)] = known
        return known

    def rows_id(self, rows: bytes | None) -> int:
        """Return the number of a batch's rows, which `row_bytes` has packed; 0 for None."""
        if rows is None:
            return 0
        known = self._row_ids.get(rows)
        if known is not None:
            return known
        if len(self._page) == _PAGE:
            self._seal_rows()
        self._page.append(rows)
        number = len(self._pages) * _PAGE + len(self._page)
        if number <= _REMEMBERED_ROWS:
            self._row_ids[rows] = number
        return number

    def rows(self, number: int) -> tuple[int, ...] | None:
        """Return the rows with this number."""
        if not number:
            return None
        # The present page is read first: another thread may be about to append it to the full ones.
        present = self._page
        page, at = divmod(number - 1, _PAGE)
        if page >= len(self._pages):
            return tuple(_numbers(present[at]).tolist())
        values, ends = self._pages[page]
        start, stop = ends.part(at, at + 2).tolist()
        return tuple(values.part(start, stop).tolist())

    def _seal_rows(self) -> None:
        """Begin another page, and move the one before the last to the file."""
        values = _numbers(b"".join(self._page))
        if not len(values) or values.max() <= np.iinfo(np.uint16).max:
            values = values.astype(np.uint16)
        ends = np.cumsum([0, *map(len, self._page)]) // _ROW_BYTES
        self._pages.append((Block(values), Block(ends)))
        self._page = []
        for block in self._pages[-2] if len(self._pages) > 1 else ():
            block.spill(self.file)


def _numbers(rows: bytes) -> NDArray[np.uint64]:
    """Return packed rows as numbers."""
    return np.frombuffer(rows, "<u8")
