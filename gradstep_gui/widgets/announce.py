"""Telling a screen reader what happens elsewhere than where the focus is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

__all__ = ["announce"]


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
