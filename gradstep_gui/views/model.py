"""The controller as views see it: what they show, and what they may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from PySide6.QtCore import SignalInstance

    from gradstep.history.records.branch import BranchRecord, Fork
    from gradstep.history.records.breakpoints import BreakpointSpec, Breaks
    from gradstep.history.records.event import Event, EventColumns
    from gradstep.history.records.finding import Finding, FindingOccurrences
    from gradstep.history.records.landscape import LandscapeMoment, LandscapeRequest
    from gradstep.history.records.ranks import RankRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.what_if import Edits
    from gradstep.program.listing import Listing
    from gradstep.program.operation import Operation
    from gradstep_gui.records import BranchComparison, State

__all__ = [
    "BranchModel",
    "BreakpointModel",
    "ExplainModel",
    "LandscapeModel",
    "MutedFindingsModel",
    "RankModel",
    "ViewModel",
]


class BranchModel(Protocol):
    """The branches, and what views may ask about them."""

    @property
    def branches_changed(self) -> SignalInstance:
        """Emitted when the branches or the current one have changed."""

    @property
    def compared(self) -> SignalInstance:
        """Emitted when two branches have been compared."""

    @property
    def records(self) -> tuple[BranchRecord, ...]:
        """Every branch."""

    @property
    def comparison(self) -> BranchComparison | None:
        """The last comparison; None before the first."""

    def show_remedies(self, finding: Finding) -> None:
        """Show what the remedy of a finding changes, and offer to carry it out."""

    def what_if(self, edits: Edits) -> None:
        """Replay the rest of the current branch with edits, and compare."""

    def compare(self, branch: int) -> None:
        """Compare the current branch with another."""

    def checkout(self, branch: int) -> None:
        """Go to the end of another branch."""

    def rename(self, branch: int, name: str) -> None:
        """Rename a branch."""

    def remove(self, branch: int) -> None:
        """Remove a branch."""


class BreakpointModel(Protocol):
    """Breakpoints and watches, and what views may ask about them."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted with the new `Breaks`."""

    @property
    def breakpoint_requested(self) -> SignalInstance:
        """Emitted when the user wants to write a breakpoint."""

    @property
    def watch_requested(self) -> SignalInstance:
        """Emitted when the user wants to write a watch."""

    @property
    def current(self) -> Breaks:
        """The breakpoints and watches, and why the last run stopped."""

    def set_breakpoint(self, spec: BreakpointSpec, number: int | None = None) -> None:
        """Add a breakpoint, or change breakpoint `number`."""

    def remove_breakpoint(self, number: int) -> None:
        """Remove a breakpoint."""

    def set_watch(self, expression: str, number: int | None = None) -> None:
        """Add a watch, or change the expression of watch `number`."""

    def remove_watch(self, number: int) -> None:
        """Remove a watch."""


class MutedFindingsModel(Protocol):
    """Which findings the user has muted."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted when findings are muted or unmuted."""

    @property
    def muted(self) -> frozenset[str]:
        """The ids of the muted diagnostics."""

    def mute(self, diagnostic: str) -> None:
        """Mute the findings of a diagnostic."""

    def unmute(self) -> None:
        """Unmute all findings."""

    def unmuted(self, snapshot: Snapshot | None) -> list[FindingOccurrences]:
        """Return where facts and suspicions that are not muted occurred."""


class ExplainModel(Protocol):
    """What views may ask about a tensor."""

    @property
    def answered(self) -> SignalInstance:
        """Emitted with the `ExplainAnswer` to the last request."""

    def ask(self, tensor: str) -> None:
        """Ask why a tensor has its current value."""

    def raise_for(self, tensor: str) -> None:
        """Select a tensor, and bring its explanation to the front."""


class FitModel(Protocol):
    """What views may ask about the predictions of the model."""

    @property
    def answered(self) -> SignalInstance:
        """Emitted with the `Fit` of the present moment."""

    def ask(self, loss: str) -> None:
        """Ask for what is predicted now; empty for the first loss."""

    def follow(self, loss: str | None) -> None:
        """Have it answered during runs as well; None to stop that."""


class RankModel(Protocol):
    """The ranks of a distributed script, and what views may ask about them."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted when where they are, or which is shown, has changed."""

    @property
    def records(self) -> tuple[RankRecord, ...]:
        """Every rank; empty unless a distributed script is debugged."""

    def show(self, number: int) -> None:
        """Show another rank in all views, at the same Event."""


