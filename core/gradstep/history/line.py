"""Line: a branch, as those who keep Histories in files see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gradstep.history.history import History

__all__ = ["Line"]


class Line(Protocol):
    """A branch as the debugger keeps it."""

    @property
    def id(self) -> int:
        """Its number."""

    @property
    def parent(self) -> int | None:
        """The branch it left, or None."""

    @property
    def forked_at(self) -> int:
        """The last Event it shares with its parent."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def history(self) -> History:
        """Its Events from the very start, those shared with its parent included."""
