"""The tree of variables: what each holds is asked for when it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from gradstep_gui.views.labels import tensor_text
from gradstep_gui.widgets.model_index import NO_INDEX
from gradstep_gui.widgets.number_format import shape_text
from gradstep_gui.widgets.tables.cells import Cell, CellDelegate, Title
from gradstep_gui.widgets.tables.fitted_columns import FittedColumns
from gradstep_gui.widgets.tables.table import style_tree
from gradstep_gui.widgets.tables.tree_rows import TreeRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject

    from gradstep.history.records.variables import VariableRecord
    from gradstep_gui.widgets.model_index import ModelIndex
    from gradstep_gui.widgets.tables.cells import Tone

__all__ = ["VariableTree", "kind_text"]

_WIDTHS = ({0: 110, 1: 100, 2: 96},)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: its name among its siblings, its path, its cells, and what is listed below it."""

    key: str
    path: str
    cells: tuple[Cell, Cell, Cell]
    can_open: bool
    children: tuple[_Row, ...]


class VariableTree(QTreeView):
    """Variables and what they hold; those that hold something can be opened.

    Args:
        parent: The parent widget.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> from gradstep.history.records.variables import VariableRecord
        >>> app = QApplication.instance() or QApplication([])
        >>> tree = VariableTree()
        >>> tree.show_variables([VariableRecord("i", "int", "3", path="i")])
        >>> tree.row_texts
        [('i', '3', 'int')]
    """

    opened = Signal()
    """Something was opened: what it holds is wanted."""

    chosen = Signal(str)
    """Another row is the current one: its path."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.open_paths: set[str] = set()
        self._rows = _VariableRows(self)
        self.setModel(self._rows)
        self.setItemDelegate(CellDelegate(self))
        style_tree(self, self.tr("Variables"))
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        FittedColumns(self, self.header(), _WIDTHS, growing=(0, 1))
        self.expanded.connect(self._note_opened)
        self.collapsed.connect(self._note_closed)
        self.selectionModel().currentChanged.connect(self._current_changed)

    @property
    def row_texts(self) -> list[tuple[str, ...]]:
        """The text of each row, those of what is opened behind their owner's."""
        return [tuple(cell.text for cell in row.plan.cells) for row in self._rows.every_row()]

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the columns."""
        return tuple(title.text for title in self._rows.titles)

    def show_variables(self, variables: Sequence[VariableRecord]) -> None:
        """Show variables, each before what it holds; what was open stays open."""
        self._rows.follow(_rows_of(variables))
        for row in self._rows.every_row():
            if row.plan.can_open and row.plan.path in self.open_paths:
                self.setExpanded(self._rows.index_of(row), True)

    def select(self, path: str) -> None:
        """Select a row, if it is there."""
        index = self.index_of_path(path)
        if index.isValid():
            self.setCurrentIndex(index)

    def index_of_path(self, path: str) -> QModelIndex:
        """Return the row of a variable; an invalid index where it is not listed."""
        found = (row for row in self._rows.every_row() if row.plan.path == path)
        row = next(found, None)
        return QModelIndex() if row is None else self._rows.index_of(row)

    def _note_opened(self, index: QModelIndex) -> None:
        path = self._rows.row_at(index).plan.path
        if path not in self.open_paths:
            self.open_paths.add(path)
            self.opened.emit()

    def _note_closed(self, index: QModelIndex) -> None:
        self.open_paths.discard(self._rows.row_at(index).plan.path)

    def _current_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(self._rows.row_at(current).plan.path)


class _VariableRows(TreeRows):
    """The rows of variables."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.titles = tuple(map(Title, (self.tr("Name"), self.tr("Value"), self.tr("Type"))))

    def hasChildren(self, parent: ModelIndex = NO_INDEX) -> bool:
        """Return whether a row can be opened, also before what it holds is known."""
        row = self.row_at(parent)
        return bool(row.children) or (row.plan is not None and row.plan.can_open)

    def cell(self, plan: _Row, column: int) -> Cell:
        """Return a cell."""
        return plan.cells[column]


def _rows_of(variables: Sequence[VariableRecord]) -> tuple[_Row, ...]:
    """Return the rows of a list in which what a variable holds follows it, one deeper."""
    pending: list[list[_Row]] = [
        [] for _ in range(max((v.depth for v in variables), default=0) + 2)
    ]
    for number, item in reversed(list(enumerate(variables))):
        children = tuple(reversed(pending[item.depth + 1]))
        pending[item.depth + 1].clear()
        siblings = pending[item.depth]
        is_known = any(row.key == item.name for row in siblings)
        key = f"{item.name} {number}" if is_known else item.name
        siblings.append(_Row(key, item.path, _cells(item), item.can_open, children))
    return tuple(reversed(pending[0]))


def kind_text(variable: VariableRecord) -> str:
    """Return the type of a variable, and of a tensor its layout.

    Example:
        >>> from gradstep.history.records.variables import VariableRecord
        >>> kind_text(VariableRecord("x", "Tensor", "float32", "@0/x", (2, 3)))
        '2 × 3 float32'
    """
    if not variable.address:
        return variable.kind
    return f"{shape_text(variable.shape)} {variable.text}"


def _cells(variable: VariableRecord) -> tuple[Cell, Cell, Cell]:
    """Return the row of a variable."""
    if not variable.address:
        tone: Tone = "none" if variable.text == "None" else ""
        text = " ".join(variable.text.split())
        return (
            Cell(variable.name, variable.path),
            Cell(text, variable.text, tone),
            Cell(variable.kind, variable.kind, "muted"),
        )
    layout = kind_text(variable)
    few = "" if variable.value is None else tensor_text(variable.value)
    notes = [
        layout,
        *(["requires grad"] if variable.requires_grad else []),
        *(["has grad"] if variable.has_grad else []),
    ]
    hint = "\n".join([*notes, *([few] if few else [])])
    value = Cell(few, hint, after=layout) if few else Cell(layout, hint)
    kind = f"{variable.kind}, grad" if variable.has_grad else variable.kind
    return Cell(variable.name, hint), value, Cell(kind, hint, "muted")
