"""The legend of a heat map: its colour scale, and the counts of NaN and infinities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.arrays.matrix_image import MINUS_INF, NAN, PLUS_INF, VIRIDIS
from gradstep_gui.widgets.fonts import digits_font, small_font
from gradstep_gui.widgets.number_format import count_text, number_text

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

__all__ = ["LegendBar"]

_LONGEST_BAR = 160
_SHORTEST_BAR = 8
_DIGITS = 5


class LegendBar(QWidget):
    """One line: lowest value, colours, highest value, then the counts of NaN, Inf and -Inf.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> legend = LegendBar()
        >>> legend.show_range(-1.0, 2.5, nan=3, plus_inf=0, minus_inf=0)
        >>> legend.accessibleDescription()
        'from -1 to 2.5, 3 NaN'
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._low = self._high = 0.0
        self._odd: list[tuple[str, int]] = []
        self.setFont(digits_font(small_font(self.font())))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Colour scale"))

    def show_range(
        self, low: float, high: float, *, nan: int, plus_inf: int, minus_inf: int
    ) -> None:
        """Show the scale of the finite elements, NaN for none, and the counts of the others."""
        self._low, self._high = low, high
        counts = ((nan, "NaN", NAN), (plus_inf, "Inf", PLUS_INF), (minus_inf, "-Inf", MINUS_INF))
        self._odd = [
            (f"{count_text(count)} {word}", colour) for count, word, colour in counts if count
        ]
        words = [
            self.tr("from {0} to {1}").format(number_text(low), number_text(high))
            if low < high
            else self._one_value()
        ]
        self.setAccessibleDescription(", ".join(words + [word for word, _ in self._odd]))
        self.setToolTip(self.accessibleDescription())
        self.update()

    def _one_value(self) -> str:
        """Return the text when there is no scale; a range of NaN means no finite element."""
        if math.isnan(self._low):
            return self.tr("no finite values")
        return self.tr("all {0}").format(number_text(self._low))

    def ends_in(self, room: int) -> tuple[str, str]:
        """Return both ends of the scale, with as many digits as fit into `room` pixels."""
        low = high = ""
        for digits in range(_DIGITS, 1, -1):
            low, high = number_text(self._low, digits), number_text(self._high, digits)
            words = sum(map(self.fontMetrics().horizontalAdvance, (low, high)))
            if words + 12 + _SHORTEST_BAR < room:
                break
        return low, high

    def sizeHint(self) -> QSize:
        """Return the height of one line of text."""
        return QSize(200, self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:
        """Return a size that is usable in a narrow dock."""
        return QSize(100, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line."""
        painter = QPainter(self)
        theme = theme_of(self.palette())
        metrics = self.fontMetrics()
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        odd_width = sum(metrics.horizontalAdvance(word) + 26 for word, _ in self._odd)
        low, high = self.ends_in(self.width() - odd_width)
        texts_width = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + 12
        bar_width = min(_LONGEST_BAR, self.width() - texts_width - odd_width)
        x = 0

        def write(text: str) -> int:
            width = metrics.horizontalAdvance(text)
            painter.setPen(QColor(theme.muted))
            painter.drawText(x, 0, width + 2, self.height(), middle, text)
            return width + 6

        if not self._low < self._high:
            one = self._one_value()
            if metrics.horizontalAdvance(one) + 14 + odd_width <= self.width() or not self._odd:
                x += write(one) + 8
        else:
            x += write(low)
            if bar_width > _SHORTEST_BAR:
                stripe = QImage(VIRIDIS.data, 256, 1, 1024, QImage.Format.Format_RGB32)
                bar = QRectF(x, self.height() / 2 - 4, bar_width, 8)
                painter.drawImage(bar, stripe)
                x += int(bar_width) + 6
            x += write(high) + 8
        for word, colour in self._odd:
            box = QRectF(x + 0.5, self.height() / 2 - 4.5, 9, 9)
            painter.fillRect(box, QColor.fromRgb(colour))
            painter.setPen(QColor(theme.border))
            painter.drawRect(box)
            x += 14
            x += write(word) + 6
