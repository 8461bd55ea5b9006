"""Replays the rest of a branch on a new one, with edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.cursor import quiet
from gradstep.debugger.what_if.plan import ReplayPlan
from gradstep.errors import GradStepError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.debugger.cursor import Cursor
    from gradstep.history.history import Branch
    from gradstep.history.records.what_if import Edits
    from gradstep.program.operation import ExecutableOperation
    from gradstep.program.program import Program

__all__ = ["replay_with_edits"]


@quiet
def replay_with_edits(
    cursor: Cursor,
    edits: Edits,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Branch:
    """Replay the rest of the current branch on a new one, with edits; see `Debugger.what_if`.

    Args:
        cursor: The live program's place in time; it returns to where it was.
        edits: The edits.
        progress: Called after every Operation with the number done and the total.
        should_stop: Called before every Operation; True ends the branch there.

    Returns:
        The new branch.

    Raises:
        GradStepError: There is no such Event, a value cannot be set, or an inserted Operation
            cannot be applied where it is inserted. There is no new branch then.
    """
    home, position = cursor.branches.current, cursor.position
    plan = ReplayPlan(home.history.log, cursor.document_program, edits, position)
    with cursor.outside():
        try:
            cursor.seek(plan.at - 1)
            _try(cursor.document_program, plan.settings)
            branch = cursor.fork(edits.name or plan.title)
            try:
                _follow(cursor, plan, progress, should_stop)
            except GradStepError:  # an inserted Operation cannot be applied there
                cursor.checkout(home, position)
                cursor.branches.remove(branch)
                raise
            cursor.settle()
            cursor.monitor.settle()
        finally:
            cursor.checkout(home, position)
    return branch


def _try(program: Program, operations: Sequence[ExecutableOperation]) -> None:
    """Reject values that cannot be set before there is a branch on which they failed."""
    state = program.capture()
    try:
        for operation in operations:
            program.run(operation)
    finally:
        program.restore(state)


def _follow(
    cursor: Cursor,
    plan: ReplayPlan,
    progress: Callable[[int, int], None] | None,
    should_stop: Callable[[], bool] | None,
) -> None:
    """Apply the plan, up to an Operation that fails now and did not before."""
    apply = cursor.start_applying()
    for done, (operation, recorded) in enumerate(plan.operations(), 1):
        if should_stop is not None and should_stop():
            return
        applied = apply(operation)
        if not applied.outcome.ok and not plan.failed_before(recorded):
            return
        if progress is not None:
            progress(done, len(plan))
