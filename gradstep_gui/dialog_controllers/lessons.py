"""Lessons: the page of all lessons, and the editor in which one is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradstep.atomic_write import write_text
from gradstep.errors import GradStepError
from gradstep.lessons.codec import is_lesson, lesson_id
from gradstep.lessons.schema import SUFFIX
from gradstep_gui.dialog_controllers.help import page_of, reader, title_of
from gradstep_gui.records import Draft
from gradstep_gui.views.lesson.preview import LessonPreviewView
from gradstep_gui.widgets.dialogs import questions as dialogs
from gradstep_gui.widgets.dialogs.lesson_dialog import LessonDialog
from gradstep_gui.widgets.dialogs.program_dialog import ProgramDialog, Snippet

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gradstep_gui.controller import Controller
    from gradstep_gui.documents import Documents
    from gradstep_gui.messages import Messages
    from gradstep_gui.records import DraftCheck, LessonPreview

__all__ = ["LessonDialogController"]

_PIECES = {
    "A Step with Something to Press": '{"title": "Backward", "text": "Press **Backward**.", '
    '"do": ["backward"]}',
    "A Step to Read": '{"title": "Look", "text": "`x` is {data(\\"x\\")}."}',
    "A Question for a Number": '"question": {"kind": "number", "ask": "What will it be?", '
    '"answer": "loss", "explanation": "It is {loss}."}',
    "A Question for Yes or No": '"question": {"kind": "yes_no", "ask": "Will x move?", '
    '"answer": "changed(\\"x\\")", "explanation": "x is {data(\\"x\\")}."}',
    "A Question with Choices": '"question": {"kind": "choice", "ask": "What will change?", '
    '"choices": [{"text": "x", "when": "changed(\\"x\\")", "reply": "So it is."}, '
    '{"text": "Nothing", "when": "not changed(\\"x\\")"}]}',
}


class LessonDialogController(QObject):
    """Shows the page of lessons, and edits, saves and opens lessons.

    Args:
        window: The parent of the dialogs.
        controller: Checks and opens lessons.
        documents: Guards unsaved changes, and proposes a folder.
        messages: Takes notices and errors about the saved file.
    """

    def __init__(
        self, window: QWidget, controller: Controller, documents: Documents, messages: Messages
    ) -> None:
        super().__init__(window)
        self._window = window
        self._lessons = controller.lessons
        self._documents = documents
        self._messages = messages
        self._draft = Draft("")
        self.page: LessonDialog | None = None
        self.dialog: ProgramDialog | None = None
        self._preview: LessonPreviewView | None = None
        documents.lessons_requested.connect(self.show_page)
        self._lessons.drafted.connect(self._edit)
        self._lessons.checked.connect(self._show_verdict)

    def show_page(self) -> None:
        """Offer all lessons."""
        record = self._lessons.record
        page = self.page = LessonDialog(
            self._documents.lesson_cards, "" if record is None else record.id, self._window
        )
        page.list.picture_wanted.connect(self._lessons.ask_picture)
        self._lessons.pictured.connect(page.list.show_picture)
        page.chosen.connect(lambda card: self._documents.open_lesson(card.path))
        page.finished.connect(self._forget_page)
        page.open()

    def _forget_page(self) -> None:
        self.page = None

    def _edit(self, draft: Draft) -> None:
        self._draft = draft
        self._preview = LessonPreviewView()
        words = self.tr(
            "A lesson has steps, with questions that are answered before the press. It is tried "
            "out as you type; on the right is what a learner reads whose answers are all right."
        )
        templates = [
            Snippet("", entry.title, entry.path.read_text(encoding="utf-8"), entry.summary)
            for entry in self._documents.lessons
        ]
        group = self.tr("Step or Question")
        pieces = [Snippet(group, name, text) for name, text in _PIECES.items()]
        self.dialog = ProgramDialog(
            words,
            draft.text,
            templates,
            pieces,
            lambda *_: None,
            self._window,
            preview=self._preview,
        )
        self.dialog.name_it(self.tr("&Open as Lesson"), self.tr("Open it from its first step"))
        self.dialog.check_requested.connect(lambda text: self._lessons.check(self._at(text)))
        self.dialog.open_requested.connect(self._open)
        self.dialog.save_requested.connect(self._save)
        self.dialog.help_requested.connect(self._show_help)
        self.dialog.finished.connect(self._forget)
        self._show_title()
        self.dialog.open()

    def _show_title(self) -> None:
        if self.dialog is not None:
            name = self.tr("Lesson") if self._draft.path is None else self._draft.path.name
            self.dialog.setWindowTitle(self.tr("Edit {name}").format(name=name))

    def _at(self, text: str) -> Draft:
        return Draft(text, self._draft.path)

    def _show_verdict(self, checked: DraftCheck, preview: LessonPreview) -> None:
        if self.dialog is None or checked.draft != self._at(self.dialog.text):
            return
        self.dialog.show_verdict(
            checked.message, checked.remedy, checked.place, is_valid=checked.is_valid
        )
        if self._preview is not None and (preview.steps or checked.is_valid):
            self._preview.show_preview(preview.title, preview.steps, preview.end)

    def _open(self, text: str) -> None:
        path = self._draft.path

        def proceed() -> None:
            folder, name = (None, "") if path is None else (path.parent, lesson_id(path))
            self._lessons.begin(text, folder, name)
            if self.dialog is not None:
                self.dialog.accept()

        self._documents.guard(proceed)

    def _save(self, text: str) -> None:
        proposed = self._draft.path or self._documents.folder / f"lesson{SUFFIX}"
        path = dialogs.ask_new_lesson_path(self.dialog or self._window, proposed)
        if path is None:
            return
        if not is_lesson(path):
            path = path.with_name(f"{path.stem}{SUFFIX}")
        try:
            write_text(path, text)
        except GradStepError as error:
            self._messages.error(error.message, error.remedy)
            return
        self._draft = Draft(text, path)
        self._messages.notice(self.tr("Saved as {path}").format(path=path))
        if self.dialog is not None:
            self.dialog.keep(text)
            self._show_title()
            self.dialog.ask_check()  # its program is now looked up beside this file

    def _show_help(self) -> None:
        if self.dialog is not None:
            page = page_of("lessons")
            reader(self.dialog).show_page(title_of(page), page)

    def _forget(self) -> None:
        self.dialog, self._preview = None, None
