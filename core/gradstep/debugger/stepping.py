"""Stepping: into an Operation, over and back through its micro-steps, and out of it.

The micro-steps come from the code that carries Operations out, on the live program, so that a
Snapshot shows the state of half-way. They are provisional: the History knows nothing of them. To
finish an Operation is to go back to where it was entered and to apply it as ever, or to go on to
its Event where it is in the record already; to go elsewhere (seek, apply another, fork, run) leaves
it as if it had not been entered, and what is refused, or only asked, does not leave it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from gradstep.debugger.cursor import Moments, quiet
from gradstep.debugger.inside import Inside
from gradstep.errors import GradStepError, OperationError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from gradstep.history.history import Branch
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.records.event import Event
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.micro_step import MicroStep
    from gradstep.program.operation import Operation

__all__ = ["Stepping"]

_Moved = TypeVar("_Moved")


class Stepping(Moments):
    """A cursor that can also stand inside an Operation."""

    _inside: Inside | None = None
    _finished: tuple[int, int, Inside] | None = None
    """The branch and the index of the Event that was last finished from inside, and the inside."""

    @property
    def position(self) -> tuple[int, int | None]:
        """The index of the last Event, 0 at the start; and how many micro-steps are taken.

        The second is None outside of an Operation, and counts from 1 inside of the one that comes
        after the Event.
        """
        return self._timeline.position, None if self._inside is None else self._inside.index

    @property
    def micro_step(self) -> MicroStep | None:
        """The micro-step just taken; None when no Operation was entered."""
        return None if self._inside is None else self._inside.step

    @quiet
    def step_into(self, operation: Operation | None = None) -> MicroStep | Event:
        """Take the next micro-step: of the Operation that was entered, or the first of another.

        Args:
            operation: What to enter; when None, the Operation that was entered is gone on with, or
                else the one that comes next is entered: in the past that of the recorded Event,
                which finishing it goes on to, and at the end of the record the loop's.

        Returns:
            The micro-step. After the last one, and for an Operation that has none, the Event of
            the whole Operation, whose outcome also tells of an error inside.

        Raises:
            OperationError: There is no Operation to enter.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> from gradstep.program.operation import Step
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "sum(100 * x)"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}'''))
            >>> _ = dbg.forward(), dbg.backward()
            >>> [dbg.step_into(Step()).title for _ in range(1)], dbg.position
            (['group 0'], (2, 1))
            >>> [dbg.step_into().title for _ in range(3)]
            ['x', 'update', 'param']
            >>> dbg.micro_step.formula.text, dbg.micro_step.outputs["param"].tolist()
            ('param - update', [0.8999999761581421, 1.899999976158142])
            >>> dbg.step_out().writes, dbg.position
            (('x',), (3, None))
        """
        if operation is None and self._inside is not None:
            return self._moved(self._inside.advance)
        self._leave()
        coming = self._coming() if operation is None else (operation, False)
        self._inside = Inside(self._program, *coming)
        return self._moved(self._inside.advance)

    @quiet
    def step_over(self) -> MicroStep | Event:
        """Take micro-steps until the present one and all that lies in it are done.

        Over a "parameter" that is to the next parameter, over a "module" to the next one beside
        it; over an Operation that was not entered, the whole of the one that comes next.

        Returns:
            The micro-step that comes next, or the Event when the Operation is done.

        Raises:
            OperationError: There is no Operation to go over.
        """
        inside = self._inside
        if inside is None:
            return self._finish(*self._coming())
        depth = inside.step.depth if inside.step else 0
        return self._moved(lambda: inside.pass_to(depth))

    @quiet
    def step_out(self) -> MicroStep | Event:
        """Take micro-steps until what the present one lies in is done.

        Out of a "term" that is to the next parameter, out of an "op" to what comes after its
        module; what lies in nothing but the Operation leads to the end of that.

        Returns:
            The micro-step that comes next, or the Event when the Operation is done: the same that
            applying the Operation gives.

        Raises:
            OperationError: No Operation was entered.
        """
        inside = self._inside
        if inside is None:
            raise OperationError("no Operation was entered", "step into one first")
        depth = inside.step.depth - 1 if inside.step else 0
        return self._moved(lambda: inside.pass_to(depth) if depth > 0 else None)

    # -- what leaves an Operation --------------------------------------------------------------

    @quiet
    def back(self) -> None:
        """Go one micro-step back; from the first, out of the Operation; else one Event back.

        Where an Operation was finished from inside, its last micro-step is before its Event.

        Raises:
            OperationError: There is nothing before.
        """
        inside = self._inside
        if inside is None:
            entered = self._entered
            super().back()
            if entered is not None:
                entered.recorded = True
                self._reenter(entered)
        elif inside.index > 1:
            self._guarded(lambda: inside.rewind(inside.index - 1))
        else:
            self._leave()

    def seek(self, event_index: int, *, should_stop: Callable[[], bool] | None = None) -> None:
        """Go to the moment after an Event, and out of an Operation that was entered.

        Args:
            event_index: The Event; 0 for the very start.
            should_stop: Asked now and then on a long way; True ends it at a moment before.

        Raises:
            OperationError: There is no such Event on this branch.
            ReplayError: A replay did not give what was recorded.
        """
        with self._leaving():
            super().seek(event_index, should_stop=should_stop)

    def fork(self, name: str = "") -> Branch:
        """Begin a new branch at the present moment, before an Operation that was entered."""
        with self._leaving():
            return super().fork(name)

    def checkout(self, branch: Branch | int) -> Branch:
        """Look at the end of another branch, and out of an Operation that was entered.

        Raises:
            OperationError: There is no such branch.
        """
        with self._leaving():
            return super().checkout(branch)

    def capture_snapshot(self, wanted: Collection[str] | None) -> Snapshot:
        """Return the present moment, that of half-way inside an Operation included.

        Args:
            wanted: Addresses whose whole arrays shall be in it; None for all.
        """
        snapshot = super().capture_snapshot(wanted)
        inside = self._inside
        if inside is None:
            return snapshot
        walked, progress = inside.progress.at(inside.index)
        return replace(
            snapshot,
            graphs=MappingProxyType(
                {
                    loss: replace(graph, progress=progress) if loss == walked else graph
                    for loss, graph in snapshot.graphs.items()
                }
            ),
            micro_step=inside.step,
            inside=inside.operation,
            micro_step_number=inside.index,
        )

    def _advancing(self) -> Callable[[Operation], AppliedEvent]:
        self._leave()
        return super()._advancing()

    def _leave(self) -> None:
        """Leave the Operation that was entered, if one was, as if it had not been entered."""
        inside, self._inside, self._finished = self._inside, None, None
        if inside is not None:
            inside.leave()
            self._camera.forget(inside.moved)

    @contextmanager
    def _leaving(self) -> Iterator[None]:
        """Leave the Operation that was entered, unless it is refused what is left for."""
        inside, here = self._inside, (self.branch, self._timeline.position)
        self._leave()
        try:
            yield
        except GradStepError:
            if inside is not None and (self.branch, self._timeline.position) == here:
                self._reenter(inside)
            raise

    @contextmanager
    def _outside(self) -> Iterator[None]:
        """Leave the Operation that was entered for as long as something else is done."""
        inside = self._inside
        with self._leaving():
            yield
        if inside is not None:
            self._reenter(inside)

    def _coming(self) -> tuple[Operation, bool]:
        """Return the Operation that comes next, and whether it is on record or the loop's."""
        if not self._timeline.is_at_end:
            return self.history.log.event(self._timeline.position + 1).operation, True
        operation = self._program.next_operation
        if operation is None:
            raise OperationError("the program has no loop", "name the Operation")
        return operation, False

    def _reenter(self, inside: Inside) -> None:
        """Stand inside an Operation again that was left, after the same micro-step."""
        self._inside = inside
        self._guarded(lambda: inside.rewind(inside.index))

    def _moved(self, move: Callable[[], MicroStep | None]) -> MicroStep | Event:
        """Move inside, or finish the Operation when there is nothing left of it."""
        inside = self._inside
        step = self._guarded(move)
        if step is not None or inside is None:
            return step  # type: ignore[return-value]  # there is an Inside to move in
        event = self._finish(inside.operation, inside.recorded)
        if inside.index:
            self._finished = self._timeline.branch.id, event.index, inside
        return event

    def _finish(self, operation: Operation, recorded: bool) -> Event:
        """Carry out an Operation as ever, or go on to its Event where that is on record."""
        self._leave()
        if not recorded:
            return self.apply(operation)
        self.seek(self._timeline.position + 1)
        return self.history.log.event(self._timeline.position)

    @property
    def _entered(self) -> Inside | None:
        """The inside of the present Event, where that was finished from inside."""
        here = self._timeline.branch.id, self._timeline.position
        return self._finished[2] if self._finished and self._finished[:2] == here else None

    def _guarded(self, move: Callable[[], _Moved]) -> _Moved:
        try:
            step = move()
        except BaseException:  # an interruption; the walk cannot go on from there
            self._leave()
            raise
        if self._inside is not None:
            self._camera.forget(self._inside.moved)
        return step
