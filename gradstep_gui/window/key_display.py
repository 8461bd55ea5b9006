"""KeyDisplay: shows the key that was just pressed and what it did, for those who watch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QKeyCombination, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QWidget

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QAction, QPaintEvent

__all__ = ["KeyDisplay"]

SHOWN_MS = 2500
LARGER = 1.5
_GAP = 16
_CLEARANCE = 48
"""The distance from the window's bottom in pixels, above the status bar."""


_ALONE = frozenset(
    {
        Qt.Key.Key_Shift,
        Qt.Key.Key_Control,
        Qt.Key.Key_Alt,
        Qt.Key.Key_AltGr,
        Qt.Key.Key_Meta,
        Qt.Key.Key_CapsLock,
        Qt.Key.Key_unknown,
    }
)
"""Keys that do nothing alone."""


class KeyDisplay(QWidget):
    """A plate beside the buttons, there for a moment after each Action and key.

    Where it has no room there it is at the bottom of the window, and covers what is below it.

    Of an Action that was clicked it shows the key that would have done the same. What is typed into
    a field is not shown.

    Args:
        actions: The Actions to name.
        room: The part of the toolbar that is empty.
        window: The window.
    """

    def __init__(self, actions: Iterable[QAction], room: QWidget, window: QWidget) -> None:
        super().__init__(window)
        self._room = room
        self._key = self._name = self._pressed = ""
        self._is_on = False
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._show_key_alone)
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
        """What it shows: the key, if there is one, and the Action, if there was one."""
        return f"{self._key}  {self._name}".strip()

    def switch(self, *, on: bool) -> None:
        """Show keys and Actions from now on, or no longer."""
        self._is_on = on
        if not on:
            self.hide()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Stay in its place, and note the keys."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        elif event.type() == QEvent.Type.ShortcutOverride and self._is_on:
            # Each key begins with this, whatever then becomes of it; fields accept what is typed.
            self._note(event)
        return False

    def sizeHint(self) -> QSize:
        """Return the size of the text."""
        metrics = QFontMetrics(self._large())
        height = metrics.height()
        parts = [metrics.horizontalAdvance(self._name)] if self._name else []
        if self._key:
            parts.append(self._key_width(metrics))
        return QSize(sum(parts) + (len(parts) + 1) * height // 2 + height // 2, 2 * height)

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
        left = 3 * height // 4
        if self._key:
            width = self._key_width(metrics)
            cap = QRect(left, height // 4, width, 2 * height - height // 2)
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
        shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self._show(self._pressed or shortcut, action.iconText().replace("&", "").rstrip("…"))

    def _note(self, event: QEvent) -> None:
        """Note a key; it is shown with the Action that it triggers, or soon without one."""
        if not isinstance(event, QKeyEvent) or event.key() in _ALONE:
            return
        key = Qt.Key.Key_Tab if event.key() == Qt.Key.Key_Backtab else Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        sequence = QKeySequence(QKeyCombination(modifiers, key))
        self._pressed = sequence.toString(QKeySequence.SequenceFormat.NativeText)
        self._soon.start()

    def _show_key_alone(self) -> None:
        if self._is_on and self._pressed:
            self._show(self._pressed, "")

    def _show(self, key: str, name: str) -> None:
        self._key, self._name, self._pressed = key, name, ""
        self._soon.stop()
        self._place()
        self.show()
        self.raise_()
        self.update()
        self._gone.start()

    def _place(self) -> None:
        size, window = self.sizeHint(), self.parentWidget()
        if window is None:
            return
        room = QRect(self._room.mapTo(window, QPoint()), self._room.size())
        if room.width() >= size.width() + _GAP and room.height() >= size.height():
            self.move(room.left() + _GAP, room.center().y() - size.height() // 2)
        else:
            left = (window.width() - size.width()) // 2
            self.move(left, window.height() - size.height() - _CLEARANCE)
        self.resize(size)

    def _key_width(self, metrics: QFontMetrics) -> int:
        return metrics.horizontalAdvance(self._key) + metrics.height()

    def _large(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * LARGER)
        return font
