"""WhatIf: replays the rest of a branch on a new one, with edits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.debugger.cursor import quiet
from gradstep.debugger.what_if.plan import ReplayPlan
from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gradstep.debugger.cursor import Cursor
    from gradstep.history.history import Branch
    from gradstep.program.operation import ExecutableOperation, Operation

__all__ = ["WhatIf"]


class WhatIf:
    """Tries what would have happened with other Operations or other values.

    Args:
        cursor: The live program's place in time; it returns to where it was.
    """

    __slots__ = ("_cursor",)

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    @quiet
    def run(
        self,
        at: int | None = None,
        *,
        skip: Sequence[int] = (),
        insert: Sequence[tuple[int, Operation]] = (),
        move: Sequence[tuple[int, int]] = (),
        set: Mapping[str, Any] | None = None,
        name: str = "",
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Branch:
        """Replay the rest of the current branch on a new one, with edits.

        The new branch forks at the moment before Event `at`. Every Operation recorded from there on
        is applied again to the state it then finds. The current branch and the current moment stay
        as they are. Iterations are numbered as on the current branch: a skipped Event leaves a
        `Skip` in its place, and inserted Operations are not part of the loop.

        The replay ends early at an Operation that fails and did not fail before, whose Event is
        then the last one of the new branch and has the reason; and when it is cancelled.

        Args:
            at: The first Event that is replayed; when None, the first one that is edited, or else
                the next one.
            skip: Events to skip.
            insert: Pairs of an Event and an Operation to insert before it; one more than the last
                Event inserts at the end.
            move: Pairs of an Event and the one to move it before.
            set: Values to set before Event `at`: `optimizer.lr` (of every group),
                `optimizer[1].lr`, `optimizer.kind`, or `a.batch_size` of data set `a`. What is
                recorded later, such as a scheduler's step, sets them again. The limits
                `optimizer.max_norm` and `optimizer.clip_value` replace those of all clippings that
                are recorded from there on.
            name: The name of the branch; a summary of the edits when empty.
            progress: Called after every Operation with the number done and the total.
            should_stop: Called before every Operation; True ends the branch there.

        Returns:
            The new branch, to check out or to compare.

        Raises:
            GradStepError: There is no such Event, a value cannot be set, or an inserted Operation
                cannot be applied where it is inserted. There is no new branch then.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * x"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
            >>> _ = dbg.iterate(3)
            >>> dbg.snapshot.parameters["x"].data.tolist()
            1.0
            >>> branch = dbg.what_if(at=5, set={"optimizer.lr": 0.5})
            >>> dbg.checkout(branch).name
            'lr 0.5 from #5'
            >>> dbg.snapshot.parameters["x"].data.tolist()
            0.0
        """
        cursor = self._cursor
        home, position = cursor.branches.current, cursor.position
        plan = ReplayPlan(
            home.history.log,
            cursor.document_program,
            at,
            skip=skip,
            insert=insert,
            move=move,
            set=set,
            present=position,
        )
        with cursor.outside():
            try:
                cursor.seek(plan.at - 1)
                self._try(plan.settings)
                branch = cursor.fork(name or plan.title)
                try:
                    self._follow(plan, progress, should_stop)
                except GradStepError:  # an inserted Operation cannot be applied there
                    cursor.checkout(home, position)
                    cursor.branches.remove(branch)
                    raise
                cursor.settle()
                cursor.monitor.settle()
            finally:
                cursor.checkout(home, position)
        return branch

    def _try(self, operations: Sequence[ExecutableOperation]) -> None:
        """Reject values that cannot be set before there is a branch on which they failed."""
        program = self._cursor.program
        state = program.capture()
        try:
            for operation in operations:
                program.run(operation)
        finally:
            program.restore(state)

    def _follow(
        self,
        plan: ReplayPlan,
        progress: Callable[[int, int], None] | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        """Apply the plan, up to an Operation that fails now and did not before."""
        apply = self._cursor.start_applying()
        for done, (operation, recorded) in enumerate(plan.operations(), 1):
            if should_stop is not None and should_stop():
                return
            applied = apply(operation)
            if not applied.outcome.ok and not plan.failed_before(recorded):
                return
            if progress is not None:
                progress(done, len(plan))
