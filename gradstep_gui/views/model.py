"""The controller as the views see it: what they may ask of it, and nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from PySide6.QtCore import SignalInstance

    from gradstep.history.records.branch import BranchRecord, Fork
    from gradstep.history.records.breaks import BreakpointSpec, Breaks
    from gradstep.history.records.comparison import Comparison
    from gradstep.history.records.event import Event, EventColumns
    from gradstep.history.records.finding import Finding, FindingOccurrences
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.what_if import Edits
    from gradstep.program.operation import Operation

__all__ = ["Asking", "BranchModel", "Branching", "ViewModel", "Work"]


class Work(Protocol):
    """What the worker is at."""

    @property
    def work(self) -> str:
        """Is "running" while Operations follow one another on their own."""

    @property
    def hurried(self) -> bool:
        """Whether moments follow one another faster than anybody reads."""


class BreakModel(Protocol):
    """What a view is given of breakpoints and watches, and what it may ask for."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted with the `Breaks` of each new moment."""

    @property
    def breakpoint_wanted(self) -> SignalInstance:
        """Emitted when the person wants to write a breakpoint."""

    @property
    def watch_wanted(self) -> SignalInstance:
        """Emitted when the person wants to write a watch."""

    @property
    def current(self) -> Breaks:
        """The breakpoints and watches, and why the last run stopped."""

    def set_breakpoint(self, spec: BreakpointSpec, number: int | None = None) -> None:
        """Set a breakpoint, or let one do something else."""

    def remove_breakpoint(self, number: int) -> None:
        """Take a breakpoint away."""

    def set_watch(self, expression: str, number: int | None = None) -> None:
        """Watch an expression, or let a watch look at another."""

    def remove_watch(self, number: int) -> None:
        """Watch something no more."""


class Hearing(Protocol):
    """Which findings a person does not want to hear of."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted when something is muted, or heard again."""

    @property
    def muted(self) -> frozenset[str]:
        """The ids of the diagnostics that are muted."""

    def mute(self, diagnostic: str) -> None:
        """Leave out the findings of a diagnostic."""

    def unmute(self) -> None:
        """Leave out none any more."""

    def wrong(self, snapshot: Snapshot | None) -> list[FindingOccurrences]:
        """Return where mistakes and suspicions that are not muted were noticed."""


class Asking(Protocol):
    """What views may ask about a tensor."""

    @property
    def answered(self) -> SignalInstance:
        """Emitted with the `Why` that answers the last question."""

    def ask(self, tensor: str) -> None:
        """Ask why a tensor is as it is at the moment on show."""

    def raise_for(self, tensor: str) -> None:
        """Look at a tensor, and bring what explains it to the front."""


class ViewModel(Protocol):
    """What a view is given: moment, Events, the tensor looked at, and what it may ask for."""

    @property
    def snapshot_changed(self) -> SignalInstance:
        """Emitted with the `Snapshot` of each new moment."""

    @property
    def state_changed(self) -> SignalInstance:
        """Emitted when the worker begins or ends something."""

    @property
    def selected_changed(self) -> SignalInstance:
        """Emitted with the name of the tensor that is looked at from now on."""

    @property
    def breaks(self) -> BreakModel:
        """Breakpoints and watches."""

    @property
    def hearing(self) -> Hearing:
        """Which findings are muted."""

    @property
    def questions(self) -> Asking:
        """What may be asked about a tensor."""

    @property
    def selected(self) -> str:
        """The name of the tensor that all views look at; empty before one was chosen."""

    def select(self, tensor: str) -> None:
        """Let all views look at a tensor, by its name."""

    @property
    def state(self) -> Work:
        """What the worker is at."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The moment on show; None when nothing is open."""

    def events_count(self) -> int:
        """Return how many Events the branch on show holds."""

    def events_slice(self, start: int, stop: int) -> Sequence[Event]:
        """Return the Events from place `start` to before `stop`, counted from 0."""

    def events_columns(self, start: int, stop: int) -> EventColumns | None:
        """Return Events, counted as above, in columns; None when nothing is open."""

    @property
    def forks(self) -> tuple[Fork, ...]:
        """Where other branches leave the one on show."""

    def set_wanted(self, key: str, addresses: Collection[str]) -> None:
        """Say which whole arrays the view `key` needs; replaces what it said before."""

    def seek(self, index: int) -> None:
        """Go to the moment after Event `index`; 0 is the very start."""

    def set_scrubbing(self, scrubbing: bool) -> None:
        """Take note that a person has taken hold of the time line, or has let go of it."""

    def in_turn(self, draw: Callable[[], None]) -> None:
        """Call what draws something soon, in a turn of the event loop of its own."""

    def apply(self, operation: Operation) -> None:
        """Apply an Operation at the moment on show."""


class Branching(Protocol):
    """What views may ask about branches."""

    @property
    def branches_changed(self) -> SignalInstance:
        """Emitted when there are other branches."""

    @property
    def compared(self) -> SignalInstance:
        """Emitted when two branches have been compared."""

    @property
    def branches(self) -> tuple[BranchRecord, ...]:
        """Every branch."""

    @property
    def comparison(self) -> ComparedBranches | None:
        """The last comparison; None before any."""

    def try_remedy(self, finding: Finding) -> None:
        """Replay with the remedy of a finding, and compare."""

    def what_if(self, edits: Edits) -> None:
        """Replay the rest of the branch on show otherwise, and compare."""

    def compare(self, branch: int) -> None:
        """Compare the branch on show with another."""

    def checkout(self, branch: int) -> None:
        """Look at the end of another branch."""

    def rename(self, branch: int, name: str) -> None:
        """Call a branch otherwise."""

    def remove(self, branch: int) -> None:
        """Take a branch away."""


class ComparedBranches(Protocol):
    """A comparison, and the losses of both branches."""

    @property
    def comparison(self) -> Comparison:
        """What was found."""

    @property
    def branches(self) -> tuple[int, int]:
        """The numbers of the two."""

    @property
    def curves(self) -> tuple[Mapping[str, tuple[Any, Any]], ...]:
        """Iterations and values by column, of each."""


class BranchModel(ViewModel, Protocol):
    """A controller that knows branches."""

    @property
    def branching(self) -> Branching:
        """What may be asked about branches."""
