"""Documents: opening and saving, and the guard of unsaved changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from gradstep.lessons.catalog import lessons
from gradstep.lessons.codec import is_lesson
from gradstep.lessons.schema import SUFFIX as LESSON_SUFFIX
from gradstep.session.opening import is_session, rank_path
from gradstep.session.schema import SUFFIX
from gradstep_gui.settings import FINISHED_LESSONS
from gradstep_gui.start_page import finished_lessons, lesson_cards, recent_files
from gradstep_gui.user_folders import home_folder
from gradstep_gui.widgets.dialogs import questions as dialogs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.lesson import LessonRecord
    from gradstep.lessons.catalog import LessonEntry
    from gradstep_gui.controller import Controller
    from gradstep_gui.records import Document, Leftover
    from gradstep_gui.settings import Settings
    from gradstep_gui.widgets.lesson_list import LessonCard
    from gradstep_gui.widgets.scenario_list import Card

__all__ = ["Documents", "Leftovers"]


SCRIPT_SUFFIXES = (".py", ".ipynb")


class Leftovers(Protocol):
    """The recordings that processes left behind."""

    def found(self) -> tuple[Leftover, ...]:
        """Look for them; the newest is first."""

    def remove(self, path: Path) -> None:
        """Remove one, with its side files."""


class Documents(QObject):
    """Opens and saves files, and asks the user where needed.

    Args:
        controller: Opens and saves.
        settings: Holds the recent files.
        cards: The example programs.
        leftovers: The recordings that processes left behind; None for none.
        window: The parent of the dialogs.
    """

    broken_document_changed = Signal()
    """The last document to be opened has errors, or a later one has none."""

    leftovers_changed = Signal()
    """A recording that a process left behind was opened or deleted."""

    recovery_requested = Signal()
    """The user is to choose among the recordings that processes left behind."""

    lessons_requested = Signal()
    """All lessons should be shown."""

    lessons_changed = Signal()
    """A lesson was finished for the first time, or another one was opened."""

    script_requested = Signal(object)
    """The user wants to open a person's own script: its `Path`."""

    recent_changed = Signal()
    """The list of recent files has changed."""

    def __init__(
        self,
        controller: Controller,
        settings: Settings,
        cards: Sequence[Card],
        leftovers: Leftovers | None,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._settings = settings
        self._cards = tuple(cards)
        self._source = leftovers
        self._leftovers = () if leftovers is None else leftovers.found()
        self._window = window
        self._broken: Path | None = None
        self._after_save: Callable[[], object] | None = None
        controller.document_changed.connect(self._remember)
        controller.saved.connect(self._proceed)
        controller.lessons.changed.connect(self._follow_lesson)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The example programs."""
        return self._cards

    @property
    def lessons(self) -> tuple[LessonEntry, ...]:
        """The bundled lessons, in the order that teaches."""
        return lessons()

    @property
    def lesson_cards(self) -> list[LessonCard]:
        """The bundled lessons as cards, with the marks of those that are done."""
        return lesson_cards(self._settings)

    @property
    def finished_lessons(self) -> frozenset[str]:
        """The ids of the lessons that the user has gone through."""
        return finished_lessons(self._settings)

    @property
    def next_lesson(self) -> LessonEntry | None:
        """The lesson after the open one, or else the first that is not done; None at the end."""
        record, known = self._controller.lessons.record, self.lessons
        ids = [entry.id for entry in known]
        if record is not None and record.id in ids:
            return next(iter(known[ids.index(record.id) + 1 :]), None)
        done = self.finished_lessons
        return next((entry for entry in known if entry.id not in done), None)

    @property
    def recent(self) -> tuple[Path, ...]:
        """Recently opened or saved files that still exist, the latest first."""
        return recent_files(self._settings)

    @property
    def leftovers(self) -> tuple[Leftover, ...]:
        """The recordings that processes left behind, the newest first."""
        return self._leftovers

    @property
    def broken_document(self) -> Path | None:
        """The last program document to be opened, if it has errors."""
        return self._broken

    def edit_broken(self) -> None:
        """Edit the document that could not be opened."""
        if self._broken is not None:
            self._controller.drafts.edit_file(self._broken)

    @property
    def folder(self) -> Path:
        """The folder to propose in file dialogs."""
        document = self._controller.document
        if document is not None and document.path is not None:
            return document.path.parent
        debugged = self._controller.debugged
        if debugged is not None and not debugged.is_module:
            return Path(debugged.script).absolute().parent
        recent = self.recent
        return recent[0].parent if recent else home_folder()

    def ask_recover(self) -> None:
        """Open what a process left behind; of several recordings, have the user choose."""
        if len(self._leftovers) == 1:
            self.recover(self._leftovers[0].path)
        elif self._leftovers:
            self.recovery_requested.emit()

    def recover(self, path: Path) -> None:
        """Open a recording that a process left behind, after the guard of unsaved changes."""
        self.guard(lambda: self._recover(path))

    def remove_leftovers(self, paths: Iterable[Path]) -> None:
        """Delete recordings that processes left behind.

        Raises:
            SessionError: One of them cannot be deleted.
        """
        assert self._source is not None, "there are recordings"
        try:
            for path in paths:
                self._source.remove(path)
        finally:
            self._leftovers = self._source.found()
            self.leftovers_changed.emit()

    def _recover(self, path: Path) -> None:
        self._leftovers = tuple(item for item in self._leftovers if item.path != path)
        self.leftovers_changed.emit()
        self._controller.recover(path)

    def ask_new(self) -> None:
        """Ask for an example program, and open it."""
        card = dialogs.ask_card(self._window, self._cards)
        if card is not None:
            self.open_card(card)

    def ask_lesson(self) -> None:
        """Have the user choose a lesson."""
        self.lessons_requested.emit()

    def open_next_lesson(self) -> None:
        """Open the lesson after the open one; after the last, have the user choose."""
        following = self.next_lesson
        if following is None:
            self.ask_lesson()
        else:
            self.open_lesson(following.path)

    def ask_open_lesson(self) -> None:
        """Ask for the file of a lesson, and open it."""
        path = dialogs.ask_lesson_path(self._window, self.folder)
        if path is not None:
            self.open_lesson(path)

    def open_lesson(self, path: Path) -> None:
        """Open a lesson and its program, after the guard of unsaved changes."""
        self.guard(lambda: self._controller.lessons.open(path))

    def ask_open(self) -> None:
        """Ask for a file, and open it."""
        path = dialogs.ask_open_path(self._window, self.folder)
        if path is not None:
            self.open(path)

    def ask_script(self) -> None:
        """Ask for a script, and then whether to run it."""
        path = dialogs.ask_own_script_path(self._window, self.folder)
        if path is not None:
            self.script_requested.emit(path)

    def debug_again(self) -> None:
        """Start the debugged script again, after the guard of unsaved changes."""
        self.guard(self._controller.debug_again)

    def open_recorded(self) -> None:
        """Open the script that was recorded, after the guard of unsaved changes."""
        self.guard(self._controller.open_recorded)

    def open(self, path: Path) -> None:
        """Open a file, after the guard of unsaved changes; an example opens as a new program.

        A script or a notebook is not opened: whether it runs is asked first.
        """
        if path.suffix.lower() in SCRIPT_SUFFIXES:
            self.script_requested.emit(path)
            return
        if is_lesson(path):
            self.open_lesson(path)
            return
        card = next((card for card in self._cards if card.path == path.absolute()), None)
        if card is not None:
            self.open_card(card)
            return

        def proceed() -> None:
            is_document = path.is_file() and not is_session(path)
            self._broken = path if is_document else None
            self._controller.open(path)
            self.broken_document_changed.emit()  # a file that fails at once never changes the State

        self.guard(proceed)

    def open_card(self, card: Card) -> None:
        """Open an example as a new program, with its lesson if it has one."""
        lesson = card.path.with_name(f"{card.path.stem}{LESSON_SUFFIX}")
        if lesson.is_file():
            self.open_lesson(lesson)
            return
        self.guard(lambda: self._controller.open(card.path, as_copy=True))

    def save(self) -> None:
        """Save to the session's file, or ask for one."""
        self._save(None)

    def ask_save_as(self) -> None:
        """Ask where to save, and save there."""
        self._ask_and_save(None)

    def _save(self, proceed: Callable[[], object] | None) -> None:
        known = self._known_path()
        if known is None:
            self._ask_and_save(proceed)
        else:
            self._save_to(known, proceed)

    def _ask_and_save(self, proceed: Callable[[], object] | None) -> None:
        """Ask where to save; of several ranks, also about files that the dialog did not ask for."""
        path = self._asked_path()
        ranks = self._controller.ranks.records
        own = [] if path is None else [rank_path(path, rank.number) for rank in ranks]
        replaced = [other for other in own if other != path and other.exists()]
        if not replaced:
            self._save_to(path, proceed)
            return
        self._after_save = None
        dialogs.ask_to_replace(self._window, replaced, lambda: self._save_to(path, proceed))

    def _known_path(self) -> Path | None:
        document = self._controller.document
        if document is None or document.path is None or not is_session(document.path):
            return None
        return document.path

    def _asked_path(self) -> Path | None:
        document = self._controller.document
        if document is None:
            return None
        stem = document.path.stem if document.path else _without_suffix(document.name)
        return dialogs.ask_save_path(self._window, self.folder / f"{stem}{SUFFIX}")

    def _save_to(self, path: Path | None, proceed: Callable[[], object] | None) -> None:
        """Save, and call `proceed` once the save has succeeded.

        A failed save forgets its `proceed`: the next one must not close the window because of it.
        """
        self._after_save = None if path is None else proceed
        if path is not None:
            self._controller.save(path)

    def guard(self, proceed: Callable[[], object]) -> None:
        """Call `proceed` at once, after a save, or not at all, as the user decides.

        While a save is under way, nothing is asked: `proceed` is called once it has succeeded.
        """
        self._after_save = None
        if self._controller.state.saving:
            self._after_save = proceed
            return
        self._ask(proceed)

    def _ask(self, proceed: Callable[[], object]) -> None:
        document = self._controller.document
        if document is None or not document.modified:
            proceed()
            return
        self._controller.pause()

        def answered(answer: dialogs.Answer) -> None:
            if answer == "discard":
                proceed()
            elif answer == "save":
                self._save(proceed)

        recording = document.recording
        is_running = recording is not None and recording.is_running
        dialogs.ask_about_changes(self._window, document.name, answered, is_running=is_running)

    def _proceed(self, _path: Path) -> None:
        proceed, self._after_save = self._after_save, None
        if proceed is not None:
            self._ask(proceed)  # while the file was written, more may have been recorded

    def _follow_lesson(self, record: LessonRecord | None) -> None:
        """Remember which lessons are done."""
        if record is not None and record.is_finished:
            done = self._settings.get(FINISHED_LESSONS)
            if record.id not in done and any(entry.id == record.id for entry in self.lessons):
                self._settings.set(FINISHED_LESSONS, (*done, record.id))
        self.lessons_changed.emit()

    def _remember(self, document: Document) -> None:
        self._broken = None
        self.broken_document_changed.emit()
        if document.path is not None:
            self._settings.add_recent(document.path)
            self.recent_changed.emit()


def _without_suffix(name: str) -> str:
    """Return the name of a program, or that of a script's file without its suffix."""
    path = Path(name)
    return path.stem if path.suffix in SCRIPT_SUFFIXES else name
