"""A list of programs, each with a title and a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gradstep_gui.widgets.model_index import ModelIndex


__all__ = ["Card", "ScenarioList"]

PAD = 10
SUMMARY_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Card:
    """One program of the list: title, summary and path."""

    title: str
    summary: str
    path: Path


class ScenarioList(QListWidget):
    """A list of cards; Enter or a double click chooses one.

    Args:
        cards: The cards.
        name: What they are, for screen readers.
        parent: The parent widget.
    """

    chosen = Signal(object)
    """The `Card` that was chosen."""

    def __init__(self, cards: Sequence[Card], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards = tuple(cards)
        self.setItemDelegate(_CardDelegate(self))
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setAccessibleName(name)
        for card in self._cards:
            item = QListWidgetItem(card.title)
            item.setData(SUMMARY_ROLE, card.summary)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, card.summary)
            item.setToolTip(card.summary)
            self.addItem(item)
        self.setCurrentRow(0)
        self.itemActivated.connect(lambda item: self.chosen.emit(self._cards[self.row(item)]))

    @property
    def height_of_cards(self) -> int:
        """The height of all cards together."""
        rows = sum(self.sizeHintForRow(row) for row in range(self.count()))
        return rows + 2 * self.frameWidth()

    @property
    def current_card(self) -> Card | None:
        """The card that is selected."""
        row = self.currentRow()
        return self._cards[row] if row >= 0 else None


class _CardDelegate(QStyledItemDelegate):
    """Paints a bold title and a summary below it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        """Paint one card."""
        filled = QStyleOptionViewItem(option)
        self.initStyleOption(filled, index)
        filled.text = ""
        widget: QWidget = filled.widget
        style = widget.style() if widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, filled, painter, widget)
        state: QStyle.StateFlag = filled.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        palette: QPalette = filled.palette
        words = palette.color(
            QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        )
        area: QRect = filled.rect.adjusted(PAD, PAD - 2, -PAD, -PAD + 2)
        bold = _bold(filled.font)
        painter.save()
        painter.setPen(words)
        painter.setFont(bold)
        painter.drawText(area, Qt.TextFlag.TextSingleLine, index.data())
        painter.setFont(filled.font)
        painter.setPen(words if selected else theme_of(palette).muted)
        area.setTop(area.top() + QFontMetrics(bold).height() + 2)
        painter.drawText(area, Qt.TextFlag.TextWordWrap, index.data(SUMMARY_ROLE))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        """Return the size of the title and the wrapped summary, with room for a scroll bar."""
        view = self.parent()
        width = 400
        if isinstance(view, QListWidget):
            bar = view.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, view)
            width = view.width() - 2 * view.frameWidth() - bar
        metrics = QFontMetrics(option.font)
        summary = metrics.boundingRect(
            QRect(0, 0, width - 2 * PAD, 10_000), Qt.TextFlag.TextWordWrap, index.data(SUMMARY_ROLE)
        )
        title = QFontMetrics(_bold(option.font)).height()
        return QSize(width, title + 2 + summary.height() + 2 * PAD - 2)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return bold
