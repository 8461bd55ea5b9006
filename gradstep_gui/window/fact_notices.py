"""FactNotices: a notice for each fact that is found while the program runs, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.messages import Messages

__all__ = ["FactNotices"]


class FactNotices(QObject):
    """Posts the first finding of each kind that is a fact.

    Facts found when a document is opened are not news, and a refused Operation has a message of
    its own.

    Args:
        messages: Takes the notices.
    """

    def __init__(self, messages: Messages, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages = messages
        self._known: set[str] | None = None

    def forget(self) -> None:
        """Start over with another document."""
        self._known = None

    def follow(self, snapshot: Snapshot) -> None:
        """Post the new facts of a moment."""
        facts = {found.id: found for found in snapshot.findings if found.severity == "fact"}
        if self._known is None:
            self._known = set(facts)
            return
        new = [found for name, found in facts.items() if name not in self._known]
        self._known.update(facts)
        refused = snapshot.event is not None and not snapshot.event.outcome.ok
        if new and not refused:
            first, *others = (found.title for found in new)
            self._messages.found(first, "; ".join(others))
