"""A flat toolbar, and tabs that leave room for their texts."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter
from PySide6.QtWidgets import QTabBar, QToolBar, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from gradstep_gui.theme import Theme

__all__ = ["CompactTabBar", "FlatToolBar", "style_tabs"]


_ICON = 24
"""The side of an icon in pixels, at the size of text that the desktop prefers."""


class FlatToolBar(QToolBar):
    """A toolbar with a flat background and a line below, instead of Fusion's gradient.

    Args:
        name: Its objectName, under which its place is saved.
        title: The title.
        parent: The window.
    """

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.setObjectName(name)
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)

    def changeEvent(self, event: QEvent) -> None:
        """Let the icons grow with the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            side = scaled(_ICON, self.font())
            self.setIconSize(QSize(side, side))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the background and the line."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.window))
        painter.setPen(QColor(theme.border))
        painter.drawLine(self.rect().bottomLeft(), self.rect().bottomRight())


_TABS = """
QTabBar::tab {{ padding: 4px {room}px 5px {room}px; margin: 2px -1px 0 0; color: {theme.muted};
    border: 1px solid {theme.border}; border-bottom: none; background: {theme.alternate};
    border-top-left-radius: 3px; border-top-right-radius: 3px; }}
QTabBar::tab:selected {{ margin-top: 0; padding-top: 5px; color: {theme.text};
    background: {theme.window}; border-top: 2px solid {theme.accent}; }}
QTabBar::tab:hover:!selected {{ color: {theme.text}; }}
"""
"""Fusion shifts the text of unselected tabs down and cuts its descenders off."""

_ROOM, _COMPACT_ROOM = 11, 7
"""Pixels at the left and right of the text of a tab."""


def style_tabs(tabs: QTabBar, theme: Theme) -> None:
    """Draw tabs in the colours of a theme, high enough for a descender or an underscore.

    Qt reports no change of palette to a child that has a style sheet: its window calls this again.
    """
    room = _COMPACT_ROOM if isinstance(tabs, CompactTabBar) else _ROOM
    sheet = _TABS.format(theme=theme, room=room)
    if tabs.styleSheet() != sheet:
        tabs.setStyleSheet(sheet)


class CompactTabBar(QTabBar):
    """Narrow tabs without a base line.

    Args:
        name: What the tabs choose, for screen readers.
        parent: The parent widget.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
        style_tabs(self, theme_of(QGuiApplication.palette()))

    def set_titles(self, titles: Sequence[str], hints: Sequence[str] = ()) -> None:
        """Set the tabs, each with a tooltip; the selected one stays selected if possible.

        It emits no signal, because the user did not select anything.
        """
        chosen = self.tabText(self.currentIndex())
        blocked = self.blockSignals(True)
        while self.count():
            self.removeTab(0)
        for title, hint in zip_longest(titles, hints, fillvalue=""):
            self.setTabToolTip(self.addTab(title), hint)
        if chosen in titles:
            self.setCurrentIndex(titles.index(chosen))
        self.blockSignals(blocked)
