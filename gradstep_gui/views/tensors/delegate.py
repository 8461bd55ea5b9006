"""Paints cards and headings; only those that are visible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip

from gradstep_gui.theme import theme_of
from gradstep_gui.views.tensors.model import ROW_ROLE, CardModel
from gradstep_gui.views.tensors.pictures import Pictures
from gradstep_gui.widgets.fonts import digits_font, emphasis_font, small_font
from gradstep_gui.widgets.text.long_text import elided_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QAbstractItemView

    from gradstep_gui.theme import Theme
    from gradstep_gui.views.tensors.cards import Card, CardLine, Heading, Row
    from gradstep_gui.widgets.model_index import ModelIndex

__all__ = ["CardDelegate"]

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_RADIUS = 5
_STRIP = 3
_NAME_SHARE = 0.65
"""What the name of a tensor gets at least of the width of its card, where it needs that much."""

_LABELS = ("data", "grad", "state")


class _Metrics:
    """The sizes of a card, from the font, so that a zoom changes all of them."""

    def __init__(self, base: QFont, scale: float) -> None:
        font = QFont(base)
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * scale)
        else:
            font.setPixelSize(round(font.pixelSize() * scale))
        self.font = digits_font(font)
        self.bold = emphasis_font(font)
        self.small = small_font(font)
        metrics = QFontMetrics(self.bold)
        unit = metrics.height()
        self.line = unit + max(4, unit // 4)
        self.gap = max(4, unit // 3)
        self.pad = max(6, unit // 2)
        self.header = unit + self.gap
        label = max(QFontMetrics(self.font).horizontalAdvance(text) for text in _LABELS)
        self.label = label + self.pad
        self.picture = 3 * unit

    def line_width(self, line: CardLine) -> int:
        """Return the width of a card in which a line fits."""
        text = f"{line.key}{line.text}"
        picture = self.picture + self.pad if line.norm == line.text else 0
        inside = self.label + QFontMetrics(self.font).horizontalAdvance(text) + picture
        return inside + 3 * self.gap + 2 * self.pad

    def header_width(self, card: Card) -> int:
        """Return the width of a card in which its name and its note fit."""
        name = QFontMetrics(self.bold).horizontalAdvance(card.name)
        note = QFontMetrics(self.small).horizontalAdvance(card.note)
        return name + note + 3 * self.gap + 2 * self.pad

    def card_height(self, lines: int) -> int:
        return self.gap + self.header + lines * self.line + self.gap + self.gap

    @property
    def heading_height(self) -> int:
        return self.line + self.gap


class CardDelegate(QStyledItemDelegate):
    """Paints the rows of a `CardModel`.

    What just changed has a strip at its left and a background, in the colours of the Operation.
    None is drawn in a frame, so that it is not taken for a number.

    Args:
        view: The list.
        model: Its model.
    """

    def __init__(self, view: QAbstractItemView, model: CardModel) -> None:
        super().__init__(view)
        self._model = model
        self._pictures = Pictures()
        self._view = view
        self._metrics: _Metrics | None = None
        self._unscaled: _Metrics | None = None
        self._scale = 1.0

    def measure(self, scale: float | None = None) -> None:
        """Measure again: the list has another font, or its type is to be larger.

        Args:
            scale: How much larger than its font; None to leave that as it is.
        """
        if scale is None or scale != self._scale:
            self._scale = self._scale if scale is None else scale
            self._metrics = self._unscaled = None
            self.sizeHintChanged.emit(QModelIndex())

    def natural_size(self, rows: Iterable[Row]) -> QSize:
        """Return the room that rows need to show all of their values, in the list's own type."""
        if self._unscaled is None:
            self._unscaled = _Metrics(self._view.font(), 1.0)
        sizes, width, height = self._unscaled, 0, 0
        for row in rows:
            card = self._model.card(row.tensor)
            if card is None:
                height += sizes.heading_height
            else:
                height += sizes.card_height(row.lines)
                lines = (sizes.line_width(line) for line in card.lines)
                width = max(width, sizes.header_width(card), *lines)
        return QSize(width, height)

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        """Return the height of a card, which depends on the number of its lines."""
        sizes, row = self._sizes(option), index.data(ROW_ROLE)
        if row is None:
            return QSize()
        heading = row.heading is not None
        return QSize(100, sizes.heading_height if heading else sizes.card_height(row.lines))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        """Paint a heading or a card."""
        row: Row | None = index.data(ROW_ROLE)
        if row is None:
            return
        painter.save()
        if row.heading is not None:
            self._paint_heading(painter, option, row.heading)
        elif (card := self._model.card(row.tensor)) is not None:
            self._paint_card(painter, option, card)
        painter.restore()

    def line_at(self, option_rect: QRect, y: int, card: Card) -> CardLine | None:
        """Return the line of a card at a height; None for its name.

        Args:
            option_rect: The rectangle of its row.
            y: The height, in the coordinates of the list.
            card: The card.
        """
        sizes = self._metrics
        if sizes is None:
            return None
        place = (y - option_rect.top() - sizes.gap - sizes.header) // sizes.line
        return card.lines[place] if 0 <= place < len(card.lines) else None

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: ModelIndex,
    ) -> bool:
        """Show more about the line under the mouse."""
        row: Row | None = index.data(ROW_ROLE)
        card = None if row is None or not row.tensor else self._model.card(row.tensor)
        if card is None or event.type() != QEvent.Type.ToolTip:
            return super().helpEvent(event, view, option, index)
        line = self.line_at(
            view.visualRect(self._model.index(index.row(), 0)), event.pos().y(), card
        )
        text = f"{card.name}  {card.note}" if line is None else line.hint
        QToolTip.showText(event.globalPos(), text, view)
        return True

    def _sizes(self, option: QStyleOptionViewItem) -> _Metrics:
        if self._metrics is None:
            self._metrics = _Metrics(option.font, self._scale)
        return self._metrics

    def _paint_heading(
        self, painter: QPainter, option: QStyleOptionViewItem, heading: Heading
    ) -> None:
        theme, sizes = theme_of(option.palette), self._sizes(option)
        room = option.rect.adjusted(sizes.gap, sizes.gap, -sizes.gap, 0)
        width = _write(painter, sizes.bold, room, heading.name, theme.text)
        room.setLeft(room.left() + width + sizes.pad)
        _write(painter, sizes.small, room, heading.detail, theme.muted)

    def _paint_card(self, painter: QPainter, option: QStyleOptionViewItem, card: Card) -> None:
        theme, sizes = theme_of(option.palette), self._sizes(option)
        box = option.rect.adjusted(sizes.gap, 0, -sizes.gap - 1, -sizes.gap)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        focused = selected and bool(option.state & QStyle.StateFlag.State_HasFocus)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent if selected else theme.border), 1 + focused))
        painter.setBrush(QColor(theme.base))
        painter.drawRoundedRect(box, _RADIUS, _RADIUS)
        inside = box.adjusted(sizes.pad, sizes.gap, -sizes.pad, 0)
        header = QRect(inside.left(), inside.top(), inside.width(), sizes.header - sizes.gap)
        ink = theme.warning if card.is_warning else theme.muted
        wanted = QFontMetrics(sizes.bold).horizontalAdvance(card.name)
        taken = QFontMetrics(sizes.small).horizontalAdvance(card.note)
        least = min(wanted, round(_NAME_SHARE * header.width()))  # the note gives way first
        named = min(wanted, max(least, header.width() - taken - sizes.gap))
        name = header.adjusted(0, 0, named - header.width(), 0)
        _write(painter, sizes.bold, name, card.name, theme.text)
        note = header.adjusted(named + sizes.gap, 0, 0, 0)
        _write(painter, sizes.small, note, card.note, ink, _RIGHT)
        top = option.rect.top() + sizes.gap + sizes.header
        for place, line in enumerate(card.lines):
            room = QRect(box.left(), top + place * sizes.line, box.width(), sizes.line)
            self._paint_line(painter, theme, sizes, room, line)

    def _paint_line(
        self, painter: QPainter, theme: Theme, sizes: _Metrics, room: QRect, line: CardLine
    ) -> None:
        if line.mark:
            colors = theme.kind(line.mark)
            ground = room.adjusted(1, 1, -1, -1)
            painter.fillRect(ground, QColor(colors.soft))
            painter.fillRect(ground.adjusted(0, 0, _STRIP - ground.width(), 0), colors.strong)
        rest = room.adjusted(sizes.pad, 0, -sizes.pad, 0)
        _write(painter, sizes.font, rest, line.label, theme.muted)
        rest.setLeft(rest.left() + sizes.label)
        metrics = QFontMetrics(sizes.font)
        if line.key:
            rest.setLeft(rest.left() + _write_key(painter, theme, sizes, rest, line))
        if line.tone == "none":
            _write_none(painter, theme, sizes, rest, line.text)
            return
        text = line.text
        fits = metrics.horizontalAdvance(text) <= rest.width()
        if line.norm and (text == line.norm or not fits):
            text = line.norm
            taken = metrics.horizontalAdvance(text)
            if taken + sizes.picture + sizes.pad <= rest.width():
                rest.setLeft(rest.left() + self._paint_picture(painter, theme, sizes, rest, line))
        inks = {"error": theme.error, "muted": theme.muted, "warning": theme.warning}
        _write(painter, sizes.font, rest, text, inks.get(line.tone, theme.text))

    def _paint_picture(
        self, painter: QPainter, theme: Theme, sizes: _Metrics, rest: QRect, line: CardLine
    ) -> int:
        """Draw the heat map of a tensor whose values are here; return the width it takes."""
        width, height = sizes.picture, sizes.line - 6
        if line.record is None:
            return 0
        scale = painter.device().devicePixelRatioF()
        picture = self._pictures.of(
            line.address, line.record, int(width * scale), int(height * scale)
        )
        if picture is None:
            return 0
        place = QRect(rest.left(), rest.top() + 3, width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.drawImage(place, picture)
        painter.setPen(QColor(theme.border))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place)
        return width + sizes.pad


