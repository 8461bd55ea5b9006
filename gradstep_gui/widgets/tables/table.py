"""The table of cells that most docks and dialogs use, and the style of all tables and trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QSizePolicy,
    QTableView,
    QWidget,
)

from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.model_index import DISPLAY, NO_INDEX, ModelIndex
from gradstep_gui.widgets.tables.cells import ROW_PADDING, Cell, CellDelegate, Title

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtWidgets import QTreeView

__all__ = ["CellTable", "CellTableModel", "on_enter", "style_table", "style_tree"]

_INDENT = 14
_SIDES = 16
"""The room in pixels at both sides of a number together."""


class CellTableModel(QAbstractTableModel):
    """Rows of `Cell`s under titles.

    Attributes:
        is_renamable: Whether the cells of the first column can be edited.

    Example:
        >>> model = CellTableModel()
        >>> model.show_rows(("tensor", "norm"), [(Cell("x"), Cell("1.5", number=True))])
        >>> model.data(model.index(0, 1)), model.headerData(1, Qt.Orientation.Horizontal)
        ('1.5', 'norm')
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_renamable = False
        self._titles: tuple[Title, ...] = ()
        self._rows: list[tuple[Cell, ...]] = []

    @property
    def titles(self) -> tuple[Title, ...]:
        """The titles of the columns."""
        return self._titles

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows of cells."""
        return tuple(self._rows)

    def show_rows(self, titles: Sequence[str | Title], rows: Sequence[Sequence[Cell]]) -> None:
        """Show rows under titles; under the same titles, only what differs is updated.

        So the current row stays, and so does an editor on a row that does not change.
        """
        wanted = tuple(Title(one) if isinstance(one, str) else one for one in titles)
        fresh = [tuple(row) for row in rows]
        if wanted != self._titles:
            self.beginResetModel()
            self._titles, self._rows = wanted, fresh
            self.endResetModel()
            return
        known = len(self._rows)
        if len(fresh) < known:
            self.beginRemoveRows(NO_INDEX, len(fresh), known - 1)
            del self._rows[len(fresh) :]
            self.endRemoveRows()
        for place, row in enumerate(fresh[:known]):
            if row != self._rows[place]:
                self._rows[place] = row
                last = self.index(place, len(wanted) - 1)
                self.dataChanged.emit(self.index(place, 0), last)
        if len(fresh) > known:
            self.beginInsertRows(NO_INDEX, known, len(fresh) - 1)
            self._rows += fresh[known:]
            self.endInsertRows()

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Return whether a cell can be selected and edited."""
        flags = super().flags(index)
        can_edit = self.is_renamable and index.column() == 0
        return flags | Qt.ItemFlag.ItemIsEditable if can_edit else flags

    def data(self, index: ModelIndex, role: int = DISPLAY) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a cell's text, tooltip or alignment."""
        if not index.isValid():
            return None
        return self._rows[index.row()][index.column()].answer(role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a column's title or tooltip; titles are aligned like the cells below them."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._titles):
            return super().headerData(section, orientation, role)
        if role == Qt.ItemDataRole.TextAlignmentRole and self._rows:
            side = Qt.AlignmentFlag.AlignLeft
            if self._rows[0][section].number:
                side = Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return self._titles[section].answer(role)


class CellTable(QTableView):
    """A table of `Cell`s; columns are as wide as their contents unless set.

    Args:
        name: What it lists, for screen readers.
        parent: The parent widget.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> table = CellTable("Tensors")
        >>> table.show_rows(("tensor",), [(Cell("x"),), (Cell("y"),)])
        >>> table.texts
        [('tensor',), ('x',), ('y',)]
    """

    chosen = Signal(int)
    """A row was clicked, or Enter pressed on it."""

    opened = Signal(int)
    """A row was double-clicked, or Enter pressed on it."""

    renamed = Signal(int, str)
    """Another text was written into the first cell of a row; the owner decides what it shows."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells = CellTableModel(self)
        self._least = 0
        self.setModel(self._cells)
        self.setItemDelegate(_TableDelegate(self))
        style_table(self, name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))
        on_enter(self, self._enter)

    @property
    def row_texts(self) -> list[tuple[str, ...]]:
        """The text of each row."""
        return [tuple(cell.text for cell in row) for row in self._cells.rows]

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The titles, then the text of each row."""
        return [tuple(title.text for title in self._cells.titles), *self.row_texts]

    def show_rows(self, titles: Sequence[str | Title], rows: Sequence[Sequence[Cell]]) -> None:
        """Show rows under titles."""
        self._cells.show_rows(titles, rows)
        if self._least:
            metrics = self.horizontalHeader().fontMetrics()
            texts = [title.text for title in self._cells.titles]
            widest = max(map(metrics.horizontalAdvance, texts), default=0)
            self.horizontalHeader().setMinimumSectionSize(max(self._least, widest + _SIDES))
        self.updateGeometry()

    def _enter(self, row: int) -> None:
        self.chosen.emit(row)
        self.opened.emit(row)

    def rename_row(self, row: int) -> None:
        """Open an editor on the first cell of a row; `renamed` reports the result."""
        self._cells.is_renamable = True
        self.edit(self._cells.index(row, 0))

    def stretch(self, column: int) -> None:
        """Give the remaining width to one column."""
        self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def share_width(self, digits: int = 0) -> None:
        """Make all columns equally wide.

        Args:
            digits: The number of digits that each has room for at least, beside its title; the
                table scrolls where the columns need more room than there is.
        """
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        if digits:
            self._least = self.fontMetrics().horizontalAdvance("0" * digits) + _SIDES
            header.setMinimumSectionSize(self._least)

    def keep_all_rows(self) -> None:
        """Be as high as all rows together, without scroll bars."""
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the size that shows every row."""
        header = self.horizontalHeader().sizeHint().height()
        rows = self._cells.rowCount() * self.verticalHeader().defaultSectionSize()
        return QSize(super().sizeHint().width(), header + rows + 2 * self.frameWidth())


class _TableDelegate(CellDelegate):
    """Paints cells, and reports a new name instead of writing it into the model."""

    def __init__(self, table: CellTable) -> None:
        super().__init__(table)
        self._table = table

    def setModelData(
        self,
        editor: QWidget,
        _model: QAbstractItemModel,
        index: ModelIndex,
    ) -> None:
        """Report a new name."""
        text = editor.text().strip() if isinstance(editor, QLineEdit) else ""
        if text and text != index.data():
            self._table.renamed.emit(index.row(), text)


def style_table(table: QTableView, name: str) -> None:
    """Make a table select whole rows, and give it the style of all tables.

    Args:
        table: The table.
        name: What it lists, for screen readers.
    """
    table.setAccessibleName(name)
    table.setFont(digits_font(table.font()))
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setAlternatingRowColors(True)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + ROW_PADDING)
    table.horizontalHeader().setHighlightSections(False)


def style_tree(tree: QTreeView, name: str) -> None:
    """Give a tree the style of all tables.

    Args:
        tree: The tree.
        name: What it lists, for screen readers.
    """
    tree.setAccessibleName(name)
    tree.setFont(digits_font(tree.font()))
    tree.setAlternatingRowColors(True)
    tree.setUniformRowHeights(True)
    tree.setIndentation(_INDENT)


def on_enter(table: QTableView, chosen: Callable[[int], object]) -> None:
    """Call `chosen` with the current row when Enter is pressed."""

    def choose() -> None:
        if table.currentIndex().isValid():
            chosen(table.currentIndex().row())

    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        shortcut = QShortcut(QKeySequence(key), table)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(choose)
