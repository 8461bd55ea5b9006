"""PlainTable: a table of texts, whose rows can be chosen and renamed, with digits in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QTableView,
    QWidget,
)

from gradstep_gui.widgets.tables.row_table import on_enter, style_table

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PlainTable"]

_PADDING = 24


class PlainTable(QTableView):
    """Rows of texts under titles; the first column grows, the others are as wide as they need.

    With `evenly`, all columns share the width.

    Args:
        name: What it is, for those who cannot see it.
        titles: The columns, each with what it means.
        parent: Its owner.
        evenly: Whether all columns are of one width.
    """

    opened = Signal(int)
    """Somebody double-clicked this row, or pressed Enter on it."""

    renamed = Signal(int, str)
    """Somebody has written another text into the first column of this row."""

    def __init__(
        self,
        name: str,
        titles: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
        *,
        evenly: bool = False,
    ) -> None:
        super().__init__(parent)
        self._rows: list[tuple[str, ...]] = []
        self._bold = -1
        self._evenly = evenly
        self._model = QStandardItemModel(0, len(titles), self)
        self._set_titles(titles)
        self.setModel(self._model)
        self.setItemDelegateForColumn(0, _Namer(self))
        style_table(self, name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.horizontalHeader().setMinimumSectionSize(48)
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))
        on_enter(self, self.opened.emit)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """What is shown."""
        return list(self._rows)

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """What is shown, below its titles."""
        header = range(self._model.columnCount())
        titles = (self._model.horizontalHeaderItem(column).text() for column in header)
        return [tuple(titles), *self._rows]

    def set_titles(self, titles: Sequence[tuple[str, str]]) -> None:
        """Have these columns from now on, and no rows."""
        self._rows = []
        self._model.clear()
        self._set_titles(titles)

    def rename_row(self, row: int) -> None:
        """Let the person write another text into the first column; `renamed` tells of it."""
        self.edit(self._model.index(row, 0))

    def set_rows(self, rows: Sequence[Sequence[str]], bold: int = -1) -> None:
        """Show these rows, one of them in bold; the chosen row stays, and what is being written."""
        texts = [tuple(row) for row in rows]
        if (texts, bold) == (self._rows, self._bold):
            return
        self._rows, self._bold = texts, bold
        self._model.setRowCount(len(texts))
        for number, row in enumerate(texts):
            for column, text in enumerate(row):
                self._write(number, column, text, is_bold=number == bold)
        self._fit()

    def _write(self, row: int, column: int, text: str, *, is_bold: bool) -> None:
        item = self._model.item(row, column)
        if item is None:
            item = QStandardItem()
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            self._model.setItem(row, column, item)
        item.setText(text)
        font = item.font()
        font.setBold(is_bold)
        item.setFont(font)

    def _set_titles(self, titles: Sequence[tuple[str, str]]) -> None:
        self._model.setColumnCount(len(titles))
        for column, (title, meaning) in enumerate(titles):
            item = QStandardItem(title)
            item.setToolTip(meaning)
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            self._model.setHorizontalHeaderItem(column, item)

    def _fit(self) -> None:
        header = self.horizontalHeader()
        metrics = self.fontMetrics()
        for column in range(self._model.columnCount()):
            if column == 0 or self._evenly:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
                continue
            texts = [self._model.horizontalHeaderItem(column).text()]
            texts += [row[column] for row in self._rows]
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            widest = max(metrics.horizontalAdvance(text) for text in texts)
            self.setColumnWidth(column, widest + _PADDING)


class _Namer(QStyledItemDelegate):
    """Tells what was written; whoever owns the rows decides what they show."""

    def __init__(self, table: PlainTable) -> None:
        super().__init__(table)
        self._table = table

    def setModelData(
        self,
        editor: QWidget,
        _model: QAbstractItemModel,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Tell of another text."""
        text = editor.text().strip() if isinstance(editor, QLineEdit) else ""
        if text and text != index.data():
            self._table.renamed.emit(index.row(), text)
