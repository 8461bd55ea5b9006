"""Timeline: a Program, the branches of its History, and the moment the Program stands at."""

from __future__ import annotations

from bisect import bisect
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import category

from gradstep.errors import OperationError
from gradstep.history.checkpoint import BUDGET_BYTES
from gradstep.history.history import Branch, DivergedError
from gradstep.history.records.branch import Fork

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.source import Source
    from gradstep.program.operation import Operation

__all__ = ["LONGEST_NAME", "Timeline"]

LONGEST_NAME = 200
"""Characters of a branch's name at most."""

_BREAKING = {"Cc", "Cs", "Zl", "Zp"}
"""Categories of characters that stand in no line of text: controls, halves, ends of lines."""


class Timeline:
    """The one owner of the cursor: the program always stands where `position` says.

    Args:
        source: The program, brought to `position`.
        branches: At least one.
        branch: Which of them is looked at.
        position: The index of the Event that is looked at.
        budget_bytes: The most memory that the Checkpoints of all branches may take.

    Attributes:
        source: The program.
        branches: Every branch, in the order in which they came.
        branch: The one that is looked at.
        position: The index of the Event that is looked at; 0 is the very start.
    """

    def __init__(
        self,
        source: Source,
        branches: Sequence[Branch],
        branch: int = 0,
        position: int = 0,
        budget_bytes: int = BUDGET_BYTES,
    ) -> None:
        self._budget_bytes = budget_bytes
        self.source = source
        self.branches = list(branches)
        self.branch = next(item for item in self.branches if item.id == branch)
        self.position = position
        self._next = 1 + max(item.id for item in self.branches)

    @property
    def history(self) -> History:
        """The History of the branch that is looked at."""
        return self.branch.history

    @property
    def is_at_end(self) -> bool:
        """Whether nothing was recorded after the present moment."""
        return self.position == len(self.branch.history.log)

    @property
    def budget_bytes(self) -> int:
        """The most memory that the Checkpoints of all branches may take."""
        return self._budget_bytes

    @budget_bytes.setter
    def budget_bytes(self, value: int) -> None:
        self._budget_bytes = value
        self._share_budget()

    def apply(self, operation: Operation) -> AppliedEvent:
        """Apply an Operation at the end of the branch."""
        history = self.history
        try:
            seen = history.record(self.source, operation)
        except BaseException:
            # An interruption may have left the program between two moments; what was recorded
            # tells which one is sound.
            self.position = len(history)
            self._stand()
            raise
        self.position = seen.index
        return seen

    def seek(self, index: int, should_stop: Callable[[], bool] | None = None) -> None:
        """Go to the moment after Event `index`.

        Args:
            index: The Event; 0 for the very start.
            should_stop: Asked now and then on a long way; True ends it at a moment before.

        Raises:
            OperationError: There is no such Event on this branch.
            DivergedError: The way there does not give what was recorded; the cursor then stands at
                the Checkpoint before it.
        """
        history = self.history
        if not 0 <= index <= len(history):
            raise OperationError(
                f"there is no Event {index:,}",
                f"the Events of this branch are 1 to {len(history):,}, and 0 is the start",
            )
        try:
            self.position = history.goto(self.source, index, self.position, should_stop)
        except DivergedError:
            self.position = history.nearest(index).index
            raise
        except BaseException:
            self._stand()
            raise

    def fork(self, name: str = "") -> Branch:
        """Begin a new branch at the present moment, and look at it.

        Raises:
            DivergedError: The way there does not give what was recorded; nothing is forked.
        """
        number, self._next = self._next, self._next + 1
        parent = self.branch
        try:
            history = parent.history.fork(self.source, self.position)
        except BaseException:
            self._stand()
            raise
        history.recorder, parent.history.recorder = parent.history.recorder, None
        self.branch = Branch(number, parent.id, self.position, name or f"branch {number}", history)
        self.branches.append(self.branch)
        self._share_budget()
        return self.branch

    def find(self, branch: int) -> Branch:
        """Return the branch with an id.

        Raises:
            OperationError: There is no such branch.
        """
        found = next((item for item in self.branches if item.id == branch), None)
        if found is None:
            known = ", ".join(f"{item.id} ({item.name})" for item in self.branches)
            raise OperationError(f"there is no branch {branch}", f"there are {known}")
        return found

    def checkout(self, branch: int, position: int | None = None) -> Branch:
        """Look at another branch.

        Args:
            branch: Its id.
            position: The Event to go to; the last one when None.

        Raises:
            OperationError: There is no such branch.
            DivergedError: The way there does not give what was recorded; the branch that was looked
                at still is.
        """
        found = self.find(branch)
        position = len(found.history) if position is None else position
        try:
            found.history.pick_up(self.source)
            found.history.goto(self.source, position)
        except BaseException:
            self._stand()
            raise
        if found is not self.branch:
            found.history.recorder, self.history.recorder = self.history.recorder, None
        self.branch, self.position = found, position
        self._share_budget()
        return found

    def rename(self, branch: int, name: str) -> Branch:
        """Call a branch otherwise.

        Args:
            branch: Its id.
            name: What to call it; spaces around it are left out.

        Raises:
            OperationError: There is no such branch, it cannot be called so, or another one is.
        """
        found, wanted = self.find(branch), name.strip()
        if not wanted or len(wanted) > LONGEST_NAME or _BREAKING & {*map(category, wanted)}:
            raise OperationError(
                f"a branch cannot be called {wanted[:40]!r}",
                f"give it a name of one line, of at most {LONGEST_NAME} characters",
            )
        other = next((item for item in self.branches if item.name == wanted), found)
        if other is not found:
            raise OperationError(
                f"branch {other.id} is called {wanted!r} already", "choose another name"
            )
        renamed = replace(found, name=wanted)
        self.branches[self.branches.index(found)] = renamed
        if self.branch is found:
            self.branch = renamed
        return renamed

    def remove(self, branch: int) -> Branch:
        """Take a branch away, and return it; of its Checkpoints the first and the last stay.

        Args:
            branch: Its id.

        Raises:
            OperationError: There is no such branch, it is the one looked at, or others leave it.
        """
        found = self.find(branch)
        if found is self.branch:
            raise OperationError(
                f"branch {found.id} ({found.name}) is the one that is looked at",
                "look at another one first" if len(self.branches) > 1 else "it is the only one",
            )
        leaving = [f"{item.id} ({item.name})" for item in self.branches if item.parent == branch]
        if leaving:
            raise OperationError(
                f"from branch {found.id} ({found.name}) others were forked: {', '.join(leaving)}",
                "remove those first",
            )
        self.branches.remove(found)
        found.history.checkpoints.budget_bytes = 0  # the memory is for those that are there
        self._share_budget()
        return found

    def restore(self, branch: Branch) -> None:
        """Put a branch back that was taken away.

        Args:
            branch: What `remove` returned.

        Raises:
            OperationError: It is there, or the branch that it leaves is not.
        """
        if any(item.id == branch.id for item in self.branches):
            raise OperationError(f"branch {branch.id} ({branch.name}) is there", "nothing is lost")
        if branch.parent is not None:
            self.find(branch.parent)
        self.branches.insert(bisect(self.branches, branch.id, key=lambda item: item.id), branch)
        self._share_budget()

    def forks(self) -> tuple[Fork, ...]:
        """Return where each of the other branches parts from the one that is looked at."""
        known = {branch.id: branch for branch in self.branches}
        # Of this branch and its ancestors: up to which Event each is the same as this one.
        shared, branch = {self.branch.id: len(self.history)}, self.branch
        while branch.parent is not None:
            shared[branch.parent] = min(branch.forked_at, shared[branch.id])
            branch = known[branch.parent]
        found = []
        for other in self.branches:
            index, branch = len(other.history), other
            while branch.id not in shared:
                index, branch = min(index, branch.forked_at), known[branch.parent or 0]
            index = min(index, shared[branch.id])
            if other is not self.branch and index < len(other.history):
                found.append(Fork(index, other.id, other.name))
        return tuple(found)

    def _stand(self) -> None:
        """Bring the program back to where the cursor is, after a way that was not gone to its end.

        Raises:
            DivergedError: That cannot be had again; the cursor is then at the Checkpoint before it.
        """
        try:
            self.history.goto(self.source, self.position)
        except DivergedError:
            self.position = self.history.nearest(self.position).index
            raise

    def _share_budget(self) -> None:
        """Give half of the memory to the branch looked at, and the other half to all others."""
        others = [branch for branch in self.branches if branch is not self.branch]
        for branch in others:
            branch.history.checkpoints.budget_bytes = self._budget_bytes // 2 // len(others)
        own = self._budget_bytes // 2 if others else self._budget_bytes
        self.history.checkpoints.budget_bytes = own
