"""Bars in a table that add up: each starts where the one above it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject

    from gradstep_gui.widgets.model_index import ModelIndex

__all__ = ["Bar", "BarDelegate", "staircase"]

_NARROWEST = 90
_PADDING = 6
_AIR = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, in parts of the total, which is 1.

    Attributes:
        start: The start.
        end: The end; below the start when the share is negative.
        hatched: Whether it is hatched, because it modifies other terms.
    """

    start: float
    end: float
    hatched: bool = False


def staircase(shares: Sequence[float], hatched: Sequence[bool]) -> tuple[Bar, ...]:
    """Return a bar for each share, each starting where the last one ends.

    Example:
        >>> [(bar.start, bar.end) for bar in staircase([1.5, -0.5], [False, False])]
        [(0.0, 1.5), (1.5, 1.0)]
    """
    bars, at = [], 0.0
    for share, mark in zip(shares, hatched, strict=True):
        bars.append(Bar(at, at + share, mark))
        at += share
    return tuple(bars)


class BarDelegate(QStyledItemDelegate):
    """Paints the bars of a column, one a row, on one scale.

    Positive and negative shares differ in colour and in direction, as do the numbers beside them.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> delegate = BarDelegate()
        >>> delegate.show_bars(staircase([1.5, -0.5], [False, False]))
        >>> delegate.scale
        (0.0, 1.5)
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bars: tuple[Bar, ...] = ()
        self.scale = (0.0, 1.0)

    def show_bars(self, bars: tuple[Bar, ...]) -> None:
        """Set the bars."""
        self._bars = bars
        ends = [0.0, 1.0, *(bar.start for bar in bars), *(bar.end for bar in bars)]
        self.scale = min(ends), max(ends)

    def sizeHint(
        self,
        option: QStyleOptionViewItem,
        _index: ModelIndex,
    ) -> QSize:
        """Return a width at which bars can be compared."""
        return QSize(_NARROWEST, option.fontMetrics.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        """Paint the bar of a row, and lines at 0 and 1."""
        style = option.widget.style() if option.widget else QApplication.style()
        panel = QStyle.PrimitiveElement.PE_PanelItemViewItem
        style.drawPrimitive(panel, option, painter, option.widget)
        if index.row() >= len(self._bars):
            return
        theme, bar = theme_of(option.palette), self._bars[index.row()]
        room = QRectF(option.rect).adjusted(_PADDING, 0, -_PADDING, 0)
        low, high = self.scale

        def place(value: float) -> float:
            return room.left() + room.width() * (value - low) / (high - low)

        painter.save()
        painter.setPen(QColor(theme.border))
        for line in (0.0, 1.0):
            x = round(place(line))
            painter.drawLine(x, option.rect.top(), x, option.rect.bottom())
        left, right = sorted((place(bar.start), place(bar.end)))
        box = QRectF(left, room.top() + _AIR, max(right - left, 1.5), room.height() - 2 * _AIR)
        colour = QColor(theme.warning if bar.end < bar.start else theme.accent)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colour if bar.hatched else QColor(Qt.GlobalColor.transparent))
        pattern = Qt.BrushStyle.BDiagPattern if bar.hatched else Qt.BrushStyle.SolidPattern
        painter.setBrush(QBrush(colour, pattern))
        painter.drawRect(box)
        painter.restore()
