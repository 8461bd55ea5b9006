"""LoopCursor: the next line of a program's loop, and the number of complete iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.program.operation import loop_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.program.operation import Operation
    from gradstep.program.schema.program_spec import LoopLine

__all__ = ["LoopCursor"]


class LoopCursor:
    """A position in the loop.

    Args:
        lines: The lines of the loop; empty for a program without one.

    Attributes:
        iteration: The number of complete passes.
        position: The index of the next line.

    Example:
        >>> from gradstep.program.operation import Forward, Step
        >>> from gradstep.program.schema.program_spec import LoopLine
        >>> cursor = LoopCursor([LoopLine(Forward()), LoopLine(Step(), every=2)])
        >>> cursor.advance_past(Forward())
        >>> cursor.iteration, cursor.remaining()
        (1, (Forward(loss='loss', batch='next'), Step(optimizer='optimizer')))
    """

    __slots__ = ("_always", "_every", "_operations", "_targets", "iteration", "position")

    def __init__(self, lines: Sequence[LoopLine]) -> None:
        self._operations = tuple(line.operation for line in lines)
        self._every = tuple(line.every for line in lines)
        self._always = all(every == 1 for every in self._every)
        self._targets = tuple(loop_key(operation) for operation in self._operations)
        self.iteration = 0
        self.position = 0
        self._skip_idle_lines()

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The Operations of all lines."""
        return self._operations

    @property
    def next(self) -> Operation | None:
        """The next Operation; None without a loop."""
        return self._operations[self.position] if self._operations else None

    def remaining(self) -> tuple[Operation, ...]:
        """Return the Operations that complete the current iteration."""
        if self._always:
            return self._operations[self.position :] if self.position else self._operations
        return tuple(
            operation
            for index, operation in enumerate(self._operations)
            if index >= self.position and self._runs_now(index)
        )

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

    def _runs_now(self, index: int) -> bool:
        return (self.iteration + 1) % self._every[index] == 0

    def _skip_idle_lines(self) -> None:
        """Advance past lines that do not run in this iteration; every loop has one that runs."""
        while self._operations:
            if self.position == len(self._operations):
                self.position = 0
                self.iteration += 1
            elif self._runs_now(self.position):
                return
            else:
                self.position += 1
