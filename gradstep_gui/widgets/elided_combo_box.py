"""ElidedComboBox: a box of names that shortens one that is too long in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

from gradstep_gui.widgets.text.long_text import elided_name

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

__all__ = ["ElidedComboBox"]

_MARGIN = 6


class ElidedComboBox(QComboBox):
    """A combo box whose text ends before its arrow; Qt's own cuts letters in two.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> box = ElidedComboBox()
        >>> box.addItem("the_reconstruction_loss_of_training")
        >>> box.resize(120, 30)
        >>> "…" in box.shown_text()
        True
    """

    def sizeHint(self) -> QSize:
        """Return the size in which the longest text is shown whole."""
        hint = super().sizeHint()
        return QSize(hint.width() + 2 * _MARGIN, hint.height())

    def shown_text(self) -> str:
        """Return the text for which there is room."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        control = QStyle.ComplexControl.CC_ComboBox
        room = self.style().subControlRect(control, option, part, self).width() - _MARGIN
        return elided_name(self.currentText(), self.fontMetrics(), max(0, room))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the box, and as much of its text as there is room for."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()
