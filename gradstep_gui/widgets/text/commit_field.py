"""A line of code that is taken on Enter or when it is left, and put back on Escape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QLineEdit

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QWidget

__all__ = ["CommitField"]


class CommitField(QLineEdit):
    """A field for an expression; `committed(text)` tells one that was written.

    Args:
        name: What it is for, for screen readers.
        parent: Its owner.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> field = CommitField("Condition")
        >>> field.show_text("loss > 10")
        >>> field.text()
        'loss > 10'
    """

    committed = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font().pointSizeF())
        self.setFont(font)
        self.setAccessibleName(name)
        self.editingFinished.connect(self._commit)

    def show_text(self, text: str) -> None:
        """Show a text, unless a person is in the middle of typing another."""
        self._shown = text
        if self.text() != text and not (self.isModified() and self.hasFocus()):
            self.setText(text)
            self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Put back what stood there on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._shown)
        else:
            super().keyPressEvent(event)

    def _commit(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.setCursorPosition(0)
            self.committed.emit(self.text().strip())