class LandscapeModel(Protocol):
    """Landscapes, and what views may ask about them."""

    @property
    def computed(self) -> SignalInstance:
        """Emitted with a `Landscape` after each slice."""

    @property
    def planned(self) -> SignalInstance:
        """Emitted with a `LandscapePlan`."""

    @property
    def arrows_found(self) -> SignalInstance:
        """Emitted with `LandscapeArrows`."""

    @property
    def moved(self) -> SignalInstance:
        """Emitted when the place of the present moment has come, before its Snapshot."""

    @property
    def moment(self) -> LandscapeMoment | None:
        """Where the present moment is; None where there is no landscape."""

    def set_wanted(self, wanted: bool) -> None:
        """Set whether the place of each moment is wanted."""

    def plan(self, request: LandscapeRequest) -> None:
        """Ask what a landscape would take."""

    def compute(self, request: LandscapeRequest) -> None:
        """Compute a landscape around the present moment; drops the one before."""

    def cancel(self) -> None:
        """Compute no more of the landscape."""

    def find_arrows(self) -> None:
        """Ask for the last gradient and the last Step."""

    def start_elsewhere(self, point: tuple[float, float], *, now: bool = False) -> None:
        """Ask what if the run had begun at a point, or moved there after the present event."""


class ViewModel(Protocol):
    """What a view is given: the current moment, the Events, the selection, and commands."""

    @property
    def snapshot_changed(self) -> SignalInstance:
        """Emitted with the `Snapshot` of each new moment."""

    @property
    def state_changed(self) -> SignalInstance:
        """Emitted with the new `State`."""

    @property
    def selected_changed(self) -> SignalInstance:
        """Emitted with the name of the newly selected tensor."""

    @property
    def listing(self) -> Listing | None:
        """The program as text; None when nothing is open."""

    @property
    def branches(self) -> BranchModel:
        """The branches."""

    @property
    def breakpoints(self) -> BreakpointModel:
        """Breakpoints and watches."""

    @property
    def muted_findings(self) -> MutedFindingsModel:
        """Which findings are muted."""

    def answer(self, intention: str, is_intended: bool | None) -> None:
        """Answer a question about a script; None to be asked again."""

    @property
    def ranks(self) -> RankModel:
        """The ranks of a distributed script."""

    @property
    def explain_requests(self) -> ExplainModel:
        """What may be asked about a tensor."""

    @property
    def fit_requests(self) -> FitModel:
        """What may be asked about predictions."""

    @property
    def selected(self) -> str:
        """The name of the selected tensor; empty before one was selected."""

    def select(self, tensor: str) -> None:
        """Select a tensor by name, in all views."""

    @property
    def state(self) -> State:
        """What the worker is doing, and what can be done now."""

    @property
    def snapshot(self) -> Snapshot | None:
        """The current moment; None when nothing is open."""

    def events_count(self) -> int:
        """Return the number of Events on the current branch."""

    def events_slice(self, start: int, stop: int) -> Sequence[Event]:
        """Return the Events from `start` to before `stop`, counted from 0."""

    def events_before(self, moment: int) -> Iterator[Event]:
        """Yield the Events up to a moment, the newest first, as far as they are looked at."""

    def events_after(self, moment: int) -> Iterator[Event]:
        """Yield the Events after a moment likewise, the oldest first."""

    def events_columns(self, start: int, stop: int) -> EventColumns | None:
        """Return Events, counted likewise, in columns; None when nothing is open."""

    @property
    def forks(self) -> tuple[Fork, ...]:
        """Where other branches leave the current one."""

    def set_wanted(self, key: str, addresses: Collection[str]) -> None:
        """Set which whole arrays the view `key` needs; replaces its previous set."""

    def seek(self, index: int) -> None:
        """Go to the moment after Event `index`; 0 is the start."""

    def set_scrubbing(self, scrubbing: bool) -> None:
        """Note that the user has grabbed or released the time line."""

    def in_turn(self, draw: Callable[[], None]) -> None:
        """Call `draw` soon, in an event-loop turn of its own."""

    def apply(self, operation: Operation) -> None:
        """Apply an Operation at the current moment."""
