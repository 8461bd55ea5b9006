"""A table of cells: what a row says is worked out when it is shown, and a row can be chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSizePolicy, QTableView, QWidget

from gradstep_gui.widgets.tables.cells import Cell, CellDelegate
from gradstep_gui.widgets.tables.row_table import on_enter, style_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject

__all__ = ["CellTable", "CellTableModel"]

_NO_INDEX = QModelIndex()


class CellTableModel(QAbstractTableModel):
    """Rows of `Cell`s under titles.

    Example:
        >>> model = CellTableModel()
        >>> model.show_rows(("tensor", "norm"), [(Cell("x"), Cell("1.5", number=True))])
        >>> model.data(model.index(0, 1)), model.headerData(1, Qt.Orientation.Horizontal)
        ('1.5', 'norm')
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles: tuple[str, ...] = ()
        self._rows: tuple[tuple[Cell, ...], ...] = ()

    def show_rows(self, titles: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Show rows; as many as before under the same titles only redraw."""
        fresh = tuple(map(tuple, rows))
        same = tuple(titles) == self._titles and len(fresh) == len(self._rows)
        if not same:
            self.beginResetModel()
        self._titles, self._rows = tuple(titles), fresh
        if not same:
            self.endResetModel()
        elif fresh:
            last = self.index(len(fresh) - 1, len(self._titles) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401 - what Qt asks for depends on the role
        """Return what a cell answers."""
        if not index.isValid():
            return None
        return self._rows[index.row()][index.column()].answer(role)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 - what Qt asks for depends on the role
        """Return a column's title, which stands over numbers at the right as they do."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._titles):
            return super().headerData(section, orientation, role)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and self._rows:
            side = Qt.AlignmentFlag.AlignLeft
            if self._rows[0][section].number:
                side = Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return super().headerData(section, orientation, role)


class CellTable(QTableView):
    """Shows rows of cells; `chosen` tells that a person has clicked a row, or pressed Enter on it.

    Args:
        name: What it lists, for screen readers.
        parent: Its owner.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> table = CellTable("Tensors")
        >>> table.show_rows(("tensor",), [(Cell("x"),), (Cell("y"),)])
        >>> table.model().rowCount()
        2
    """

    chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells = CellTableModel(self)
        self.setModel(self._cells)
        self.setItemDelegate(CellDelegate(self))
        style_table(self, name)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))
        on_enter(self, self.chosen.emit)

    def show_rows(self, titles: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Show rows under titles."""
        self._cells.show_rows(titles, rows)
        self.updateGeometry()

    def stretch(self, column: int) -> None:
        """Let one column take the room that the others leave."""
        self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def keep_all_rows(self) -> None:
        """Be as high as all rows together, so that none has to be scrolled for."""
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the size that shows every row."""
        header = self.horizontalHeader().sizeHint().height()
        rows = self._cells.rowCount() * self.verticalHeader().defaultSectionSize()
        return QSize(super().sizeHint().width(), header + rows + 2 * self.frameWidth())
