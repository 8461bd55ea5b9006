"""Zoom: the size of all text, and of what grows with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication, QDockWidget, QHeaderView, QWidget

from gradstep_gui.settings import ZOOM, ZOOM_STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep_gui.settings import Settings

__all__ = ["Zoom"]


class Zoom(QObject):
    """Makes all text larger or smaller, in steps as in a browser, and remembers it.

    Args:
        settings: Remembers the chosen factor.
        parent: The window.
    """

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._type_scale = 1.0

    @property
    def factor(self) -> float:
        """The size of text, relative to what the desktop prefers."""
        return self._settings.get(ZOOM) * self._type_scale

    def change(self, steps: int) -> None:
        """Choose a larger or smaller step; 0 for the size that the desktop prefers."""
        chosen = self._settings.get(ZOOM)
        at = min(range(len(ZOOM_STEPS)), key=lambda place: abs(ZOOM_STEPS[place] - chosen))
        at = min(max(at + steps, 0), len(ZOOM_STEPS) - 1)
        self._settings.set(ZOOM, ZOOM_STEPS[at] if steps else 1.0)
        self.apply()

    def set_type_scale(self, scale: float) -> None:
        """Set how much larger the text of a layout is."""
        self._type_scale = scale
        self.apply()

    def apply(self) -> None:
        """Give the application, and every widget with a font of its own, its size."""
        application = QApplication.instance()
        if not isinstance(application, QApplication):
            return
        font = QFont(application.font())
        plain = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()
        ratio = plain * self.factor / font.pointSizeF()
        if abs(ratio - 1) < _SAME or font.pointSizeF() <= 0:
            return
        before = {widget: widget.font().pointSizeF() for widget in QApplication.allWidgets()}
        font.setPointSizeF(plain * self.factor)
        application.setFont(font)
        # The widgets learn of it by an event; those with a size of their own, and what contains
        # something with a style sheet, have the old one then.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.ApplicationFontChange)
        for window in QApplication.topLevelWidgets():
            _enlarge(window, before, ratio)


def _enlarge(widget: QWidget, before: Mapping[QWidget, float], ratio: float) -> None:
    """Give a widget, then everything in it, its size, unless it has got it from its parent."""
    size, font = before.get(widget, 0.0) * ratio, widget.font()
    if size > 0 and abs(font.pointSizeF() / size - 1) > _SAME:
        font.setPointSizeF(size)
        widget.setFont(font)
    if isinstance(widget, QDockWidget):
        font.setPointSizeF(QApplication.font().pointSizeF() * _DOCK)
        widget.setFont(font)
    if isinstance(widget, QHeaderView) and widget.orientation() == Qt.Orientation.Vertical:
        widget.setDefaultSectionSize(round(widget.defaultSectionSize() * ratio))
    for child in widget.children():
        if isinstance(child, QWidget) and not child.isWindow():
            _enlarge(child, before, ratio)


_DOCK = 1.002
"""Qt draws the title of a dock in the size that it began with unless its font is one of its own."""

_SAME = 1e-3
"""Ratios of sizes nearer to 1 change nothing."""
