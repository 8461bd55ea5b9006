"""Debugger: apply a program's Operations, go to any moment of its recording, and look at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from gradstep.atomic_write import write_text
from gradstep.debugger.branches import Branches
from gradstep.debugger.breakpoints.breakpoints import Breakpoints
from gradstep.debugger.comparing.compare import MAX_ROWS, compare
from gradstep.debugger.comparing.compared_branch import ComparedBranch
from gradstep.debugger.cursor import Cursor, quiet
from gradstep.debugger.explain.explainer import Explainer
from gradstep.debugger.fit import FitReader
from gradstep.debugger.landscape import Landscapes
from gradstep.debugger.runner import Runner
from gradstep.debugger.snapshot_builder import SnapshotBuilder
from gradstep.debugger.state_reader import StateReader
from gradstep.debugger.stepper import Stepper
from gradstep.debugger.variable_reader import VariableReader
from gradstep.debugger.watches.watches import Watches
from gradstep.debugger.what_if.edited_program import apply_recorded
from gradstep.debugger.what_if.remedy_search import RemedySearch
from gradstep.debugger.what_if.replay import replay_with_edits
from gradstep.debugger.what_if.resume_check import check_resume
from gradstep.diagnostics.tables.question_table import INTENTIONS
from gradstep.errors import OperationError, UnsupportedError
from gradstep.history.checkpoint import BUDGET_BYTES
from gradstep.history.history import Branch, History
from gradstep.history.records.what_if import Edits
from gradstep.program.document import codec
from gradstep.program.document.files import InMemoryFiles
from gradstep.program.operation import Backward, Forward, Step, ZeroGrad
from gradstep.program.program import Program
from gradstep.program.schema.program_spec import ProgramSpec
from gradstep.program.suggestions import nearest
from gradstep.program.torch_export.export import (
    RecordedOperation,
    export_script,
    export_test,
    list_program,
)
from gradstep.script.frame_file import has_frames, read_frames
from gradstep.script.mirror import Mirror
from gradstep.session import store
from gradstep.session.archive import release_events, restored, session_of
from gradstep.session.opening import check_output, is_session
from gradstep.session.recorder import SessionRecorder
from gradstep.session.schema import SUFFIX
from gradstep.session.tables import describe_alteration

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.debugger.breakpoints.evaluation_points import Kinds
    from gradstep.debugger.breakpoints.stop_reason import StopReason
    from gradstep.debugger.conditions.evaluation_context import EvaluationContext
    from gradstep.debugger.watches.watch import Watch
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.log.event_log import EventView
    from gradstep.history.records.comparison import Comparison
    from gradstep.history.records.event import Event
    from gradstep.history.records.explanation import Binding, Contribution, Explanation
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.lesson import LessonState
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.what_if import Remedy, ResumeCheck
    from gradstep.program.document.files import Files
    from gradstep.program.listing import Listing
    from gradstep.program.micro_step import MicroStep
    from gradstep.program.operation import LoopLine, Operation
    from gradstep.script.tape import ScriptRun
    from gradstep.session.record import Session
    from gradstep.session.store import PendingSave

__all__ = ["Comparable", "Debugger"]

Comparable: TypeAlias = "Branch | int | Path | str | Debugger"
"""What can be compared: a branch or its number, a file, or another Debugger's current branch."""


