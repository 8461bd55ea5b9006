"""Long text in little room: an eliding label, and break points in long words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

__all__ = ["ElidedLabel", "with_break_points"]

_ALIGN = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class ElidedLabel(QLabel):
    """A label that elides its text at the end, with the whole text as tooltip.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> label = ElidedLabel()
        >>> label.setText("words " * 100)
        >>> label.minimumSizeHint().width()
        0
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        """Set the text and the tooltip."""
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        """Return the height of a line and no width."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the elided text."""
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        QPainter(self).drawText(self.rect(), int(_ALIGN | Qt.TextFlag.TextSingleLine), text)


LONG = 30
"""The length from which a word may be broken."""

_JOINT = re.compile(r"([._/\[])")


def with_break_points(text: str) -> str:
    r"""Return `text` with a zero-width space after each separator in long words.

    Example:
        >>> with_break_points("short.word in model.0.a_name_that_somebody_chose").count("\u200b")
        6
    """
    words = (_JOINT.sub("\\1\u200b", w) if len(w) >= LONG else w for w in text.split(" "))
    return " ".join(words)
