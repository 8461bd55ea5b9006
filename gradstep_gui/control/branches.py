"""BranchController: the branches as the window shows them, and the commands that change them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.worker import commands
from gradstep_gui.worker.updates import (
    BranchesUpdate,
    ComparisonUpdate,
    GhostsUpdate,
    ProgressUpdate,
    RemediesUpdate,
    RemovedBranchesUpdate,
    ResumeCheckUpdate,
    ScriptUpdate,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path
    from typing import Any

    from gradstep.history.records.branch import BranchRecord
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.what_if import Edits
    from gradstep_gui.control.command_queue import CommandQueue
    from gradstep_gui.records import BranchComparison, Ghost
    from gradstep_gui.worker.debugger_host import DebuggerHost
    from gradstep_gui.worker.updates import Update

__all__ = ["BranchController"]


class BranchController(QObject):
    """The controller's part for branches; its commands return at once.

    Args:
        queue: Runs the commands.
        host: Keeps removed branches, and posts progress and ghosts.
        parent: Its owner.

    Attributes:
        records: Every branch.
        ghosts: The curves of the other branches, by branch id.
        ghosts_left_out: How many older branches have none, because there are too many.
        has_overlays: There are other seeds or sessions to draw, whether or not a plot shows them.
        comparison: The last comparison; None before the first.
        restorable: Names of the removed branches that can be restored, the latest last.
        handlers: What to do with each kind of update about branches.
    """

    branches_changed = Signal(object)
    """The branches or the current one have changed: a tuple of `BranchRecord`."""

    ghosts_changed = Signal(object)
    """The curves of other branches have changed: `Ghost` by branch id."""

    compared = Signal(object)
    """Two branches were compared: a `BranchComparison`."""

    resume_checked = Signal(object)
    """A resume check has ended: a `ResumeCheck`."""

    remedies_found = Signal(object)
    """The remedies that clear a finding: a tuple of `Remedy`."""

    scripted = Signal(object)
    """The current branch was written as a script: a `Script`."""

    removed = Signal(str)
    """A branch was removed: its name."""

    progressed = Signal(int, int)
    """How many Operations of a replay are done, and of how many."""

    def __init__(self, queue: CommandQueue, host: DebuggerHost, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = queue
        self._host = host
        self.records: tuple[BranchRecord, ...] = ()
        self.ghosts: Mapping[int, Ghost] = {}
        self.ghosts_left_out = 0
        self.has_overlays = False
        self.comparison: BranchComparison | None = None
        self.restorable: tuple[str, ...] = ()
        self.handlers: Mapping[type[Update], Callable[[Any], None]] = {
            BranchesUpdate: self._take_branches,
            RemovedBranchesUpdate: self._take_removed,
            GhostsUpdate: self._take_ghosts,
            ProgressUpdate: lambda update: self.progressed.emit(update.done, update.total),
            ComparisonUpdate: self._take_comparison,
            ScriptUpdate: lambda update: self.scripted.emit(update.script),
            RemediesUpdate: lambda update: self.remedies_found.emit(update.remedies),
            ResumeCheckUpdate: lambda update: self.resume_checked.emit(update.check),
        }

    def what_if(self, edits: Edits) -> None:
        """Replay the rest of the current branch with edits, and compare."""
        self._queue.begin(
            self.tr("replay the what-if"),
            "replaying",
            lambda debugger, stop: commands.what_if(debugger, edits, self._host.progress, stop),
        )

    def show_remedies(self, finding: Finding) -> None:
        """Try the remedies of a finding; `remedies_found` has those that clear it."""
        self._queue.begin(
            self.tr("find a remedy"),
            "replaying",
            lambda debugger, stop: commands.find_remedies(
                debugger, finding, self._host.progress, stop
            ),
        )

    def open_document(self, text: str) -> None:
        """Open an edited document of the program, brought to the current moment."""
        self._queue.begin(
            self.tr("open the edited program"),
            "replaying",
            lambda _, stop: self._host.open_document(text, stop),
        )

    def compare(self, branch: int) -> None:
        """Compare the current branch with another."""
        self._queue.begin(
            self.tr("compare"), "comparing", lambda debugger, _: commands.compare(debugger, branch)
        )

    def resume_check(self, at: int | None) -> None:
        """Check whether the run could have been interrupted and resumed.

        Args:
            at: The Event after which it is interrupted; None for half-way.
        """
        self._queue.begin(
            self.tr("run the resume check"),
            "replaying",
            lambda debugger, stop: commands.resume_check(debugger, at, self._host.progress, stop),
        )

    def write_script(self, *, test: bool) -> None:
        """Write the current branch as a PyTorch script, or as a test."""
        self._queue.query(
            self.tr("export"), lambda debugger, _: commands.write_script(debugger, test=test)
        )

    def checkout(self, branch: int) -> None:
        """Go to the end of another branch."""
        self._queue.submit(
            self.tr("switch to a branch"), lambda debugger: debugger.checkout(branch)
        )

    def rename(self, branch: int, name: str) -> None:
        """Rename a branch."""
        self._queue.submit(
            self.tr("rename a branch"), lambda debugger: debugger.branches.rename(branch, name)
        )

    def remove(self, branch: int) -> None:
        """Remove a branch; `restore` brings it back."""
        self._queue.submit(
            self.tr("remove a branch"),
            lambda debugger: self._host.remove_branch(debugger, branch),
        )

    def restore(self) -> None:
        """Restore the branch that was removed last."""
        self._queue.submit(self.tr("restore a branch"), self._host.restore_branch)

    def set_ghosts_wanted(self, columns: Collection[str]) -> None:
        """Set which columns of the other branches are drawn; none for no ghosts."""
        self._queue.want(self.tr("fetch curves"), lambda: self._host.want_ghosts(columns))

    def overlay(self, paths: Collection[Path]) -> None:
        """Draw the losses of other sessions."""
        self._queue.begin_call(
            self.tr("overlay sessions"), "loading", lambda: self._host.overlay(paths)
        )

    def run_seeds(self) -> None:
        """Run the program with other seeds, and draw their losses."""
        self._queue.begin(self.tr("run with other seeds"), "replaying", self._host.run_seeds)

    def clear_overlays(self) -> None:
        """Draw the losses of no other run."""
        self._queue.call(self.tr("remove overlays"), self._host.clear_overlays)

    def _take_branches(self, update: BranchesUpdate) -> None:
        self.records = update.branches
        self.branches_changed.emit(update.branches)

    def _take_removed(self, update: RemovedBranchesUpdate) -> None:
        is_news = len(update.names) > len(self.restorable)
        self.restorable = update.names
        if is_news:
            self.removed.emit(update.names[-1])

    def _take_ghosts(self, update: GhostsUpdate) -> None:
        self.ghosts, self.ghosts_left_out = update.ghosts, update.left_out
        self.has_overlays = update.has_overlays
        self.ghosts_changed.emit(update.ghosts)

    def _take_comparison(self, update: ComparisonUpdate) -> None:
        self.comparison = update.comparison
        self.compared.emit(update.comparison)
