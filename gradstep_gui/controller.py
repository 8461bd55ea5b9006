"""The window's side of the Debugger: takes commands, and tells the views of each new moment."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from gradstep.errors import GradStepError
from gradstep.history.log.event_log import EventView
from gradstep_gui.control.branches import BranchController
from gradstep_gui.control.breakpoints import BreakpointController
from gradstep_gui.control.drafts import DraftController
from gradstep_gui.control.explain_requests import ExplainRequests
from gradstep_gui.control.frame_scheduler import FrameScheduler
from gradstep_gui.control.muted_findings import MutedFindings
from gradstep_gui.plotting.series import SeriesBatch
from gradstep_gui.records import Document, State, Work
from gradstep_gui.worker.delivery import Delivery, join_series
from gradstep_gui.worker.engine_host import EngineHost
from gradstep_gui.worker.engine_worker import EngineWorker, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from gradstep.history.records.branch import Fork
    from gradstep.history.records.event import Event, EventColumns
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.listing import Listing
    from gradstep.program.operation import Operation
    from gradstep_gui.messages import Messages
    from gradstep_gui.worker.engine import Engine

__all__ = ["Controller"]

CLOSE_TIMEOUT_S = 5.0


class Controller(QObject):
    """The only owner of the Debugger, which lives on a worker thread.

    Commands return at once; what they led to arrives as `snapshot_changed`.

    Args:
        messages: Where errors are told.
        open_engine: Opens a program or a session: `Debugger.open`.
        parent: Its owner.
        recordings: Where programs are recorded while they are open; None for nowhere.
    """

    snapshot_changed = Signal(object)
    """There is a new moment to show: a `Snapshot`."""

    state_changed = Signal(object)
    """What can be done has changed: a `State`."""

    document_changed = Signal(object)
    """Another program is open, or it was saved or modified: a `Document`."""

    listing_changed = Signal(object)
    """Another program is there to be read: a `Listing`."""

    saved = Signal(object)
    """A save has ended well: the `Path` it wrote."""

    selected_changed = Signal(str)
    """Another tensor is looked at: its name."""

    crashed = Signal(object)
    """An error that is ours, not the user's: a `Failure`. The session survives it."""

    _woken = Signal()

    def __init__(
        self,
        messages: Messages,
        open_engine: Callable[[Path], Engine],
        parent: QObject | None = None,
        *,
        recordings: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._messages = messages
        self._snapshot: Snapshot | None = None
        self._events: Sequence[Event] = ()
        self._forks: tuple[Fork, ...] = ()
        self._document: Document | None = None
        self._listing: Listing | None = None
        self._state = State()
        self._selected, self._scrubbing = "", False
        self._series: dict[str, SeriesBatch] = {}
        self._wanted: dict[str, frozenset[str]] = {}
        self._woken.connect(self._take)
        self._worker = EngineWorker(wake=self._wake)
        self.destroyed.connect(partial(self._worker.close, CLOSE_TIMEOUT_S))
        self._host = host = EngineHost(self._worker, open_engine, recordings)
        self.branches = BranchController(
            host.branching, self._worker.submit, self._begin_long, self
        )
        self.breakpoints = BreakpointController(host, self._submit, self._begin_long, self)
        self.drafts = DraftController(host.programs, self._worker.submit, self._begin_long, self)
        self._pace = FrameScheduler(self._worker, self)
        self._pace.due.connect(self._take)
        self.muted_findings = MutedFindings(self)
        self.muted_findings.changed.connect(self._update_state)
        self.explain_requests = ExplainRequests(host, self._worker.submit, self.select, self)
        self._journey: Task | None = None
        self._choose: Callable[[Operation], Operation] | None = None

    # --- what there is to see -------------------------------------------------------------

    @property
    def snapshot(self) -> Snapshot | None:
        """The moment on show; None when nothing is open."""
        return self._snapshot

    @property
    def document(self) -> Document | None:
        """What is open; None when nothing is."""
        return self._document

    @property
    def listing(self) -> Listing | None:
        """The program to be read; None when nothing is open."""
        return self._listing

    @property
    def state(self) -> State:
        """What can be done now."""
        return self._state

    @property
    def selected(self) -> str:
        """The name of the tensor that all views look at: the first until one is chosen."""
        return self._selected

    def select(self, tensor: str) -> None:
        """Let all views look at a tensor, by its name."""
        if tensor != self._selected:
            self._selected = tensor
            self.selected_changed.emit(tensor)

    def events_count(self) -> int:
        """Return how many Events the branch on show holds."""
        return 0 if self._snapshot is None else self._snapshot.event_count

    def events_slice(self, start: int, stop: int) -> tuple[Event, ...]:
        """Return the Events from place `start` to before `stop`, counted from 0.

        The log only ever grows, so that it can be read while the worker appends to it.
        """
        stop = min(stop, self.events_count(), len(self._events))
        return tuple(self._events[place] for place in range(max(start, 0), stop))

    def events_columns(self, start: int, stop: int) -> EventColumns | None:
        """Return the Events from place `start` to before `stop` in columns; None without a log."""
        if not isinstance(self._events, EventView):
            return None
        return self._events.columns(start, min(stop, self.events_count()))

    @property
    def forks(self) -> tuple[Fork, ...]:
        """Where other branches leave the one on show."""
        return self._forks

    def in_turn(self, draw: Callable[[], None]) -> None:
        """Call what draws something soon, in a turn of the event loop of its own."""
        self._pace.in_turn(draw)

    def take_series(self, key: str) -> SeriesBatch:
        """Return the points that came for the view `key` since it last asked."""
        return self._series.pop(key, SeriesBatch())

    @property
    def debugger(self) -> Engine:
        """The Debugger itself: to be touched only after `wait_idle`, as tests do."""
        return self._host.debugger

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until the worker has nothing to do, and show where it got to.

        Returns:
            False when that took longer than `timeout_s` seconds.
        """
        deadline = time.monotonic() + timeout_s
        self._worker.release()  # nothing is drawn while this thread waits
        while self._worker.wait_idle(max(0.0, deadline - time.monotonic())):
            self._take()  # what is shown may lead views to ask for more
            self._pace.finish()
            self._worker.release()
            if self._worker.idle and self._worker.mailbox_empty:
                return True
        self._take()
        return False

    # --- commands -------------------------------------------------------------------------

    def open(self, path: Path, *, as_copy: bool = False) -> None:
        """Open a program or a session; `as_copy` for a bundled one, which Save must not touch."""
        title = QCoreApplication.translate("Controller", "open {name}").format(name=path.name)
        work = partial(self._host.open, path, as_copy=as_copy)
        self._begin_long(Task(title, lambda _: work(), kind="loading"))

    def recover(self, path: Path) -> None:
        """Open a recording that a process left behind."""
        self._begin_long(
            Task(self.tr("recover"), lambda _: self._host.recover(path), kind="loading")
        )

    def save(self, path: Path) -> None:
        """Save everything as a session at `path`."""
        title = QCoreApplication.translate("Controller", "save {name}").format(name=path.name)
        self._begin_long(Task(title, lambda _: self._host.save(path), kind="saving"))

    def apply(self, operation: Operation) -> None:
        """Apply one Operation; a run that is going on is interrupted for it and goes on after."""
        running = self._state.work == "running"
        self._worker.stop_long_tasks()
        self._submit(self.tr("apply an operation"), lambda: self._host.apply(operation))
        if running:
            self._begin_run(partial(self._host.go_on, self._choose))

    def apply_next(self) -> None:
        """Apply the Operation that comes next in the program's loop."""
        self._submit(self.tr("apply the next operation"), self._host.apply_next)

    def enter(self, operation: Operation) -> None:
        """Take the first micro-step of an Operation."""
        self._submit(self.tr("step into"), lambda: self._host.enter(operation))

    def step_into(self, choose: Callable[[Operation], Operation]) -> None:
        """Take the next micro-step, or enter what comes next: on record, or in the loop.

        Args:
            choose: Makes of the loop's next Operation what the person wants; called elsewhere.
        """
        self._submit(self.tr("step into"), lambda: self._host.step_into(choose))

    def step_over(self, choose: Callable[[Operation], Operation]) -> None:
        """Take micro-steps until all in the present one is done, or apply what comes next.

        Args:
            choose: Makes of the loop's next Operation what the person wants; called elsewhere.
        """
        self._submit(self.tr("step over"), lambda: self._host.step_over(choose))

    def step_out(self) -> None:
        """Take micro-steps until what the present one lies in is done."""
        self._submit(self.tr("step out"), self._host.step_out)

    def back(self) -> None:
        """Go one micro-step back, or outside of an Operation one Event."""
        self._submit(self.tr("step back"), self._host.back)

    def seek(self, index: int) -> None:
        """Go to the moment after Event `index`, rather than where a seek has not got to yet."""
        self._travel(self.tr("go to an event"), partial(self._host.seek, index))

    def seek_iteration(self, iteration: int) -> None:
        """Go to the moment when `iteration` iterations were complete; as above."""
        self._travel(self.tr("go to an iteration"), partial(self._host.seek_iteration, iteration))

    def set_scrubbing(self, scrubbing: bool) -> None:
        """Take note that a person has taken hold of the time line, or has let go of it."""
        self._scrubbing = scrubbing
        self._update_state()

    def iterate(self, count: int) -> None:
        """Run the program's loop `count` times; a begun iteration is completed and counts."""
        self._begin_run(partial(self._host.run, count, self._choose))

    def run(self) -> None:
        """Run the program's loop until `pause`."""
        self.iterate(sys.maxsize)

    def set_choose(self, choose: Callable[[Operation], Operation] | None) -> None:
        """Say what runs make of the loop's Operations from now on; None for the loop as it is.

        Args:
            choose: Called elsewhere, once for each Operation.
        """
        self._choose = choose

    def pause(self) -> None:
        """Stop a run after the Operation it is in."""
        self._worker.stop_long_tasks()

    def set_wanted(self, key: str, addresses: Collection[str]) -> None:
        """Say which whole arrays the view `key` needs in Snapshots from now on."""
        wanted = frozenset(addresses)
        if self._wanted.get(key, frozenset()) == wanted:
            return
        self._wanted[key] = wanted
        everything = frozenset().union(*self._wanted.values())
        self._fetch(self.tr("fetch values"), lambda: self._host.want_arrays(everything))

    def set_memory(self, megabytes: int) -> None:
        """Let the states kept to go back to take so much memory at most, from now on."""
        self._fetch(self.tr("free memory"), lambda: self._host.set_memory(megabytes))

    def set_series_wanted(self, key: str, columns: Collection[str]) -> None:
        """Say which columns the view `key` plots; they then come from their beginning."""
        self._fetch(self.tr("fetch curves"), partial(self._host.want_series, key, tuple(columns)))

    def close(self) -> None:
        """Stop everything and end the thread."""
        self._pace.close()
        self._worker.stop_long_tasks()
        self._submit(self.tr("close"), self._host.close)
        self._worker.close(CLOSE_TIMEOUT_S)

    # --- how it is done -------------------------------------------------------------------

    def _go_on(self) -> None:
        """Wait for no answer any more; let the next seek be a journey of its own."""
        self.explain_requests.drop()
        self._journey = None

    def _submit(self, title: str, work: Callable[[], None]) -> None:
        self._go_on()
        self._fetch(title, work)

    def _travel(self, title: str, work: Callable[[Callable[[], bool]], None]) -> None:
        self._worker.stop_long_tasks()
        if self._journey is not None:
            self._journey.stop.set()
        self._go_on()
        self._journey = Task(title, work)
        self._worker.submit(self._journey)

    def _fetch(self, title: str, work: Callable[[], None]) -> None:
        self._worker.submit(Task(title, lambda _should_stop: work()))

    def _begin_run(self, work: Callable[[Callable[[], bool]], None]) -> None:
        self._begin_long(Task(self.tr("run"), work, kind="running"))

    def _begin_long(self, task: Task) -> None:
        self._go_on()
        self._worker.submit(task)
        self._pace.start()
        self._update_state()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the window has been destroyed meanwhile; nobody is left
            self._woken.emit()

    @Slot()
    def _take(self) -> None:
        delivery = self._worker.take()
        if delivery is not None:
            self._pace.draw()
            self._show(delivery)
        self._update_state()

    def _show(self, delivery: Delivery) -> None:
        self._series = join_series(self._series, delivery.series)
        if delivery.events is not None:
            self._events, self._forks = delivery.events, delivery.forks
        if delivery.document is not None:
            self._document = delivery.document
            self.document_changed.emit(delivery.document)
        if delivery.listing is not None:
            self._listing = delivery.listing
            self.listing_changed.emit(delivery.listing)
        self.branches.take(delivery)
        self.breakpoints.take(delivery.breaks)
        self.drafts.take(delivery)
        if delivery.snapshot is not None:
            self._snapshot = delivery.snapshot
            if self._selected not in delivery.snapshot.parameters:
                self.select(next(iter(delivery.snapshot.parameters), ""))
            self.snapshot_changed.emit(delivery.snapshot)
        self.explain_requests.take(delivery)
        if delivery.saved is not None:
            self.saved.emit(delivery.saved)
        for event in delivery.refused:
            self._messages.refused(event.outcome.message, event.outcome.remedy)
        for failure in delivery.failures:
            if isinstance(failure.error, GradStepError):
                self._messages.failed(failure.task, failure.error)
            else:
                self.crashed.emit(failure)

    def _update_state(self) -> None:
        task = self._worker.long_task
        if task is None:
            self._pace.stop()
        resting: Work = "empty" if self._snapshot is None else "paused"
        work = (task and task.kind) or resting
        state = replace(
            State.at(
                work, self._snapshot, self._document, self.muted_findings.unmuted(self._snapshot)
            ),
            has_removed_branch=bool(self.branches.restorable),
            scrubbing=self._scrubbing,
        )
        if state != self._state:
            self._state = state
            self.state_changed.emit(state)
