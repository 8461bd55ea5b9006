"""What the worker thread does with branches: asks what-ifs, compares, and tells what there is.

Every method of `BranchHost` runs on the worker thread, beside those of `EngineHost`.
"""

from __future__ import annotations

import time
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.debugger.shadow_program import StoppedError
from gradstep.errors import GradStepError
from gradstep.history.records.branch import BranchRecord
from gradstep_gui.records import BranchComparison, Failure, Ghost, Script
from gradstep_gui.worker.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.what_if import Edits
    from gradstep_gui.records import Curves
    from gradstep_gui.worker.engine import BranchLike, Engine
    from gradstep_gui.worker.engine_worker import EngineWorker

__all__ = ["BranchHost"]

_FRAME_S = 1 / 30
"""Progress is told at most so often."""


class BranchHost:
    """The worker's side of everything about branches.

    Args:
        worker: Where to post.
        engine: Gives the open Debugger.
        post: Posts a picture of the present moment.
    """

    def __init__(
        self, worker: EngineWorker, engine: Callable[[], Engine], post: Callable[[], None]
    ) -> None:
        self._worker = worker
        self._engine = engine
        self._post = post
        self._columns: tuple[str, ...] = ()
        self._branches: tuple[BranchRecord, ...] | None = None
        self._ghosts: object = None
        self._told = 0.0
        self._removed: list[BranchLike] = []

    def begin(self) -> None:
        """Begin with another program."""
        self._removed = []
        self._tell_removed()

    def what_if(self, edits: Edits, should_stop: Callable[[], bool]) -> None:
        """Replay the rest of the branch otherwise, and compare what comes of it."""
        engine = self._engine()
        branch = engine.what_if(
            edits.at,
            skip=edits.skip,
            insert=edits.insert,
            move=edits.move,
            set=edits.set,
            name=edits.name,
            progress=self._progress,
            should_stop=should_stop,
        )
        self.compare(branch.id)
        events = branch.history.events
        if events and not events[-1].outcome.ok:
            self._worker.post(Delivery(failures=(_ended_early(events[-1]),)))

    def try_remedy(self, finding: Finding, should_stop: Callable[[], bool]) -> None:
        """Replay with the remedy of a finding, and compare what comes of it."""
        self.what_if(self._engine().trial(finding), should_stop)

    def compare(self, branch: int) -> None:
        """Compare the branch on show with another, and post what is found."""
        engine = self._engine()
        other = self._find(branch)
        found = engine.compare(engine.branch.id, branch)
        losses = tuple(f"loss/{name}" for name in engine.program.spec.losses)
        curves = tuple(self._curves(item, losses, 0) for item in (engine.branch, other))
        self._worker.post(
            Delivery(compared=BranchComparison(found, (engine.branch.id, branch), curves))
        )
        self._post()

    def resume_check(self, at: int | None, should_stop: Callable[[], bool]) -> None:
        """Check whether the run could have been resumed; post nothing when that is broken off."""
        with suppress(StoppedError):
            found = self._engine().resume_check(
                at, progress=self._progress, should_stop=should_stop
            )
            self._worker.post(Delivery(resume=found))
        self._post()

    def script(self, *, test: bool) -> None:
        """Post what is recorded on the branch on show as a script, or as a test."""
        engine = self._engine()
        text = engine.script(test=test)
        made = Script(text, test, engine.branch.name, len(engine.events))
        self._worker.post(Delivery(script=made))

    def checkout(self, branch: int) -> None:
        """Look at the end of another branch."""
        self._engine().checkout(branch)
        self._post()

    def rename(self, branch: int, name: str) -> None:
        """Call a branch otherwise."""
        self._engine().rename_branch(branch, name)
        self._post()

    def remove(self, branch: int) -> None:
        """Take a branch away, but keep it to be put back for as long as the program is open."""
        self._removed.append(self._engine().remove_branch(branch))
        self._tell_removed()
        self._post()

    def restore(self) -> None:
        """Put the branch back that was taken away last.

        Raises:
            GradStepError: There is none.
        """
        if not self._removed:
            raise GradStepError("no branch was removed", "remove one first")
        self._engine().restore_branch(self._removed[-1])
        self._removed.pop()
        self._tell_removed()
        self._post()

    def want_ghosts(self, columns: tuple[str, ...]) -> None:
        """Hand out these columns of the branches that are not on show; none for no ghosts."""
        self._columns = columns
        if self._branches is not None:  # a program is open
            self._post()

    def branches(self) -> tuple[BranchRecord, ...] | None:
        """Return every branch; None when nothing has changed since it was asked last."""
        engine = self._engine()
        names = {branch.id: branch.name for branch in engine.branches}
        loss = next(iter(engine.program.spec.losses), "")
        found = tuple(
            _record(branch, names, f"loss/{loss}", is_current=branch is engine.branch)
            for branch in engine.branches
        )
        if found == self._branches:
            return None
        self._branches = found
        return found

    def ghosts(self) -> Mapping[int, Ghost] | None:
        """Return the curves of the other branches; None when nothing has changed."""
        engine = self._engine()
        others = [branch for branch in engine.branches if branch is not engine.branch]
        now = (
            engine.branch.history,
            self._columns,
            tuple((branch.name, branch.history, len(branch.history.events)) for branch in others),
        )
        if now == self._ghosts:
            return None
        self._ghosts = now
        if not self._columns:
            return MappingProxyType({})
        found = {}
        for branch in others:
            shared = engine.shared_event(engine.branch.id, branch.id)
            found[branch.id] = Ghost(branch.name, self._curves(branch, self._columns, shared))
        return MappingProxyType(found)

    def _curves(self, branch: BranchLike, columns: tuple[str, ...], after: int) -> Curves:
        """Return x and y of columns, from the last row that had closed by an Event on."""
        series = branch.history.series
        start = max(0, series.rows_up_to(after) - 1) if after else 0
        return MappingProxyType(
            {name: series.column(name, start) for name in columns if name in series.names}
        )

    def _find(self, branch: int) -> BranchLike:
        found = next((item for item in self._engine().branches if item.id == branch), None)
        if found is None:
            raise GradStepError(f"there is no branch {branch}", "choose one that is listed")
        return found

    def _tell_removed(self) -> None:
        self._worker.post(Delivery(removed=tuple(branch.name for branch in self._removed)))

    def _progress(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done == total or now - self._told >= _FRAME_S:
            self._told = now
            self._worker.post(Delivery(progress=(done, total)))


def _ended_early(event: Event) -> Failure:
    """Return what is told when a what-if did not come to the end of what was recorded."""
    translate = QCoreApplication.translate
    task = translate("BranchHost", "replay the what-if to its end")
    words = translate("BranchHost", "event {number} failed: {message}")
    message = words.format(number=event.index, message=event.outcome.message)
    return Failure(task, GradStepError(message, event.outcome.remedy))


def _record(
    branch: BranchLike, names: Mapping[int, str], column: str, *, is_current: bool
) -> BranchRecord:
    series = branch.history.series
    events = branch.history.events
    iterations, loss = 0, None
    if column in series.names:
        x, y = series.column(column, max(0, series.rows_up_to(len(events)) - 1))
        iterations = int(x[-1]) if len(x) else 0
        loss = float(y[-1]) if len(y) and y[-1] == y[-1] else None
    return BranchRecord(
        branch.id,
        branch.name,
        "" if branch.parent is None else names.get(branch.parent, ""),
        branch.forked_at,
        len(events),
        iterations,
        loss,
        is_current,
    )
