"""Branches: which branches a program's recording has, where they fork, and which one is shown."""

from __future__ import annotations

from bisect import bisect, bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import category

from gradstep.errors import ArgumentError, OperationError
from gradstep.history.checkpoint import BUDGET_BYTES
from gradstep.history.history import Branch
from gradstep.history.records.branch import Fork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gradstep.history.history import History

__all__ = ["Branches"]

MAX_NAME_LENGTH = 200
"""Characters of a branch's name."""

MIN_MEMORY_BUDGET = 2**20
"""Bytes for Checkpoints; fewer could not hold two states of a small program."""

_LINE_BREAKING = {"Cc", "Cs", "Zl", "Zp"}
"""Unicode categories that a one-line name cannot contain: controls, surrogates, line ends."""


def _ignore() -> None:
    """Ignore a change."""


class Branches:
    """The branches of a Debugger, in the order in which they were made.

    Args:
        branches: At least one.
        current: The number of the branch that is shown.
        memory_budget: Bytes that the Checkpoints of all branches may take together.

    Attributes:
        current: The branch that is shown.
        changed: Called after a branch was renamed, removed or restored.

    Example:
        >>> from gradstep.debugger import Debugger
        >>> from gradstep.program.document.codec import decode
        >>> dbg = Debugger(decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "x * x"}},
        ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
        >>> _ = dbg.iterate(3)
        >>> branch = dbg.what_if(skip=(8,))
        >>> dbg.branches.rename(branch, "one step less").name
        'one step less'
        >>> [(fork.index, fork.name) for fork in dbg.branches.forks]
        [(7, 'one step less')]
        >>> removed = dbg.branches.remove(branch)
        >>> [item.name for item in dbg.branches]
        ['main']
        >>> dbg.branches.restore(removed)
        >>> len(dbg.branches), dbg.branches[1].name, dbg.branches.current.name
        (2, 'one step less', 'main')
    """

    __slots__ = ("_items", "_memory_budget", "_next", "changed", "current")

    def __init__(
        self, branches: Iterable[Branch], current: int = 0, memory_budget: int = BUDGET_BYTES
    ) -> None:
        self._items = list(branches)
        self._memory_budget = memory_budget
        self._next = 1 + max(item.id for item in self._items)
        self.current = self.find(current)
        self.changed: Callable[[], None] = _ignore

    def __iter__(self) -> Iterator[Branch]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Branch:
        return self._items[index]

    def __repr__(self) -> str:
        return f"Branches({', '.join(f'{item.id}: {item.name!r}' for item in self._items)})"

    def find(self, branch: Branch | int) -> Branch:
        """Return the branch with a number.

        Raises:
            OperationError: There is no such branch.
        """
        number = _number(branch)
        at = bisect_left(self._items, number, key=_number)
        if at < len(self._items) and self._items[at].id == number:
            return self._items[at]
        known = ", ".join(f"{item.id} ({item.name})" for item in self._items)
        raise OperationError(f"there is no branch {number}", f"the branches are {known}")

    def rename(self, branch: Branch | int, name: str) -> Branch:
        """Rename a branch.

        Args:
            branch: The branch, or its number.
            name: Its new name, in one line; surrounding spaces are dropped.

        Returns:
            The renamed branch.

        Raises:
            OperationError: There is no such branch, the name cannot be used, or another branch
                has it.
        """
        found, wanted = self.find(branch), name.strip()
        if not wanted or len(wanted) > MAX_NAME_LENGTH or _LINE_BREAKING & {*map(category, wanted)}:
            raise OperationError(
                f"a branch cannot be called {wanted[:40]!r}",
                f"use one line of at most {MAX_NAME_LENGTH} characters",
            )
        other = next((item for item in self._items if item.name == wanted), found)
        if other is not found:
            raise OperationError(
                f"branch {other.id} is already called {wanted!r}", "choose another name"
            )
        renamed = replace(found, name=wanted)
        self._items[self._items.index(found)] = renamed
        if self.current is found:
            self.current = renamed
        self.changed()
        return renamed

    def remove(self, branch: Branch | int) -> Branch:
        """Remove a branch that is not shown, with the Events that it alone has.

        Args:
            branch: The branch, or its number.

        Returns:
            The branch, for `restore`; it keeps its first and its last Checkpoint.

        Raises:
            OperationError: There is no such branch, it is shown, or others fork from it.
        """
        found = self.find(branch)
        if found is self.current:
            raise OperationError(
                f"branch {found.id} ({found.name}) is the current one",
                "check out another one first" if len(self._items) > 1 else "it is the only one",
            )
        children = [f"{item.id} ({item.name})" for item in self._items if item.parent == found.id]
        if children:
            raise OperationError(
                f"branches fork from branch {found.id} ({found.name}): {', '.join(children)}",
                "remove those first",
            )
        self._items.remove(found)
        found.history.checkpoints.budget_bytes = 0  # the others get its memory
        self._share_memory()
        self.changed()
        return found

    def restore(self, branch: Branch) -> None:
        """Restore a branch that `remove` returned.

        Raises:
            OperationError: It was not removed, or its parent was.
        """
        if any(item.id == branch.id for item in self._items):
            raise OperationError(
                f"branch {branch.id} ({branch.name}) was not removed", "restore a removed branch"
            )
        if branch.parent is not None:
            self.find(branch.parent)
        self._items.insert(bisect(self._items, branch.id, key=_number), branch)
        self._share_memory()
        self.changed()

    @property
    def forks(self) -> tuple[Fork, ...]:
        """Where each other branch with later Events forks from the current one."""
        shared = self.shared_events(self.current)
        return tuple(
            Fork(shared[other.id], other.id, other.name)
            for other in self._items
            if other is not self.current and shared[other.id] < len(other.history)
        )

    def shared_events(self, branch: Branch | int) -> Mapping[int, int]:
        """Return the last Event that a branch shares with each branch, by the branches' numbers.

        Args:
            branch: The branch, or its number.

        Raises:
            OperationError: There is no such branch.
        """
        shared = dict(self.lineage(branch))
        for other in self._items:  # parents come first
            if other.id not in shared:
                parent = other.parent
                shared[other.id] = 0 if parent is None else min(other.forked_at, shared[parent])
        return shared

    def lineage(self, branch: Branch | int) -> Mapping[int, int]:
        """Return the last Event that a branch shares with itself and each of its ancestors.

        Args:
            branch: The branch, or its number.

        Returns:
            Indices of Events, by the number of the branch.

        Raises:
            OperationError: There is no such branch.
        """
        item = self.find(branch)
        last = len(item.history)
        found = {item.id: last}
        while item.parent is not None:
            last = min(last, item.forked_at)
            item = self.find(item.parent)
            found[item.id] = last
        return found

    @property
    def memory_budget(self) -> int:
        """Bytes that the Checkpoints of all branches may take together.

        When they are used up, Checkpoints of the past are dropped, old ones first: a seek to long
        ago then replays more Events, and finds the same state.

        Raises:
            ArgumentError: It is set to less than a megabyte.
        """
        return self._memory_budget

    @memory_budget.setter
    def memory_budget(self, value: int) -> None:
        if value < MIN_MEMORY_BUDGET:
            raise ArgumentError(
                f"{value} bytes are too few for Checkpoints", f"use {MIN_MEMORY_BUDGET} or more"
            )
        self._memory_budget = value
        self._share_memory()

    # -- for the cursor ------------------------------------------------------------------------

    @property
    def next_number(self) -> int:
        """The number of the branch that is added next."""
        return self._next

    def add(
        self, parent: Branch, forked_at: int, name: str, history: History, number: int | None = None
    ) -> Branch:
        """Append a branch, and make it the current one.

        Args:
            parent: The branch it forks from.
            forked_at: The last Event that both share.
            name: Its name, to which a number is added when another branch has it; a numbered one
                when empty.
            history: Its Events.
            number: Its number, more than those before; the next one when None.
        """
        number = self._next if number is None else number
        self._next = number + 1
        name = self._free_name(name or f"branch {number}")
        branch = Branch(number, parent.id, forked_at, name, history)
        self._items.append(branch)
        self.select(branch)
        return branch

    def _free_name(self, wanted: str) -> str:
        """Return a name in one line that no other branch has."""
        line = "".join(" " if category(letter) in _LINE_BREAKING else letter for letter in wanted)
        taken = {item.name for item in self._items}
        names = (
            f"{line[: MAX_NAME_LENGTH - len(ending)]}{ending}"
            for ending in ("", *(f" ({turn})" for turn in range(2, len(taken) + 2)))
        )
        return next(name for name in names if name not in taken)

    def replace(self, branch: Branch, history: History, number: int) -> Branch:
        """Put a shorter History in the place of a branch that no other forks from.

        Args:
            branch: The branch.
            history: Its Events now.
            number: Its number now, more than those before.
        """
        self._next = number + 1
        shorter = Branch(number, branch.parent, branch.forked_at, branch.name, history)
        self._items.remove(branch)
        self._items.append(shorter)
        self.select(shorter)
        return shorter

    def select(self, branch: Branch) -> None:
        """Make a branch the current one, with most of the memory."""
        self.current = branch
        self._share_memory()

    def _share_memory(self) -> None:
        """Give half of the memory to the current branch, and the other half to all others."""
        others = [branch for branch in self._items if branch is not self.current]
        for branch in others:
            branch.history.checkpoints.budget_bytes = self._memory_budget // 2 // len(others)
        own = self._memory_budget // 2 if others else self._memory_budget
        self.current.history.checkpoints.budget_bytes = own


def shared_event(a: Mapping[int, int], b: Mapping[int, int]) -> int:
    """Return the last Event that two branches share, given their lineages; 0 for none.

    Example:
        >>> shared_event({2: 9, 1: 6, 0: 4}, {1: 8, 0: 4})
        6
    """
    return max((min(a[number], b[number]) for number in a.keys() & b.keys()), default=0)


def _number(branch: Branch | int) -> int:
    return branch.id if isinstance(branch, Branch) else branch
