"""Recovery: which of several recordings to open or to delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradstep.errors import GradStepError
from gradstep_gui.widgets.dialogs.recovery_dialog import RecordingRow, RecoveryDialog

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from gradstep_gui.documents import Documents
    from gradstep_gui.messages import Messages

__all__ = ["RecoveryDialogController"]


class RecoveryDialogController(QObject):
    """Shows the recordings that processes left behind, when there are several.

    Args:
        window: The parent of the dialog.
        documents: Opens and deletes them.
        messages: Takes errors about files that cannot be deleted.
    """

    def __init__(self, window: QWidget, documents: Documents, messages: Messages) -> None:
        super().__init__(window)
        self._window, self._documents, self._messages = window, documents, messages
        self.dialog: RecoveryDialog | None = None
        documents.recovery_requested.connect(self.show)
        documents.leftovers_changed.connect(self._fill)

    def show(self) -> None:
        """Show the recordings."""
        if self.dialog is None:
            self.dialog = RecoveryDialog(self._window)
            self.dialog.recover_requested.connect(self._recover)
            self.dialog.delete_requested.connect(self._delete)
            self.dialog.finished.connect(self._forget)
        self._fill()
        self.dialog.show()
        self.dialog.activateWindow()

    def _fill(self) -> None:
        if self.dialog is not None:
            self.dialog.show_recordings(
                [
                    RecordingRow(item.path, item.name, item.changed, item.size)
                    for item in self._documents.leftovers
                ]
            )

    def _recover(self, path: Path) -> None:
        if self.dialog is not None:
            self.dialog.close()
        self._documents.recover(path)

    def _delete(self, paths: list[Path]) -> None:
        try:
            self._documents.remove_leftovers(paths)
        except GradStepError as error:
            self._messages.error(error.message, error.remedy)

    def _forget(self) -> None:
        self.dialog = None
