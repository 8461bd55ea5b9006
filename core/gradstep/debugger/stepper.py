"""Stepper: into an Operation, over and back through its micro-steps, and out of it.

The micro-steps come from the code that carries out Operations, on the live program, so that a
Snapshot shows the state in the middle of one. Finishing an Operation restores the state before it
and applies it as usual, or seeks to its Event if it is already recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.cursor import quiet
from gradstep.debugger.operation_walk import OperationWalk
from gradstep.errors import OperationError
from gradstep.program.operation import loop_key
from gradstep.script.mirror import GrownError

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.debugger.cursor import Cursor
    from gradstep.history.records.event import Event
    from gradstep.program.micro_step import MicroStep
    from gradstep.program.operation import Operation

__all__ = ["Stepper"]


class Stepper:
    """Steps through the inside of Operations.

    Args:
        cursor: The live program's place in time.
    """

    __slots__ = ("_cursor",)

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    @property
    def micro_step(self) -> MicroStep | None:
        """The last micro-step; None outside of Operations."""
        walk = self._cursor.walk
        return None if walk is None else walk.step

    @quiet
    def into(self, operation: Operation | None = None) -> MicroStep | Event:
        """Take the next micro-step, or enter an Operation and take its first one.

        Args:
            operation: What to enter. When None, it continues in the Operation that was entered, or
                else enters the next one: in the past that of the next Event, at the end of the
                recording that of the loop.

        Returns:
            The micro-step. After the last one, and for an Operation that has none, the Event of
            the whole Operation, whose outcome also reports an error inside.

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
        cursor = self._cursor
        if operation is None and cursor.walk is not None:
            return self._advance(cursor.walk, cursor.walk.advance)
        cursor.leave()
        chosen = self._next_operation() if operation is None else (operation, False)
        walk = cursor.walk = OperationWalk(cursor.program, *chosen)
        return self._advance(walk, walk.advance)

    @quiet
    def over(self) -> MicroStep | Event:
        """Take micro-steps until the current one, and all inside it, are done.

        Stepping over a "parameter" goes to the next parameter, over a "module" to the next one
        beside it. Outside of Operations it takes the whole next one.

        Returns:
            The next micro-step, or the Event when the Operation is done.

        Raises:
            OperationError: There is no Operation to step over.
        """
        walk = self._cursor.walk
        if walk is None:
            return self._finish(*self._next_operation())
        depth = walk.step.depth if walk.step else 0
        return self._advance(walk, lambda: walk.pass_to(depth))

    @quiet
    def out(self) -> MicroStep | Event:
        """Take micro-steps until what contains the current one is done.

        Stepping out of a "term" goes to the next parameter, out of an "op" to what follows its
        module; out of what only the Operation contains, to the end of the Operation.

        Returns:
            The next micro-step, or the Event when the Operation is done: the same that applying
            the Operation returns.

        Raises:
            OperationError: No Operation was entered.
        """
        walk = self._cursor.walk
        if walk is None:
            raise OperationError("no Operation was entered", "step into one first")
        depth = walk.step.depth - 1 if walk.step else 0
        return self._advance(walk, lambda: walk.pass_to(depth) if depth > 0 else None)

    @quiet
    def back(self) -> None:
        """Go one micro-step back; from the first one, out of the Operation; else one Event back.

        Before an Event that was finished from inside comes its last micro-step.

        Raises:
            OperationError: This is the start.
        """
        cursor = self._cursor
        walk = cursor.walk
        if walk is None:
            self._event_back()
        elif walk.index > 1:
            cursor.move_inside(lambda: walk.rewind(walk.index - 1))
        else:
            cursor.leave()

    def _event_back(self) -> None:
        cursor = self._cursor
        finished = cursor.finished_walk
        if not cursor.position:
            raise OperationError(
                "this is the start of the run", "there is no Event to go back from"
            )
        cursor.seek(cursor.position - 1)
        if finished is not None:
            finished.recorded = True
            cursor.reenter(finished)

    def _next_operation(self) -> tuple[Operation, bool]:
        """Return the next Operation, and whether it is on record."""
        cursor = self._cursor
        if not cursor.is_at_end:
            return cursor.history.log.event(cursor.position + 1).operation, True
        operation = cursor.next_operation
        if operation is None:
            raise OperationError(
                *(
                    ("the recording of the script ends here", "go back")
                    if cursor.program.abilities.go_on
                    else ("the program has no loop", "name the Operation")
                )
            )
        return operation, False

    def _advance(
        self, walk: OperationWalk, move: Callable[[], MicroStep | None]
    ) -> MicroStep | Event:
        """Move inside, or finish the Operation when it has no more micro-steps."""
        step = self._cursor.move_inside(move)
        if step is not None:
            return step
        event = self._finish(walk.operation, walk.recorded)
        if walk.index:
            self._cursor.finished_walk = walk
        return event

    def _apply(self, operation: Operation) -> Event:
        """Apply an Operation, and first what a script turns out to have done before it."""
        cursor = self._cursor
        event = cursor.apply(operation)
        following = cursor.program.next_operation
        if event.outcome.ok and _is_another(event.operation, operation) and following == operation:
            return cursor.apply(operation)
        return event

    def _finish(self, operation: Operation, recorded: bool) -> Event:
        """Apply an Operation as usual, or go to its Event where it is on record."""
        cursor = self._cursor
        is_inside = cursor.walk is not None
        cursor.leave()
        if not recorded:
            try:
                return self._apply(operation)
            except GrownError as error:
                error.finishes = is_inside
                raise
        cursor.seek(cursor.position + 1)
        return cursor.history.log.event(cursor.position)


def _is_another(done: Operation, wanted: Operation) -> bool:
    return loop_key(done) != loop_key(wanted)
