"""Line: one branch of one program, to be compared, and the way to any of its moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gradstep.debugger.difference import values_of
from gradstep.program.files import HeldFiles
from gradstep.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.debugger.branch import Branch
    from gradstep.debugger.moments import Moments
    from gradstep.history.history import History

__all__ = ["Line", "Traveller", "line_of", "shared_event"]


class Line(NamedTuple):
    """What is compared: a branch, of whichever program.

    Attributes:
        name: What to call it.
        program: Its program; only read.
        history: Its Events.
        lineage: The branches it has come along, by id, and the last Event of each that it has.
        owner: What tells apart the Debuggers whose branches share Events.
    """

    name: str
    program: Program
    history: History
    lineage: Mapping[int, int]
    owner: object


class Traveller:
    """Goes through a line with a program of its own, so that nobody loses their place.

    Args:
        line: Where to.
    """

    def __init__(self, line: Line) -> None:
        self._history = line.history
        self._program = Program.from_spec(line.program.spec, files=HeldFiles(line.program.files))
        self._at: int | None = None

    def values(self, event: int) -> dict[str, NDArray[Any] | None]:
        """Return every value after an Event, by address.

        Raises:
            ReplayError: The way there does not give what was recorded.
        """
        before, self._at = self._at, None
        self._history.goto(self._program, event, live=before)
        self._at = event
        return values_of(self._program.capture())


def line_of(debugger: Moments, branch: Branch | None = None, name: str = "") -> Line:
    """Return a line to compare.

    Args:
        debugger: Whose it is.
        branch: Which of its branches; the one that is looked at when None.
        name: What to call it; what the branch is called, when empty.
    """
    branch = branch or debugger.branch
    ways = _lineage(debugger.branches, branch)
    return Line(name or branch.name, debugger.program, branch.history, ways, debugger)


def _lineage(branches: Sequence[Branch], branch: Branch) -> dict[int, int]:
    """Return the branches that one has come along, and the last Event of each that it has."""
    by_id = {item.id: item for item in branches}
    found, last = {branch.id: len(branch.history)}, branch.forked_at
    while branch.parent is not None:
        branch = by_id[branch.parent]
        found[branch.id] = last
        last = min(last, branch.forked_at)
    return found


def shared_event(a: Line, b: Line) -> int:
    """Return the last Event that two lines have from the same branch; 0 for none."""
    if a.owner is not b.owner:
        return 0
    common = a.lineage.keys() & b.lineage.keys()
    return max((min(a.lineage[name], b.lineage[name]) for name in common), default=0)
