"""Controller: takes the user's commands to the Debugger, and each new moment to the views."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gradstep.errors import GradStepError
from gradstep.history.log.event_log import EventView
from gradstep_gui.control.branches import BranchController
from gradstep_gui.control.breakpoints import BreakpointController
from gradstep_gui.control.command_queue import CommandQueue
from gradstep_gui.control.drafts import DraftController
from gradstep_gui.control.explain_requests import ExplainRequests
from gradstep_gui.control.fit_requests import FitRequests
from gradstep_gui.control.frame_scheduler import FrameScheduler
from gradstep_gui.control.landscapes import LandscapeController
from gradstep_gui.control.lessons import LessonController
from gradstep_gui.control.muted_findings import MutedFindings
from gradstep_gui.control.output import OutputController
from gradstep_gui.control.ranks import RankController
from gradstep_gui.control.variables import VariableRequests
from gradstep_gui.plotting.series import SeriesBatch
from gradstep_gui.records import State
from gradstep_gui.worker import commands
from gradstep_gui.worker.debugger_host import DebuggerHost
from gradstep_gui.worker.script_recorder import record_script
from gradstep_gui.worker.updates import (
    DocumentUpdate,
    FailedOperationUpdate,
    FailureUpdate,
    ListingUpdate,
    OpenedUpdate,
    RecordedUpdate,
    RecordingUpdate,
    SavedUpdate,
    SavingUpdate,
    SeriesUpdate,
    SnapshotUpdate,
)
from gradstep_gui.worker.worker_thread import Task, WorkerThread

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from gradstep.history.records.branch import Fork
    from gradstep.history.records.event import Event, EventColumns
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.listing import Listing
    from gradstep.program.operation import Operation
    from gradstep.script.channel import Channel
    from gradstep.script.command import ScriptCommand
    from gradstep.script.output_reader import OutputReader
    from gradstep_gui.messages import Messages
    from gradstep_gui.records import Document, Work
    from gradstep_gui.worker.commands import AdaptOperation
    from gradstep_gui.worker.debugger_host import Debugger, OpenDebugger
    from gradstep_gui.worker.updates import Update

__all__ = ["Controller"]

CLOSE_TIMEOUT_S = 5.0


class Controller(QObject):
    """The only owner of the Debugger, which lives on a worker thread.

    Commands return at once; what they lead to arrives as `snapshot_changed`.

    Args:
        messages: Where errors are reported.
        open_debugger: Opens a program or a session.
        parent: Its owner.
        recordings: The folder where open programs are recorded; None to record nothing.

    Attributes:
        branches: The branches, and commands on them.
        breakpoints: Breakpoints and watches, and commands on them.
        debugged: The script that was debugged last, if this window can start it again.
        drafts: Program documents being edited.
        explain_requests: Requests to explain a tensor.
        fit_requests: Requests for what the model predicts.
        landscapes: Landscapes, which are computed slice by slice.
        lessons: The lesson that is open, and what a learner does with it.
        muted_findings: Which findings are muted.
        output: What scripts print that were started here.
        ranks: The ranks of a distributed script, and which of them is shown.
        variables: Requests for the variables of a script that is held.
    """

    snapshot_changed = Signal(object)
    """There is a new moment to show: a `Snapshot`."""

    state_changed = Signal(object)
    """What can be done has changed: a `State`."""

    document_changed = Signal(object)
    """Another program was opened, or it was saved or modified: a `Document`."""

    opened = Signal()
    """A program, a session or a script was opened in the place of another."""

    listing_changed = Signal(object)
    """Another program was opened: its `Listing`."""

    loop_edited = Signal(object)
    """The loop has other lines at this moment than before: the program's `Listing`."""

    saved = Signal(object)
    """A save has succeeded: the `Path` of the file."""

    save_progressed = Signal(int, int)
    """How many of the Events and Checkpoints of a session are written, and how many there are."""

    recording_progressed = Signal(int)
    """How many Events of the script that is being recorded there are so far."""

    script_recorded = Signal(str, int)
    """A script was recorded, and can be opened: its name, and the number of its Events."""

    series_changed = Signal()
    """Columns that a view requested have come, while the moment is still the same."""

    selected_changed = Signal(str)
    """Another tensor was selected: its name."""

    crashed = Signal(object)
    """A command failed with a bug of ours: a `Failure`. The session survives it."""

    _woken = Signal()

    def __init__(
        self,
        messages: Messages,
        open_debugger: OpenDebugger | None = None,
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
        self._is_closed = False
        self._series: dict[str, SeriesUpdate] = {}
        self._wanted: dict[str, frozenset[str]] = {}
        self._adapt: AdaptOperation | None = None
        self._woken.connect(self._take)
        self._worker = WorkerThread(wake=self._wake)
        self._saver = WorkerThread(wake=self._wake, name="gradstep-saver")
        self._recorder = WorkerThread(wake=self._wake, name="gradstep-recorder")
        self._has_recorded = False
        self._debugs_here = False  # its output is shown in the window
        self.debugged: ScriptCommand | None = None
        self._recordings = recordings
        for thread in (self._recorder, self._saver, self._worker):
            self.destroyed.connect(partial(thread.close, CLOSE_TIMEOUT_S))
        self._cancel_save = threading.Event()
        self._host = DebuggerHost(self._worker, self._saver, open_debugger, recordings)
        self._queue = CommandQueue(self._worker, self._host, self)
        self._frames = FrameScheduler(self._worker, self)
        self._frames.due.connect(self._take)
        self.branches = BranchController(self._queue, self._host, self)
        self.breakpoints = BreakpointController(self._queue, self)
        self.drafts = DraftController(self._queue, self._host, self)
        self.explain_requests = ExplainRequests(self._queue, self.select, self)
        self.fit_requests = FitRequests(self._queue, self._host, self)
        self.landscapes = LandscapeController(self._queue, self._host, self)
        self.lessons = LessonController(self._queue, self._host, self)
        self.output = OutputController(self)
        self.ranks = RankController(self._queue, self._host, self)
        self.variables = VariableRequests(self._queue, self)
        self.muted_findings = MutedFindings(self)
        self.muted_findings.changed.connect(self._update_state)
        self._queue.began.connect(self._frames.start)
        self._queue.began.connect(self._update_state)
        # In this order, whatever the order of posting: views that get a Snapshot read the rest.
        self._handlers: Mapping[type[Update], Callable[[Any], None]] = {
            SeriesUpdate: self._take_series,
            OpenedUpdate: lambda _update: self.opened.emit(),
            DocumentUpdate: self._take_document,
            ListingUpdate: self._take_listing,
            **self.branches.handlers,
            **self.breakpoints.handlers,
            **self.drafts.handlers,
            **self.landscapes.handlers,
            SnapshotUpdate: self._take_snapshot,
            **self.landscapes.answers,
            **self.lessons.handlers,
            **self.ranks.handlers,
            **self.explain_requests.handlers,
            **self.fit_requests.handlers,
            **self.variables.handlers,
            SavingUpdate: lambda update: self.save_progressed.emit(update.done, update.total),
            SavedUpdate: lambda update: self.saved.emit(update.path),
            RecordingUpdate: lambda update: self.recording_progressed.emit(update.events),
            RecordedUpdate: self._take_recorded,
            FailedOperationUpdate: self._take_failed_operations,
            FailureUpdate: self._take_failures,
        }

    # --- state shown by views -------------------------------------------------------------

    @property
    def snapshot(self) -> Snapshot | None:
        """The current moment; None when nothing is open."""
        return self._snapshot

    @property
    def document(self) -> Document | None:
        """What is open; None when nothing is."""
        return self._document

    @property
    def listing(self) -> Listing | None:
        """The program as text; None when nothing is open."""
        return self._listing

    @property
    def state(self) -> State:
        """What can be done now."""
        return self._state

    @property
    def selected(self) -> str:
        """The name of the tensor selected in all views: the first until the user selects one."""
        return self._selected

    def select(self, tensor: str) -> None:
        """Select a tensor by name, in all views."""
        if tensor != self._selected:
            self._selected = tensor
            self.selected_changed.emit(tensor)

    def events_count(self) -> int:
        """Return the number of Events on the current branch."""
        return 0 if self._snapshot is None else self._snapshot.event_count

    def events_slice(self, start: int, stop: int) -> tuple[Event, ...]:
        """Return the Events from `start` to before `stop`, counted from 0.

        The log only grows, so that it can be read while the worker appends to it.
        """
        stop = min(stop, self.events_count(), len(self._events))
        return tuple(self._events[place] for place in range(max(start, 0), stop))

    def events_before(self, moment: int) -> Iterator[Event]:
        """Yield the Events up to a moment, the newest first, as far as they are looked at."""
        count = min(moment, self.events_count(), len(self._events))
        return (self._events[place] for place in range(count - 1, -1, -1))

    def events_after(self, moment: int) -> Iterator[Event]:
        """Yield the Events after a moment likewise, the oldest first."""
        count = min(self.events_count(), len(self._events))
        return (self._events[place] for place in range(moment, count))

    def events_columns(self, start: int, stop: int) -> EventColumns | None:
        """Return the Events from `start` to before `stop` in columns; None without a log."""
        if not isinstance(self._events, EventView):
            return None
        return self._events.columns(start, min(stop, self.events_count()))

    @property
    def forks(self) -> tuple[Fork, ...]:
        """Where other branches leave the current one."""
        return self._forks

    def in_turn(self, draw: Callable[[], None]) -> None:
        """Call `draw` soon, in an event-loop turn of its own."""
        self._frames.in_turn(draw)

    def take_series(self, key: str) -> SeriesBatch:
        """Return the points that came for the view `key` since it last asked."""
        update = self._series.pop(key, None)
        return SeriesBatch() if update is None else update.batch

    @property
    def debugger(self) -> Debugger:
        """The Debugger itself: for tests, and only after `wait_idle`."""
        return self._host.debugger

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until the worker has nothing to do, and show the moment it got to.

        Returns:
            False when that took longer than `timeout_s` seconds.
        """
        deadline = time.monotonic() + timeout_s
        threads = self._worker, self._saver, self._recorder
        self._worker.release()  # nothing is drawn while this thread waits
        while all(each.wait_idle(max(0.0, deadline - time.monotonic())) for each in threads):
            self._take()  # views may ask for more when they show it
            self._frames.finish()
            self._worker.release()
            if all(each.idle and each.mailbox_empty for each in threads):
                return True
        self._take()
        return False

    # --- files ----------------------------------------------------------------------------

    def open(self, path: Path, *, as_copy: bool = False) -> None:
        """Open a program or a session; `as_copy` for a bundled one, which Save must not replace."""
        title = self.tr("open {name}").format(name=path.name)
        self._queue.begin_call(title, "loading", lambda: self._host.open(path, as_copy=as_copy))

    def debug(self, command: ScriptCommand, channel: Channel | None = None) -> None:
        """Start a script, held before its first Operation, and open it.

        It reads and prints where this process does: in a terminal.

        Args:
            command: The script.
            channel: The connection to it, where it runs already.
        """
        self.debugged = command if channel is None else None
        self._debugs_here = False
        self._debug(command, channel, None)

    def debug_here(self, command: ScriptCommand) -> None:
        """Start a script likewise; what it prints is shown in the window."""
        self.debugged = command
        self._debugs_here = True
        name = PurePath(command.script).name
        self._debug(command, None, self.output.begin(name, is_recorded=False))

    def debug_again(self) -> None:
        """Start the script that was debugged last again, with its breakpoints and watches."""
        if self.debugged is not None:
            debug = self.debug_here if self._debugs_here else self.debug
            debug(self.debugged)

    def _debug(
        self, command: ScriptCommand, channel: Channel | None, output: OutputReader | None
    ) -> None:
        title = self.tr("start {name}").format(name=PurePath(command.script).name)
        self._queue.begin_call(title, "loading", lambda: self._host.debug(command, channel, output))

    def debug_ranks(self, found: Sequence[tuple[ScriptCommand, Channel]]) -> None:
        """Hold processes that run already as the ranks of one job, and open them.

        Args:
            found: What each is called, and the connection to it, in the order of their ranks.
        """
        self.debugged = None
        self._queue.begin_call(
            self.tr("attach to the ranks"), "loading", lambda: self._host.debug_ranks(found)
        )

    def record(self, command: ScriptCommand) -> None:
        """Run a script to its end and record it, while everything else continues."""
        name = PurePath(command.script).name
        title = self.tr("record {name}").format(name=name)
        output = self.output.begin(name, is_recorded=True)

        def run(should_stop: Callable[[], bool]) -> None:
            recorded = record_script(command, self._recorder, should_stop, output, self._recordings)
            self._queue.call(title, lambda: self._host.keep_recorded(recorded))

        self._recorder.submit(Task(title, run, "recording"))
        self._frames.start()
        self._update_state()

    def stop_recording(self) -> None:
        """End the script that is recorded; what it has done so far is kept."""
        self._recorder.stop_long_tasks()

    def open_recorded(self) -> None:
        """Open the script that was recorded."""
        self._has_recorded = False
        title = self.tr("open the recording")
        self._queue.begin_call(title, "loading", self._host.open_recorded)

    def recover(self, path: Path) -> None:
        """Open a recording that a process left behind."""
        self._queue.begin_call(self.tr("recover"), "loading", lambda: self._host.recover(path))

    def save(self, path: Path) -> None:
        """Save everything as a session at `path`, while everything else continues."""
        title = self.tr("save {name}").format(name=path.name)
        self._cancel_save = cancel = threading.Event()
        self._queue.begin_call(title, "saving", lambda: self._host.save(path, cancel))

    def cancel_save(self) -> None:
        """Stop writing a session; its file stays as it was."""
        self._cancel_save.set()

    def close(self) -> None:
        """Stop everything, and end the threads. A script that is debugged ends."""
        self.ranks.close()
        self._host.end_script()
        self.output.close()
        self._recorder.close(CLOSE_TIMEOUT_S)
        self._saver.close(CLOSE_TIMEOUT_S)
        self._frames.close()
        self._queue.stop()
        self._queue.call(self.tr("close"), self._host.close)
        self._worker.close(CLOSE_TIMEOUT_S)
        self._is_closed = True

    # --- commands -------------------------------------------------------------------------

    def apply(self, operation: Operation) -> None:
        """Apply one Operation; interrupts a run for it, which then continues."""
        running, adapt = self._state.work == "running", self._adapt
        self._queue.stop()
        self._queue.submit(
            self.tr("apply an operation"), lambda debugger: debugger.apply(operation)
        )
        if running:
            self._queue.begin(
                self.tr("run"),
                "running",
                lambda debugger, stop: self._host.resume(debugger, adapt, stop),
            )

    def apply_next(self) -> None:
        """Do what comes next: in a walk, in the past as recorded, or in the program's loop."""
        self._queue.submit(self.tr("apply the next operation"), commands.apply_next)

    def skip_next(self) -> None:
        """Skip the next Operation."""
        self._queue.submit(self.tr("skip the next operation"), commands.skip_next)

    def enter(self, operation: Operation) -> None:
        """Take the first micro-step of an Operation."""
        self._queue.submit(self.tr("step into"), lambda debugger: debugger.step_into(operation))

    def answer(self, intention: str, is_intended: bool | None) -> None:
        """Answer a question about a script; None to be asked again."""
        self._queue.submit(
            self.tr("answer a question"),
            lambda debugger: debugger.answer(intention, is_intended=is_intended),
        )

    def step_into(self, adapt: AdaptOperation) -> None:
        """Take the next micro-step, or enter the next Operation, recorded or of the loop.

        Args:
            adapt: Adapts the loop's next Operation to the user's choice; called on the worker.
        """
        self._queue.submit(
            self.tr("step into"), lambda debugger: commands.step_into(debugger, adapt)
        )

    def step_over(self, adapt: AdaptOperation) -> None:
        """Finish the current micro-step and everything in it, or apply the next Operation.

        Args:
            adapt: Adapts the loop's next Operation to the user's choice; called on the worker.
        """
        self._queue.submit(
            self.tr("step over"), lambda debugger: commands.step_over(debugger, adapt)
        )

    def step_out(self) -> None:
        """Take micro-steps until what encloses the present one is done."""
        self._queue.submit(self.tr("step out"), lambda debugger: debugger.step_out())

    def back(self) -> None:
        """Go one micro-step back, or outside of an Operation one Event."""
        self._queue.submit(self.tr("step back"), lambda debugger: debugger.back())

    def seek(self, index: int) -> None:
        """Go to the moment after Event `index`; supersedes seeks that have not arrived."""
        self._queue.seek(
            self.tr("go to an event"),
            lambda debugger, stop: commands.seek(debugger, index, stop),
        )

    def seek_iteration(self, iteration: int) -> None:
        """Go to the moment when `iteration` iterations were complete; supersedes likewise."""
        self._queue.seek(
            self.tr("go to an iteration"),
            lambda debugger, stop: commands.seek_iteration(debugger, iteration, stop),
        )

    def iterate(self, count: int) -> None:
        """Run the program's loop `count` times; completing a begun iteration counts as one."""
        adapt, goal = self._adapt, list[int]()

        def run(debugger: Debugger, stop: Callable[[], bool]) -> object:
            done = debugger.program.iteration
            goal.append(done + count)  # a script that has something new calls this once more
            return self._host.iterate(debugger, goal[0] - done, adapt, stop)

        self._queue.begin(self.tr("run"), "running", run)

    def run_until_iteration(self, iteration: int) -> None:
        """Run the program's loop until so many iterations are done, or a breakpoint is hit."""
        adapt = self._adapt
        self._queue.begin(
            self.tr("run until iteration {0}").format(iteration),
            "running",
            lambda debugger, stop: self._host.run_until_iteration(debugger, iteration, adapt, stop),
        )

    def run(self) -> None:
        """Run the program's loop until `pause`."""
        self.iterate(sys.maxsize)

    def run_to(self, line: str) -> None:
        """Run a script until it comes to a line, such as "train.py:13", or a breakpoint is hit."""
        self._queue.begin(
            self.tr("run to {0}").format(line),
            "running",
            lambda debugger, stop: self._host.run_to(debugger, line, stop),
        )

    def pause(self) -> None:
        """Stop a run after the present Operation."""
        self._queue.stop()

    # --- settings -------------------------------------------------------------------------

    def adapt_runs(self, adapt: AdaptOperation | None) -> None:
        """Set how runs adapt the loop's Operations from now on; None to leave them as they are.

        Args:
            adapt: Called on the worker thread, once for each Operation.
        """
        self._adapt = adapt

    def set_scrubbing(self, scrubbing: bool) -> None:
        """Note that the user has grabbed or released the time line."""
        self._scrubbing = scrubbing
        self._update_state()

    def set_wanted(self, key: str, addresses: Collection[str]) -> None:
        """Set which whole arrays the view `key` needs in Snapshots."""
        wanted = frozenset(addresses)
        if self._wanted.get(key, frozenset()) == wanted:
            return
        self._wanted[key] = wanted
        union = frozenset().union(*self._wanted.values())
        self._queue.want(self.tr("fetch values"), lambda: self._host.want_arrays(union))

    def set_series_wanted(self, key: str, columns: Collection[str]) -> None:
        """Set which columns the view `key` plots; their points then come from the first on."""
        wanted = tuple(columns)
        self._queue.want(self.tr("fetch curves"), lambda: self._host.want_series(key, wanted))

    def set_memory(self, megabytes: int) -> None:
        """Limit the memory of the states kept for going back."""
        self._queue.call(self.tr("free memory"), lambda: self._host.set_memory(megabytes))

    # --- updates --------------------------------------------------------------------------

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the window has been destroyed, and this object with it
            self._woken.emit()

    @Slot()
    def _take(self) -> None:
        updates = self._worker.take() + self._saver.take() + self._recorder.take()
        if self._is_closed:
            return  # the views that would show it may have been deleted
        if updates:
            self._frames.draw()
            for kind, handle in self._handlers.items():
                for update in updates:
                    if isinstance(update, kind):
                        handle(update)
        self._update_state()

    def _take_series(self, update: SeriesUpdate) -> None:
        waiting = self._series.get(update.view)
        self._series[update.view] = update if waiting is None else update.joined_to(waiting)

    def _take_document(self, update: DocumentUpdate) -> None:
        self._document = update.document
        self.document_changed.emit(update.document)

    def _take_listing(self, update: ListingUpdate) -> None:
        self._listing = update.listing
        if update.is_edited:
            self.loop_edited.emit(update.listing)
            return
        self.branches.comparison = None  # it was of another program
        self.listing_changed.emit(update.listing)

    def _take_snapshot(self, update: SnapshotUpdate) -> None:
        snapshot, before = update.snapshot, self._snapshot
        self._snapshot, self._events, self._forks = snapshot, update.events, update.forks
        if self._selected not in snapshot.parameters:
            self.select(next(iter(snapshot.parameters), ""))
        self.snapshot_changed.emit(snapshot)
        if snapshot is before and self._series:
            self.series_changed.emit()

    def _take_failed_operations(self, update: FailedOperationUpdate) -> None:
        for event in update.events:
            self._messages.operation_failed(event.outcome.message, event.outcome.remedy)

    def _take_recorded(self, update: RecordedUpdate) -> None:
        self._has_recorded = True
        self._update_state()
        self.script_recorded.emit(update.script, update.events)

    def _take_failures(self, update: FailureUpdate) -> None:
        for failure in update.failures:
            if isinstance(failure.error, GradStepError):
                self._messages.failed(failure.task, failure.error)
            else:
                self.crashed.emit(failure)

    def _update_state(self) -> None:
        task, save = self._worker.long_task, self._saver.long_task
        recording = self._recorder.long_task is not None
        if task is None and save is None and not recording:
            self._frames.stop()
        work: Work = "empty" if self._snapshot is None else "paused"
        kind = None if task is None else task.kind
        if kind == "saving":
            save = task  # it is about to begin
        elif kind is not None and kind != "recording":  # of which the worker has none
            work = kind
        unmuted = self.muted_findings.unmuted(self._snapshot)
        state = replace(
            State.at(work, self._snapshot, self._document, unmuted),
            has_lesson=self.lessons.record is not None,
            has_removed_branch=bool(self.branches.restorable),
            has_overlays=self.branches.has_overlays,
            scrubbing=self._scrubbing,
            saving=save is not None,
            recording=recording,
            has_recorded=self._has_recorded,
            has_debugged=self.debugged is not None,
        )
        if state != self._state:
            self._state = state
            if task is not None:
                self._frames.draw()  # everything that shows the state
            self.state_changed.emit(state)
