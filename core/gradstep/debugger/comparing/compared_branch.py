"""Line: one branch of one program, to be compared with another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.debugger.cursor import Moments
    from gradstep.history.history import Branch, History
    from gradstep.program.program import Program

__all__ = ["Line", "line_of", "shared_event"]


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
