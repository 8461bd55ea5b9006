"""The colours and dashes of curves, and the colour of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

if TYPE_CHECKING:
    from gradstep_gui.theme import Theme

__all__ = [
    "SYMBOLS",
    "CurveStyle",
    "branch_color",
    "dashes_of",
    "ghost_of",
    "grid_color",
    "style_of",
]

_GRID_STRENGTH = 0.4
_FAINT_STRENGTH = 0.45
_DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)


_BRANCH_COLORS = (4, 3, 2, 6, 1, 5)
"""Places of the colours of branches, beginning with those that curves have last."""

SYMBOLS = ("o", "s", "t1", "d", "p", "t", "h")
"""The shapes of points by class, as pyqtgraph names them: colours alone do not tell everybody."""


@dataclass(frozen=True, slots=True)
class CurveStyle:
    """The style of one curve: a `#rrggbb` colour, and dashes once the colours are used up.

    A ghost is a curve of another branch: thin, dashed, without dots. A faint curve is one that is
    also drawn smoothed, in front of it.
    """

    color: str
    dashes: Qt.PenStyle = Qt.PenStyle.SolidLine
    is_ghost: bool = False
    is_faint: bool = False

    @property
    def drawn_color(self) -> QColor:
        """The colour to draw with, which lets a faint curve's background through."""
        color = QColor(self.color)
        color.setAlphaF(_FAINT_STRENGTH if self.is_faint else 1.0)
        return color


def style_of(rank: int, theme: Theme) -> CurveStyle:
    """Return the style of curve number `rank`: colours first, then dashes.

    Example:
        >>> from gradstep_gui.theme import LIGHT
        >>> style_of(0, LIGHT) == CurveStyle("#0072b2")
        True
        >>> style_of(7, LIGHT) == CurveStyle("#0072b2", Qt.PenStyle.DashLine)
        True
    """
    turn, place = divmod(rank, len(theme.curves))
    return CurveStyle(theme.curves[place], dashes_of(turn))


def dashes_of(rank: int) -> Qt.PenStyle:
    """Return the dashes of curve number `rank` among those of one colour.

    Example:
        >>> dashes_of(0) is Qt.PenStyle.SolidLine, dashes_of(1) is Qt.PenStyle.DashLine
        (True, True)
    """
    return _DASHES[rank % len(_DASHES)]


def branch_color(branch: int, theme: Theme) -> str:
    """Return the colour of a branch wherever it is not the current one, by its id.

    Never that of the first curve, which is the current branch's.

    Example:
        >>> from gradstep_gui.theme import LIGHT
        >>> branch_color(0, LIGHT) == LIGHT.curves[4], branch_color(1, LIGHT) == LIGHT.curves[3]
        (True, True)
    """
    return theme.curves[_BRANCH_COLORS[branch % len(_BRANCH_COLORS)]]


def ghost_of(branch: int, rank: int, theme: Theme) -> CurveStyle:
    """Return the style of a curve of another branch: the branch's colour, the curve's dashes.

    Args:
        branch: The id of the branch.
        rank: The number of the curve among those of its panel, from 0.
        theme: The theme.

    Example:
        >>> from gradstep_gui.theme import LIGHT
        >>> ghost_of(1, 0, LIGHT).dashes is Qt.PenStyle.DashLine
        True
    """
    dashes = _DASHES[1 + rank % (len(_DASHES) - 1)]
    return CurveStyle(branch_color(branch, theme), dashes, is_ghost=True)


def grid_color(theme: Theme) -> QColor:
    """Return the faint colour of grid lines."""
    color = QColor(theme.border)
    color.setAlphaF(_GRID_STRENGTH)
    return color
