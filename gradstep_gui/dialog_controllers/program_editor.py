"""Program editor: the user writes a program, or edits the open one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject

from gradstep.atomic_write import replacing, write_text
from gradstep.errors import GradStepError
from gradstep.program.document.insertion import insertion_edit
from gradstep.program.schema.reference import kinds, snippet
from gradstep_gui.dialog_controllers.help import page_of, reader, title_of
from gradstep_gui.records import Draft
from gradstep_gui.widgets.dialogs import questions as dialogs
from gradstep_gui.widgets.dialogs.program_dialog import ProgramDialog, Snippet

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from gradstep_gui.controller import Controller
    from gradstep_gui.documents import Documents
    from gradstep_gui.messages import Messages
    from gradstep_gui.records import DraftCheck

__all__ = ["ProgramDialogController"]


class ProgramDialogController(QObject):
    """Checks, saves and opens the document that the user edits.

    Args:
        window: The parent of the dialog.
        controller: Checks and opens documents.
        documents: Guards unsaved changes, and proposes a folder.
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
        self._draft = Draft("")
        self._saved: str | None = None
        self.dialog: ProgramDialog | None = None
        controller.drafts.drafted.connect(self._show)
        controller.drafts.checked.connect(self._show_verdict)

    def _show(self, draft: Draft) -> None:
        self._draft = draft
        self._saved = None if draft.path is None else draft.text
        words = self.tr(
            "A program declares data, modules, losses and optimizers. It is checked as you type."
        )
        templates = [
            Snippet("", card.title, card.path.read_text(encoding="utf-8"), card.summary)
            for card in self._documents.cards
        ]
        self.dialog = ProgramDialog(words, draft.text, templates, _pieces(), _place, self._window)
        self.dialog.check_requested.connect(
            lambda text: self._controller.drafts.check(self._at(text))
        )
        self.dialog.open_requested.connect(self._open)
        self.dialog.save_requested.connect(self._save)
        self.dialog.help_requested.connect(self._show_help)
        self.dialog.finished.connect(self._forget)
        self._show_title()
        self.dialog.open()

    def _show_title(self) -> None:
        if self.dialog is not None:
            name = self.tr("Program") if self._draft.path is None else self._draft.path.name
            self.dialog.setWindowTitle(self.tr("Edit {name}").format(name=name))

    def _at(self, text: str) -> Draft:
        """Return a text as a draft in the place of the edited document."""
        return Draft(text, self._draft.path, self._draft.files)

    def _show_verdict(self, checked: DraftCheck) -> None:
        if self.dialog is not None and checked.draft == self._at(self.dialog.text):
            self.dialog.show_verdict(
                checked.message, checked.remedy, checked.place, is_valid=checked.is_valid
            )

    def _open(self, text: str) -> None:
        def proceed() -> None:
            self._controller.drafts.open(self._at(text), is_saved=text == self._saved)
            if self.dialog is not None:
                self.dialog.accept()

        self._documents.guard(proceed)

    def _save(self, text: str) -> None:
        proposed = self._draft.path or self._documents.folder / f"{_stem(text)}.json"
        path = dialogs.ask_program_path(self.dialog or self._window, proposed)
        if path is None:
            return
        try:
            write_text(path, text)
            _write_files(path.parent, self._draft)
        except GradStepError as error:
            self._messages.error(error.message, error.remedy)
            return
        self._draft, self._saved = Draft(text, path), text
        self._messages.notice(self.tr("Saved as {path}").format(path=path))
        if self.dialog is not None:
            self.dialog.keep(text)
            self._show_title()
            self.dialog.ask_check()  # its data files are now looked up next to this file

    def _show_help(self) -> None:
        if self.dialog is not None:
            page = page_of("programs")
            reader(self.dialog).show_page(title_of(page), page)

    def _forget(self) -> None:
        self.dialog = None
        self._controller.drafts.forget()


def _pieces() -> list[Snippet]:
    """Return everything that a document may contain, section by section."""
    translate = QCoreApplication.translate
    titles = {
        "data": translate("ProgramEditor", "Data Set"),
        "modules": translate("ProgramEditor", "Layer"),
        "metrics": translate("ProgramEditor", "Metric"),
        "criterion": translate("ProgramEditor", "Criterion"),
        "optimizers": translate("ProgramEditor", "Optimizer"),
        "schedulers": translate("ProgramEditor", "Scheduler"),
        "init": translate("ProgramEditor", "Initial Values"),
        "loop": translate("ProgramEditor", "Loop Line"),
        "every": translate("ProgramEditor", "Iterations of a Line"),
    }
    return [
        Snippet(titles[kind.section], kind.name, snippet(kind), kind.summary, kind.section)
        for kind in kinds()
    ]


def _place(text: str, piece: Snippet, at: int) -> tuple[int, int, str] | None:
    """Return where in a document a piece is inserted, and its text there."""
    return insertion_edit(text, piece.part, piece.text, at)


def _stem(text: str) -> str:
    """Return a file name for a document: the program's name, if it can be read."""
    found = re.search(r'"name"\s*:\s*"([^"\\]+)"', text)
    return re.sub(r"\W+", "_", found[1] if found else "").strip("_").lower()[:60] or "program"


def _write_files(folder: Path, draft: Draft) -> None:
    """Write the data files that a session carries next to its program; existing files are kept.

    A session may come from anyone: files outside of the folder are skipped.
    """
    for name, content in draft.files.items():
        target = folder / name
        is_inside = target.resolve().is_relative_to(folder.resolve())
        if is_inside and not target.exists():
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                with replacing(target) as made:
                    made.write_bytes(content)
            except OSError as error:
                raise GradStepError(
                    f"{target} cannot be written: {error.strerror or error}",
                    "save the program in another folder",
                ) from error
