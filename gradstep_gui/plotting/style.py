"""Styles: which colour and which dashes a curve gets, and how the ground of a plot looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

if TYPE_CHECKING:
    from gradstep_gui.theme import Theme

__all__ = ["CurveStyle", "ghost_of", "grid_color", "style_of"]

_GRID_STRENGTH = 0.4
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)


@dataclass(frozen=True, slots=True)
class CurveStyle:
    """How one curve is drawn: a `#rrggbb` colour, and dashes once the colours have run out.

    A ghost is of another branch: thin, dashed, and without dots.
    """

    color: str
    dashes: Qt.PenStyle = Qt.PenStyle.SolidLine
    is_ghost: bool = False


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


def ghost_of(style: CurveStyle, rank: int, theme: Theme, *, same_color: bool = False) -> CurveStyle:
    """Return the style of a curve's ghost on the branch at place `rank`.

    Args:
        style: Of the curve itself.
        rank: Which branch, from 0.
        theme: Where colours are from.
        same_color: Keep the curve's colour, where others are taken by other curves; dashes alone
            then tell the branches apart.

    Example:
        >>> from gradstep_gui.theme import LIGHT
        >>> ghost_of(style_of(0, LIGHT), 0, LIGHT).dashes is Qt.PenStyle.DashLine
        True
    """
    color = theme.curves[(1 + rank) % len(theme.curves)]
    if same_color:
        color = style.color
    elif color == style.color:
        color = theme.muted
    return CurveStyle(color, _DASHES[1 + rank % (len(_DASHES) - 1)], is_ghost=True)


def grid_color(theme: Theme) -> QColor:
    """Return the colour of the lines of a grid: there when looked for, and no more."""
    color = QColor(theme.border)
    color.setAlphaF(_GRID_STRENGTH)
    return color
