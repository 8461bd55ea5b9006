"""Cells of tables and trees: text, tooltip, colour, and the mark of what just changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.text.long_text import elided_name

if TYPE_CHECKING:
    from gradstep_gui.widgets.model_index import ModelIndex

__all__ = ["CELL_MARGINS", "CELL_ROLE", "ROW_PADDING", "Cell", "CellDelegate", "Title", "Tone"]

Tone = Literal["", "none", "muted", "warning", "error"]
"""The colour of a text: `none` is for None, `muted` for what matters less."""

ROW_PADDING = 8
"""Pixels of a row above and below its text, together."""

_BAR = 3
_PADDING = 7
CELL_MARGINS = 2 * _PADDING
"""Pixels of a cell to the left and to the right of its text, together."""

_SWATCH = 10
_SCIENTIFIC = re.compile(r"(.*?)(-?\d\.(\d+)e[+-]\d+)")
_DECIMAL = re.compile(r"((?:\S+ )?)(-?\d+\.\d+)")
_LINE = re.compile(r".*:\d+")
_AT_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_AT_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


CELL_ROLE = Qt.ItemDataRole.UserRole + 1
"""The role of the whole `Cell`, so that a delegate asks the model only once."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The content of one cell of a table or tree.

    Attributes:
        text: The text.
        hint: The tooltip, also for screen readers.
        tone: The colour of the text.
        mark: The kind of Operation that just changed the value, such as "step"; else empty.
        after: More text behind it, in a muted colour.
        swatch: The kind of Operation whose colour is shown before the text, or a colour itself.
        number: Whether the text is right-aligned.
        bold: Whether the text is bold.

    Example:
        >>> cell = Cell("None", tone="none")
        >>> cell.answer(Qt.ItemDataRole.DisplayRole), cell.answer(CELL_ROLE) is cell
        ('None', True)
    """

    text: str
    hint: str = ""
    tone: Tone = ""
    mark: str = ""
    after: str = ""
    swatch: str = ""
    number: bool = False
    bold: bool = False

    def answer(self, role: int) -> Cell | str | int | None:
        """Return what a model's `data` returns for this cell."""
        match role:
            case _ if role == CELL_ROLE:
                return self
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return self.text
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                return self.hint or None
            case Qt.ItemDataRole.TextAlignmentRole if self.number:
                return int(_AT_RIGHT)
        return None


_EMPTY = Cell("")


class Title(NamedTuple):
    """The title of a column, with a tooltip."""

    text: str
    hint: str = ""

    def answer(self, role: int) -> str | None:
        """Return what a model's `headerData` returns for this title."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text
        return self.hint or None if role == Qt.ItemDataRole.ToolTipRole else None


class CellDelegate(QStyledItemDelegate):
    """Paints `Cell`s; a mark is a bar at the left and a background, never colour alone.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> isinstance(CellDelegate(), QStyledItemDelegate)
        True
    """

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        """Return the size of the text with padding."""
        cell: Cell = index.data(CELL_ROLE) or _EMPTY
        metrics = QFontMetrics(option.font)
        if cell.bold:
            metrics = QFontMetrics(emphasis_font(option.font))
        width = metrics.horizontalAdvance(f"{cell.text} {cell.after}")
        return QSize(width + 3 * _PADDING, option.fontMetrics.height() + ROW_PADDING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        """Paint background, mark, swatch and text."""
        cell: Cell = index.data(CELL_ROLE) or _EMPTY
        rect: QRect = option.rect
        palette: QPalette = option.palette
        theme = theme_of(palette)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        style = option.widget.style() if option.widget else QApplication.style()
        panel = QStyle.PrimitiveElement.PE_PanelItemViewItem
        style.drawPrimitive(panel, option, painter, option.widget)
        if cell.mark:
            colours = theme.kind(cell.mark)
            selected = False  # a mark stays visible on a selected row
            painter.fillRect(rect, QColor(colours.soft))
            bar = QRect(rect.left(), rect.top() + 2, _BAR, rect.height() - 4)
            painter.fillRect(bar, QColor(colours.strong))
        room = rect.adjusted(_PADDING, 0, -_PADDING, 0)
        if cell.swatch:
            rim = QColor(theme.text) if selected else QColor(Qt.GlobalColor.transparent)
            is_color = cell.swatch.startswith("#")
            shown = cell.swatch if is_color else theme.kind(cell.swatch).strong
            _paint_swatch(painter, rect, QColor(shown), rim)
            room.adjust(_SWATCH + _PADDING, 0, 0, 0)
        ink = palette.color(
            QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        )
        quiet = ink if selected else QColor(theme.muted)
        if cell.tone and not selected:
            tones = {"warning": theme.warning, "error": theme.error}
            ink = QColor(tones.get(cell.tone, theme.muted))
        font = QFont(option.font)
        font.setItalic(cell.tone == "none")
        font.setBold(font.bold() or cell.bold)
        align = _AT_RIGHT if cell.number else _AT_LEFT
        used = _write(painter, font, room, align, cell.text, ink)
        if cell.after:
            rest = room.adjusted(used + _PADDING, 0, 0, 0)
            _write(painter, option.font, rest, align, cell.after, quiet)


def _paint_swatch(painter: QPainter, cell: QRect, colour: QColor, rim: QColor) -> None:
    box = QRect(cell.left() + _PADDING, cell.center().y() - _SWATCH // 2, _SWATCH, _SWATCH)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(rim)
    painter.setBrush(colour)
    painter.drawRoundedRect(box, 3, 3)
    painter.restore()


def _fitted(text: str, metrics: QFontMetrics, width: int, align: Qt.AlignmentFlag) -> str:
    """Return a text shortened to a width.

    A number gets fewer digits, because a cut one would read as another number.
    Names and lines of files are elided in the middle, because they differ at their ends.
    """
    found = _SCIENTIFIC.fullmatch(text)
    if found is not None:
        words, number, digits = found[1], float(found[2]), len(found[3])
        for fewer in range(digits - 1, -1, -1):
            shorter = f"{words}{number:.{fewer}e}"
            if metrics.horizontalAdvance(shorter) <= width:
                return shorter
    found = _DECIMAL.fullmatch(text)
    if found is not None:
        for digits in range(len(found[2]), 0, -1):
            shorter = f"{found[1]}{float(found[2]):.{digits}g}"
            if metrics.horizontalAdvance(shorter) <= width:
                return shorter
    is_name = align == _AT_LEFT and (" " not in text or _LINE.fullmatch(text) is not None)
    if is_name:
        return elided_name(text, metrics, max(0, width))
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, width))


def _write(
    painter: QPainter,
    font: QFont,
    room: QRect,
    align: Qt.AlignmentFlag,
    text: str,
    ink: QColor,
) -> int:
    metrics = QFontMetrics(font)
    width = metrics.horizontalAdvance(text)
    if width > room.width():
        text = _fitted(text, metrics, room.width(), align)
        width = metrics.horizontalAdvance(text)
    painter.setFont(font)
    painter.setPen(ink)
    painter.drawText(room, int(align | Qt.TextFlag.TextSingleLine), text)
    return width
