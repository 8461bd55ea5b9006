"""What a screen reader is told: announcements, and the roles of widgets that Qt does not know."""

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
    """Have something read out, where a screen reader listens.

    Args:
        widget: What it is about.
        text: What to say; nothing is said for an empty one.
        urgent: It interrupts what is being said.
    """
    if not text or not QAccessible.isActive():
        return
    said = QAccessibleAnnouncementEvent(widget, text)
    polite = QAccessible.AnnouncementPoliteness
    said.setPoliteness(polite.Assertive if urgent else polite.Polite)
    QAccessible.updateAccessibility(said)


_Role = QAccessible.Role

ROLES: Mapping[str, QAccessible.Role] = MappingProxyType(
    {
        "FormulaLabel": _Role.Equation,
        "GraphCanvas": _Role.Chart,
        "GraphLegend": _Role.Graphic,
        "HeatMap": _Role.Chart,
        "Legend": _Role.Graphic,
        "LegendBar": _Role.Graphic,
        "PlotStack": _Role.Chart,
        "FormulaPage": _Role.Pane,
        "TimelineBar": _Role.Slider,
    }
)
"""The role of each class of widgets, by its name."""


def install_accessible_roles() -> None:
    """Let widgets that are made from now on be told by their `ROLES`."""
    QAccessible.installFactory(_describe)


def _describe(kind: str, widget: QObject) -> QAccessibleInterface | None:
    """Return what tells of a widget; None for one that Qt knows."""
    role = ROLES.get(kind)
    if role is None or not isinstance(widget, QWidget):
        return None
    return QAccessibleWidget(widget, role)
