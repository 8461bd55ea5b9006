"""The Operation that replaces the lines of the loop."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from gradstep.errors import OperationError, ProgramError
from gradstep.program.builder.loop_lines import check_lines, loop_cursor
from gradstep.program.operation_effect import OperationEffect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.program.operation import EditLoop, LoopLine
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["check_loop", "edit_loop"]

_LINE = re.compile(r"\$\.loop\[(\d+)\](\.\w+)?")


def edit_loop(live: LiveObjects, operation: EditLoop) -> OperationEffect:
    """Replace the lines of the loop; the iteration continues with the given line.

    Raises:
        OperationError: If the lines cannot be the loop of this program.
    """
    check_loop(live, operation)
    before = live.cursor
    cursor = loop_cursor(operation.lines, live)
    cursor.continue_from(before, operation.following)
    live.cursor = cursor
    return OperationEffect(message=_difference(before.lines, operation.lines))


def check_loop(live: LiveObjects, operation: EditLoop) -> None:
    """Check the lines of a new loop; nothing is changed.

    Raises:
        OperationError: If they cannot be the loop of this program.
    """
    if not operation.lines:
        raise OperationError("a loop needs a line", "switch the line off instead of removing it")
    if not 0 <= operation.following <= len(operation.lines):
        raise OperationError(
            f"there is no line {operation.following + 1}",
            f"the loop has {len(operation.lines)} lines",
        )
    try:
        check_lines(operation.lines, live)
    except ProgramError as error:
        message = error.message.removeprefix("$.loop: ")
        raise OperationError(_in_words(message), _in_words(error.remedy)) from None


def _in_words(text: str) -> str:
    """Return a text that names lines by their numbers, not by their places in a document."""
    return _LINE.sub(lambda found: f"line {int(found[1]) + 1} of the loop", text)


def _difference(old: Sequence[LoopLine], new: Sequence[LoopLine]) -> str:
    """Return what distinguishes two loops, in a few words; lines are counted from 1."""
    first = next(
        (index for index, (one, two) in enumerate(zip(old, new, strict=False)) if one != two),
        min(len(old), len(new)),
    )
    grown = len(new) - len(old)
    if grown == 1 and (*new[:first], *new[first + 1 :]) == tuple(old):
        return f"{_name(new[first])} inserted as line {first + 1}"
    if grown == -1 and (*old[:first], *old[first + 1 :]) == tuple(new):
        return f"{_name(old[first])} removed from line {first + 1}"
    if grown or first == len(old):
        return f"{len(old)} lines -> {len(new)} lines"
    if old[first + 1 :] == new[first + 1 :]:
        return _change(old[first], new[first], first)
    if Counter(map(repr, old)) == Counter(map(repr, new)):
        last = max(index for index in range(len(old)) if old[index] != new[index])
        start, end = (first, last) if old[first] == new[last] else (last, first)
        return f"{_name(old[start])} moved from line {start + 1} to line {end + 1}"
    return f"lines {first + 1} and later changed"


def _change(old: LoopLine, new: LoopLine, index: int) -> str:
    """Return how one line changed."""
    if old.enabled != new.enabled:
        switched = "on" if new.enabled else "off"
        return f"{_name(new)} in line {index + 1} switched {switched}"
    if old.operation != new.operation:
        return f"line {index + 1}: {old.operation!r} -> {new.operation!r}"
    return f"line {index + 1}, {_name(new)}, runs in other iterations"


def _name(line: LoopLine) -> str:
    return str(line.operation.__struct_config__.tag)
