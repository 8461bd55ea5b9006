"""The editor for program documents, which checks them while the user types."""

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
    QSplitter,
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
"""The pause in typing after which a document is checked."""


class Snippet(NamedTuple):
    """A piece of text that can be inserted into a document.

    Attributes:
        group: The submenu; empty for a whole document.
        name: The title of the menu entry.
        text: The text to insert.
        words: Its description, as a tooltip.
        part: The part of the document that it belongs to.
    """

    group: str
    name: str
    text: str
    words: str = ""
    part: str = ""


Place = Callable[[str, Snippet, int], tuple[int, int, str] | None]
"""Finds where to insert a snippet, given the cursor: start, end, and the text to insert."""


class ProgramDialog(QDialog):
    """An editor for a document, which can be checked, saved and opened.

    Args:
        words: The introduction above the document.
        text: The document.
        templates: Whole documents to start from.
        pieces: Snippets to insert.
        place: Finds where to insert them; at the cursor when it returns None.
        parent: The parent widget.
        preview: What is shown beside the document; None for nothing.
    """

    check_requested = Signal(str)
    """The document should be checked; emitted when the user stops typing."""

    open_requested = Signal(str)
    """This valid document should be opened."""

    save_requested = Signal(str)
    """This document should be saved to a file."""

    help_requested = Signal()
    """The help page on programs should be shown."""

    def __init__(
        self,
        words: str,
        text: str,
        templates: Sequence[Snippet],
        pieces: Sequence[Snippet],
        place: Place,
        parent: QWidget | None = None,
        *,
        preview: QWidget | None = None,
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
        self._timer.timeout.connect(lambda: self.check_requested.emit(self.text))
        label = QLabel(words, self, wordWrap=True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        self.begin_with = self._menu_button(self.tr("&Templates"), templates)
        self.begin_with.setToolTip(self.tr("Replace this document with an included program"))
        self.insert = self._menu_button(self.tr("&Insert"), pieces)
        self.insert.setToolTip(
            self.tr("Insert an entry where it belongs, with its required fields")
        )
        head = QHBoxLayout()
        head.addWidget(label, 1)
        for button in (self.begin_with, self.insert):
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self._beside(preview), 1)
        column.addLayout(self._make_verdict())
        column.addWidget(self._make_buttons())
        remove_button_icons(self)
        self.resize(QSize(820, 680) if preview is None else QSize(1120, 700))
        self._typed()
        self.editor.setFocus()

    def name_it(self, title: str, words: str) -> None:
        """Name what opening it does, where it is no program.

        Args:
            title: The title of the button.
            words: Its tooltip, without the keys.
        """
        self.open_button.setText(title)
        self.open_button.setToolTip(f"{words} (Ctrl+Return)")
        self.begin_with.setToolTip(self.tr("Replace this document with an included one"))
        self.insert.setToolTip(self.tr("Insert at the cursor"))

    def _beside(self, preview: QWidget | None) -> QWidget:
        """Return the editor, with the preview beside it."""
        if preview is None:
            return self.editor
        both = QSplitter(self)
        both.setChildrenCollapsible(False)
        both.addWidget(self.editor)
        both.addWidget(preview)
        both.setSizes([640, 460])
        return both

    @property
    def text(self) -> str:
        """The document."""
        return self.editor.toPlainText()

    @property
    def is_changed(self) -> bool:
        """Whether there are changes that neither a file nor the open program has."""
        return self.text != self._kept

    def keep(self, text: str) -> None:
        """Note that this text was saved to a file."""
        self._kept = text

    def ask_check(self) -> None:
        """Check the document now."""
        self._timer.stop()
        self._timer.timeout.emit()

    def show_verdict(
        self, message: str, remedy: str, place: tuple[int, int] | None, *, is_valid: bool
    ) -> None:
        """Show whether the document is a valid program.

        Args:
            message: The summary, or the error.
            remedy: What to change.
            place: The wrong characters, when they are in one place.
            is_valid: Whether it is valid.
        """
        self._place, self._verdict = place, is_valid
        line = self.editor.mark_error(place)
        where = "" if line is None else self.tr("Line {0}: ").format(line)
        text = f"{where}{message}" + (f"; {remedy}" if remedy else "")
        self._verdict_label.setText(text)
        self._show.setVisible(place is not None)
        self._apply_theme()
        announce(self._verdict_label, text)
        wants_open, self._wants_open = self._wants_open, False
        if wants_open and is_valid:
            self.open_requested.emit(self.text)
        elif wants_open:
            self._go_there()

    def reject(self) -> None:
        """Close, after asking about unsaved changes."""
        if not self.is_changed:
            super().reject()
            return
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Unsaved Document"))
        box.setText(self.tr("This document has unsaved changes."))
        box.setInformativeText(self.tr("Save it as a program?"))
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
            self.save_requested.emit(self.text)

    def _make_verdict(self) -> QHBoxLayout:
        self._mark = QLabel(self)
        self._verdict_label = QLabel(self, wordWrap=True)
        self._verdict_label.setTextFormat(Qt.TextFormat.PlainText)
        self._verdict_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._verdict_label.setMinimumHeight(2 * self._verdict_label.fontMetrics().lineSpacing())
        self._verdict_label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._show = QPushButton(self.tr("&Go to Error"), self, autoDefault=False)
        self._show.clicked.connect(self._go_there)
        self._show.setVisible(False)
        row = QHBoxLayout()
        row.addWidget(self._mark)
        row.addWidget(self._verdict_label, 1)
        row.addWidget(self._show)
        return row

    def _make_buttons(self) -> QDialogButtonBox:
        standard = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(standard.Open | standard.Cancel | standard.Help, self)
        self.open_button = buttons.button(standard.Open)
        self.open_button.setText(self.tr("&Open as Program"))
        self.open_button.setToolTip(
            self.tr("Open it as a new program ({keys})").format(keys="Ctrl+Return")
        )
        self.open_button.setDefault(True)
        self.save_button = buttons.addButton(
            self.tr("&Save As…"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self.save_button.clicked.connect(lambda: self.save_requested.emit(self.text))
        buttons.accepted.connect(self._ask_open)
        buttons.rejected.connect(self.reject)
        buttons.helpRequested.connect(self.help_requested)
        for keys, act in (
            ("Ctrl+Return", self._ask_open),
            ("Ctrl+S", self.save_button.click),
            ("F1", self.help_requested.emit),
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
        """Open a valid document; in another, go to the error."""
        if self._verdict:
            self.open_requested.emit(self.text)
        elif self._verdict is None:
            self._wants_open = True
            self.ask_check()
        else:
            self._go_there()

    def _go_there(self) -> None:
        if self._place is not None:
            self.editor.go_to(self._place)

    def _apply_theme(self) -> None:
        theme = theme_of(self.palette())
        name, color = ("notice", theme.accent) if self._verdict else ("error", theme.error)
        self._mark.setPixmap(icon(name, color, color).pixmap(QSize(20, 20)))
