"""The list of lessons: groups, a picture of each, check marks, and a field to search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import emphasis_font

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PySide6.QtGui import QKeyEvent, QShowEvent

__all__ = ["LessonCard", "LessonList"]

_PAD = 8
_PICTURE = QSize(84, 54)
_CARD = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class LessonCard:
    """A lesson in the list.

    Attributes:
        id: Its stable id.
        title: Its title.
        summary: What one learns.
        group: The title of its group.
        path: Its file.
        is_done: Whether the user has gone through it.
    """

    id: str
    title: str
    summary: str
    group: str
    path: Path
    is_done: bool = False


class LessonList(QWidget):
    """Lessons to choose from, and a field to search them.

    Args:
        cards: The lessons in order; those of a group follow one another.
        parent: The parent widget.

    Attributes:
        field: The field to search.
        items: The list.

    Example:
        >>> from pathlib import Path
        >>> app = QApplication.instance() or QApplication([])
        >>> card = LessonCard("01", "Who does what", "Four calls.", "The Four Calls", Path("."))
        >>> found = LessonList([card])
        >>> found.titles
        ['Who does what']
        >>> found.field.setText("adam")
        >>> found.titles
        []
    """

    chosen = Signal(object)
    """A `LessonCard` was chosen."""

    picture_wanted = Signal(str, object)
    """The picture of a lesson is needed: its id, and its path."""

    def __init__(self, cards: Sequence[LessonCard], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards = tuple(cards)
        self._curves: dict[str, tuple[tuple[float, ...], ...]] = {}
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Search the lessons"))
        self.field.setAccessibleName(self.tr("Search the lessons"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.items = _Items(self)
        self.items.setItemDelegate(_LessonDelegate(self._curves, self.items))
        self.items.itemActivated.connect(self._activate)
        self.items.itemClicked.connect(self._activate)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(self.items, 1)
        self._fill()

    @property
    def titles(self) -> list[str]:
        """The titles of the lessons that are listed."""
        rows = (self.items.item(row).data(_CARD) for row in range(self.items.count()))
        return [card.title for card in rows if isinstance(card, LessonCard)]

    @property
    def current_card(self) -> LessonCard | None:
        """The lesson that is selected."""
        item = self.items.currentItem()
        card = None if item is None else item.data(_CARD)
        return card if isinstance(card, LessonCard) else None

    def show_picture(self, lesson: str, curves: tuple[tuple[float, ...], ...]) -> None:
        """Draw the losses of a lesson's program beside it."""
        self._curves[lesson] = curves
        self.items.viewport().update()

    def choose_current(self) -> None:
        """Choose the lesson that is selected."""
        card = self.current_card
        if card is not None:
            self.chosen.emit(card)

    def select(self, lesson: str) -> None:
        """Select a lesson."""
        for row in range(self.items.count()):
            card = self.items.item(row).data(_CARD)
            if card is not None and card.id == lesson:
                self.items.setCurrentRow(row)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the pictures that are missing."""
        super().showEvent(event)
        for card in self._cards:
            if card.id not in self._curves:
                self.picture_wanted.emit(card.id, card.path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the arrows and Enter in the search field act on the list."""
        if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Up}:
            self.items.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.choose_current()
            return
        super().keyPressEvent(event)

    def _fill(self) -> None:
        words = self.field.text().lower().split()
        before = self.current_card
        self.items.clear()
        group = ""
        for card in self._cards:
            text = f"{card.title} {card.summary} {card.group}".lower()
            if not all(word in text for word in words):
                continue
            if card.group != group:
                group = card.group
                self._add_heading(group)
            self._add(card)
        self.select("" if before is None else before.id)
        if self.current_card is None:
            fresh = next((card for card in self._cards if not card.is_done), None)
            self.select("" if fresh is None else fresh.id)
        if self.current_card is None:
            self.items.setCurrentRow(1 if self.items.count() > 1 else -1)

    def _add_heading(self, group: str) -> None:
        item = QListWidgetItem(group)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.items.addItem(item)

    def _add(self, card: LessonCard) -> None:
        done = self.tr("done") if card.is_done else ""
        item = QListWidgetItem(card.title)
        item.setData(_CARD, card)
        item.setData(
            Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, (card.title, done)))
        )
        item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, card.summary)
        item.setToolTip(card.summary)
        self.items.addItem(item)

    def _activate(self, item: QListWidgetItem) -> None:
        card = item.data(_CARD)
        if card is not None:
            self.chosen.emit(card)