class Debugger:
    """A program, its recording, and the parts that move through it and explain it.

    Its methods forward to the parts, which document their arguments in full: `Cursor`, `Stepper`,
    `Runner` and `Explainer`.

    Args:
        spec: The program's document, or the mirror of a script.
        folder: Where to look for the files that the document names.
        budget_bytes: Bytes that Checkpoints may take.
        session: A recording of this very document, to continue.
        files: Finds the files that the document names, instead of a folder.
        advance: Called with the number of Events of the session that were just taken.

    Attributes:
        branches: The branches of the recording, to rename, remove and restore.
        breakpoints: Where runs stop, to add, change and remove.
        watches: Watched expressions, to add, change and remove.
        variables: The variables of a script, where it is held.
        fit: How the model's outputs compare with the targets of its data.
        landscapes: The loss around the present moment, over one or two directions.
        layout: The window's arrangement, which a session keeps; opaque to all but the window.

    Example:
        >>> from gradstep.program.document.codec import decode
        >>> spec = decode(b'''{"gradstep": 1,
        ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
        ...     "losses": {"loss": {"expression": "sum(100 * x)"}},
        ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}''')
        >>> dbg = Debugger(spec)
        >>> dbg.forward().loss
        300.0
        >>> dbg.backward().writes
        ('x.grad', 'loss.graph')
        >>> dbg.snapshot.parameters["x"].grad.tolist()
        [100.0, 100.0]
        >>> dbg.back()
        >>> dbg.snapshot.parameters["x"].grad is None
        True
    """

    @quiet
    def __init__(
        self,
        spec: ProgramSpec | Mirror,
        folder: Path | None = None,
        *,
        budget_bytes: int = BUDGET_BYTES,
        session: Session | None = None,
        files: Files | None = None,
        advance: Callable[[int], None] = lambda _read: None,
    ) -> None:
        if session is None:
            program: Debuggee
            if isinstance(spec, ProgramSpec):
                program = Program.from_spec(spec, folder, files=files)
            else:
                program = spec
            main = Branch(0, None, 0, "main", History.start(program, budget_bytes))
            self.branches = Branches([main], memory_budget=budget_bytes)
            self._cursor = Cursor(program, self.branches)
        else:
            program, histories = restored(session, advance)
            branches = [
                Branch(item.id, item.parent, item.forked_at, item.name, histories[item.id])
                for item in session.branches
            ]
            self.branches = Branches(branches, session.branch, budget_bytes)
            self._cursor = Cursor(program, self.branches, session.position, session.findings)
        reader = self._reader = StateReader(self._cursor)
        points, watches = ((), ()) if session is None else (session.breakpoints, session.watches)
        self.breakpoints = Breakpoints(reader.present, points, self._keep_breakpoints)
        self.watches = Watches(reader, watches, self._keep_watches)
        self.layout = b"" if session is None else session.layout
        self._lesson = None if session is None else session.lesson
        self._altered = () if session is None else session.altered
        self._snapshots = SnapshotBuilder(self._cursor)
        self._stepper = Stepper(self._cursor)
        self._runner = Runner(self._cursor, self.breakpoints, reader)
        self._remedies = RemedySearch(self._cursor)
        self._explainer = Explainer(self._cursor, reader)
        self.landscapes = Landscapes(self._cursor, () if session is None else session.landscapes)
        self.variables = VariableReader(self._cursor)
        self.fit = FitReader(self._cursor)

    # -- files ---------------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Debugger:
        """Open a program (`.json`) or a session (`.gradstep`).

        What a process has recorded with `gradstep_agent.record` is opened as a session, at its end.

        Args:
            path: The file.
            progress: Called now and then with how much of a session is open, and of how much.
            should_stop: Called as often; True cancels the opening.

        Raises:
            ProgramError: The program cannot be read or built.
            SessionError: The session cannot be read, or its opening was cancelled.
            ScriptError: What a process has recorded cannot be read.
        """
        path = Path(path)
        if has_frames(path):
            recorded = cls(Mirror(read_frames(path)))
            recorded.follow()
            return recorded
        if is_session(path):
            counter = store.ProgressCounter(
                path, store.OpeningCancelledError, progress, should_stop
            )
            session = store.read(path, counter)
            opened = cls(session.spec, session=session, advance=counter.advance)
            release_events(session)
            return opened
        return cls(codec.read(path), path.parent)

    @property
    def alteration(self) -> str:
        """What was changed in the session after GradStep wrote it, as a sentence; "" for nothing.

        A copy that is saved says so, too.
        """
        return describe_alteration(self._altered)

    def save(
        self,
        path: Path | str,
        *,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        """Save the recording as a session: all branches, and the current moment.

        Args:
            path: The file, usually `something.gradstep`; an existing one is replaced.
            progress: Called now and then with the numbers of Events and Checkpoints that are
                written, and of all that will be.
            should_stop: Called as often; True cancels the save, and leaves the file as it was.

        Raises:
            SerializationError: The file is a program or a script.
            SessionError: The file cannot be written, or the save was cancelled.
        """
        self.begin_save(path).write(progress, should_stop)

    def begin_save(self, path: Path | str) -> PendingSave:
        """Return the recording as it is now; it can be written on another thread.

        Args:
            path: The file, usually `something.gradstep`; an existing one will be replaced.

        Raises:
            SerializationError: The file is a program or a script.
        """
        check_output(Path(path), SUFFIX)
        return store.PendingSave(Path(path), self._session())

    def record_to(self, path: Path | str) -> SessionRecorder:
        """Record everything from now on in a new session file, as it happens.

        Args:
            path: The file to create.

        Returns:
            The recorder; close it to keep the recording, or else discard it.

        Raises:
            SessionError: The file exists, or cannot be created.
        """
        recorder = SessionRecorder(
            Path(path),
            self._session(),
            lambda history: next(item for item in self.branches if item.history is history),
            tape=program.tape if isinstance(program := self.program, Mirror) else None,
        )
        self.history.recorder = recorder
        return recorder

    def flush_recording(self) -> None:
        """Write the applied Events to the recording, if there is one: they then survive a kill."""
        self._cursor.settle()

    def script(self, *, test: bool = False) -> str:
        """Return the current branch as a PyTorch script that does the same on torch.

        Without recorded Events it is the program's loop.

        Args:
            test: Return a pytest test instead, which asserts the recorded losses, gradients and
                parameters.

        Raises:
            UnsupportedError: A recorded Operation cannot be exported, or a test has no loss to
                assert.

        Example:
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": [1, 2], "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "sum(100 * x)"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}}}'''))
            >>> _ = dbg.forward()
            >>> '("loss", 300.0),' in dbg.script(test=True)
            True
        """
        recorded = [
            RecordedOperation(event.operation, event.loss, event.index)
            for event in self.events
            if event.outcome.ok
        ]
        return (export_test if test else export_script)(self._cursor.document_program, recorded)

    def export(self, path: Path | str, *, test: bool = False) -> None:
        """Write `script()` to a file.

        Args:
            path: The file, usually `something.py`; an existing one is replaced.
            test: Write a pytest test.

        Raises:
            UnsupportedError: As in `script`.
            SerializationError: The file is a program or a session, or it cannot be written.
        """
        check_output(Path(path), ".py")
        write_text(Path(path), self.script(test=test))

    # -- applying Operations -------------------------------------------------------------------

    def zero_grad(self, optimizer: str | None = None, *, set_to_none: bool = True) -> Event:
        """Clear the gradients of an optimizer's parameters.

        Args:
            optimizer: Its name; when None, the one that the loop expects, or the first.
            set_to_none: Set them to None instead of zeros.
        """
        return self.apply(ZeroGrad(self._optimizer(optimizer), set_to_none))

    def forward(self, loss: str | None = None, *, hold: bool = False) -> Event:
        """Compute a loss on the next batch.

        Args:
            loss: Its name; when None, the one that the loop expects, or the first.
            hold: Use its last batch again.
        """
        batch: Literal["next", "held"] = "held" if hold else "next"
        return self.apply(Forward(self._loss(loss), batch))

    def backward(self, loss: str | None = None, *, retain_graph: bool = False) -> Event:
        """Backpropagate from a loss.

        Args:
            loss: Its name; when None, the one that was computed last.
            retain_graph: Keep the saved values of the graph for another backward.
        """
        cursor = self._cursor
        last = cursor.history.log.last_loss(cursor.position, self.program.spec.metrics) or None
        return self.apply(Backward(self._loss(last if loss is None else loss), retain_graph))

    def step(self, optimizer: str | None = None) -> Event:
        """Let an optimizer update its parameters.

        Args:
            optimizer: Its name; when None, the one that the loop expects, or the first.
        """
        return self.apply(Step(self._optimizer(optimizer)))

    def apply(self, operation: Operation) -> Event:
        """Apply one Operation; see `Cursor.apply`."""
        return self._cursor.apply(operation)

    # -- inside Operations ---------------------------------------------------------------------

    def step_into(self, operation: Operation | None = None) -> MicroStep | Event:
        """Take the next micro-step, or enter an Operation; see `Stepper.into`."""
        return self._stepper.into(operation)

    def step_over(self) -> MicroStep | Event:
        """Take micro-steps until the current one, and all inside it, are done."""
        return self._stepper.over()

    def step_out(self) -> MicroStep | Event:
        """Take micro-steps until what contains the current one is done."""
        return self._stepper.out()

    def back(self) -> None:
        """Go one micro-step back, or outside of Operations one Event; see `Stepper.back`."""
        self._stepper.back()

    # -- running -------------------------------------------------------------------------------

    def iterate(
        self,
        n: int = 1,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Event | None:
        """Run `n` iterations of the loop, ignoring breakpoints; see `Runner.iterate`."""
        return self._runner.iterate(n, should_stop=should_stop, progress=progress)

    def run(
        self,
        max_iterations: int | None = None,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
        adapt: Callable[[Operation], Operation] | None = None,
    ) -> StopReason:
        """Run the loop until a breakpoint is hit; see `Runner.run`."""
        return self._runner.run(
            max_iterations, should_stop=should_stop, progress=progress, adapt=adapt
        )

    def run_until_iteration(
        self,
        iteration: int,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
        adapt: Callable[[Operation], Operation] | None = None,
    ) -> StopReason:
        """Run the loop until an iteration is done; see `Runner.run_until_iteration`."""
        return self._runner.run_until_iteration(
            iteration, should_stop=should_stop, progress=progress, adapt=adapt
        )

    def run_back(self, *, should_stop: Callable[[], bool] | None = None) -> StopReason:
        """Go back to the last earlier moment at which a breakpoint hits; see `Runner.run_back`."""
        return self._runner.run_back(should_stop=should_stop)

    def follow(
        self, count: int | None = None, *, should_stop: Callable[[], bool] | None = None
    ) -> Event | None:
        """Apply what a script did, to the end of its tape; see `Runner.follow`."""
        return self._runner.follow(count, should_stop=should_stop)

    def run_until(
        self,
        condition: str,
        max_iterations: int = 100_000,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> bool:
        """Run the loop until a condition such as `loss < 0.1` holds; see `Runner.run_until`."""
        return self._runner.run_until(
            condition, max_iterations, should_stop=should_stop, progress=progress
        )

    def break_when(
        self,
        expression: str,
        before: Kinds = None,
        after: Kinds = None,
        hits: int = 1,
        log: str | None = None,
    ) -> Breakpoint:
        """Add a breakpoint; see `Breakpoints.add`."""
        return self.breakpoints.add(expression, before, after, hits, log)

    def watch(self, expression: str) -> Watch:
        """Watch an expression; see `Watches.add`."""
        return self.watches.add(expression)

    # -- time ----------------------------------------------------------------------------------

    def seek(self, event_index: int, *, should_stop: Callable[[], bool] | None = None) -> None:
        """Go to the moment after an Event, 0 for the start; see `Cursor.seek`."""
        self._cursor.seek(event_index, should_stop)

    def fork(self, name: str = "", number: int | None = None) -> Branch:
        """Start a branch at the current moment, and make it the current one; see `Cursor.fork`."""
        return self._cursor.fork(name, number)

    def checkout(self, branch: Branch | int) -> Branch:
        """Make another branch the current one, and go to its end; see `Cursor.checkout`."""
        return self._cursor.checkout(branch)

    def discard_future(self) -> bool:
        """Forget the Events after the current moment; see `Cursor.discard_future`."""
        return self._cursor.discard_future()

    @property
    def position(self) -> tuple[int, int | None]:
        """The index of the last Event, 0 at the start; and the number of micro-steps taken.

        The second is None outside of Operations, and counts from 1 inside the one that follows the
        Event.
        """
        walk = self._cursor.walk
        return self._cursor.position, None if walk is None else walk.index

    @property
    def event(self) -> Event | None:
        """The last Event at the current moment; None at the start."""
        return self._cursor.event

    @property
    def micro_step(self) -> MicroStep | None:
        """The last micro-step; None outside of Operations."""
        return self._stepper.micro_step

    @property
    def events(self) -> EventView:
        """The Events of the current branch, also those after the current moment; it grows."""
        return self.history.events

    @property
    def history(self) -> History:
        """The History of the current branch."""
        return self._cursor.history

    # -- looking -------------------------------------------------------------------------------

    @property
    def program(self) -> Debuggee:
        """The live program or script, standing at the current moment."""
        return self._cursor.program

    def process_of(self, branch: Branch) -> Literal["", "held", "ended"]:
        """Return whether the script's process of a branch is held; empty where none ever was."""
        program = self.program
        tape = program.tape.branches.get(branch.id) if isinstance(program, Mirror) else None
        if tape is None or tape.feed is None:
            return ""
        return "ended" if tape.has_ended else "held"

    @property
    def listing(self) -> Listing:
        """The program as a PyTorch script, and what its document says; see `list_program`."""
        program = self.program
        if isinstance(program, Mirror):
            return program.listing()
        return list_program(self._cursor.document_program)

    @property
    def loop_lines(self) -> tuple[LoopLine, ...]:
        """The lines of a program's loop at this moment; empty for a script."""
        program = self.program
        return program.lines if isinstance(program, Program) else ()

    @property
    def next_operation(self) -> Operation | None:
        """What the loop or the script does next; None if nothing does."""
        return self._cursor.next_operation

    @property
    def recording(self) -> ScriptRun | None:
        """What is known of the run of a recorded script; None for a program."""
        program = self.program
        return program.tape.run if isinstance(program, Mirror) else None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the diagnostics report up to the current moment."""
        return self._cursor.findings

    def answer(self, intention: str, *, is_intended: bool | None) -> None:
        """Note what a script intends, on which findings depend; see `Finding.question`.

        Args:
            intention: What may be intended, such as "gradient_accumulation".
            is_intended: The answer; None to ask again.

        Raises:
            UnsupportedError: It is a program, whose document says what is intended.
            OperationError: There is no such intention.
        """
        run = self.recording
        if run is None:
            raise UnsupportedError(
                "only scripts are asked what they intend", 'declare "intent" in its document'
            )
        if intention not in INTENTIONS:
            raise OperationError(
                f"unknown intention {intention!r}", f"available: {', '.join(INTENTIONS)}"
            )
        run.answers.pop(intention, None)
        if is_intended is not None:
            run.answers[intention] = is_intended

    @property
    def snapshot(self) -> Snapshot:
        """The current moment, with every array."""
        return self._snapshots.take(None)

    def capture_snapshot(self, wanted: Collection[str] | None, *, compare: bool = True) -> Snapshot:
        """Return the current moment with the arrays of some addresses only, None for all.

        See `SnapshotBuilder.take`.
        """
        return self._snapshots.take(wanted, compare=compare)

    def explain(
        self, parameter: str, *, should_stop: Callable[[], bool] | None = None
    ) -> Explanation:
        """Explain the last change of a parameter; see `Explainer.explain`."""
        return self._explainer.explain(parameter, should_stop=should_stop)

    def provenance(
        self, parameter: str, *, should_stop: Callable[[], bool] | None = None
    ) -> tuple[Contribution, ...]:
        """Return which Events contributed to a gradient; see `Explainer.provenance`."""
        return self._explainer.provenance(parameter, should_stop=should_stop)

    def bindings(self) -> tuple[Binding, ...]:
        """Return which optimizer holds which tensor; see `Explainer.bindings`."""
        return self._explainer.bindings()

    def who_changed(
        self, address: str, *, should_stop: Callable[[], bool] | None = None
    ) -> int | None:
        """Return the last Event that wrote a value; see `Explainer.last_writer`."""
        return self._explainer.last_writer(address, should_stop=should_stop)

    @property
    def evaluation_context(self) -> EvaluationContext:
        """Where the names of expressions get their values at the current moment."""
        return self._reader.present()

    @property
    def lesson(self) -> LessonState | None:
        """How far the lesson is that a `LessonRun` leads through; sessions keep it."""
        return self._lesson

    @lesson.setter
    def lesson(self, state: LessonState | None) -> None:
        if state != self._lesson:
            self._lesson = state
            self._cursor.record(lambda recorder: recorder.lesson(state))

    # -- what if -------------------------------------------------------------------------------

    def what_if(
        self,
        at: int | None = None,
        *,
        skip: Sequence[int] = (),
        insert: Sequence[tuple[int, Operation]] = (),
        move: Sequence[tuple[int, int]] = (),
        set: Mapping[str, Any] | None = None,
        name: str = "",
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Branch:
        """Replay the rest of the current branch on a new one, with edits.

        The new branch forks at the moment before Event `at`. Every Operation recorded from there on
        is applied again to the state it then finds. The current branch and the current moment stay
        as they are. Iterations are numbered as on the current branch: a skipped Event leaves a
        `Skip` in its place, and inserted Operations are not part of the loop.

        The replay ends early at an Operation that fails and did not fail before, whose Event is
        then the last one of the new branch and has the reason; and when it is cancelled.

        Args:
            at: The first Event that is replayed; when None, the first one that is edited, or else
                the next one.
            skip: Events to skip.
            insert: Pairs of an Event and an Operation to insert before it; one more than the last
                Event inserts at the end.
            move: Pairs of an Event and the one to move it before.
            set: Values to set before Event `at`: `optimizer.lr` (of every group),
                `optimizer[1].lr`, `optimizer.kind`, or `a.batch_size` of data set `a`. What is
                recorded later, such as a scheduler's step, sets them again. The limits
                `optimizer.max_norm` and `optimizer.clip_value` replace those of all clippings that
                are recorded from there on.
            name: The name of the branch; a summary of the edits when empty.
            progress: Called after every Operation with the number done and the total.
            should_stop: Called before every Operation; True ends the branch there.

        Returns:
            The new branch, to check out or to compare.

        Raises:
            GradStepError: There is no such Event, a value cannot be set, or an inserted Operation
                cannot be applied where it is inserted. There is no new branch then.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * x"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
            >>> _ = dbg.iterate(3)
            >>> dbg.snapshot.parameters["x"].data.tolist()
            1.0
            >>> branch = dbg.what_if(at=5, set={"optimizer.lr": 0.5})
            >>> dbg.checkout(branch).name
            'lr 0.5 from #5'
            >>> dbg.snapshot.parameters["x"].data.tolist()
            0.0
        """
        edits = Edits(at, tuple(skip), tuple(insert), tuple(move), set or {}, name)
        return replay_with_edits(self._cursor, edits, progress, should_stop)

    @quiet
    def compare(
        self,
        a: Comparable,
        b: Comparable | None = None,
        *,
        rows: int = MAX_ROWS,
        names: tuple[str, str] | None = None,
    ) -> Comparison:
        """Return where two branches, or two recordings, diverge, and how far they drift apart.

        Args:
            a: A branch or its number, the file of a session or a program, or another Debugger,
                for its current branch.
            b: The other, in the same form; when None, the current branch is compared with `a`.
            rows: The most iterations at which to compare values.
            names: Their names in the comparison; those of the branches or files when None.

        Raises:
            GradStepError: There is no such branch or file, or a moment cannot be reproduced.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * x"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}}}'''))
            >>> _ = dbg.iterate(3)
            >>> found = dbg.compare(dbg.what_if(skip=(8,)))
            >>> found.first_event, found.tensor, found.difference.a, found.difference.b
            (8, 'x', '2.0', '4.0')
            >>> [(row.iteration, row.distance) for row in found.rows]
            [(0, 0.0), (1, 0.0), (2, 2.0), (3, 1.0)]
        """
        one, two = (self.branches.current, a) if b is None else (a, b)
        first, second = names or ("", "")
        return compare(self._compared(one, first), self._compared(two, second), rows)

    @quiet
    def remedies(
        self,
        finding: Finding,
        *,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> tuple[Remedy, ...]:
        """Return the remedies that are known to clear a finding, because they were tried.

        The ways to apply its remedy are tried one after another, up to the first that clears it and
        adds no other finding; if none does, the first that clears it is returned, with the findings
        that it adds. Then come declarations of intent that clear it, which change no number.

        Args:
            finding: The finding, as of the current moment.
            progress: Called after every Operation of a trial with the number done and the total.
            should_stop: Called before every Operation; True cancels the search.

        Raises:
            OperationError: No remedy clears it.
            StoppedError: It was cancelled.

        Example:
            >>> from gradstep.debugger import Debugger
            >>> from gradstep.program.document.codec import decode
            >>> dbg = Debugger(decode(b'''{"gradstep": 1,
            ...     "tensors": {"x": {"value": 8, "requires_grad": true}},
            ...     "losses": {"loss": {"expression": "x * x"}},
            ...     "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.25}},
            ...     "loop": [{"op": "forward"}, {"op": "backward"}, {"op": "step"}]}'''))
            >>> _ = dbg.iterate(2)
            >>> remedy, declared = dbg.remedies(dbg.findings[0])
            >>> remedy.title, remedy.edits.insert[0][0], remedy.outcome.is_clean
            ('with the gradients zeroed at the start of each iteration', 5, True)
            >>> declared.title
            'with the intent declared: gradient_accumulation'
        """
        return self._remedies.find(finding, progress, should_stop)

    @quiet
    def with_document(
        self,
        text: str,
        *,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Debugger:
        """Return a Debugger of an edited document, brought to the same moment.

        The Operations recorded up to the current Event are applied to it. Those of an optimizer or
        a scheduler that the edited document no longer has are skipped.

        Args:
            text: The edited document; the data files are those of this program.
            progress: Called after every Operation with the number done and the total.
            should_stop: Called before every Operation; True ends at an earlier moment.

        Raises:
            ProgramError: The document is not valid.
        """
        cursor = self._cursor
        files = InMemoryFiles(dict(cursor.document_program.files))
        edited = Debugger(codec.decode(text.encode()), files=files)
        apply_recorded(cursor.history.log, cursor.position, edited._cursor, progress, should_stop)
        return edited

    @quiet
    def resume_check(
        self,
        at: int | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> ResumeCheck:
        """Check whether this run could be resumed from a checkpoint; see `check_resume`."""
        program = self._cursor.document_program
        return check_resume(program, self.history, at, progress, should_stop)

    # -- inside --------------------------------------------------------------------------------

    def _session(self) -> Session:
        cursor = self._cursor
        with cursor.outside():
            return session_of(
                cursor.program,
                tuple(self.branches),
                self.branches.current.id,
                cursor.position,
                breakpoints=self.breakpoints.texts,
                watches=self.watches.texts,
                findings=cursor.stored_findings,
                layout=self.layout,
                landscapes=self.landscapes.stored,
                lesson=self._lesson,
                altered=self._altered,
            )

    def _keep_breakpoints(self, texts: tuple[str, ...]) -> None:
        self._cursor.record(lambda recorder: recorder.texts("breakpoints", texts))

    def _keep_watches(self, texts: tuple[str, ...]) -> None:
        self._cursor.record(lambda recorder: recorder.texts("watches", texts))

    def _compared(self, wanted: Comparable, name: str) -> ComparedBranch:
        if isinstance(wanted, (str, Path)):
            name = name or Path(wanted).name
            wanted = self.open(wanted)
        if isinstance(wanted, Debugger):
            branches = wanted.branches
            return ComparedBranch.of(wanted.program, branches, branches.current, name)
        return ComparedBranch.of(self.program, self.branches, wanted, name)

    def _loss(self, name: str | None) -> str:
        return _choose("loss", name, self.program.losses, self.program.next_operation)

    def _optimizer(self, name: str | None) -> str:
        return _choose("optimizer", name, self.program.optimizers, self.program.next_operation)


def _choose(
    kind: Literal["loss", "optimizer"],
    name: str | None,
    known: Iterable[str],
    expected: Operation | None,
) -> str:
    """Return the name of a loss or an optimizer; without one, what the loop expects or the first.

    Raises:
        OperationError: There is no such name, or there is none at all.
    """
    names = tuple(known)
    if not names:
        raise OperationError(f"the program has no {kind}", "add one to its document")
    if name is None:
        wanted = getattr(expected, kind, None)
        return wanted if wanted in names else names[0]
    if name not in names:
        raise OperationError(f"there is no {kind} {name!r}", nearest(name, names))
    return name
