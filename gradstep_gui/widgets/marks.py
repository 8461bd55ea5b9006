"""Cells of tables and trees: text, hint, tone, and the mark of what an Operation just changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradstep_gui.theme import theme_of

__all__ = ["Cell", "MarkDelegate", "MarkRole", "Tone"]

Tone = Literal["", "none", "muted", "warning", "error"]
"""How words are coloured: `none` is for what is absent, `muted` for what matters less."""

_BAR = 3
_PADDING = 7
_ROW_AIR = 8
_SWATCH = 10


class MarkRole(IntEnum):
    """Roles that a model answers beside Qt's own.

    `MARK` gives the kind of Operation that just changed the cell, or "". `TONE` gives a `Tone`.
    `AFTER` gives quieter words that follow the text. `SWATCH` gives the kind of Operation whose
    colour is shown before the text.
    """

    MARK = Qt.ItemDataRole.UserRole + 1
    TONE = Qt.ItemDataRole.UserRole + 2
    AFTER = Qt.ItemDataRole.UserRole + 3
    SWATCH = Qt.ItemDataRole.UserRole + 4


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell of a table or tree says.

    Attributes:
        text: What is written in it.
        hint: What is told on hover, and to a screen reader.
        tone: How it is coloured.
        mark: The kind of Operation that just changed it, such as "step"; else empty.
        after: Quieter words that follow the text.
        swatch: The kind of Operation whose colour is shown before the text.
        number: Whether it is written at the right, as numbers are.

    Example:
        >>> cell = Cell("None", tone="none")
        >>> cell.answer(Qt.ItemDataRole.DisplayRole), cell.answer(MarkRole.TONE)
        ('None', 'none')
    """

    text: str
    hint: str = ""
    tone: Tone = ""
    mark: str = ""
    after: str = ""
    swatch: str = ""
    number: bool = False

    def answer(self, role: int) -> str | int | None:
        """Return what a model answers for this cell under a role."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                return self.hint or None
            case Qt.ItemDataRole.TextAlignmentRole if self.number:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case MarkRole.MARK:
                return self.mark
            case MarkRole.TONE:
                return self.tone
        return {int(MarkRole.AFTER): self.after, int(MarkRole.SWATCH): self.swatch}.get(int(role))


class MarkDelegate(QStyledItemDelegate):
    """Paints `Cell`s; a mark is a soft ground with a bar at its left, not a colour alone.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> isinstance(MarkDelegate(), QStyledItemDelegate)
        True
    """

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Give rows some air."""
        size = super().sizeHint(option, index)
        return QSize(size.width() + 2 * _PADDING, option.fontMetrics.height() + _ROW_AIR)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint ground, mark, text, and what comes after the text in a quieter colour."""
        look = QStyleOptionViewItem(option)
        self.initStyleOption(look, index)
        style = look.widget.style() if look.widget else QApplication.style()
        theme = theme_of(look.palette)
        selected = bool(look.state & QStyle.StateFlag.State_Selected)
        style.drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, look, painter, look.widget
        )
        if kind := index.data(MarkRole.MARK):
            colours = theme.kind(kind)
            if not selected:
                painter.fillRect(look.rect, QColor(colours.soft))
            bar = QRect(look.rect.left(), look.rect.top() + 2, _BAR, look.rect.height() - 4)
            painter.fillRect(bar, QColor(colours.strong))
        tone: Tone = index.data(MarkRole.TONE) or ""
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        ink = look.palette.color(role)
        if tone and not selected:
            tones = {"warning": theme.warning, "error": theme.error}
            ink = QColor(tones.get(tone, theme.muted))
        look.font.setItalic(tone == "none")
        room = look.rect.adjusted(_PADDING, 0, -_PADDING, 0)
        if kind := index.data(MarkRole.SWATCH):
            rim = QColor(theme.accent_text) if selected else QColor(Qt.GlobalColor.transparent)
            _paint_swatch(painter, look.rect, QColor(theme.kind(kind).strong), rim)
            room.adjust(_SWATCH + _PADDING, 0, 0, 0)
        used = _write(painter, look, room, look.text, ink)
        after = index.data(MarkRole.AFTER)
        if after:
            look.font.setItalic(False)
            look.font.setBold(False)
            quiet = ink if selected else QColor(theme.muted)
            _write(painter, look, room.adjusted(used + _PADDING, 0, 0, 0), after, quiet)


def _paint_swatch(painter: QPainter, cell: QRect, colour: QColor, rim: QColor) -> None:
    box = QRect(cell.left() + _PADDING, cell.center().y() - _SWATCH // 2, _SWATCH, _SWATCH)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(rim)
    painter.setBrush(colour)
    painter.drawRoundedRect(box, 3, 3)
    painter.restore()


def _write(
    painter: QPainter, look: QStyleOptionViewItem, room: QRect, text: str, ink: QColor
) -> int:
    metrics = QFontMetrics(look.font)
    shown = metrics.elidedText(text, look.textElideMode, max(0, room.width()))
    painter.setFont(look.font)
    painter.setPen(ink)
    painter.drawText(room, int(look.displayAlignment | Qt.TextFlag.TextSingleLine), shown)
    return metrics.horizontalAdvance(shown)