def _write(
    painter: QPainter,
    font: QFont,
    room: QRect,
    text: str,
    ink: str,
    align: Qt.AlignmentFlag = _LEFT,
) -> int:
    """Write a text, elided where it does not fit, and return the width that it takes."""
    metrics = QFontMetrics(font)
    width = metrics.horizontalAdvance(text)
    if width > room.width():
        if " " in text:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, room.width()))
        else:
            text = elided_name(text, metrics, max(0, room.width()))
        width = metrics.horizontalAdvance(text)
    painter.setFont(font)
    painter.setPen(QColor(ink))
    painter.drawText(room, int(align | Qt.TextFlag.TextSingleLine), text)
    return width


def _write_key(
    painter: QPainter, theme: Theme, sizes: _Metrics, room: QRect, line: CardLine
) -> int:
    """Write the name of a state; return the room it takes, with the space after it.

    Where it has too little room beside its value, it is set smaller; the value is never cut for it.
    """
    metrics = QFontMetrics(sizes.font)
    name, value = metrics.horizontalAdvance(line.key), metrics.horizontalAdvance(line.text)
    if line.norm and name + sizes.pad + value > room.width():
        value = metrics.horizontalAdvance(line.norm)  # it takes the place of the elements
    fits = name + sizes.pad + value <= room.width()
    space, font = (sizes.pad, sizes.font) if fits else (sizes.gap, sizes.small)
    place = QRect(room)
    place.setWidth(max(room.width() - space - value, room.width() // 2))
    return _write(painter, font, place, line.key, theme.muted) + space


def _write_none(painter: QPainter, theme: Theme, sizes: _Metrics, room: QRect, text: str) -> None:
    """Write None in italics inside of a dashed frame."""
    font = QFont(sizes.font)
    font.setItalic(True)
    width = QFontMetrics(font).horizontalAdvance(text) + sizes.pad
    frame = QRect(room.left(), room.top() + 3, width, room.height() - 6)
    painter.setPen(QPen(QColor(theme.muted), 1, Qt.PenStyle.DashLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(frame, _RADIUS / 2, _RADIUS / 2)
    painter.setFont(font)
    painter.setPen(QColor(theme.muted))
    painter.drawText(frame, int(Qt.AlignmentFlag.AlignCenter), text)
