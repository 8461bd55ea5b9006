"""Opening, saving, and not losing what has not been saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradstep.session.opening import is_session
from gradstep.session.schema import SUFFIX
from gradstep_gui.settings import RECENT
from gradstep_gui.widgets.dialogs import questions as dialogs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QWidget

    from gradstep_gui.controller import Controller
    from gradstep_gui.records import Document
    from gradstep_gui.settings import Settings
    from gradstep_gui.widgets.scenario_list import Card

__all__ = ["Documents"]


class Documents(QObject):
    """What happens to files, and the questions that go with it.

    Args:
        controller: Opens and saves.
        settings: Remembers recent files.
        cards: The programs that ship.
        leftover: A recording that a process left behind, if any.
        window: Over which questions are asked.
    """

    recent_changed = Signal()
    """The list of recent files is another."""

    def __init__(
        self,
        controller: Controller,
        settings: Settings,
        cards: Sequence[Card],
        leftover: Path | None,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._controller = controller
        self._settings = settings
        self._cards = tuple(cards)
        self._leftover = leftover
        self._window = window
        self._broken: Path | None = None
        self._after_save: Callable[[], object] | None = None
        controller.document_changed.connect(self._remember)
        controller.saved.connect(self._go_on)

    @property
    def cards(self) -> tuple[Card, ...]:
        """The programs that ship."""
        return self._cards

    @property
    def recent(self) -> tuple[Path, ...]:
        """Files opened or saved lately that are still there, the latest first."""
        return tuple(path for path in self._settings.get(RECENT) if path.is_file())

    @property
    def leftover(self) -> Path | None:
        """A recording that a process left behind, if any."""
        return self._leftover

    @property
    def broken(self) -> Path | None:
        """The program document that was to be opened last, if it could not be."""
        return self._broken

    def mend(self) -> None:
        """Edit the document that could not be opened."""
        if self._broken is not None:
            self._controller.drafts.edit_file(self._broken)

    @property
    def folder(self) -> Path:
        """Where the person keeps files, as far as that is known."""
        document = self._controller.document
        if document is not None and document.path is not None:
            return document.path.parent
        recent = self.recent
        return recent[0].parent if recent else Path.home()

    def recover(self) -> None:
        """Open the recording that a process left behind."""
        path, self._leftover = self._leftover, None
        if path is not None:
            self.guard(lambda: self._controller.recover(path))

    def ask_new(self) -> None:
        """Ask for a program that ships, and open it."""
        card = dialogs.ask_card(self._window, self._cards)
        if card is not None:
            self.open_card(card)

    def ask_open(self) -> None:
        """Ask for a file, and open it."""
        path = dialogs.ask_open_path(self._window, self.folder)
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """Open a file, after the unsaved-change guard; one that ships opens as a new one."""
        ships = any(card.path == path.absolute() for card in self._cards)

        def go_on() -> None:
            is_document = path.is_file() and not is_session(path)
            self._broken = path if is_document else None
            self._controller.open(path, as_copy=ships)

        self.guard(go_on)

    def open_card(self, card: Card) -> None:
        """Open a program that ships, as a new one."""
        self.guard(lambda: self._controller.open(card.path, as_copy=True))

    def save(self) -> None:
        """Save where it was saved before, or ask."""
        self._save_to(self._known_path() or self._asked_path(), None)

    def ask_save_as(self) -> None:
        """Ask where to save, and save there."""
        self._save_to(self._asked_path(), None)

    def _known_path(self) -> Path | None:
        document = self._controller.document
        if document is None or document.path is None or not is_session(document.path):
            return None
        return document.path

    def _asked_path(self) -> Path | None:
        document = self._controller.document
        if document is None:
            return None
        stem = document.path.stem if document.path else document.name
        return dialogs.ask_save_path(self._window, self.folder / f"{stem}{SUFFIX}")

    def _save_to(self, path: Path | None, go_on: Callable[[], object] | None) -> None:
        """Save, and call `go_on` once that has ended well.

        What a failed save left to do is forgotten: the next one must not close the window by it.
        """
        self._after_save = None if path is None else go_on
        if path is not None:
            self._controller.save(path)

    def guard(self, go_on: Callable[[], object]) -> None:
        """Call `go_on` at once, after a save, or not at all, as the person wants.

        While a save is under way, nothing is asked: it goes on as soon as that has ended well.
        """
        document = self._controller.document
        self._after_save = None
        if self._controller.state.work == "saving":
            self._after_save = go_on
            return
        if document is None or not document.modified:
            go_on()
            return
        self._controller.pause()

        def answered(answer: dialogs.Answer) -> None:
            if answer == "discard":
                go_on()
            elif answer == "save":
                self._save_to(self._known_path() or self._asked_path(), go_on)

        dialogs.ask_about_changes(self._window, document.name, answered)

    def _go_on(self, _path: Path) -> None:
        go_on, self._after_save = self._after_save, None
        if go_on is not None:
            go_on()

    def _remember(self, document: Document) -> None:
        self._broken = None
        if document.path is not None:
            self._settings.add_recent(document.path)
            self.recent_changed.emit()
