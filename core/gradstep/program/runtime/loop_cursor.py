"""LoopCursor: the next line of a program's loop, and the number of complete iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.program.operation import Forward, loop_key

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gradstep.program.operation import LoopLine, Operation
    from gradstep.program.runtime.batch_iterator import BatchIterator

__all__ = ["LoopCursor"]


class LoopCursor:
    """A position in the loop.

    Lines that run by epochs run only in an iteration that has taken a batch: a batch that is held
    ends its epoch once.

    Args:
        lines: The lines of the loop; empty for a program without one.
        batches: The data whose epochs count; None without such data.
        losses: The losses whose Forward takes a batch of these data.

    Attributes:
        lines: The lines of the loop.
        iteration: The number of complete passes.
        position: The index of the next line.

    Example:
        >>> from gradstep.program.operation import Forward, LoopLine, Step
        >>> cursor = LoopCursor([LoopLine(Forward()), LoopLine(Step(), every=2)])
        >>> cursor.advance_past(Forward())
        >>> cursor.iteration, cursor.remaining()
        (1, (Forward(loss='loss', batch='next'), Step(optimizer='optimizer')))
    """

    __slots__ = (
        "_always",
        "_batches",
        "_begun_at",
        "_enabled",
        "_every",
        "_offsets",
        "_operations",
        "_takes_batch",
        "_targets",
        "iteration",
        "lines",
        "position",
    )

    def __init__(
        self,
        lines: Sequence[LoopLine],
        batches: BatchIterator | None = None,
        losses: Collection[str] = (),
    ) -> None:
        self.lines = tuple(lines)
        self._batches = batches
        self._takes_batch = tuple(
            isinstance(line.operation, Forward)
            and line.enabled
            and line.operation.batch == "next"
            and line.operation.loss in losses
            for line in lines
        )
        self._offsets = tuple(line.offset for line in lines)
        self._operations = tuple(line.operation for line in lines)
        self._every = tuple(line.every for line in lines)
        self._enabled = tuple(line.enabled for line in lines)
        self._always = all(every == 1 for every in self._every) and all(self._enabled)
        self._targets = tuple(loop_key(operation) for operation in self._operations)
        self.iteration = 0
        self.position = 0
        # None in recordings that lack it: there, held batches end their epoch again and again.
        self._begun_at: tuple[int, int] | None = self._place()
        self._skip_idle_lines()

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The Operations of all lines."""
        return self._operations

    @property
    def next(self) -> Operation | None:
        """The next Operation; None without a loop."""
        return self._operations[self.position] if self._operations else None

    @property
    def is_at_start(self) -> bool:
        """Whether no line of the current iteration that runs in it has been applied."""
        return bool(self._operations) and not any(
            self._runs_now(index) for index in range(self.position)
        )

    def state(self) -> list[int]:
        """Return the position and where in the data the iteration began, for `restore`."""
        return [self.iteration, self.position, *(self._begun_at or ())]

    def restore(self, state: Sequence[int]) -> None:
        """Restore a state; one that lacks where the iteration began is of an earlier version."""
        self.iteration, self.position, *place = state
        self._begun_at = (place[0], place[1]) if place else None

    def continue_from(self, other: LoopCursor, following: int) -> None:
        """Take the place of a cursor in a loop that was edited.

        Args:
            other: The cursor in the old lines.
            following: The index of the line that comes next; the number of lines if the iteration
                is complete.
        """
        self.iteration, self.position = other.iteration, following
        if other._batches is self._batches:
            self._begun_at = other._begun_at
        self._skip_idle_lines()

    def remaining(self) -> tuple[Operation, ...]:
        """Return the Operations that complete the current iteration."""
        if self._always:
            return self._operations[self.position :] if self.position else self._operations
        found, ahead = [], 0
        for index in range(self.position, len(self._operations)):
            # The next line is already known to run: Operations by hand since then do not count.
            if index == self.position or self._runs_now(index, ahead):
                found.append(self._operations[index])
                ahead += self._takes_batch[index]
        return tuple(found)

    @property
    def epochs(self) -> int | None:
        """The number of complete epochs of the data; None without data."""
        return None if self._batches is None else self._batches.epochs

    def advance_past(self, operation: Operation) -> None:
        """Advance past the next line that matches an applied Operation, if there is one."""
        operations, position = self._operations, self.position
        if not operations or operation.out_of_loop:
            return
        if operation is not operations[position]:
            wanted = loop_key(operation)
            for index in range(position, len(operations)):
                if self._targets[index] == wanted and self._runs_now(index):
                    position = index
                    break
            else:
                return
        self.position = position + 1
        if self._always:
            if self.position == len(operations):
                self.position = 0
                self.iteration += 1
        else:
            self._skip_idle_lines()

    def _runs_now(self, index: int, ahead: int = 0) -> bool:
        """Return whether a line runs in this iteration, once `ahead` more batches are used."""
        every = self._every[index]
        if not self._enabled[index]:
            return False
        if isinstance(every, int):
            return (self.iteration + 1 - self._offsets[index]) % every == 0
        if self._batches is None:
            return False
        if not ahead and self._begun_at == self._place():
            return False
        number, is_complete = self._batches.progress(ahead)
        return is_complete or (every != "epoch" and number % every[0] == 0)

    def _place(self) -> tuple[int, int]:
        """Return the place in the data whose epochs count."""
        return (0, 0) if self._batches is None else (self._batches.epoch, self._batches.position)

    def _skip_idle_lines(self) -> None:
        """Advance past lines that do not run in this iteration; every loop has one that runs."""
        while self._operations:
            if self.position == len(self._operations):
                self.position = 0
                self.iteration += 1
                if self._begun_at is not None:
                    self._begun_at = self._place()
            elif self._runs_now(self.position):
                return
            else:
                self.position += 1
