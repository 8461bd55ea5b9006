"""Buttons side by side, in as few rows as their texts have room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

__all__ = ["ButtonRows"]

_GAP = 6
"""Pixels between two buttons."""


class ButtonRows(QWidget):
    """Shares its width among buttons; where one would be cut, fewer stand in a row.

    Args:
        buttons: The buttons, which become its children.
        parent: The parent widget.

    Example:
        >>> from PySide6.QtWidgets import QApplication, QPushButton
        >>> app = QApplication.instance() or QApplication([])
        >>> rows = ButtonRows([QPushButton("One lesson"), QPushButton("Another lesson")])
        >>> rows.heightForWidth(60) > rows.heightForWidth(600)
        True
    """

    def __init__(self, buttons: Sequence[QAbstractButton], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons = tuple(buttons)
        for button in self._buttons:
            button.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def rows_in(self, width: int) -> int:
        """Return how many rows a width needs."""
        count = len(self._buttons)
        widest = max(button.sizeHint().width() for button in self._buttons)
        fitting = min(count, max(1, (width + _GAP) // (widest + _GAP)))
        return -(-count // fitting)

    def hasHeightForWidth(self) -> bool:
        """Return True: narrow ones have more rows."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the rows in a width."""
        rows = self.rows_in(width)
        return rows * self._row_height + (rows - 1) * _GAP

    def sizeHint(self) -> QSize:
        """Return the size with the present rows."""
        return QSize(self.width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        """Return the height of the present rows, and the width of a button."""
        widest = max(button.sizeHint().width() for button in self._buttons)
        return QSize(widest, self.heightForWidth(self.width()))

    def event(self, event: QEvent) -> bool:
        """Arrange the buttons anew when the text or the font of one has changed."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._arrange()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the buttons in the new width."""
        super().resizeEvent(event)
        self._arrange()
        if self.heightForWidth(event.size().width()) != event.size().height():
            self.updateGeometry()

    @property
    def _row_height(self) -> int:
        return max(button.sizeHint().height() for button in self._buttons)

    def _arrange(self) -> None:
        rows, height = self.rows_in(self.width()), self._row_height
        per_row = -(-len(self._buttons) // rows)
        for row in range(rows):
            line = self._buttons[row * per_row : (row + 1) * per_row]
            room = self.width() + _GAP
            for place, button in enumerate(line):
                left, right = place * room // len(line), (place + 1) * room // len(line)
                button.setGeometry(QRect(left, row * (height + _GAP), right - left - _GAP, height))
