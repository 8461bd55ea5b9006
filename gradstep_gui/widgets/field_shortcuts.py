"""Shortcuts that fields of one line leave to the window: Ctrl+Home and Ctrl+End."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QWidget

__all__ = ["FieldShortcuts"]

_KEYS = {Qt.Key.Key_Home, Qt.Key.Key_End}


class FieldShortcuts(QObject):
    """Lets Ctrl+Home and Ctrl+End reach the window's actions while a field has the focus.

    Qt's fields keep them for the start and the end of their text, where Home and End alone go too.

    Args:
        parent: The window; fields in all windows of the application are watched.

    Example:
        >>> app = QApplication.instance() or QApplication([])
        >>> shortcuts = FieldShortcuts(QLineEdit())
        >>> shortcuts.watched is None
        True
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.watched: QWidget | None = None
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Reject the field's claim to these keys, so that the shortcut is triggered."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
            and event.key() in _KEYS
        ):
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _follow(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is not None and old is self.watched:
            old.removeEventFilter(self)
        self.watched = new if isinstance(new, QLineEdit | QAbstractSpinBox) else None
        if self.watched is not None:
            self.watched.installEventFilter(self)
