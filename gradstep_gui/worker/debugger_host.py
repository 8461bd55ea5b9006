"""DebuggerHost: holds the open Debugger and its file, and runs commands on it."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import PurePath
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec
from PySide6.QtCore import QCoreApplication

from gradstep.debugger import Debugger, StopReason
from gradstep.debugger.live_ranks import LiveRanks
from gradstep.debugger.live_script import LiveScript
from gradstep.errors import GradStepError, SessionError
from gradstep.history.records.breakpoints import BreakpointSpec
from gradstep.history.records.event import Event
from gradstep.lessons.codec import decode
from gradstep.lessons.gallery import begin_lesson, open_lesson
from gradstep.program.operation import Forward, Step
from gradstep.script.process import ScriptProcess
from gradstep.script.ranks import joined_ranks, start_ranks
from gradstep.session.opening import rank_path
from gradstep.session.store import OpeningCancelledError, SavingCancelledError
from gradstep_gui.records import Document, Failure, Recording
from gradstep_gui.worker.autosave import Autosave, remove_leftover
from gradstep_gui.worker.drafts import DraftChecker
from gradstep_gui.worker.lesson_follower import LessonFollower
from gradstep_gui.worker.moved_lines import moved_line
from gradstep_gui.worker.publisher import Publisher
from gradstep_gui.worker.script_recorder import started
from gradstep_gui.worker.updates import (
    FailedOperationUpdate,
    FailureUpdate,
    LessonDraftUpdate,
    ListingUpdate,
    OpenedUpdate,
    RanksUpdate,
    RecordedUpdate,
    RemovedBranchesUpdate,
    SavedUpdate,
    SavingUpdate,
    Update,
)
from gradstep_gui.worker.worker_thread import Task

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterable, Sequence
    from pathlib import Path

    from gradstep.debugger.breakpoints.breakpoints import Breakpoints
    from gradstep.history.history import Branch
    from gradstep.history.records.ranks import RankRecord
    from gradstep.lessons.lesson_run import LessonRun
    from gradstep.program.listing import Listing
    from gradstep.program.operation import LoopLine
    from gradstep.script.channel import Channel
    from gradstep.script.command import ScriptCommand
    from gradstep.script.output_reader import OutputReader
    from gradstep.script.rank_group import RankGroup
    from gradstep_gui.records import Draft
    from gradstep_gui.worker.commands import AdaptOperation, Command, LongCommand, ShouldStop
    from gradstep_gui.worker.script_recorder import RecordedScript
    from gradstep_gui.worker.worker_thread import WorkerThread

__all__ = ["Debugger", "DebuggerHost", "OpenDebugger"]

OpenDebugger: TypeAlias = "Callable[[Path], Debugger]"
"""Opens a program or a session."""

_MOST_LISTINGS = 32
"""Texts of a program that are kept, one for each of its last loops."""

_Live = TypeVar("_Live", LiveScript, LiveRanks)


class DebuggerHost:
    """Runs commands on the open Debugger, and posts what they led to.

    Every method runs on the worker thread.

    Args:
        worker: The mailbox, and the queue of later commands.
        saver: The thread that writes session files, so that commands need not wait for it.
        open_debugger: Opens a program or a session.
        recordings: The folder where open programs are recorded; None to record nothing.

    Attributes:
        drafts: Checks documents being edited.
    """

    def __init__(
        self,
        worker: WorkerThread,
        saver: WorkerThread,
        open_debugger: OpenDebugger | None = None,
        recordings: Path | None = None,
    ) -> None:
        self._worker = worker
        self._saver = saver
        self._open = open_debugger or self._opened
        self._debugger: Debugger | None = None
        self._storage_warned: Debugger | None = None
        self._live: LiveScript | LiveRanks | None = None
        self._process: ScriptProcess | RankGroup | None = None
        self._command: ScriptCommand | None = None
        self._ranks: tuple[RankRecord, ...] = ()
        self._saved_ranks: dict[int, object] = {}
        self._listing: Listing | None = None
        self._listings: list[tuple[tuple[LoopLine, ...], Listing]] = []
        self._recorded: RecordedScript | None = None
        self._path: Path | None = None
        self._saved: object = None
        self._stamp: object = None
        self._removed: list[Branch] = []
        self._memory: int | None = None
        self._iterations_left = 0
        self._finished_saves: SimpleQueue[tuple[Path, object, dict[int, object]]] = SimpleQueue()
        self._publisher = Publisher(worker)
        self._lesson = LessonFollower(worker)
        self._is_exercise = False
        self._autosave = Autosave(recordings)
        self.drafts = DraftChecker()

    @property
    def debugger(self) -> Debugger:
        """The open Debugger.

        Raises:
            GradStepError: Nothing is open.
        """
        if self._debugger is None:
            raise GradStepError("no program is open", "open one with File > Open or File > New")
        return self._debugger

    @property
    def path(self) -> Path | None:
        """The file that is open; None when what is open has no file."""
        return self._path

    # --- commands -------------------------------------------------------------------------

    def run(self, command: Command) -> None:
        """Run a command, then post its result and the moment it led to.

        Args:
            command: May return the Event it applied, the reason why a run stopped, or Updates.
        """
        before = self._place()
        try:
            result = self._carry_out(command)
            debugger = self.debugger
            if isinstance(result, StopReason):
                self._publisher.stopped(debugger, result)
                result = debugger.event if self._place() != before else None
            if isinstance(result, Event) and not result.outcome.ok:
                self._worker.post(FailedOperationUpdate((result,)))
            self.post(result)
            self._lesson.follow(debugger)
        finally:
            self._record_grown()
            self.publish()

    def _record_grown(self) -> None:
        """Record a script whose Debugger was replaced; what it has done is then lost by no end."""
        if self._debugger is not None and self._live is not None:
            try:
                self._autosave.follow(self._debugger)
            except SessionError as error:
                self._worker.post(FailureUpdate((Failure(_tr("record the program"), error),)))

    def _carry_out(self, command: Command) -> object:
        """Carry out a command, after which a script may have a new Debugger."""
        return command(self.debugger) if self._live is None else self._live.carry_out(command)

    def query(self, query: LongCommand, should_stop: ShouldStop) -> None:
        """Run a command that changes nothing, and post its result alone."""
        self.post(query(self.debugger, should_stop))

    def post(self, result: object) -> None:
        """Post the Updates among what a command returned."""
        results = result if isinstance(result, tuple) else (result,)
        self._worker.post(*(found for found in results if isinstance(found, Update)))

    def publish(self, *, resting: bool = True) -> None:
        """Post the current moment; `resting` when nothing runs."""
        saved = []
        while not self._finished_saves.empty():
            path, self._saved, self._saved_ranks = self._finished_saves.get()
            self._path, self._stamp = path, _stamp(path)
            saved.append(SavedUpdate(path))
        if self._live is not None and self.debugger.listing != self._listing:
            self._listing = self.debugger.listing
            self._worker.post(ListingUpdate(self._listing))
        self._publish_loop()
        self._warn_of_storage()
        self._publish_ranks(resting=resting)
        self._lesson.publish()
        self._publisher.publish(self.debugger, self._document(), resting=resting)
        self._worker.post(*saved)

    def _warn_of_storage(self) -> None:
        """Say once that a long run takes memory because no temporary file can be written."""
        problem = self.debugger.history.storage_problem
        if problem and self._storage_warned is not self._debugger:
            self._storage_warned = self._debugger
            error = GradStepError(
                f"a long run stays in memory: {problem}",
                "free disk space, and open the session again before you run it much longer",
            )
            self._worker.post(FailureUpdate((Failure(_tr("write a temporary file"), error),)))

    def _publish_loop(self) -> None:
        """Post the text of the program where its loop has other lines than in the last one."""
        lines = self.debugger.loop_lines
        found = next((known for known in self._listings if known[0] == lines), None)
        if found is None:
            found = (lines, self.debugger.listing)
            self._listings = [*self._listings[-_MOST_LISTINGS:], found]
        if found[1] is not self._listing and lines:
            self._listing = found[1]
            self._worker.post(ListingUpdate(self._listing, is_edited=True))

    def progress(self, done: int, total: int) -> None:
        """Post how many Operations of a replay are done."""
        self._publisher.progress(done, total)

    def iterate(
        self, debugger: Debugger, count: int, adapt: AdaptOperation | None, should_stop: ShouldStop
    ) -> StopReason:
        """Run the program's loop, posting a picture whenever the window wants one."""
        return self._run(
            count,
            lambda progress: debugger.run(
                count, should_stop=should_stop, progress=progress, adapt=adapt
            ),
        )

    def run_until_iteration(
        self,
        debugger: Debugger,
        iteration: int,
        adapt: AdaptOperation | None,
        should_stop: ShouldStop,
    ) -> StopReason:
        """Run the program's loop until so many iterations are done, posting pictures likewise."""
        return self._run(
            iteration - debugger.program.iteration,
            lambda progress: debugger.run_until_iteration(
                iteration, should_stop=should_stop, progress=progress, adapt=adapt
            ),
        )

    def _run(self, count: int, run: Callable[[Callable[[int], None]], StopReason]) -> StopReason:
        """Run `count` iterations, and note how many are left when that is interrupted."""
        self._iterations_left = count

        def progress(done: int) -> None:
            self._iterations_left = count - done
            self._record_grown()
            if self._worker.is_picture_wanted:
                start = time.perf_counter()
                self.debugger.flush_recording()  # what is shown survives a kill
                self.publish(resting=False)
                self._worker.picture_posted(time.perf_counter() - start)

        reason = run(progress)
        if reason.kind != "paused":
            self._iterations_left = 0
        return reason

    def run_to(self, debugger: Debugger, line: str, should_stop: ShouldStop) -> StopReason:
        """Run a script until it comes to a line."""
        point = debugger.breakpoints.put(BreakpointSpec.at_line(line))
        try:
            return self.iterate(debugger, sys.maxsize, None, should_stop)
        finally:
            debugger.breakpoints.remove(point.id)

    def resume(
        self, debugger: Debugger, adapt: AdaptOperation | None, should_stop: ShouldStop
    ) -> StopReason | None:
        """Run the remaining iterations of a run that was interrupted."""
        count = self._iterations_left
        return self.iterate(debugger, count, adapt, should_stop) if count else None

    def remove_branch(self, debugger: Debugger, branch: int) -> Update:
        """Remove a branch; it can be restored for as long as the program is open.

        Its process, if it is one of a script, ends.
        """
        removed = debugger.branches.remove(branch)
        self._removed.append(removed)
        if isinstance(self._live, LiveScript):
            self._live.branches.end(removed.id)
        return self._removed_branches()

    def restore_branch(self, debugger: Debugger) -> Update:
        """Restore the branch that was removed last.

        Raises:
            GradStepError: There is none.
        """
        if not self._removed:
            raise GradStepError("no branch was removed", "remove one first")
        debugger.branches.restore(self._removed[-1])
        self._removed.pop()
        return self._removed_branches()

    # --- what Snapshots and curves hold ----------------------------------------------------

    def want_arrays(self, addresses: Collection[str]) -> None:
        """Put the whole arrays of these addresses in each Snapshot from now on."""
        self._publisher.wanted = frozenset(addresses)

    def want_series(self, view: str, columns: Collection[str]) -> None:
        """Post these columns to a view from now on, from their first rows."""
        self._publisher.series.want(view, tuple(columns))

    def want_ghosts(self, columns: Collection[str]) -> None:
        """Post these columns of the other branches from now on."""
        self._publisher.ghost_columns = tuple(columns)

    def want_fit(self, loss: str | None) -> None:
        """Post during runs how the output of a loss compares with its targets; None to stop."""
        self._publisher.fit.want(loss)

    def want_landscape(self, *, wanted: bool) -> None:
        """Post the place of each moment in the landscape from now on, or no more."""
        self._publisher.has_landscape = wanted

    def overlay(self, paths: Collection[Path]) -> None:
        """Draw the losses of other sessions behind those of the open program."""
        try:
            for path in paths:
                self._publisher.overlays.add(path.stem, self._open(path))
        finally:
            self._keep_overlays()

    def run_seeds(self, debugger: Debugger, should_stop: ShouldStop) -> None:
        """Run the program with other seeds, and draw their losses."""
        try:
            self._publisher.overlays.run_seeds(debugger, self.progress, should_stop)
        finally:
            debugger.layout = self._publisher.overlays.layout

    def clear_overlays(self) -> None:
        """Draw the losses of no other run."""
        self._publisher.overlays.clear()
        self._keep_overlays()

    def set_memory(self, megabytes: int) -> None:
        """Limit the memory of Checkpoints, also of programs opened later."""
        self._memory = megabytes * 2**20
        if self._debugger is not None:
            self._debugger.branches.memory_budget = self._memory

    # --- files ----------------------------------------------------------------------------

    def open(self, path: Path, *, as_copy: bool = False) -> None:
        """Open a program or a session; when that fails, what was open stays open.

        Args:
            path: The file.
            as_copy: Whether to forget the path, as for a bundled program, so that Save asks.
        """
        with suppress(OpeningCancelledError):
            self._adopt(self._open(path), None if as_copy else path)

    def _opened(self, path: Path) -> Debugger:
        """Open a program or a session; the user can see how far that is, and stop it."""
        return Debugger.open(path, progress=self.progress, should_stop=self._is_stopped)

    def open_lesson(self, path: Path) -> None:
        """Open a lesson and its program; when that fails, what was open stays open."""
        run = open_lesson(path)
        self._adopt(run.debugger, None, lesson=run)
        self._lesson.path = path

    def begin_lesson(self, text: str, folder: Path | None, name: str) -> None:
        """Open the lesson in a text likewise.

        Args:
            text: The lesson's document.
            folder: The folder in which its program is looked up; None for none.
            name: Its name in reports.
        """
        run = begin_lesson(decode(text.encode()), folder, name)
        self._adopt(run.debugger, None, lesson=run)

    def lesson_draft(self) -> Update:
        """Return the document of the lesson that is open, to be edited."""
        return LessonDraftUpdate(self._lesson.draft)

    def restart_lesson(self) -> None:
        """Begin the lesson anew, with its program as it was at the start.

        Raises:
            GradStepError: There is no lesson.
        """
        run = self._lesson.restarted()
        self._adopt(run.debugger, None, lesson=run)

    def change_lesson(self, debugger: Debugger, change: Callable[[LessonRun], None]) -> None:
        """Have something done with the lesson, such as giving an answer."""
        self._lesson.do(debugger, change)

    def do_next_of_lesson(self, debugger: Debugger, should_stop: ShouldStop) -> Update | None:
        """Do what the current step of the lesson asks for next; see `LessonFollower.do_next`."""
        return self._lesson.do_next(debugger, should_stop)

    def debug(
        self,
        command: ScriptCommand,
        channel: Channel | None = None,
        output: OutputReader | None = None,
    ) -> None:
        """Start a script, hold it before its next Operation, and open it.

        The script that is open, started again, keeps its breakpoints and watches.

        Args:
            command: The script.
            channel: The connection to it, where it runs already.
            output: Reads what it prints; None to leave it the streams of this process.

        Raises:
            ScriptError: It cannot be started, or its process broke the protocol.
        """
        if channel is None and command.is_distributed:
            self._debug_ranks(start_ranks(command, self._is_stopped))
            return
        if output is None:
            process = ScriptProcess(command, share=0, goes_on=False, channel=channel)
            process.was_running = channel is not None
        else:
            process = started(command, output)
        live = self._held(process, lambda: LiveScript(process, self._grown))
        if self._live is not None and channel is None and command == self._command:
            live.debugger.breakpoints.take_over(self.debugger.breakpoints)
            live.debugger.watches.take_over(self.debugger.watches)
            live.debugger.layout = self.debugger.layout
            _move_lines(live.debugger.breakpoints, self.debugger.listing, live.debugger.listing)
        self._command = command
        self._adopt(live.debugger, None, is_saved=False, live=live)

    def debug_ranks(self, found: Sequence[tuple[ScriptCommand, Channel]]) -> None:
        """Hold processes that run already as the ranks of one job, and open them.

        Args:
            found: What each is called, and the connection to it, in the order of their ranks.

        Raises:
            ScriptError: One of them broke the protocol.
        """
        self._debug_ranks(joined_ranks(found, self._is_stopped))

    def _debug_ranks(self, group: RankGroup) -> None:
        live = self._held(group, lambda: LiveRanks(group, self._grown))
        self._adopt(live.debugger, None, is_saved=False, live=live)

    def _held(self, process: ScriptProcess | RankGroup, hold: Callable[[], _Live]) -> _Live:
        """Hold a process, which can be ended meanwhile; if that fails, the one before is kept."""
        before, self._process = self._process, process
        try:
            return hold()
        except BaseException:
            process.end()
            self._process = before
            raise

    def _is_stopped(self) -> bool:
        """Return whether the user has asked the running task to end."""
        task = self._worker.long_task
        return task is not None and task.stop.is_set()

    def show_rank(self, number: int) -> None:
        """Show another rank of a distributed script, at the same Event."""
        if isinstance(self._live, LiveRanks) and number != self._live.shown:
            self._grown(self._live.show(number))
            self._saved = self._saved_ranks.get(number)
            if self._path is not None:
                self._path = rank_path(self._path, number)
                self._stamp = _stamp(self._path)
            self._record_grown()
            self.publish()

    def poll_ranks(self) -> None:
        """Look whether ranks have come to an Operation, or ended, while nothing was asked."""
        if isinstance(self._live, LiveRanks):
            if self._live.poll():
                self.publish()
            else:
                self._publish_ranks()

    def _publish_ranks(self, *, resting: bool = True) -> None:
        """Post where the ranks are, if that has changed."""
        live = self._live
        found = live.records(with_norms=resting) if isinstance(live, LiveRanks) else ()
        if found != self._ranks:
            self._ranks = found
            self._worker.post(RanksUpdate(found))

    def keep_recorded(self, recorded: RecordedScript) -> Update:
        """Keep a recorded script until it is opened."""
        self._forget_recorded()
        self._recorded, debugger = recorded, recorded.debugger
        return RecordedUpdate(debugger.program.spec.name, len(debugger.events))

    def open_recorded(self) -> None:
        """Open the script that was recorded last, as something unsaved.

        Raises:
            GradStepError: There is none.
        """
        if self._recorded is None:
            raise GradStepError(_tr("no recorded script is waiting"), _tr("record one first"))
        self._adopt(self._recorded.debugger, None, is_saved=False)
        self._forget_recorded()

    def _forget_recorded(self) -> None:
        recorded, self._recorded = self._recorded, None
        if recorded is not None:
            recorded.discard_frames()

    def _grown(self, debugger: Debugger) -> None:
        """Replace the Debugger by that of a script which has new tensors, losses or optimizers."""
        self._debugger = debugger
        self._publisher.begin()

    def open_draft(self, draft: Draft, *, is_saved: bool) -> None:
        """Open a draft; `is_saved` when its file holds this very text."""
        debugger = self.drafts.take(draft)
        self._adopt(debugger, draft.path if is_saved else None, is_saved=is_saved)

    def open_document(self, text: str, should_stop: ShouldStop) -> None:
        """Open an edited document of the open program, brought to the current moment."""
        edited = self.debugger.with_document(text, progress=self.progress, should_stop=should_stop)
        self._adopt(edited, None, is_saved=False)

    def recover(self, path: Path) -> None:
        """Open a recording that a process left behind, as something unsaved.

        It is removed as soon as another recording holds everything in it.
        """
        try:
            recovered = self._open(path)
        except OpeningCancelledError:
            return
        self._adopt(recovered, None)
        self._saved = None
        self.publish()
        if self._autosave.is_recording:
            remove_leftover(path)

    def save(self, path: Path, cancel: threading.Event) -> None:
        """Save everything as a session, but never over what another process saved meanwhile.

        The file is written by the saver's thread; `SavedUpdate` is posted when it is complete.

        Args:
            path: The file.
            cancel: Set to stop the writing; the file then stays as it was.

        Raises:
            SessionError: The file is no longer the one that was opened or saved here, or another
                is still being written.
        """
        if self._saver.long_task is not None:
            message = _tr("another file is still being saved")
            raise SessionError(message, _tr("wait until it is saved, or cancel that"))
        if path == self._path and path.exists() and _stamp(path) != self._stamp:
            message = _tr("{path} was changed by another program since it was opened here")
            raise SessionError(message.format(path=path), _tr("save under another name"))
        title = _tr("save {name}").format(name=path.name)
        shown, mark, ranks = path, _mark(self.debugger), {}
        if isinstance(self._live, LiveRanks):
            ranks = self._live.debuggers()
            shown = rank_path(path, self._live.shown)
        pending = [one.begin_save(rank_path(path, number)) for number, one in ranks.items()]
        pending = pending or [self.debugger.begin_save(path)]
        marks = {number: _mark(one) for number, one in ranks.items()}

        def write(should_stop: ShouldStop) -> None:
            with suppress(SavingCancelledError):
                for each in pending:
                    each.write(lambda *at: self._saver.post(SavingUpdate(*at)), should_stop)
                self._finished_saves.put((shown, mark, marks))
                # A run publishes of its own accord; this is for when nothing runs.
                self._worker.submit(Task(title, lambda _: self.publish_if_open()))

        self._saver.submit(Task(title, write, "saving", cancel))

    def close(self) -> None:
        """Drop the recordings: nothing is left to recover."""
        self._autosave.end()
        self._forget_recorded()

    def end_script(self) -> None:
        """End the script that is debugged, if there is one; any thread may call this.

        The worker may be waiting for the script, and comes back when the script has ended.
        """
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _adopt(
        self,
        debugger: Debugger,
        path: Path | None,
        *,
        is_saved: bool = True,
        live: LiveScript | LiveRanks | None = None,
        lesson: LessonRun | None = None,
    ) -> None:
        """Make a Debugger the open one.

        Args:
            debugger: Holds another program.
            path: Its file; None when there is none to save to.
            is_saved: Whether a file holds everything in it.
            live: The script that runs, if it is one.
            lesson: The lesson that begins; by default that of a session continues.
        """
        if live is None:
            self.end_script()
        elif self._live is not None:
            self._live.end()
        self._live = live
        self._is_exercise = lesson is not None  # that of a session is somebody's work
        if self._memory is not None:
            debugger.branches.memory_budget = self._memory
        self._debugger, self._path = debugger, path
        self._publisher.begin()
        problems = [*self._restore_overlays(debugger), *self._take_lesson(debugger, lesson)]
        self._removed = []
        self._stamp = None if path is None else _stamp(path)
        self._saved = _mark(self.debugger) if is_saved else None
        self._saved_ranks = {}
        # Before the first Snapshot, so that the window forgets the previous program in time.
        self._listing = debugger.listing
        self._listings = [(debugger.loop_lines, self._listing)]
        self._worker.post(OpenedUpdate(), self._removed_branches(), ListingUpdate(self._listing))
        self.publish()
        try:
            self._autosave.begin(debugger)
        except SessionError as error:
            problems.append(Failure(_tr("record the program"), error))
        if problems:
            self._worker.post(FailureUpdate(tuple(problems)))

    def _restore_overlays(self, debugger: Debugger) -> list[Failure]:
        """Draw the overlays that a session kept; return why it is impossible, if it is."""
        try:
            self._publisher.overlays.restore(debugger.layout)
        except SessionError as error:
            return [Failure(_tr("draw the other runs"), error)]
        return []

    def _take_lesson(self, debugger: Debugger, lesson: LessonRun | None) -> list[Failure]:
        """Begin a lesson, or continue that of a session; return why it is impossible, if it is."""
        try:
            if lesson is None:
                self._lesson.resume(debugger)
            else:
                self._lesson.begin(lesson)
        except GradStepError as error:
            return [Failure(_tr("continue the lesson"), error)]
        return []

    def _keep_overlays(self) -> None:
        """Have the overlays saved with the session, and post them."""
        if self._debugger is not None:
            self._debugger.layout = self._publisher.overlays.layout
            self.publish()

    def publish_if_open(self) -> None:
        """Post the current moment, if there is one."""
        if self._debugger is not None:
            self.publish()

    def _removed_branches(self) -> RemovedBranchesUpdate:
        return RemovedBranchesUpdate(tuple(branch.name for branch in self._removed))

    def _place(self) -> tuple[object, int]:
        return self.debugger.history, self.debugger.position[0]

    def _document(self) -> Document:
        spec = self.debugger.program.spec
        name = spec.name
        if isinstance(self._live, LiveRanks):
            name = f"{PurePath(name).stem}.rank{self._live.shown}"
        return Document(
            name=name,
            path=self._path,
            description=spec.description,
            iterations=spec.iterations,
            data=tuple(spec.data),
            losses=(*_in_order_of_use(spec.losses, Forward, spec.loop), *spec.metrics),
            optimizers=_in_order_of_use(spec.optimizers, Step, spec.loop),
            modified=_mark(self.debugger) != self._saved and not self._is_throwaway,
            recording=self._recording(),
            alteration=self.debugger.alteration,
        )

    @property
    def _is_throwaway(self) -> bool:
        """Whether nobody misses what is open: a lesson that is not saved, or an empty recording."""
        if self._path is not None:
            return False
        if self.debugger.recording is not None:
            return not len(self.debugger.events)
        return self._is_exercise and self._lesson.is_running

    def _recording(self) -> Recording | None:
        """Return what the window shows of the run of a script; None for a program."""
        run, live = self.debugger.recording, self._live
        if run is None:
            return None
        name = PurePath(run.script).name
        if isinstance(live, LiveRanks):
            words = _tr("{script}, rank {rank} of {count}")
            name = words.format(script=name, rank=live.shown, count=len(self._ranks))
        return Recording(
            name,
            run.backend,
            run.status,
            run.error,
            run.lost,
            is_running=live is not None and live.is_running,
            traceback=run.traceback,
        )


