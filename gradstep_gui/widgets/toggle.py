"""A button that is on or off, and looks it."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QToolButton, QWidget

from gradstep_gui.theme import theme_of

__all__ = ["Toggle"]


class Toggle(QToolButton):
    """A checkable button on the ground of a selection while it is on.

    Fusion only darkens a button that is on, which nobody sees in a dark window.

    Args:
        text: Its words.
        tip: What it does.
        parent: Its owner.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> Toggle("All", "Show every iteration").isCheckable()
        True
    """

    def __init__(self, text: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setCheckable(True)
        self.toggled.connect(self._dress)

    def changeEvent(self, event: QEvent) -> None:
        """Take over the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._dress()

    def _dress(self) -> None:
        theme = theme_of(self.palette())
        ground = QColor(theme.selection if self.isChecked() else theme.raised)
        if self.palette().color(QPalette.ColorRole.Button) == ground:
            return  # setting a palette is itself a change of palette
        palette = QPalette()
        if self.isChecked():
            palette.setColor(QPalette.ColorRole.Button, ground)
        self.setPalette(palette)
