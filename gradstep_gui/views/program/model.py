"""What the program dock asks of the controller, and where in the script a moment stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gradstep.program.operation import Skip, target
from gradstep_gui.views.model import ViewModel

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.listing import LineSpan, Listing

__all__ = ["ProgramModel", "coming_span", "done_span"]


class ProgramModel(ViewModel, Protocol):
    """The controller, as the program dock sees it."""

    @property
    def listing_changed(self) -> SignalInstance:
        """Emitted with the `Listing` of a program that was opened."""

    @property
    def listing(self) -> Listing | None:
        """The program to be read; None when nothing is open."""

    def apply_next(self) -> None:
        """Apply what comes next in the loop."""


def coming_span(listing: Listing, snapshot: Snapshot) -> LineSpan | None:
    """Return where the line that comes next is in the script; None without a loop."""
    place = snapshot.next_line
    if place is None or place >= len(listing.spans):
        return None
    return listing.spans[place]


def done_span(listing: Listing, snapshot: Snapshot) -> LineSpan | None:
    """Return the line of the script that does what was just done; None when none does.

    Of several lines that do the same it is the last one before what comes next.
    """
    event, count = snapshot.event, len(listing.spans)
    if event is None or snapshot.next_line is None or isinstance(event.operation, Skip):
        return None
    alike = [
        place
        for place, span in enumerate(listing.spans)
        if target(span.operation) == target(event.operation)
    ]
    before = snapshot.next_line - 1
    nearest = min(alike, key=lambda place: (before - place) % count, default=None)
    return None if nearest is None else listing.spans[nearest]
