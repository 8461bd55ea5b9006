"""Resume check: asks where to interrupt the run, and reports the result of resuming it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradstep_gui.views.labels import event_text
from gradstep_gui.widgets.dialogs.resume_dialog import ResumeDialog

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.what_if import ResumeCheck
    from gradstep_gui.controller import Controller
    from gradstep_gui.records import State

__all__ = ["ResumeDialogController"]


class ResumeDialogController(QObject):
    """Runs the resume check; its dialog does not block the window.

    Args:
        window: The parent of the dialog.
        controller: Runs the check.
    """

    def __init__(self, window: QWidget, controller: Controller) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._is_checking = False
        self.dialog: ResumeDialog | None = None
        controller.branches.resume_checked.connect(self._show)
        controller.branches.progressed.connect(self._show_progress)
        controller.state_changed.connect(self._follow_state)
        controller.snapshot_changed.connect(self._follow_moment)
        controller.listing_changed.connect(self._close)

    def ask(self) -> None:
        """Ask where to interrupt the run; by default here, or half-way when here is the end."""
        snapshot = self._controller.snapshot
        if snapshot is None:
            return
        if self.dialog is None:
            index = snapshot.event_index
            event = index if 0 < index < snapshot.event_count else None
            self.dialog = ResumeDialog(event, self._describe, self._window)
            self.dialog.asked.connect(self._check)
            self.dialog.cancelled.connect(self._controller.pause)
            self.dialog.event_requested.connect(self._controller.seek)
            self.dialog.finished.connect(self._forget)
            self.dialog.offer_events(snapshot.event_count)
        self.dialog.show()
        self.dialog.activateWindow()

    def _describe(self, index: int) -> str:
        found = self._controller.events_slice(index - 1, index)
        return event_text(found[0]) if found else ""

    def _check(self, event: int | None) -> None:
        self._is_checking = True
        self._controller.branches.resume_check(event)

    def _show(self, found: ResumeCheck) -> None:
        if self.dialog is not None:
            self.dialog.show_result(found)

    def _show_progress(self, done: int, total: int) -> None:
        if self.dialog is not None and self._is_checking:
            self.dialog.show_progress(done, total)

    def _follow_state(self, state: State) -> None:
        if self.dialog is None:
            return
        if self._is_checking and state.work == "paused":
            self._is_checking = False
            self.dialog.stop_waiting()
        self.dialog.check.setEnabled(state.work == "paused")

    def _follow_moment(self, snapshot: Snapshot) -> None:
        if self.dialog is not None:
            self.dialog.offer_events(snapshot.event_count)

    def _close(self) -> None:
        if self.dialog is not None:
            self.dialog.close()

    def _forget(self) -> None:
        self.dialog = None
