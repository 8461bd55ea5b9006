"""Support for screen readers: announcements, and the roles of custom widgets."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QAccessibleWidget, QWidget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QAccessibleInterface

__all__ = ["ROLES", "announce", "install_accessible_roles"]


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Announce a text to screen readers.

    Args:
        widget: The widget that it is about.
        text: The text; an empty one is ignored.
        urgent: Whether it interrupts other speech.
    """
    if not text or not QAccessible.isActive():
        return
    announcement = QAccessibleAnnouncementEvent(widget, text)
    polite = QAccessible.AnnouncementPoliteness
    announcement.setPoliteness(polite.Assertive if urgent else polite.Polite)
    QAccessible.updateAccessibility(announcement)


_Role = QAccessible.Role

ROLES: Mapping[str, QAccessible.Role] = MappingProxyType(
    {
        "ConfusionMatrix": _Role.Chart,
        "FitLegend": _Role.Graphic,
        "FitPlot": _Role.Chart,
        "FormulaLabel": _Role.Equation,
        "GraphCanvas": _Role.Chart,
        "GraphLegend": _Role.Graphic,
        "HeatMap": _Role.Chart,
        "ImageSheet": _Role.Chart,
        "Legend": _Role.Graphic,
        "LegendBar": _Role.Graphic,
        "PlotStack": _Role.Chart,
        "FormulaPage": _Role.Pane,
        "TimelineBar": _Role.Slider,
    }
)
"""The role of each custom widget, by the name of its class."""


def install_accessible_roles() -> None:
    """Give the roles of `ROLES` to all widgets that are created from now on."""
    QAccessible.installFactory(_describe)


def _describe(kind: str, widget: QObject) -> QAccessibleInterface | None:
    """Return the accessible interface of a custom widget; None for others."""
    role = ROLES.get(kind)
    if role is None or not isinstance(widget, QWidget):
        return None
    return QAccessibleWidget(widget, role)
