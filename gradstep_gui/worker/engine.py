"""What the worker asks of a Debugger, so that something else can stand in for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gradstep_gui.worker.series_feed import RecordedSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from gradstep.history.records.branch import Fork
    from gradstep.history.records.breakpoints import BreakpointSpec, Breaks, StopKind
    from gradstep.history.records.comparison import Comparison
    from gradstep.history.records.event import Event
    from gradstep.history.records.explanation import Binding, Contribution, Explanation
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.what_if import Edits, ResumeCheck
    from gradstep.program.listing import Listing
    from gradstep.program.operation import Operation
    from gradstep.session.recorder import SessionRecorder

__all__ = ["BranchLike", "Engine", "ProgramLike", "Reason", "SpecLike"]


class SpecLike(Protocol):
    """What is shown of a program's document."""

    @property
    def name(self) -> str:
        """The program's name."""

    @property
    def description(self) -> str:
        """Its own words about itself."""

    @property
    def iterations(self) -> int | None:
        """How many iterations its author suggests."""

    @property
    def data(self) -> Mapping[str, object]:
        """Its data sets by name."""

    @property
    def losses(self) -> Mapping[str, object]:
        """Its losses by name."""

    @property
    def optimizers(self) -> Mapping[str, object]:
        """Its optimizers by name."""


class ProgramLike(Protocol):
    """What is asked of a Program."""

    @property
    def spec(self) -> SpecLike:
        """The document it was built from."""

    @property
    def next_operation(self) -> Operation | None:
        """The line of its loop that comes next; None when it has no loop."""


class HistoryLike(Protocol):
    """What is asked of a History."""

    @property
    def series(self) -> RecordedSeries:
        """The recorded curves."""


class PointLike(Protocol):
    """What is asked of a breakpoint."""

    @property
    def id(self) -> int:
        """Its number."""


class Reason(Protocol):
    """What is asked of the reason why a run stopped."""

    @property
    def kind(self) -> StopKind:
        """The reason in one word."""

    @property
    def event(self) -> int:
        """The index of the last Event."""

    @property
    def sentence(self) -> str:
        """The reason in words."""

    @property
    def breakpoint(self) -> PointLike | None:
        """The breakpoint that was hit."""


class BranchSeries(RecordedSeries, Protocol):
    """The recorded curves of a branch."""

    def rows_up_to(self, event: int) -> int:
        """Return how many rows had closed when an Event was done."""


class BranchHistory(Protocol):
    """The History of a branch."""

    @property
    def events(self) -> Sequence[Event]:
        """Its Events, from the very start."""

    @property
    def series(self) -> BranchSeries:
        """Its curves."""


