"""Export: shows the recorded Operations as a PyTorch script or test, and saves it to a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradstep.atomic_write import write_text
from gradstep.errors import GradStepError
from gradstep_gui.widgets.dialogs import questions as dialogs
from gradstep_gui.widgets.dialogs.text_dialogs import ScriptDialog
from gradstep_gui.widgets.number_format import count_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep_gui.controller import Controller
    from gradstep_gui.documents import Documents
    from gradstep_gui.messages import Messages
    from gradstep_gui.records import Script

__all__ = ["ExportDialogController"]


class ExportDialogController(QObject):
    """Shows a script when the controller has written one, and saves it.

    Args:
        window: The parent of the dialog.
        controller: Writes the scripts.
        documents: Proposes a folder.
        messages: Takes notices and errors about the saved file.
    """

    def __init__(
        self, window: QWidget, controller: Controller, documents: Documents, messages: Messages
    ) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._documents = documents
        self._messages = messages
        self.dialog: ScriptDialog | None = None
        controller.branches.scripted.connect(self._show)

    def _show(self, script: Script) -> None:
        if self.dialog is not None:
            self.dialog.close()
        title = self.tr("Test") if script.is_test else self.tr("PyTorch Script")
        self.dialog = ScriptDialog(title, self._words(script), script.text, self._window)
        self.dialog.save_requested.connect(lambda text: self._save(text, is_test=script.is_test))
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _save(self, text: str, *, is_test: bool) -> None:
        document = self._controller.document
        name = "program" if document is None else document.name
        stem = re.sub(r"\W+", "_", name).strip("_").lower() or "program"
        proposed = self._documents.folder / f"{'test_' if is_test else ''}{stem}.py"
        path = dialogs.ask_script_path(self._window, proposed)
        if path is None:
            return
        try:
            write_text(path, text)
        except GradStepError as error:
            self._messages.error(error.message, error.remedy)
            return
        self._messages.notice(self.tr("Exported to {path}").format(path=path))
        if self.dialog is not None:
            self.dialog.close()

    def _forget(self) -> None:
        self.dialog = None

    def _words(self, script: Script) -> str:
        if not script.events:
            return self.tr("No operations are recorded yet: this is the program's loop.")
        if script.is_test:
            words = self.tr(
                "Repeats the operations recorded on “{branch}” in PyTorch and compares the losses "
                "with the recorded ones. It needs PyTorch; run it with pytest, or directly."
            )
        else:
            words = self.tr(
                "All {count} events recorded on “{branch}”, in order. It needs PyTorch, and draws "
                "the same random numbers."
            )
        return words.format(branch=script.branch, count=count_text(script.events))
