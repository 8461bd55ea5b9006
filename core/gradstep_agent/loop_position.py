"""Where a training loop stands: its iteration, and its epoch, without tracing a line.

A loop is seen only through the Operations in it. The *trail* of an Operation is the position in
each frame on the stack, the outermost first. As long as code runs forwards, the trail grows; when
it does not, some loop has begun again. Which loop, the source says: the loops around that line.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

from gradstep_agent.user_code import is_user_code

if TYPE_CHECKING:
    from types import CodeType, FrameType


class LoopPosition:
    """Counts iterations and epochs from the places where Operations happen."""

    def __init__(self) -> None:
        self.iteration = 0
        self.epoch = 0
        self._trail: list[int] | None = None
        self._outer: Any = None
        self._outer_loops: dict[tuple[CodeType, int], tuple[str, ...]] = {}

    def pass_operation(self, frame: FrameType) -> bool:
        """Note an Operation that every iteration has; return whether an iteration began.

        Args:
            frame: The person's frame that does it.
        """
        trail = _trail(frame)
        begins = self._trail is not None and not trail > self._trail
        self._trail = trail
        if begins:
            self.iteration += 1
        if begins or self.iteration == 0:
            outer = self._outer_value(frame)
            if self._outer is not None and outer is not None and outer != self._outer:
                self.epoch += 1
            self._outer = outer if outer is not None else self._outer
        return begins

    def _outer_value(self, frame: FrameType) -> tuple[object, ...] | None:
        """Return the loop variables of the loops around the innermost one; None without any."""
        names: list[tuple[FrameType, str]] = []
        current: FrameType | None = frame
        while current is not None:
            if is_user_code(current.f_code):
                names += [(current, name) for name in self._loop_variables(current)]
            current = current.f_back
        if len(names) < 2:  # noqa: PLR2004 - the innermost loop, and one around it
            return None
        return tuple(_identity(owner.f_locals.get(name)) for owner, name in names[1:])

    def _loop_variables(self, frame: FrameType) -> tuple[str, ...]:
        """Return the variables of the `for` loops around the line of a frame, innermost first."""
        key = (frame.f_code, frame.f_lineno)
        found = self._outer_loops.get(key)
        if found is None:
            found = self._outer_loops[key] = _loops_around(frame)
        return found


def _identity(value: object) -> object:
    """Return what tells one value of a loop variable from the next."""
    return value if isinstance(value, (int, float, str)) else id(value)


def _trail(frame: FrameType | None) -> list[int]:
    found = []
    while frame is not None:
        found.append(frame.f_lasti)
        frame = frame.f_back
    found.reverse()
    return found


def _loops_around(frame: FrameType) -> tuple[str, ...]:
    """Return the variables of the loops around a frame's line, read from its source."""
    source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    first, line = frame.f_code.co_firstlineno, frame.f_lineno
    if frame.f_code.co_name == "<module>":
        first = 0
    loops = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.For, ast.While)) and first <= node.lineno <= line <= _last(node)
    ]
    loops.sort(key=lambda node: node.lineno, reverse=True)
    return tuple(_variable(node) for node in loops)


def _last(node: ast.For | ast.While) -> int:
    """Return the last line of a loop's body; its `else` is not part of an iteration."""
    return node.body[-1].end_lineno or node.lineno


def _variable(node: ast.For | ast.While) -> str:
    if isinstance(node, ast.While):
        return ""
    names = [found.id for found in ast.walk(node.target) if isinstance(found, ast.Name)]
    return names[0] if names else ""
