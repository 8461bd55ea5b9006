"""The window's side of branches: asks for what-ifs and comparisons, and tells the views of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep_gui.worker.engine_worker import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from gradstep.history.records.branch import BranchRecord
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.what_if import Edits
    from gradstep_gui.records import BranchComparison, Ghost
    from gradstep_gui.worker.branch_host import BranchHost
    from gradstep_gui.worker.delivery import Delivery

__all__ = ["BranchController"]


class BranchController(QObject):
    """What can be asked about branches, and what came of it.

    Args:
        host: Does it, on the worker thread.
        submit: Puts a task at the end of the worker's queue.
        begin_long: Likewise, for one that takes long and can be stopped.
        parent: Its owner.
    """

    branches_changed = Signal(object)
    """There are other branches, or another one is looked at: a tuple of `BranchRecord`."""

    ghosts_changed = Signal(object)
    """The other branches have other curves: a mapping of their ids to `Ghost`."""

    compared = Signal(object)
    """Two branches were compared: a `BranchComparison`."""

    resume_checked = Signal(object)
    """A resume check has come to its end: a `ResumeCheck`."""

    scripted = Signal(object)
    """What is recorded was written as a script, as was asked for: a `Script`."""

    removed = Signal(str)
    """A branch was taken away: its name."""

    progressed = Signal(int, int)
    """So many Operations of a what-if or a check are done, of so many."""

    def __init__(
        self,
        host: BranchHost,
        submit: Callable[[Task], None],
        begin_long: Callable[[Task], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._host = host
        self._submit = submit
        self._begin_long = begin_long
        self.records: tuple[BranchRecord, ...] = ()
        self.ghosts: Mapping[int, Ghost] = {}
        self.comparison: BranchComparison | None = None
        self.restorable: tuple[str, ...] = ()

    def what_if(self, edits: Edits) -> None:
        """Replay the rest of the branch on show with something done otherwise, and compare."""
        self._begin_long(
            Task(
                self.tr("replay what-if"),
                lambda stop: self._host.what_if(edits, stop),
                kind="replaying",
            )
        )

    def try_remedy(self, finding: Finding) -> None:
        """Replay with the remedy of a finding, and compare."""
        self._begin_long(
            Task(
                self.tr("try the remedy"),
                lambda stop: self._host.try_remedy(finding, stop),
                kind="replaying",
            )
        )

    def compare(self, branch: int) -> None:
        """Compare the branch on show with another."""
        self._begin_long(
            Task(self.tr("compare"), lambda _: self._host.compare(branch), kind="comparing")
        )

    def resume_check(self, at: int | None) -> None:
        """Check whether the run could have been broken off and resumed.

        Args:
            at: The Event after which it is broken off; None for half-way.
        """
        self._begin_long(
            Task(
                self.tr("check a resume"),
                lambda stop: self._host.resume_check(at, stop),
                kind="replaying",
            )
        )

    def write_script(self, *, test: bool) -> None:
        """Write what is recorded on the branch on show as a script, or as a test."""
        self._submit(Task(self.tr("export"), lambda _: self._host.script(test=test)))

    def checkout(self, branch: int) -> None:
        """Look at the end of another branch."""
        self._submit(Task(self.tr("look at a branch"), lambda _: self._host.checkout(branch)))

    def rename(self, branch: int, name: str) -> None:
        """Call a branch otherwise."""
        self._submit(Task(self.tr("rename a branch"), lambda _: self._host.rename(branch, name)))

    def remove(self, branch: int) -> None:
        """Take a branch away; `restore` puts it back."""
        self._submit(Task(self.tr("remove a branch"), lambda _: self._host.remove(branch)))

    def restore(self) -> None:
        """Put the branch back that was taken away last."""
        self._submit(Task(self.tr("bring a branch back"), lambda _: self._host.restore()))

    def set_ghosts_wanted(self, columns: Collection[str]) -> None:
        """Say which columns of the other branches are drawn; none for no ghosts."""
        wanted = tuple(columns)
        self._submit(Task(self.tr("fetch curves"), lambda _: self._host.want_ghosts(wanted)))

    def take(self, delivery: Delivery) -> None:
        """Take what the worker has posted."""
        if delivery.listing is not None:
            self.comparison = None  # it was of another program
        if delivery.branches is not None:
            self.records = delivery.branches
            self.branches_changed.emit(delivery.branches)
        if delivery.removed is not None:
            is_news = len(delivery.removed) > len(self.restorable)
            self.restorable = delivery.removed
            if is_news:
                self.removed.emit(delivery.removed[-1])
        if delivery.ghosts is not None:
            self.ghosts = delivery.ghosts
            self.ghosts_changed.emit(delivery.ghosts)
        if delivery.progress is not None:
            self.progressed.emit(*delivery.progress)
        if delivery.compared is not None:
            self.comparison = delivery.compared
            self.compared.emit(delivery.compared)
        if delivery.script is not None:
            self.scripted.emit(delivery.script)
        if delivery.resume is not None:
            self.resume_checked.emit(delivery.resume)
