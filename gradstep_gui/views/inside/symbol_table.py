"""The table of symbols: each with its name, an element, norm and shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import digits_font, emphasis_font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep_gui.views.inside.symbols import Symbol
    from gradstep_gui.widgets.model_index import ModelIndex
    from gradstep_gui.widgets.text.typesetter import RenderedFormula, Typesetter

__all__ = ["SymbolTable"]

SYMBOL, NAME, ELEMENT, NORM, SHAPE = range(5)
_LATEX = Qt.ItemDataRole.UserRole
_NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_AIR = 8

LEAST_ROWS = 3
"""The smallest height of the table, in rows, below a formula and an error."""


class SymbolTable(QTreeWidget):
    """A table of symbols, of which one is selected.

    Args:
        typesetter: Renders the symbols.
        parent: The parent widget.
    """

    chosen = Signal(int)
    """The row of the symbol that the user selected."""

    def __init__(self, typesetter: Typesetter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setColumnCount(5)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegateForColumn(SYMBOL, _Pictures(typesetter, self))
        self.setAccessibleName(self.tr("Inputs and outputs of the micro-step"))
        self.setMinimumHeight(LEAST_ROWS * self.fontMetrics().height())
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        header = self.header()
        header.setStretchLastSection(True)
        header.setMinimumSectionSize(24)
        for column in (SYMBOL, NAME, ELEMENT, NORM, SHAPE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        typesetter.ready.connect(self.scheduleDelayedItemsLayout)
        self.currentItemChanged.connect(self._report)

    def show_symbols(
        self, symbols: Sequence[Symbol], chosen: int, place: Sequence[int], shape: tuple[int, ...]
    ) -> None:
        """List symbols.

        Args:
            symbols: The symbols.
            chosen: The row to select.
            place: The index of the element to show; empty when all are numbers.
            shape: The shape of the array that this index is for.
        """
        caption = f"[{', '.join(map(str, place))}]" if place else self.tr("Value")
        self.blockSignals(True)
        self.clear()
        self.setHeaderLabels(["", self.tr("Name"), caption, self.tr("Norm"), self.tr("Shape")])
        for column in (ELEMENT, NORM):
            self.headerItem().setTextAlignment(column, _NUMBERS)
        digits, strong = digits_font(self.font()), emphasis_font(self.font())
        for symbol in symbols:
            arrow = "→ " if symbol.made else ""
            texts = ["", arrow + symbol.name, symbol.text_at(place, shape)]
            item = QTreeWidgetItem([*texts, symbol.norm_text, symbol.shape_text])
            item.setData(SYMBOL, _LATEX, symbol.latex)
            for column in (ELEMENT, NORM):
                item.setTextAlignment(column, _NUMBERS)
                item.setFont(column, digits)
            if symbol.made:
                item.setFont(NAME, strong)
            spoken = self.tr("output {0}") if symbol.made else self.tr("input {0}")
            if symbol.meaning:
                item.setToolTip(SYMBOL, symbol.meaning)
                item.setToolTip(NAME, symbol.meaning)
            item.setData(NAME, Qt.ItemDataRole.AccessibleTextRole, spoken.format(symbol.name))
            self.addTopLevelItem(item)
        current = self.topLevelItem(chosen)
        if current is not None:
            self.setCurrentItem(current)
        self.blockSignals(False)

    def _report(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(self.indexOfTopLevelItem(item))


class _Pictures(QStyledItemDelegate):
    """Draws typeset symbols."""

    def __init__(self, typesetter: Typesetter, parent: QWidget) -> None:
        super().__init__(parent)
        self._typesetter = typesetter

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: ModelIndex) -> None:
        """Draw the background, then the symbol, vertically centred."""
        super().paint(painter, option, index)
        picture = self._picture(option, index)
        if picture is None or picture.failed:
            return
        place = QRectF(option.rect)
        scale = min(1.0, place.height() / picture.size.height())
        shape = picture.size * scale
        top = place.top() + (place.height() - shape.height()) / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = place.left() + _AIR / 2
        picture.paint(painter, QRectF(left, top, shape.width(), shape.height()))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: ModelIndex) -> QSize:
        """Return a size that fits a symbol with an index."""
        height = option.fontMetrics.height()
        base = super().sizeHint(option, index)
        picture = self._picture(option, index)
        width = 0.0 if picture is None else picture.size.width()
        return QSize(
            round(max(1.5 * height, width + 2 * _AIR)), max(base.height(), round(1.25 * height))
        )

    def _picture(self, option: QStyleOptionViewItem, index: ModelIndex) -> RenderedFormula | None:
        latex = index.data(_LATEX)
        if not latex:
            return None
        size = round(option.fontMetrics.height() * 1.05, 1)
        return self._typesetter.picture(latex, theme_of(option.palette).text, size)
