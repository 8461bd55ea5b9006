"""What a person does not want to hear of: the one place that says which findings are muted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.history.records.finding import FindingOccurrences
    from gradstep.history.records.snapshot import Snapshot

__all__ = ["Hearing"]


class Hearing(QObject):
    """The kinds of findings that are muted, for as long as the window is open.

    Args:
        told: Called whenever that changes.
        parent: Its owner.

    Attributes:
        muted: The ids of their diagnostics.
    """

    changed = Signal()
    """Something is muted, or heard again."""

    def __init__(
        self, told: Callable[[], None] | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.muted: frozenset[str] = frozenset()
        if told is not None:
            self.changed.connect(told)

    def mute(self, diagnostic: str) -> None:
        """Leave out the findings of a diagnostic."""
        self._set(self.muted | {diagnostic})

    def unmute(self) -> None:
        """Leave out none any more."""
        self._set(frozenset())

    def wrong(self, snapshot: Snapshot | None) -> list[FindingOccurrences]:
        """Return where mistakes and suspicions that are not muted were noticed."""
        occurrences = () if snapshot is None else snapshot.occurrences
        return [
            item for item in occurrences if item.severity != "info" and item.id not in self.muted
        ]

    def _set(self, muted: frozenset[str]) -> None:
        if muted != self.muted:
            self.muted = muted
            self.changed.emit()