class BranchLike(Protocol):
    """What is asked of a branch."""

    @property
    def id(self) -> int:
        """Its number."""

    @property
    def parent(self) -> int | None:
        """The number of the branch it left."""

    @property
    def forked_at(self) -> int:
        """The last Event that it shares with it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def history(self) -> BranchHistory:
        """Its Events and curves."""


class Engine(Protocol):
    """What is asked of a Debugger; `gradstep.debugger.Debugger` is one."""

    @property
    def program(self) -> ProgramLike:
        """The Program it runs."""

    @property
    def listing(self) -> Listing:
        """The program to be read."""

    @property
    def program_document(self) -> str:
        """The program's document, laid out to be edited."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """The files that the document names."""

    @property
    def history(self) -> HistoryLike:
        """The History of the branch on show."""

    @property
    def events(self) -> Sequence[Event]:
        """The Events of the branch on show; read by the window while the worker appends."""

    @property
    def forks(self) -> tuple[Fork, ...]:
        """Where other branches leave the branch on show."""

    @property
    def event(self) -> Event | None:
        """The Event at the cursor."""

    @property
    def memory_budget(self) -> int:
        """The most memory that Checkpoints take, in bytes."""

    @memory_budget.setter
    def memory_budget(self, value: int) -> None: ...

    def apply(self, operation: Operation) -> Event:
        """Apply one Operation."""

    def run(
        self,
        max_iterations: int | None = None,
        *,
        should_stop: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
        choose: Callable[[Operation], Operation] | None = None,
    ) -> Reason:
        """Run the program's loop until a breakpoint is hit, or so many iterations are done."""

    def run_back(self, *, should_stop: Callable[[], bool] | None = None) -> Reason:
        """Go back to the last moment at which a breakpoint is hit."""

    def breaks(self, *, compare: bool = True) -> Breaks:
        """Return breakpoints and watches as they stand."""

    @property
    def texts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What a session keeps of the breakpoints, and of the watches."""

    def set_breakpoint(self, spec: BreakpointSpec, number: int | None = None) -> object:
        """Set a breakpoint, or let one do something else."""

    def remove_breakpoint(self, number: int) -> None:
        """Take a breakpoint away."""

    def set_watch(self, expression: str, number: int | None = None) -> object:
        """Watch an expression, or let a watch look at another."""

    def remove_watch(self, number: int) -> None:
        """Watch something no more."""

    def who_changed(
        self, address: str, *, should_stop: Callable[[], bool] | None = None
    ) -> int | None:
        """Return the Event that wrote a value last."""

    @property
    def position(self) -> tuple[int, int | None]:
        """The index of the Event at the cursor, and of the micro-step inside the next one."""

    def step_into(self, operation: Operation | None = None) -> object:
        """Take the next micro-step, or enter; an Event when the Operation is done with it."""

    def step_over(self) -> object:
        """Take micro-steps until what the present one holds is done; an Event as above."""

    def step_out(self) -> object:
        """Take micro-steps until what the present one lies in is done; an Event as above."""

    def back(self) -> object:
        """Go one micro-step back, or outside of an Operation one Event."""

    def seek(self, event_index: int, *, should_stop: Callable[[], bool] | None = None) -> object:
        """Go to the moment after an Event, or on a long way as far as nobody says stop."""

    @property
    def branches(self) -> Iterable[BranchLike]:
        """Every branch."""

    @property
    def branch(self) -> BranchLike:
        """The one on show."""

    def what_if(
        self,
        at: int | None = None,
        *,
        skip: Sequence[int] = (),
        insert: Sequence[tuple[int, Operation]] = (),
        move: Sequence[tuple[int, int]] = (),
        set: Mapping[str, Any] | None = None,  # noqa: A002 - as in the Debugger
        name: str = "",
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> BranchLike:
        """Replay the rest of the branch otherwise, on a new one."""

    def compare(self, a: int, b: int) -> Comparison:
        """Compare two branches."""

    def checkout(self, branch: int) -> object:
        """Look at the end of a branch."""

    def resume_check(
        self,
        at: int | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> ResumeCheck:
        """Tell whether the run could have been resumed from a checkpoint."""

    def rename_branch(self, branch: int, name: str) -> object:
        """Call a branch otherwise."""

    def remove_branch(self, branch: int) -> BranchLike:
        """Take a branch away, and return it."""

    def restore_branch(self, branch: Any) -> None:  # noqa: ANN401 - what `remove_branch` returned
        """Put a branch back that was taken away."""

    def trial(self, finding: Finding) -> Edits:
        """Return the remedy of a finding as edits."""

    def shared_event(self, a: int, b: int) -> int:
        """Return the last Event that two branches share."""

    def capture_snapshot(self, wanted: Collection[str] | None) -> Snapshot:
        """Return a picture of the moment, with whole arrays of what is wanted."""

    def explain(self, parameter: str, *, should_stop: Callable[[], bool]) -> Explanation:
        """Tell why a tensor has last changed, or why it has not."""

    def provenance(
        self, parameter: str, *, should_stop: Callable[[], bool]
    ) -> tuple[Contribution, ...]:
        """Tell which Events have put a gradient where it is."""

    def bindings(self) -> tuple[Binding, ...]:
        """Tell which optimizer holds which tensor."""

    def script(self, *, test: bool = False) -> str:
        """Return what was recorded as a PyTorch script, or as a test."""

    def record_to(self, path: Path) -> SessionRecorder:
        """Append what happens from now on to a session file, as it happens."""

    def save(self, path: Path) -> object:
        """Save everything as a session."""
