"""Own scripts: asks before one is run, has it debugged or recorded, and opens the recording."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradstep.errors import ScriptError
from gradstep.script.channel import find_python
from gradstep.script.command import ScriptCommand
from gradstep_gui.action_ids import ActionId
from gradstep_gui.numeric_threads import ADDED
from gradstep_gui.settings import TRUSTED_SCRIPTS
from gradstep_gui.widgets.dialogs.script_run_dialog import ScriptRunDialog
from gradstep_gui.widgets.dialogs.text_dialogs import ScriptDialog
from gradstep_gui.widgets.number_format import counted_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from gradstep_gui.controller import Controller
    from gradstep_gui.documents import Documents
    from gradstep_gui.messages import Messages
    from gradstep_gui.settings import Settings

__all__ = ["ScriptRunDialogController"]


class ScriptRunDialogController(QObject):
    """Opens the dialog for a script; nothing is started before the user says so there.

    Args:
        window: The parent of the dialogs.
        controller: Runs scripts.
        documents: Asks about unsaved changes.
        messages: Takes notices and errors.
        settings: Remembers the contents of files that were run.
    """

    def __init__(
        self,
        window: QWidget,
        controller: Controller,
        documents: Documents,
        messages: Messages,
        settings: Settings,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._documents = documents
        self._messages = messages
        self._settings = settings
        self._shown = ""
        self.dialog: ScriptRunDialog | None = None
        self.source: ScriptDialog | None = None
        documents.script_requested.connect(self.ask)
        controller.script_recorded.connect(self._recorded)

    def ask(self, path: Path) -> None:
        """Ask whether and how to run a script."""
        path = path.absolute()
        content = self._read(path)
        if content is None:
            return
        if self.dialog is not None:
            self.dialog.close()
        try:
            python = find_python(path.parent)
        except ScriptError:
            python = ""
        self._shown = _digest(content)
        dialog = self.dialog = ScriptRunDialog(
            path, python, is_trusted=self._is_trusted(self._shown), parent=self._window
        )
        dialog.debug_requested.connect(lambda: self._run(path, self._controller.debug_here))
        dialog.record_requested.connect(lambda: self._run(path, self._controller.record))
        dialog.look_requested.connect(lambda: self._look(path, content))
        dialog.finished.connect(self._forget)
        dialog.open()

    def _run(self, path: Path, start: Callable[[ScriptCommand], None]) -> None:
        """Check what was entered, remember the consent, and start the script."""
        dialog, content = self.dialog, self._read(path)
        if dialog is None or content is None:
            return
        if _digest(content) != self._shown:
            self._shown = _digest(content)
            dialog.show_trust(is_trusted=self._is_trusted(self._shown))
            dialog.show_problem(self.tr("The file has changed since this dialog was opened."))
            return
        try:
            words = dialog.words
        except ValueError as error:
            dialog.show_problem(self.tr("The arguments cannot be read: {0}").format(error))
            return
        python, folder = dialog.python.text().strip(), dialog.folder.text().strip()
        if not Path(python).is_file():
            dialog.show_problem(self.tr("There is no Python at {0}").format(python or "…"))
            return
        if not Path(folder).is_dir():
            dialog.show_problem(self.tr("There is no folder {0}").format(folder or "…"))
            return
        known = self._settings.get(TRUSTED_SCRIPTS)
        if self._shown not in known:
            self._settings.set(TRUSTED_SCRIPTS, (self._shown, *known))
        dialog.accept()
        command = ScriptCommand(str(path), words, python, folder=folder, unset=ADDED)
        if start == self._controller.debug_here:
            self._documents.guard(lambda: start(command))
        else:
            start(command)

    def _look(self, path: Path, content: bytes) -> None:
        if self.dialog is not None:
            self.dialog.reject()
        code = content.decode("utf-8", errors="replace")
        words = self.tr("{0} was not run.").format(path)
        self.source = ScriptDialog(path.name, words, code, self._window, can_save=False)
        self.source.finished.connect(self._forget_source)
        self.source.open()

    def _recorded(self, name: str, events: int) -> None:
        """Open a recording, unless there is something unsaved to ask about first."""
        words = self.tr("{0} event"), self.tr("{0} events")
        text = self.tr("Recorded {0} of {1}").format(counted_text(events, *words), name)
        document = self._controller.document
        if document is None or not document.modified:
            self._controller.open_recorded()
            self._messages.notice(text)
        else:
            self._messages.notice(text, "", ActionId.OPEN_RECORDED, self.tr("&Open"))

    def _read(self, path: Path) -> bytes | None:
        try:
            return path.read_bytes()
        except OSError as error:
            text = self.tr("{0} cannot be read: {1}").format(path, error.strerror)
            self._messages.error(text, self.tr("check the path"))
            return None

    def _is_trusted(self, digest: str) -> bool:
        return digest in self._settings.get(TRUSTED_SCRIPTS)

    def _forget(self) -> None:
        self.dialog = None

    def _forget_source(self) -> None:
        self.source = None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
