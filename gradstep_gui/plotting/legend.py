"""The legend of a panel: its curves by name, with their values at the cursor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from gradstep_gui.plotting.style import CurveStyle

__all__ = ["Legend", "LegendEntry"]

_SWATCH = 16
_GAP = 6
_BETWEEN = 10
_PADDING = 4
_ROWS = 2
_WIDEST = "0.00000"
_SHORTEST = "|0…t|"
"""A name is shortened at most to this; where there is less room, the curve is only counted."""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One curve in a legend: its column, its name, its style, its value and its mark."""

    key: str
    label: str
    style: CurveStyle
    value: str = ""
    mark: str = ""
    """The kind of Operation that just changed it; empty when nothing did."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an entry stands, and how much of its name there is room for."""

    row: int
    rect: QRect
    label: str


class Legend(QWidget):
    """The names and values of a panel's curves, in at most two rows."""

    hovered = Signal(str)
    """The mouse is on the curve of this key; empty when it is on none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[LegendEntry, ...] = ()
        self._places: list[_Place] = []
        self._hidden = 0
        self._wanted_rows = 1
        self._hovered = ""
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Legend"))

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        """The listed curves."""
        return self._entries

    def set_entries(self, entries: tuple[LegendEntry, ...]) -> None:
        """List these curves."""
        if entries == self._entries:
            return
        self._entries = entries
        self._arrange()

    def set_values(self, values: dict[str, str]) -> None:
        """Show these values beside the names; the other curves show none."""
        self.set_entries(
            tuple(replace(entry, value=values.get(entry.key, "")) for entry in self._entries)
        )

    def set_marks(self, keys: frozenset[str], kind: str) -> None:
        """Mark these curves as just changed by an Operation of this kind."""
        marked = tuple(replace(e, mark=kind if e.key in keys else "") for e in self._entries)
        if marked != self._entries:
            self._entries = marked
            self.update()

    def sizeHint(self) -> QSize:
        """Return one or two rows of text, as needed."""
        return QSize(200, self._wanted_rows * self._row())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a swatch, name and value of each curve, and mark those that just changed."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        for entry, place in zip(self._entries, self._places, strict=False):  # some do not fit
            rect = place.rect
            if entry.mark:
                colors = theme.kind(entry.mark)
                painter.setPen(QPen(QColor(colors.strong), 1))
                painter.setBrush(QColor(colors.soft))
                painter.drawRoundedRect(rect.adjusted(0, 1, -1, -2), 4, 4)
            left, middle = rect.left() + _PADDING, rect.center().y()
            width = 2 if entry.style.is_ghost else 3
            painter.setPen(QPen(entry.style.drawn_color, width, entry.style.dashes))
            painter.drawLine(QPointF(left, middle), QPointF(left + _SWATCH, middle))
            left += _SWATCH + _GAP
            baseline = rect.top() + (rect.height() + metrics.ascent() - metrics.descent()) // 2
            painter.setPen(QColor(theme.muted if entry.value else theme.text))
            painter.drawText(left, baseline, place.label)
            left += metrics.horizontalAdvance(place.label) + _GAP
            painter.setPen(QColor(theme.text))
            painter.drawText(left, baseline, entry.value)
        if self._hidden:
            painter.setPen(QColor(theme.muted))
            more = self.tr("+%n more", "", self._hidden)
            height = self._row()
            row = QRect(0, (self._rows() - 1) * height, self.width(), height)
            painter.drawText(row, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, more)
        painter.end()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Arrange the names for the new size."""
        self._arrange()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report which curve the mouse is on."""
        point = event.position().toPoint()
        at = next((at for at, one in enumerate(self._places) if one.rect.contains(point)), None)
        self._set_hovered("" if at is None else self._entries[at].key)

    def leaveEvent(self, _event: QEvent) -> None:
        """Report that the mouse is on no curve."""
        self._set_hovered("")

    def _set_hovered(self, key: str) -> None:
        if key != self._hovered:
            self._hovered = key
            self.hovered.emit(key)

    def _row(self) -> int:
        return self.fontMetrics().height() + _PADDING

    def _rows(self) -> int:
        """Return the number of rows that there is height for."""
        return max(1, min(_ROWS, self.height() // self._row()))

    def _arrange(self) -> None:
        before = self.sizeHint()
        wanted = self._placed(_ROWS)
        is_all = len(wanted) == len(self._entries)
        self._wanted_rows = 1 + max((each.row for each in wanted), default=0) if is_all else _ROWS
        rows = self._rows()
        self._places = wanted if rows == _ROWS else self._placed(rows)
        self._hidden = len(self._entries) - len(self._places)
        described = [f"{entry.label} {entry.value}".strip() for entry in self._entries]
        self.setAccessibleDescription(", ".join(described))
        self.setToolTip("\n".join(described) if self._hidden else "")
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def _placed(self, rows: int) -> list[_Place]:
        """Return the places of the entries that fit into a number of rows."""
        metrics, height = self.fontMetrics(), self._row()
        more = metrics.horizontalAdvance(self.tr("+%n more", "", 99)) + _GAP
        places: list[_Place] = []
        left, row = 0, 0
        for position, entry in enumerate(self._entries):
            bare = _entry_width(metrics, "", entry)
            label = self._elided(entry, max(self.width() // 2, 80))
            width = bare + metrics.horizontalAdvance(label)
            rest = more if position < len(self._entries) - 1 else 0
            if left and left + width > self.width() - (rest if row == rows - 1 else 0):
                if row == rows - 1:
                    break
                left, row = 0, row + 1
            room = self.width() - (rest if row == rows - 1 else 0)
            if not left and width > room:
                if places and room - bare < metrics.horizontalAdvance(_SHORTEST):
                    break
                label = self._elided(entry, room - bare)
                width = bare + metrics.horizontalAdvance(label)
            places.append(_Place(row, QRect(left, row * height, width, height), label))
            left += width + _BETWEEN
        return places

    def _elided(self, entry: LegendEntry, width: int) -> str:
        return self.fontMetrics().elidedText(entry.label, Qt.TextElideMode.ElideMiddle, width)


def _entry_width(metrics: QFontMetrics, label: str, entry: LegendEntry) -> int:
    """Return the width of an entry, with room for a value so that names do not move."""
    room = max(metrics.horizontalAdvance(entry.value), metrics.horizontalAdvance(_WIDEST))
    room = 0 if entry.key.startswith("@") else room  # a branch of several curves
    return 2 * _PADDING + _SWATCH + _GAP + metrics.horizontalAdvance(label) + _GAP + room
