"""Styles: which colour and which dashes a curve gets, and how the ground of a plot looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

if TYPE_CHECKING:
    from gradstep_gui.theme import Theme

__all__ = ["CurveStyle", "grid_color", "style_of"]

_GRID_STRENGTH = 0.4
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)


@dataclass(frozen=True, slots=True)
class CurveStyle:
    """How one curve is drawn: a `#rrggbb` colour, and dashes once the colours have run out."""

    color: str
    dashes: Qt.PenStyle = Qt.PenStyle.SolidLine


def style_of(rank: int, theme: Theme) -> CurveStyle:
    """Return the style of the curve at place `rank`: colours first, then dashes.

    Example:
        >>> from gradstep_gui.theme import LIGHT
        >>> style_of(0, LIGHT) == CurveStyle("#0072b2")
        True
        >>> style_of(7, LIGHT) == CurveStyle("#0072b2", Qt.PenStyle.DashLine)
        True
    """
    turn, place = divmod(rank, len(theme.curves))
    return CurveStyle(theme.curves[place], _DASHES[turn % len(_DASHES)])


def grid_color(theme: Theme) -> QColor:
    """Return the colour of the lines of a grid: there when looked for, and no more."""
    color = QColor(theme.border)
    color.setAlphaF(_GRID_STRENGTH)
    return color
