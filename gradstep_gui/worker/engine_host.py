"""What the worker thread does with the Debugger, and what it tells the window about it.

Every method of `EngineHost` runs on the worker thread, called by the tasks that the controller
submits. It holds the Debugger, knows which arrays and columns the views want, and posts Deliveries.
"""

from __future__ import annotations

import bisect
import time
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.debugger.shadow_program import StoppedError
from gradstep.errors import GradStepError, SessionError
from gradstep_gui.records import Document, ExplainAnswer, Failure
from gradstep_gui.worker.autosave import Autosave, remove_leftover
from gradstep_gui.worker.branch_host import BranchHost
from gradstep_gui.worker.break_state import BreakState
from gradstep_gui.worker.delivery import Delivery
from gradstep_gui.worker.program_host import ProgramHost
from gradstep_gui.worker.series_feed import SeriesFeed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from gradstep.history.records.event import Event
    from gradstep.program.operation import Operation
    from gradstep_gui.worker.engine import Engine, Reason
    from gradstep_gui.worker.engine_worker import EngineWorker

__all__ = ["EngineHost"]

FRAME_S = 1 / 60
"""A run posts at most one picture in this time: the window cannot show more."""


class EngineHost:
    """The worker's side of the controller.

    Args:
        worker: Where to post.
        open_engine: Opens a program or a session.
        recordings: Where programs are recorded while they are open; None for nowhere.
    """

    def __init__(
        self,
        worker: EngineWorker,
        open_engine: Callable[[Path], Engine],
        recordings: Path | None = None,
    ) -> None:
        self._worker = worker
        self._open = open_engine
        self._debugger: Engine | None = None
        self._path: Path | None = None
        self._saved: object = None
        self._stamp: object = None
        self._document: Document | None = None
        self._wanted: frozenset[str] = frozenset()
        self._autosave = Autosave(recordings)
        self._feed = SeriesFeed()
        self._breaks = BreakState()
        self._last_post = 0.0
        self._left = 0
        self.branching = BranchHost(worker, lambda: self.debugger, self.post)
        self.programs = ProgramHost(worker, lambda: (self.debugger, self._path), self.adopt)
        self._memory: int | None = None

    @property
    def debugger(self) -> Engine:
        """The open Debugger; an error when nothing is open."""
        if self._debugger is None:
            raise GradStepError("no program is open", "open one with File > Open or File > New")
        return self._debugger

    @property
    def is_open(self) -> bool:
        """True when there is a Debugger."""
        return self._debugger is not None

    def open(self, path: Path, *, as_copy: bool = False) -> None:
        """Open a program or a session; when that fails, what was open stays open.

        Args:
            path: The file.
            as_copy: True to forget the path, as for a bundled program, so that Save asks for one.
        """
        self.adopt(self._open(path), None if as_copy else path)

    def adopt(self, debugger: Engine, path: Path | None, *, is_saved: bool = True) -> None:
        """Take a Debugger for the open one.

        Args:
            debugger: Of another program.
            path: The file it is of; None when there is none that may be saved to.
            is_saved: Whether a file holds all that is in it.
        """
        if self._memory is not None:
            debugger.memory_budget = self._memory
        self._debugger, self._path = debugger, path
        self._breaks = BreakState()
        self.branching.begin()
        self._stamp = None if path is None else _stamp(path)
        self._saved = self._mark() if is_saved else None
        # First: who is told of another program forgets the one before, and then sees its moment.
        self._worker.post(Delivery(listing=debugger.listing))
        self.post()
        try:
            self._autosave.begin(debugger)
        except SessionError as error:
            task = QCoreApplication.translate("EngineHost", "record what happens")
            self._worker.post(Delivery(failures=(Failure(task, error),)))

    def recover(self, path: Path) -> None:
        """Open a recording that a process left behind, as something unsaved.

        It is removed as soon as another recording has all that is in it.
        """
        self.open(path, as_copy=True)
        self._saved = None
        self.post()
        if self._autosave.is_recording:
            remove_leftover(path)

    def close(self) -> None:
        """Drop the recording: nothing is left to be recovered."""
        self._autosave.end()

    def apply(self, operation: Operation) -> None:
        """Apply one Operation; an error it raises is the Event's outcome, not ours."""
        self._post_refused(self.debugger.apply(operation))
        self.post()

    def apply_next(self) -> None:
        """Apply the Operation that comes next in the loop, as the worker sees it now."""
        operation = self.debugger.program.next_operation
        if operation is None:
            raise GradStepError("this program has no loop", "press one of the four buttons instead")
        self.apply(operation)

    def enter(self, operation: Operation) -> None:
        """Take the first micro-step of an Operation."""
        self._walk(lambda: self.debugger.step_into(operation))

    def step_into(self, choose: Callable[[Operation], Operation]) -> None:
        """Take the next micro-step, or enter what comes next.

        Args:
            choose: Makes of the loop's next Operation what the person wants of it.
        """
        self._walk(lambda: self.debugger.step_into(self._coming(choose)))

    def step_over(self, choose: Callable[[Operation], Operation]) -> None:
        """Take micro-steps until all that lies in the present one is done, or apply what comes.

        Args:
            choose: Makes of the loop's next Operation what the person wants of it.
        """
        debugger, coming = self.debugger, self._coming(choose)
        self._walk(lambda: debugger.apply(coming) if coming else debugger.step_over())

    def step_out(self) -> None:
        """Take micro-steps until what the present one lies in is done."""
        self._walk(self.debugger.step_out)

    def back(self) -> None:
        """Go one micro-step back, or outside of an Operation one Event."""
        self.debugger.back()
        self.post()

    def seek(self, index: int, should_stop: Callable[[], bool]) -> None:
        """Go to the moment after Event `index`, unless the person wants to be elsewhere already.

        On a long way the moments that it leads to are shown for as long as the person changes
        their mind, so that a slider that is dragged shows something.
        """
        if should_stop():
            return
        self.debugger.seek(index, should_stop=should_stop)
        self.post()

    def run(
        self,
        count: int,
        choose: Callable[[Operation], Operation] | None,
        should_stop: Callable[[], bool],
    ) -> None:
        """Run the program's loop, posting a picture whenever the window has taken the last."""
        self._left = count
        self._go(lambda: self._run(count, choose, should_stop))

    def go_on(
        self, choose: Callable[[Operation], Operation] | None, should_stop: Callable[[], bool]
    ) -> None:
        """Run what is left of the iterations of a run that was interrupted."""
        if self._left:
            self.run(self._left, choose, should_stop)

    def run_back(self, should_stop: Callable[[], bool]) -> None:
        """Go back to the last moment at which a breakpoint is hit."""
        self._go(lambda: self.debugger.run_back(should_stop=should_stop))

    def edit_breaks(self, edit: Callable[[Engine], object]) -> None:
        """Change breakpoints or watches."""
        edit(self.debugger)
        self.post()

    def who_changed(self, address: str, should_stop: Callable[[], bool]) -> None:
        """Go to the Event that wrote a value last.

        Raises:
            GradStepError: None has, up to the moment on show.
        """
        event = self.debugger.who_changed(address, should_stop=should_stop)
        if event is None:
            message = QCoreApplication.translate("EngineHost", "no event up to here has written it")
            raise GradStepError(message)
        self.seek(event, should_stop)

    def seek_iteration(self, iteration: int, should_stop: Callable[[], bool]) -> None:
        """Go to the moment when `iteration` iterations were complete, or as near as there is."""
        events = self.debugger.events
        place = bisect.bisect_left(events, iteration, key=lambda event: event.iteration)
        self.seek(place, should_stop)

    def save(self, path: Path) -> None:
        """Save everything as a session, but not over what somebody else has saved meanwhile.

        Raises:
            SessionError: The file is no longer the one that was opened or saved here.
        """
        if path == self._path and path.exists() and _stamp(path) != self._stamp:
            message = QCoreApplication.translate(
                "EngineHost", "{path} has been changed by another program since it was opened here"
            )
            remedy = QCoreApplication.translate("EngineHost", "save under another name")
            raise SessionError(message.format(path=path), remedy)
        self.debugger.save(path)
        self._path, self._stamp = path, _stamp(path)
        self._saved = self._mark()
        self._worker.post(Delivery(saved=path))
        self.post()

    def explain(self, parameter: str, should_stop: Callable[[], bool]) -> None:
        """Post why a tensor is as it is; nothing when nobody waits for the answer any more."""
        debugger = self.debugger
        with suppress(StoppedError):
            why = ExplainAnswer(
                0 if debugger.event is None else debugger.event.index,
                debugger.explain(parameter, should_stop=should_stop),
                debugger.provenance(parameter, should_stop=should_stop),
                debugger.bindings(),
            )
            self._worker.post(Delivery(why=why))

    def set_memory(self, megabytes: int) -> None:
        """Let Checkpoints take so much memory at most, those of what is opened later too."""
        self._memory = megabytes * 2**20
        if self._debugger is not None:
            self._debugger.memory_budget = self._memory

    def want_arrays(self, addresses: Collection[str]) -> None:
        """Put whole arrays of these addresses in each Snapshot from now on."""
        self._wanted = frozenset(addresses)
        if self.is_open:
            self.post()

    def want_series(self, key: str, columns: tuple[str, ...]) -> None:
        """Hand the view `key` these columns from now on, from their beginning."""
        self._feed.want(key, columns)
        if self.is_open:
            self.post()

    def post(self, *, resting: bool = True) -> None:
        """Post a picture of the present moment; `resting` when nothing runs."""
        debugger = self.debugger
        self._worker.post(
            Delivery(
                snapshot=debugger.capture_snapshot(self._wanted),
                events=debugger.events,
                forks=debugger.forks,
                series=MappingProxyType(self._feed.pull(debugger.history.series)),
                document=self._changed_document(),
                branches=self.branching.branches(),
                ghosts=self.branching.ghosts(),
                breaks=self._breaks.news(debugger, resting=resting),
            )
        )
        self._last_post = time.monotonic()

    def _coming(self, choose: Callable[[Operation], Operation]) -> Operation | None:
        """Return the Operation to begin; None inside of one, in the past, and without a loop."""
        event, inside = self.debugger.position
        following = self.debugger.program.next_operation
        if inside is not None or event < len(self.debugger.events) or following is None:
            return None
        return choose(following)

    def _walk(self, move: Callable[[], object]) -> None:
        """Move inside an Operation; when that ends it with an error, its Event says so."""
        with self._telling_refusals():
            move()

    def _post_refused(self, event: Event | None) -> None:
        if event is not None and not event.outcome.ok:
            self._worker.post(Delivery(refused=(event,)))

    def _run(
        self,
        count: int,
        choose: Callable[[Operation], Operation] | None,
        should_stop: Callable[[], bool],
    ) -> Reason:
        def progress(done: int) -> None:
            self._left = count - done
            self._show_progress()

        reason = self.debugger.run(count, should_stop=should_stop, progress=progress, choose=choose)
        if reason.kind != "asked":
            self._left = 0
        return reason

    def _show_progress(self) -> None:
        if self._worker.mailbox_empty and time.monotonic() - self._last_post >= FRAME_S:
            self.post(resting=False)

    def _go(self, run: Callable[[], Reason]) -> None:
        """Run, and tell why it stopped; an Operation that was refused is told by its Event."""
        with self._telling_refusals():
            self._breaks.stopped(self.debugger, run())

    @contextmanager
    def _telling_refusals(self) -> Iterator[None]:
        """Post the moment that is come to, and whether the Operation before it was refused."""
        before = self._place()
        try:
            yield
        finally:
            if self._place() != before:
                self._post_refused(self.debugger.event)
            self.post()

    def _place(self) -> tuple[object, int]:
        return self.debugger.history, self.debugger.position[0]

    def _mark(self) -> object:
        debugger = self.debugger
        names = tuple((branch.id, branch.name) for branch in debugger.branches)
        return debugger.history, len(debugger.events), names, debugger.texts

    def _changed_document(self) -> Document | None:
        spec = self.debugger.program.spec
        document = Document(
            name=spec.name,
            path=self._path,
            description=spec.description,
            iterations=spec.iterations,
            data=tuple(spec.data),
            losses=tuple(spec.losses),
            optimizers=tuple(spec.optimizers),
            modified=self._mark() != self._saved,
        )
        if document == self._document:
            return None
        self._document = document
        return document


def _stamp(path: Path) -> object:
    """Return what changes when a file is written; None when there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
