"""A bar for each layer of a model, on a logarithmic scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradstep_gui.plotting.style import grid_color
from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QPaintEvent

__all__ = ["LayerBars", "decades"]

_PADDING = 8
_BAR = 0.55
_NAME_SHARE = 0.4
_SHORTEST = 0.25
"""The part of a decade that the smallest bar is long at least."""


class LayerBars(QWidget):
    """Horizontal bars with names and values, from top to bottom in the order given.

    Args:
        title: What the bars are, above them.
        kind: The kind of Operation whose colour they have.
        format_value: Formats a value; None is a missing one.
        parent: The parent widget.
    """

    def __init__(
        self,
        title: str,
        kind: str,
        format_value: Callable[[float | None], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._title = title
        self._kind = kind
        self._format = format_value
        self._empty = ""
        self._rows: tuple[tuple[str, float | None], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(title)

    @property
    def rows(self) -> tuple[tuple[str, float | None], ...]:
        """The names and values."""
        return self._rows

    def set_rows(self, rows: Sequence[tuple[str, float | None]]) -> None:
        """Show these names and values; None where there is none."""
        if tuple(rows) == self._rows:
            return
        self._rows = tuple(rows)
        self.setAccessibleDescription(
            "\n".join(f"{name}: {self._format(value)}" for name, value in rows)
        )
        self.setMinimumHeight(self.sizeHint().height())
        self.update()

    def set_empty_text(self, text: str) -> None:
        """Set the text to show while there is no value."""
        self._empty = text
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room for the title, a row for each bar, and the scale."""
        return QSize(320, self._row_height() * (len(self._rows) + 2) + 2 * _PADDING)

    def bar_length(self, value: float | None) -> float:
        """Return the length of a bar as a share of the longest possible one."""
        low, high = decades([value for _, value in self._rows])
        if value is None or not _is_drawn(value):
            return 0.0
        return (math.log10(value) - low) / (high - low)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the title, the scale, and the bars."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.base))
        area = QRectF(self.rect()).adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
        height = self._row_height()
        painter.setPen(QColor(theme.muted))
        painter.drawText(
            QRectF(area.left(), area.top(), area.width(), height),
            Qt.AlignmentFlag.AlignVCenter,
            self.fontMetrics().elidedText(
                self._title, Qt.TextElideMode.ElideRight, int(area.width())
            ),
        )
        if all(value is None for _, value in self._rows):
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(area, flags, self._empty)
            return
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(name) for name, _ in self._rows)
        names = min(widest, int(area.width() * _NAME_SHARE))
        values = max(metrics.horizontalAdvance(self._format(value)) for _, value in self._rows)
        left = area.left() + names + _PADDING
        bars = QRectF(
            left,
            area.top() + height,
            max(area.right() - left - values - _PADDING, 1.0),
            height * len(self._rows),
        )
        self._draw_scale(painter, bars)
        for row, (name, value) in enumerate(self._rows):
            line = QRectF(area.left(), bars.top() + row * height, names, height)
            painter.setPen(QColor(theme.text))
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, names)
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, shown)
            length = bars.width() * self.bar_length(value)
            bar = QRectF(bars.left(), line.top(), length, height * _BAR)
            bar.moveTop(line.top() + height * (1 - _BAR) / 2)
            painter.fillRect(bar, QColor(theme.kind(self._kind).strong))
            line.setLeft(bar.right() + _PADDING / 2)
            line.setRight(area.right())
            painter.setPen(QColor(theme.muted))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, self._format(value))

    def _draw_scale(self, painter: QPainter, bars: QRectF) -> None:
        """Draw a line at whole powers of ten, with the power below."""
        theme = theme_of(self.palette())
        low, high = decades([value for _, value in self._rows])
        first, last = math.ceil(low), math.floor(high)
        room = max(1, int(bars.width() / self.fontMetrics().horizontalAdvance("1e-000")))
        step = max(1, -(-(last - first) // room))
        for power in range(first, last + 1, step):
            x = bars.left() + bars.width() * (power - low) / (high - low)
            painter.setPen(QPen(grid_color(theme), 1))
            painter.drawLine(round(x), round(bars.top()), round(x), round(bars.bottom()))
            painter.setPen(QColor(theme.muted))
            place = QRectF(x - 40, bars.bottom(), 80, self._row_height())
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, f"1e{power}")

    def _row_height(self) -> int:
        return self.fontMetrics().height() + 6


def decades(values: Sequence[float | None]) -> tuple[float, float]:
    """Return the ends of a scale for values, as powers of ten, with room for the smallest bar.

    Example:
        >>> decades([0.002, 0.5, None, 0.0])
        (-3.0, 0.0)
        >>> decades([0.001])
        (-4.0, -3.0)
    """
    drawn = [math.log10(value) for value in values if value is not None and _is_drawn(value)]
    if not drawn:
        return -1.0, 0.0
    low = float(math.floor(min(drawn) - _SHORTEST))
    return low, max(float(math.ceil(max(drawn))), low + 1)


def _is_drawn(value: float) -> bool:
    return math.isfinite(value) and value > 0