class _Items(QListWidget):
    """The list itself."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setAccessibleName(self.tr("Lessons"))


class _LessonDelegate(QStyledItemDelegate):
    """Paints a picture, a title with a check mark, and a summary; or the title of a group."""

    def __init__(
        self, curves: dict[str, tuple[tuple[float, ...], ...]], parent: QListWidget
    ) -> None:
        super().__init__(parent)
        self._curves = curves

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one lesson or one heading."""
        filled = QStyleOptionViewItem(option)
        self.initStyleOption(filled, index)
        filled.text = ""
        card = index.data(_CARD)
        palette: QPalette = filled.palette
        theme = theme_of(palette)
        area: QRect = filled.rect.adjusted(_PAD, _PAD - 2, -_PAD, -_PAD + 2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not isinstance(card, LessonCard):
            painter.setFont(emphasis_font(filled.font))
            painter.setPen(QColor(theme.muted))
            flags = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
            painter.drawText(area, flags, str(index.data()))
            painter.restore()
            return
        widget: QWidget = filled.widget
        style = widget.style() if widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, filled, painter, widget)
        frame = QRectF(area.left(), area.top(), _PICTURE.width(), _PICTURE.height())
        self._paint_picture(painter, frame, card, palette)
        words = area.adjusted(_PICTURE.width() + 12, 0, 0, 0)
        bold = emphasis_font(filled.font)
        painter.setFont(bold)
        painter.setPen(QColor(theme.text))
        metrics = QFontMetrics(bold)
        left = words.left()
        if card.is_done:
            painter.setPen(QColor(theme.kind("step").strong))
            painter.drawText(left, words.top() + metrics.ascent(), "✓")
            left += metrics.horizontalAdvance("✓  ")
            painter.setPen(QColor(theme.text))
        title = metrics.elidedText(card.title, Qt.TextElideMode.ElideRight, words.right() - left)
        painter.drawText(left, words.top() + metrics.ascent(), title)
        painter.setFont(filled.font)
        painter.setPen(QColor(theme.muted))
        below = words.adjusted(0, metrics.height() + 2, 0, 0)
        painter.drawText(below, Qt.TextFlag.TextWordWrap, card.summary)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return the size of a lesson or a heading."""
        metrics = QFontMetrics(option.font)
        if not isinstance(index.data(_CARD), LessonCard):
            return QSize(100, metrics.height() + 2 * _PAD + 2)
        view = self.parent()
        width = view.viewport().width() if isinstance(view, QListWidget) else 400
        words = metrics.boundingRect(
            QRect(0, 0, max(80, width - _PICTURE.width() - 2 * _PAD - 16), 10_000),
            Qt.TextFlag.TextWordWrap,
            index.data(_CARD).summary,
        )
        text = QFontMetrics(emphasis_font(option.font)).height() + 2 + words.height()
        return QSize(100, max(text, _PICTURE.height()) + 2 * _PAD - 2)

    def _paint_picture(
        self, painter: QPainter, frame: QRectF, card: LessonCard, palette: QPalette
    ) -> None:
        """Draw the losses of the program's first iterations, each to its own scale."""
        theme = theme_of(palette)
        painter.setBrush(QColor(theme.window))
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawRoundedRect(frame, 4, 4)
        inner = frame.adjusted(6, 6, -6, -6)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for number, curve in enumerate(self._curves.get(card.id, ())):
            points = _points(curve, inner)
            painter.setPen(QPen(QColor(theme.curves[number % len(theme.curves)]), 1.6))
            if len(points) == 1:
                painter.drawEllipse(points[0], 2, 2)
            else:
                painter.drawPolyline(QPolygonF(points))


def _points(curve: Sequence[float], area: QRectF) -> list[QPointF]:
    """Return a curve as points in an area, from its lowest to its highest finite value."""
    known = [(place, value) for place, value in enumerate(curve) if math.isfinite(value)]
    if not known:
        return []
    values = [value for _, value in known]
    low, high = min(values), max(values)
    if low > 0 and high / low > 1e3:  # noqa: PLR2004 - more than three decades are seen in a logarithm only
        known = [(place, math.log(value)) for place, value in known]
        low, high = math.log(low), math.log(high)
    spread, last = (high - low) or 1.0, max(1, len(curve) - 1)
    return [
        QPointF(
            area.left() + area.width() * place / last,
            area.bottom() - area.height() * ((value - low) / spread if high > low else 0.5),
        )
        for place, value in known
    ]
