"""Inside: an Operation that is being looked at micro-step by micro-step, and is not done yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.progress import Progress
from gradstep.errors import GradStepError
from gradstep.program.micro_step import MicroStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.program.operation import Operation
    from gradstep.program.program import Program

__all__ = ["Inside"]


class Inside:
    """A walk through one Operation, from a captured state to which it always goes back.

    A micro-step is made only for who looks at it, so that going back, which is to go again from
    the start, does not make those before once more. Between micro-steps that write nothing, as in a
    Forward, the program stands still, and going to and fro does not move it.

    Args:
        program: The live program, standing before the Operation.
        operation: What to walk through.
        recorded: Whether it is the Operation of the Event that comes next.

    Attributes:
        operation: What is walked through.
        recorded: Whether finishing it is to go on to the Event that is there already.
        index: How many micro-steps have been taken.
        step: The last of them; None before the first.
        progress: How far it has got in the graphs of losses.
        moved: Addresses at which the last move may have changed the program; None for all.
    """

    __slots__ = (
        "_before",
        "_program",
        "_standing",
        "_walk",
        "_walked",
        "_writes",
        "index",
        "moved",
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
        self.moved: frozenset[str] | None = frozenset()
        self._program = program
        self._before = program.capture()
        self._walk = program.walk(operation)
        self._walked = 0
        self._writes: list[tuple[str, ...] | None] = []
        self._standing: list[MicroStep | Callable[[], MicroStep]] = []

    def advance(self) -> MicroStep | None:
        """Take a micro-step; None when there is no other, be it the end or an error."""
        if self.index == self._walked:
            step = self._next()
            self.moved = _union([() if step is None else step.writes])
            return step
        self.moved = frozenset()
        return self._show(self.index + 1)

    def rewind(self, index: int) -> None:
        """Stand after an earlier micro-step again."""
        if self._walked - len(self._standing) < index <= self._walked:
            self.moved = frozenset()
            self._show(index)
            return
        self.leave()
        moved, self._walk = self.moved, self._program.walk(self.operation)
        for writes in self._writes[: index - 1]:
            step = self._given()
            if step is None:
                break
            self._take(step, writes)
        self.index = self._walked
        del self._writes[self.index :]
        self.progress.forget_after(self.index)
        self._next()
        self.moved = moved

    def pass_to(self, depth: int) -> MicroStep | None:
        """Take micro-steps until one that lies in at most `depth` things; None when none does."""
        moves = []
        step = self.advance()
        while step is not None and step.depth > depth:
            moves.append(self.moved)
            step = self.advance()
        self.moved = _union([*moves, self.moved])
        return step

    def leave(self) -> None:
        """Let the program stand before the Operation again, bit for bit."""
        self._walk.close()
        self._standing = []
        self.moved = _union(self._writes)
        self._walked = 0
        self._program.restore(self._before, self.moved)

    def _next(self) -> MicroStep | None:
        """Let the walk give one micro-step more."""
        self._writes.append(None)  # if it ends here, or is interrupted, nobody tells
        found = self._given()
        if found is None:
            return None
        step = found if isinstance(found, MicroStep) else found()
        self._writes[-1] = step.writes
        self.progress.note(step)
        self._take(step, step.writes)
        return self._show(self._walked)

    def _given(self) -> MicroStep | Callable[[], MicroStep] | None:
        """Return what the walk gives next; None at its end, be it the end or an error."""
        try:
            return next(self._walk, None)
        except GradStepError:  # a run raises it again, and the Event tells of it
            return None

    def _take(
        self, step: MicroStep | Callable[[], MicroStep], writes: tuple[str, ...] | None
    ) -> None:
        """Put a micro-step that the walk has given with those since which nothing was written."""
        if writes != ():
            self._standing.clear()
        self._standing.append(step)
        self._walked += 1

    def _show(self, index: int) -> MicroStep:
        """Look at a micro-step among those between which the program stands still."""
        place = index - self._walked - 1
        step = self._standing[place]
        if not isinstance(step, MicroStep):
            step = self._standing[place] = step()
        self.index, self.step = index, step
        return step


def _union(several: Iterable[Iterable[str] | None]) -> frozenset[str] | None:
    """Return all the addresses together; None where one is unknown."""
    found: set[str] = set()
    for addresses in several:
        if addresses is None:
            return None
        found.update(addresses)
    return frozenset(found)
