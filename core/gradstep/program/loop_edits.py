"""Edits of a loop's lines, each as the Operation that makes it.

Lines are counted from 0. The line that comes next stays the same one. If it is removed or moved
down, the line below it comes next, so no line that is still to run is skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gradstep.errors import OperationError
from gradstep.program.operation import EditLoop, LoopLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.program.operation import Operation

__all__ = [
    "insert_line",
    "move_line",
    "remove_line",
    "repeat_line",
    "replace_line",
    "switch_line",
]


def move_line(lines: Sequence[LoopLine], following: int, at: int, to: int) -> EditLoop:
    """Return the Operation that moves a line.

    Args:
        lines: The lines of the loop.
        following: The index of the line that comes next.
        at: The index of the line.
        to: Its index afterwards.

    Example:
        >>> from gradstep.program.operation import Forward, Step, ZeroGrad
        >>> lines = [LoopLine(ZeroGrad()), LoopLine(Forward()), LoopLine(Step())]
        >>> edit = move_line(lines, 1, 0, 2)
        >>> [type(line.operation).__name__ for line in edit.lines], edit.following
        (['Forward', 'Step', 'ZeroGrad'], 0)
    """
    others = [line for index, line in enumerate(lines) if index != at]
    moved = [*others[:to], lines[at], *others[to:]]
    if at == following:
        following = min(at, to)
    else:
        following -= at < following
        following += to <= following
    return EditLoop(lines=tuple(moved), following=following)


def insert_line(
    lines: Sequence[LoopLine], following: int, at: int, operation: Operation
) -> EditLoop:
    """Return the Operation that inserts a line; above the line that comes next, it comes next.

    Args:
        lines: The lines of the loop.
        following: The index of the line that comes next.
        at: The index of the new line.
        operation: What it does.

    Example:
        >>> from gradstep.program.operation import Backward
        >>> insert_line([LoopLine(Backward())], 0, 1, Backward()).following
        0
    """
    return _inserted(lines, following, at, LoopLine(operation))


def repeat_line(lines: Sequence[LoopLine], following: int, at: int) -> EditLoop:
    """Return the Operation that inserts a copy of a line below it."""
    return _inserted(lines, following, at + 1, lines[at])


def remove_line(lines: Sequence[LoopLine], following: int, at: int) -> EditLoop:
    """Return the Operation that removes a line.

    Raises:
        OperationError: If it is the only one.
    """
    if len(lines) == 1:
        raise OperationError("this is the only line of the loop", "insert another one first")
    kept = tuple(line for index, line in enumerate(lines) if index != at)
    return EditLoop(lines=kept, following=following - (at < following))


def switch_line(lines: Sequence[LoopLine], following: int, at: int) -> EditLoop:
    """Return the Operation that switches a line off, or on again.

    Example:
        >>> from gradstep.program.operation import Backward, Forward
        >>> switch_line([LoopLine(Forward()), LoopLine(Backward())], 0, 1).lines[1].enabled
        False
    """
    line = lines[at]
    switched = msgspec.structs.replace(line, enabled=not line.enabled)
    return replace_line(lines, following, at, switched)


def replace_line(lines: Sequence[LoopLine], following: int, at: int, line: LoopLine) -> EditLoop:
    """Return the Operation that puts another line in the place of one."""
    return EditLoop(lines=(*lines[:at], line, *lines[at + 1 :]), following=following)


def _inserted(lines: Sequence[LoopLine], following: int, at: int, line: LoopLine) -> EditLoop:
    return EditLoop(lines=(*lines[:at], line, *lines[at:]), following=following + (at < following))