def _in_order_of_use(
    names: Iterable[str], kind: type[Forward | Step], loop: Iterable[LoopLine] | None
) -> tuple[str, ...]:
    """Return the losses or optimizers of a program, those that its loop uses first."""
    lines = [line.operation for line in loop or () if isinstance(line.operation, kind)]
    used = [line.loss if isinstance(line, Forward) else line.optimizer for line in lines]
    return tuple(dict.fromkeys([*used, *names]))


def _move_lines(points: Breakpoints, before: Listing, after: Listing) -> None:
    """Let breakpoints at lines of files follow these in files that were edited."""
    for point in tuple(points):
        line = moved_line(point.spec.line, before.files, after.files)
        if line != point.spec.line:
            points.put(msgspec.structs.replace(point.spec, line=line), point.id)


def _mark(debugger: Debugger) -> object:
    """Return what differs once there is something to save."""
    names = tuple((branch.id, branch.name) for branch in debugger.branches)
    texts = debugger.breakpoints.texts, debugger.watches.texts
    answers = {} if debugger.recording is None else dict(debugger.recording.answers)
    done = None if debugger.lesson is None else debugger.lesson.predictions
    return debugger.history, len(debugger.events), names, texts, debugger.layout, answers, done


def _stamp(path: Path) -> object:
    """Return what changes when a file is written; None when there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _tr(text: str) -> str:
    return QCoreApplication.translate("DebuggerHost", text)
