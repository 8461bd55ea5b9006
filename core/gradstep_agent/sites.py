"""Where in the user's code something happens, looked up by the position in the bytecode.

A loop comes to the same calls again and again; their lines are computed once.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, FrameType


class Site:
    """A call in the user's code.

    Attributes:
        file: The file that it is in; "" outside of the user's code.
        line: Its line.
        loop_variables: The variables of the `for` loops around it, innermost first.
        places: The numbers of the places that were described, by what is done there.
        loss: The name of what is differentiated here; "" until that is known.
        passes: How many Backward passes were seen here.
        recent: The function, target, detail and place of the last Event here without values.
    """

    __slots__ = ("_code", "_loops", "file", "line", "loss", "passes", "places", "recent")

    def __init__(self, code: CodeType | None, file: str, line: int) -> None:
        self._code = code  # while it is alive, no other code has its id
        self._loops: tuple[str, ...] | None = None
        self.file = file
        self.line = line
        self.places: dict[Any, int] = {}
        self.loss = ""
        self.passes = 0
        self.recent: tuple[Any, Any, Any, int] = (None, None, None, -1)

    def loop_variables(self, frame: FrameType) -> tuple[str, ...]:
        """Return the variables of the loops around this site, innermost first.

        Args:
            frame: A frame that is at this site.
        """
        if self._loops is None:
            self._loops = _loops_around(frame)
        return self._loops

    def is_in_two_loops(self, frame: FrameType) -> bool:
        """Return whether a loop is around the loop that this site is in."""
        return len(self.loop_variables(frame)) > 1


class Sites:
    """Finds the sites of frames.

    Attributes:
        known: The sites so far, by the id of their code and the position in it.
    """

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], Site] = {}
        self._nowhere = Site(None, "", 0)

    def at(self, frame: FrameType | None) -> Site:
        """Return where a frame is now."""
        if frame is None:
            return self._nowhere
        code = frame.f_code
        key = (id(code), frame.f_lasti)
        site = self.known.get(key)
        if site is None:
            site = self.known[key] = Site(code, code.co_filename, frame.f_lineno)
        return site


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
