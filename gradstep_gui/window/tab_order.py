"""Where the Tab key goes: to what can be seen or scrolled to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

__all__ = ["next_by_tab"]


def next_by_tab(window: QMainWindow, *, onwards: bool) -> QWidget | None:
    """Return the widget that the Tab key comes to next; None if there is no other.

    Args:
        window: The window in which the key was pressed.
        onwards: Whether forwards, as Tab does, and not backwards.
    """
    start = window.focusWidget() or window
    here = _neighbour(start, window, onwards=onwards)
    while here is not start and not _can_be_reached(here, window):
        here = _neighbour(here, window, onwards=onwards)
    return None if here is start else here


def _neighbour(widget: QWidget, window: QMainWindow, *, onwards: bool) -> QWidget:
    """Return the next or the previous widget of the window's focus chain, which is a ring.

    PySide makes the result of `nextInFocusChain` a child of the widget that was asked: with that
    widget it would take the result for deleted, and then what follows it, the window included. So
    the widget before the window is not asked, and others get their real parents back.
    """
    last = window.previousInFocusChain() if onwards else window.nextInFocusChain()
    if widget is last:
        return window
    found = widget.nextInFocusChain() if onwards else widget.previousInFocusChain()
    parent = None if found is None else found.parentWidget()
    if found is None or parent is None:
        return window
    parent.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return found


def _can_be_reached(widget: QWidget, window: QMainWindow) -> bool:
    """Return whether the Tab key reaches a widget: one that is visible, or can be scrolled to.

    Args:
        widget: Any widget.
        window: The window in which the key was pressed.
    """
    takes_part = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isEnabled()
    if not takes_part or widget.focusProxy() is not None:
        return False
    if widget.window() is not window or not widget.isVisible():
        return False
    place: QWidget | None = widget
    while place is not None and not isinstance(place, QDockWidget):
        place = place.parentWidget()
    return place is None or not place.visibleRegion().isEmpty()
