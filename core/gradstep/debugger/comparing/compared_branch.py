"""ComparedBranch: one side of a comparison; every module of this package takes two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gradstep.debugger.branches import shared_event

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.debugger.branches import Branches
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import Branch, History

__all__ = ["ComparedBranch"]


class ComparedBranch(NamedTuple):
    """A branch to compare.

    Attributes:
        name: Its name in the comparison.
        program: Its program; only read.
        history: Its Events.
        id: Its number among the branches of its recording.
        lineage: The last Event that it shares with each of its ancestors and itself, by number.
        branches: All branches of its recording: only these share Events.
    """

    name: str
    program: Debuggee
    history: History
    id: int
    lineage: Mapping[int, int]
    branches: Branches

    @classmethod
    def of(
        cls, program: Debuggee, branches: Branches, branch: Branch | int, name: str = ""
    ) -> ComparedBranch:
        """Return a branch of a recording.

        Args:
            program: The program that was recorded.
            branches: All its branches.
            branch: One of them, or its number.
            name: Its name in the comparison; the branch's own when empty.

        Raises:
            OperationError: There is no such branch.
        """
        found = branches.find(branch)
        lineage = branches.lineage(found)
        return cls(name or found.name, program, found.history, found.id, lineage, branches)

    def is_related(self, other: ComparedBranch) -> bool:
        """Whether both are branches of one recording."""
        return self.branches is other.branches

    def shared_event(self, other: ComparedBranch) -> int:
        """Return the last Event that both share; 0 for none."""
        return shared_event(self.lineage, other.lineage) if self.is_related(other) else 0
