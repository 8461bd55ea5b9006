"""The dialog that shows what a remedy changes before it is carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.text.highlighters import DifferenceHighlighter

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

__all__ = ["RemedyDialog"]


class RemedyDialog(QDialog):
    """Shows the changes of a remedy; accepting carries it out.

    Args:
        title: The remedy in words, such as "with no bias before BatchNorm".
        words: How it is carried out.
        changes: The changes: one a line, or the lines of a document that differ.
        button: The title of the button that carries it out.
        parent: The parent widget.
    """

    def __init__(
        self, title: str, words: str, changes: str, button: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Remedy"))
        heading = QLabel(self.tr("What if it ran {0}?").format(title), self, wordWrap=True)
        heading.setTextFormat(Qt.TextFormat.PlainText)
        heading.setFont(emphasis_font(heading.font()))
        label = QLabel(words, self, wordWrap=True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        self.changes = QPlainTextEdit(self, readOnly=True)
        self.changes.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.changes.setTabChangesFocus(True)
        self._colors = DifferenceHighlighter(self.changes.document(), theme_of(self.palette()))
        self.changes.setAccessibleName(self.tr("Changes"))
        self.changes.setPlainText(changes)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        apply = self.buttons.addButton(button, QDialogButtonBox.ButtonRole.AcceptRole)
        apply.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(12)
        column.addWidget(heading)
        column.addWidget(label)
        column.addWidget(self.changes, 1)
        column.addWidget(self.buttons)
        remove_button_icons(self)
        self.resize(680, 420)

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_colors"):
            self._colors.apply(theme_of(self.palette()))
