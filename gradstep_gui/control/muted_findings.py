"""Findings the user has muted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from gradstep.history.records.finding import FindingOccurrences
    from gradstep.history.records.snapshot import Snapshot

__all__ = ["MutedFindings"]


class MutedFindings(QObject):
    """The diagnostics whose findings are muted, for as long as the window is open.

    Attributes:
        muted: The ids of the muted diagnostics.

    Example:
        >>> findings = MutedFindings()
        >>> findings.mute("unused-grad")
        >>> sorted(findings.muted)
        ['unused-grad']
    """

    changed = Signal()
    """Findings were muted or unmuted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.muted: frozenset[str] = frozenset()

    def mute(self, diagnostic: str) -> None:
        """Mute the findings of a diagnostic."""
        self._set(self.muted | {diagnostic})

    def unmute(self) -> None:
        """Unmute all findings."""
        self._set(frozenset())

    def unmuted(self, snapshot: Snapshot | None) -> list[FindingOccurrences]:
        """Return where facts and suspicions that are not muted occurred."""
        found = () if snapshot is None else snapshot.occurrences
        wrong = [item for item in found if item.severity in {"fact", "suspicion"}]
        return [item for item in wrong if item.id not in self.muted]

    def _set(self, muted: frozenset[str]) -> None:
        if muted != self.muted:
            self.muted = muted
            self.changed.emit()
