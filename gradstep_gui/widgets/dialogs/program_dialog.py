"""ProgramDialog: edits a program document, and says all along whether it is a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
)

from gradstep_gui.resources import icon
from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.accessibility import announce
from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.text.document_editor import DocumentEditor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QCloseEvent
    from PySide6.QtWidgets import QWidget

__all__ = ["ProgramDialog", "Snippet"]

_QUIET_MS = 250
"""How long nobody must type until a document is checked."""


class Snippet(NamedTuple):
    """Something that can be written into a document.

    Attributes:
        group: Where it is offered; empty for a whole document.
        name: What it is called.
        text: What is written.
        words: What it is, in a sentence.
        part: The part of the document where it belongs.
    """

    group: str
    name: str
    text: str
    words: str = ""
    part: str = ""


Place = Callable[[str, Snippet, int], tuple[int, int, str] | None]
"""Finds where in a text a piece goes, given the cursor: from, to, and what is put there."""


class ProgramDialog(QDialog):
    """A document to be edited, checked, saved and opened.

    Args:
        words: What it is about.
        text: The document.
        templates: Whole documents to begin with.
        pieces: Members to be written into it.
        place: Finds where they go; at the cursor when it finds nothing.
        parent: Its owner.
    """

    check_asked = Signal(str)
    """The person has written this, and has paused."""

    open_asked = Signal(str)
    """The person wants this document opened; it is sound."""

    save_asked = Signal(str)
    """The person wants this document in a file."""

    help_asked = Signal()
    """The person wants to read what a document may say."""

    def __init__(
        self,
        words: str,
        text: str,
        templates: Sequence[Snippet],
        pieces: Sequence[Snippet],
        place: Place,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._kept = text
        self._find_place = place
        self._place: tuple[int, int] | None = None
        self._verdict: bool | None = None
        self._wants_open = False
        self.editor = DocumentEditor(self)
        self.editor.setFrameShape(QFrame.Shape.StyledPanel)
        self.editor.setPlainText(text)
        self.editor.textChanged.connect(self._typed)
        self._timer = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._timer.timeout.connect(lambda: self.check_asked.emit(self.text))
        label = QLabel(words, self, wordWrap=True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        self.begin_with = self._menu_button(self.tr("&Begin With"), templates)
        self.begin_with.setToolTip(self.tr("Put a program that ships in place of this one"))
        self.insert = self._menu_button(self.tr("&Insert"), pieces)
        self.insert.setToolTip(self.tr("Write something where it belongs, with what it must have"))
        head = QHBoxLayout()
        head.addWidget(label, 1)
        for button in (self.begin_with, self.insert):
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.editor, 1)
        column.addLayout(self._make_verdict())
        column.addWidget(self._make_buttons())
        remove_button_icons(self)
        self.resize(QSize(820, 680))
        self._typed()
        self.editor.setFocus()

    @property
    def text(self) -> str:
        """The document as it stands."""
        return self.editor.toPlainText()

    @property
    def is_changed(self) -> bool:
        """Whether there is something that neither a file nor the open program holds."""
        return self.text != self._kept

    def keep(self, text: str) -> None:
        """Take note that this text is in a file."""
        self._kept = text

    def ask_check(self) -> None:
        """Have the document checked at once."""
        self._timer.stop()
        self._timer.timeout.emit()

    def show_verdict(
        self, says: str, remedy: str, place: tuple[int, int] | None, *, is_sound: bool
    ) -> None:
        """Say whether the document is a program.

        Args:
            says: What it is, or what is wrong.
            remedy: What to write instead.
            place: The characters that are wrong, when it is one place.
            is_sound: Whether it can be opened.
        """
        self._place, self._verdict = place, is_sound
        line = self.editor.blame(place)
        where = "" if line is None else self.tr("Line {0}: ").format(line)
        said = f"{where}{says}" + (f"; {remedy}" if remedy else "")
        self._says.setText(said)
        self._show.setVisible(place is not None)
        self._dress()
        announce(self._says, said)
        wants, self._wants_open = self._wants_open, False
        if wants and is_sound:
            self.open_asked.emit(self.text)
        elif wants:
            self._go_there()

    def reject(self) -> None:
        """Close, but not before asking about what would be lost."""
        if not self.is_changed:
            super().reject()
            return
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Unsaved document"))
        box.setText(self.tr("This document has changes that are not saved."))
        box.setInformativeText(self.tr("Save it as a program first?"))
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.finished.connect(self._answered)
        remove_button_icons(box)
        box.open()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close as Escape does."""
        if self.isVisible() and self.is_changed:
            event.ignore()
            self.reject()
            return
        super().closeEvent(event)

    def _answered(self, answer: int) -> None:
        if answer == QMessageBox.StandardButton.Discard:
            super().reject()
        elif answer == QMessageBox.StandardButton.Save:
            self.save_asked.emit(self.text)

    def _make_verdict(self) -> QHBoxLayout:
        self._mark = QLabel(self)
        self._says = QLabel(self, wordWrap=True)
        self._says.setTextFormat(Qt.TextFormat.PlainText)
        self._says.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._says.setMinimumHeight(2 * self._says.fontMetrics().lineSpacing())
        self._says.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._show = QPushButton(self.tr("&Go There"), self, autoDefault=False)
        self._show.clicked.connect(self._go_there)
        self._show.setVisible(False)
        row = QHBoxLayout()
        row.addWidget(self._mark)
        row.addWidget(self._says, 1)
        row.addWidget(self._show)
        return row

    def _make_buttons(self) -> QDialogButtonBox:
        standard = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(standard.Open | standard.Cancel | standard.Help, self)
        self.open_button = buttons.button(standard.Open)
        self.open_button.setText(self.tr("&Open as Program"))
        self.open_button.setToolTip(
            self.tr("Open it, from its first event ({keys})").format(keys="Ctrl+Return")
        )
        self.open_button.setDefault(True)
        self.save_button = buttons.addButton(
            self.tr("&Save As…"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self.save_button.clicked.connect(lambda: self.save_asked.emit(self.text))
        buttons.accepted.connect(self._ask_open)
        buttons.rejected.connect(self.reject)
        buttons.helpRequested.connect(self.help_asked)
        for keys, act in (
            ("Ctrl+Return", self._ask_open),
            ("Ctrl+S", self.save_button.click),
            ("F1", self.help_asked.emit),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        return buttons

    def _menu_button(self, title: str, pieces: Sequence[Snippet]) -> QPushButton:
        button = QPushButton(title, self, autoDefault=False)
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        groups = {"": menu}
        for piece in pieces:
            if piece.group not in groups:
                groups[piece.group] = menu.addMenu(piece.group)
                groups[piece.group].setToolTipsVisible(True)
            entry = groups[piece.group].addAction(piece.name.replace("&", "&&"))
            entry.setToolTip(piece.words)
            entry.triggered.connect(lambda _=False, piece=piece: self._put(piece))
        button.setMenu(menu)
        return button

    def _put(self, piece: Snippet) -> None:
        if not piece.group:
            self.editor.replace_all(piece.text)
            return
        found = self._find_place(self.text, piece, self.editor.place)
        if found is None:
            self.editor.insert_member(piece.text)
        else:
            self.editor.replace(*found)

    def _typed(self) -> None:
        self._verdict = None
        self._timer.start()

    def _ask_open(self) -> None:
        """Open a sound document; of any other, show first what is wrong."""
        if self._verdict:
            self.open_asked.emit(self.text)
        elif self._verdict is None:
            self._wants_open = True
            self.ask_check()
        else:
            self._go_there()

    def _go_there(self) -> None:
        if self._place is not None:
            self.editor.go_to(self._place)

    def _dress(self) -> None:
        theme = theme_of(self.palette())
        name, color = ("notice", theme.accent) if self._verdict else ("error", theme.error)
        self._mark.setPixmap(icon(name, color, color).pixmap(QSize(20, 20)))
