"""OperationWalk: an Operation carried out micro-step by micro-step, and always undone again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.graph_progress import GraphProgressTracker
from gradstep.errors import GradStepError
from gradstep.program.micro_step import MicroStep
from gradstep.script.mirror import GrownError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.history.debuggee import Debuggee
    from gradstep.program.operation import Operation

__all__ = ["OperationWalk"]


class OperationWalk:
    """A walk through one Operation, which ends by restoring the state before it.

    Going back restores that state, and walks again from the start. Records of micro-steps are made
    only for those that are shown, so the earlier ones cost nothing then. Between micro-steps that
    write nothing, as in a Forward, the program does not change, and going back does not move it.

    Args:
        program: The live program, before the Operation.
        operation: What to walk through.
        recorded: Whether it is the Operation of the next Event on record.

    Attributes:
        operation: What is walked through.
        recorded: Whether finishing it seeks to an Event on record instead of applying it.
        index: How many micro-steps were taken.
        step: The last of them; None before the first.
        progress: How far the walk is in the graphs of losses.
        moved: Addresses at which the last move may have changed the program; None for all.
    """

    __slots__ = (
        "_before",
        "_given_back",
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

    def __init__(self, program: Debuggee, operation: Operation, recorded: bool = False) -> None:
        self.operation = operation
        self.recorded = recorded
        self.index = 0
        self.step: MicroStep | None = None
        by_modules = program.abilities.has_lines
        self.progress = GraphProgressTracker(operation, knows_forward=not by_modules)
        self.moved: frozenset[str] | None = frozenset()
        self._program = program
        self._before = program.capture()
        self._walk = program.walk(operation)
        self._walked = 0
        self._given_back: set[str] = set()
        self._writes: list[tuple[str, ...] | None] = []
        self._standing: list[MicroStep | Callable[[], MicroStep]] = []

    def advance(self) -> MicroStep | None:
        """Take the next micro-step; None at the end of the Operation, or at an error."""
        if self.index == self._walked:
            step = self._next()
            self.moved = _union([() if step is None else step.writes])
            return step
        self.moved = frozenset()
        return self._show(self.index + 1)

    def rewind(self, index: int) -> None:
        """Go back to an earlier micro-step."""
        if self._walked - len(self._standing) < index <= self._walked:
            self.moved = frozenset()
            self._show(index)
            return
        # Walking again gives the same bits, so only the steps in between make a difference.
        moved = _union(self._writes[index:] if self._walked else self._writes[:index])
        self.leave()
        self._walk = self._program.walk(self.operation)
        for writes in self._writes[: index - 1]:
            step = self._pull()
            if step is None:
                moved = None
                break
            self._take(step, writes)
        self.index = self._walked
        del self._writes[self.index :]
        self.progress.forget_after(self.index)
        self._next()
        self.moved = moved

    def pass_to(self, depth: int) -> MicroStep | None:
        """Take micro-steps up to one that is nested at most `depth` deep; None when none is."""
        moves = []
        step = self.advance()
        while step is not None and step.depth > depth:
            moves.append(self.moved)
            step = self.advance()
        self.moved = _union([*moves, self.moved])
        return step

    def leave(self) -> None:
        """Restore the state before the Operation, bit for bit."""
        self._walk.close()
        self._standing = []
        self.moved = _union(self._writes)
        self._walked = 0
        differs = None if self.moved is None else self.moved - self._given_back
        self._program.restore(self._before, differs)

    def _next(self) -> MicroStep | None:
        """Carry out one more micro-step."""
        self._writes.append(None)  # unknown if it ends here or is interrupted
        found = self._pull()
        if found is None:
            return None
        step = found if isinstance(found, MicroStep) else found()
        self._writes[-1] = step.writes
        self._given_back.update(step.given_back)
        self.progress.note(step)
        self._take(step, step.writes)
        return self._show(self._walked)

    def _pull(self) -> MicroStep | Callable[[], MicroStep] | None:
        """Return the next micro-step of the walk; None at its end, or at an error."""
        try:
            return next(self._walk, None)
        except GrownError as error:
            error.taken = self.index
            raise
        except GradStepError:  # applying it raises it again, for its Event
            return None

    def _take(
        self, step: MicroStep | Callable[[], MicroStep], writes: tuple[str, ...] | None
    ) -> None:
        """Append a micro-step to those since which nothing was written."""
        if writes != ():
            self._standing.clear()
        self._standing.append(step)
        self._walked += 1

    def _show(self, index: int) -> MicroStep:
        """Show one of the micro-steps between which the program does not change."""
        place = index - self._walked - 1
        step = self._standing[place]
        if not isinstance(step, MicroStep):
            step = self._standing[place] = step()
        self.index, self.step = index, step
        return step


def _union(several: Iterable[Iterable[str] | None]) -> frozenset[str] | None:
    """Return the union of sets of addresses; None when one is unknown."""
    found: set[str] = set()
    for addresses in several:
        if addresses is None:
            return None
        found.update(addresses)
    return frozenset(found)
