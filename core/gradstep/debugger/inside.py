"""Inside: an Operation that is being looked at micro-step by micro-step, and is not done yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.progress import Progress
from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from gradstep.program.micro_step import MicroStep
    from gradstep.program.operation import Operation
    from gradstep.program.program import Program

__all__ = ["Inside"]


class Inside:
    """A walk through one Operation, from a captured state to which it always goes back.

    Args:
        program: The live program, standing before the Operation.
        operation: What to walk through.
        recorded: Whether it is the Operation of the Event that comes next.

    Attributes:
        operation: What is walked through.
        recorded: Whether finishing it is to go on to the Event that is there already.
        index: How many micro-steps have been taken.
        step: The last of them; None before the first.
        progress: How far it has got in the graph of a loss.
    """

    __slots__ = (
        "_before",
        "_program",
        "_walk",
        "index",
        "operation",
        "progress",
        "recorded",
        "step",
    )

    def __init__(self, program: Program, operation: Operation, recorded: bool = False) -> None:
        self.operation = operation
        self.recorded = recorded
        self.index = 0
        self.step: MicroStep | None = None
        self.progress = Progress(operation)
        self._program = program
        self._before = program.capture()
        self._walk = program.walk(operation)

    def advance(self) -> MicroStep | None:
        """Take a micro-step; None when there is no other, be it the end or an error."""
        try:
            step = next(self._walk, None)
        except GradStepError:  # a run raises it again, and the Event tells of it
            return None
        if step is not None:
            self.step = step
            self.index += 1
            self.progress.note(step)
        return step

    def rewind(self, index: int) -> None:
        """Stand after an earlier micro-step again: from the start, by as many as that."""
        self.leave()
        self._walk = self._program.walk(self.operation)
        self.index = 0
        self.progress = Progress(self.operation)
        while self.index < index and self.advance() is not None:
            pass

    def pass_to(self, depth: int) -> MicroStep | None:
        """Take micro-steps until one that lies in at most `depth` things; None when none does."""
        step = self.advance()
        while step is not None and step.depth > depth:
            step = self.advance()
        return step

    def go_to_last(self) -> None:
        """Stand after the last micro-step."""
        while self.advance() is not None:
            pass

    def leave(self) -> None:
        """Let the program stand before the Operation again, bit for bit."""
        self._walk.close()
        self._program.restore(self._before)
