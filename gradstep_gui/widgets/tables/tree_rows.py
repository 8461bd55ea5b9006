"""A tree model that is updated by inserting and removing only the rows that differ.

So a view keeps what is expanded, selected and scrolled to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, overload

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt

from gradstep_gui.widgets.model_index import DISPLAY, NO_INDEX, ModelIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject

    from gradstep_gui.widgets.tables.cells import Cell, Title

__all__ = ["Row", "RowPlan", "TreeRows"]


class RowPlan(Protocol):
    """The description of a row; `key` identifies it among its siblings."""

    @property
    def key(self) -> str:
        """The identity of the row among its siblings."""

    @property
    def children(self) -> Sequence[RowPlan]:
        """The rows below it."""


@dataclass(slots=True, eq=False)
class Row:
    """A row of the model: its plan, its parent and its place there."""

    id: int
    plan: Any
    parent: Row | None
    place: int = 0
    children: list[Row] = field(default_factory=list)


class TreeRows(QAbstractItemModel):
    """Keeps the rows; subclasses define titles and cells.

    Attributes:
        titles: The titles of the columns.
    """

    titles: Sequence[Title] = ()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids = count(1)
        self._root = Row(0, None, None)
        self._rows = {0: self._root}
        self._plans: tuple[RowPlan, ...] = ()

    def cell(self, plan: Any, column: int) -> Cell | None:  # noqa: ANN401 - a plan of the subclass
        """Return a cell of the row with this plan; None for one that shows nothing."""
        raise NotImplementedError

    def follow(self, plans: Sequence[RowPlan]) -> None:
        """Update the rows to these plans.

        Cells are not compared. As all of them may be new, the model reports a change of the
        top-level rows, and the view redraws the visible part: one signal for any number of rows.
        """
        plans = tuple(plans)
        if plans != self._plans:
            self._plans = plans
            self._follow(self._root, plans)
        if plans:
            last = self.index(len(plans) - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def row_at(self, index: ModelIndex) -> Row:
        """Return the row of an index; the invisible root for an invalid one."""
        return self._rows.get(index.internalId(), self._root) if index.isValid() else self._root

    def index_of(self, row: Row, column: int = 0) -> QModelIndex:
        """Return the index of a row."""
        if row.parent is None:
            return QModelIndex()
        return self.createIndex(row.place, column, row.id)

    def every_row(self) -> list[Row]:
        """Return all rows, parents before children."""
        return _below(self._root)

    def index(self, row: int, column: int, parent: ModelIndex = NO_INDEX) -> QModelIndex:
        """Return the index of a child."""
        children = self.row_at(parent).children
        if not 0 <= row < len(children) or not 0 <= column < self.columnCount():
            return QModelIndex()
        return self.createIndex(row, column, children[row].id)

    @overload
    def parent(self) -> QObject | None: ...

    @overload
    def parent(self, index: ModelIndex, /) -> QModelIndex: ...

    def parent(self, index: ModelIndex | None = None) -> QObject | QModelIndex | None:
        """Return the index of a row's parent; without an index, the parent object of the model."""
        if index is None:
            return super().parent()
        parent = self.row_at(index).parent
        return QModelIndex() if parent is None else self.index_of(parent)

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of children of a row."""
        return 0 if parent.column() > 0 else len(self.row_at(parent).children)

    def columnCount(self, _parent: ModelIndex = NO_INDEX) -> int:
        """Return the number of columns."""
        return len(self.titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = DISPLAY) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a column's title or tooltip."""
        if orientation == Qt.Orientation.Horizontal and section < len(self.titles):
            return self.titles[section].answer(role)
        return super().headerData(section, orientation, role)

    def data(self, index: ModelIndex, role: int = DISPLAY) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a cell's text, tooltip or alignment."""
        if not index.isValid():
            return None
        cell = self.cell(self.row_at(index).plan, index.column())
        return None if cell is None else cell.answer(role)

    def _follow(self, row: Row, plans: Sequence[RowPlan]) -> None:
        keys = {plan.key for plan in plans}
        for place in reversed(range(len(row.children))):
            if row.children[place].plan.key not in keys:
                self._remove(row, place)
        present = {child.plan.key for child in row.children}
        place = 0
        while place < len(plans):
            run = place
            while run < len(plans) and plans[run].key not in present:
                run += 1
            if run > place:
                self._insert(row, place, plans[place:run])
                place = run
                continue
            plan = plans[place]
            if row.children[place].plan.key != plan.key:
                later = [child.plan.key for child in row.children].index(plan.key)
                self._remove(row, later)
                present.discard(plan.key)
                continue
            row.children[place].plan = plan
            self._follow(row.children[place], plan.children)
            place += 1

    def _insert(self, row: Row, place: int, plans: Sequence[RowPlan]) -> None:
        """Insert rows with their children, with one signal."""
        self.beginInsertRows(self.index_of(row), place, place + len(plans) - 1)
        row.children[place:place] = [self._make(row, plan) for plan in plans]
        _number(row, place)
        self.endInsertRows()

    def _make(self, parent: Row, plan: RowPlan) -> Row:
        row = Row(next(self._ids), plan, parent)
        self._rows[row.id] = row
        row.children = [self._make(row, child) for child in plan.children]
        _number(row, 0)
        return row

    def _remove(self, row: Row, place: int) -> None:
        self.beginRemoveRows(self.index_of(row), place, place)
        removed = row.children.pop(place)
        _number(row, place)
        for each in [removed, *_below(removed)]:
            del self._rows[each.id]
        self.endRemoveRows()


def _number(row: Row, start: int) -> None:
    for place in range(start, len(row.children)):
        row.children[place].place = place


def _below(row: Row) -> list[Row]:
    return [each for child in row.children for each in (child, *_below(child))]
