"""KeyDisplay: names the Action that was just triggered and its key, for those who watch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeySequence, QPainter
from PySide6.QtWidgets import QWidget

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QAction, QPaintEvent

__all__ = ["KeyDisplay"]

SHOWN_MS = 2500
LARGER = 1.5
_CLEARANCE = 48
"""The distance from the window's bottom in pixels, above the status bar."""


class KeyDisplay(QWidget):
    """A plate at the bottom of the window, there for a moment after each Action.

    Args:
        actions: The Actions to name.
        window: The window.
    """

    def __init__(self, actions: Iterable[QAction], window: QWidget) -> None:
        super().__init__(window)
        self._key = self._name = ""
        self._is_on = False
        self._gone = QTimer(self, interval=SHOWN_MS, singleShot=True)
        self._gone.timeout.connect(self.hide)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.tr("Last action and its key"))
        window.installEventFilter(self)
        self.hide()
        for action in actions:
            action.triggered.connect(lambda _checked=False, done=action: self._name_action(done))

    @property
    def text(self) -> str:
        """What it shows: the key, if the Action has one, and the Action."""
        return f"{self._key}  {self._name}".strip()

    def switch(self, *, on: bool) -> None:
        """Name Actions from now on, or no longer."""
        self._is_on = on
        if not on:
            self.hide()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Stay at the bottom of the window."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def sizeHint(self) -> QSize:
        """Return the size of the text."""
        metrics = QFontMetrics(self._large())
        height = metrics.height()
        width = metrics.horizontalAdvance(self._name) + 2 * height
        if self._key:
            width += self._key_width(metrics) + height // 2
        return QSize(width, 2 * height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the plate, the key as a key cap, and the name."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.text))  # the opposite of the window: it stands out
        painter.drawRoundedRect(self.rect(), 10, 10)
        font = self._large()
        painter.setFont(font)
        metrics = QFontMetrics(font)
        height = metrics.height()
        left = height
        if self._key:
            width = self._key_width(metrics)
            cap = QRect(left - height // 3, height // 4, width, 2 * height - height // 2)
            painter.setPen(QColor(theme.base))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(cap, 5, 5)
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._key)
            left = cap.right() + height // 2
        painter.setPen(QColor(theme.base))
        words = QRect(left, 0, self.width() - left, self.height())
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter), self._name)

    def _name_action(self, action: QAction) -> None:
        if not self._is_on:
            return
        self._key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self._name = action.iconText().replace("&", "").rstrip("…")
        self._place()
        self.show()
        self.raise_()
        self.update()
        self._gone.start()

    def _place(self) -> None:
        size, window = self.sizeHint(), self.parentWidget()
        if window is not None:
            left = (window.width() - size.width()) // 2
            self.setGeometry(QRect(left, window.height() - size.height() - _CLEARANCE, 1, 1))
            self.resize(size)

    def _key_width(self, metrics: QFontMetrics) -> int:
        return metrics.horizontalAdvance(self._key) + metrics.height()

    def _large(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * LARGER)
        return font
