"""What is in the cells of the optimizer inspector's tree."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, Qt

from gradstep.history.records.tensor import TensorRecord
from gradstep_gui.theme import kind_of
from gradstep_gui.views.labels import kind_text, kind_title, odd_text, summary_text, tensor_text
from gradstep_gui.views.optimizer_inspector.held import (
    Buffer,
    Held,
    held_tensors,
    keeps_nothing,
    keeps_together,
)
from gradstep_gui.widgets.number_format import number_text
from gradstep_gui.widgets.tables.cells import Cell
from gradstep_gui.widgets.tables.tree_rows import TreeRows

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord, Snapshot

__all__ = ["Column", "HeldModel"]

_NO_INDEX = QModelIndex()


class Column(IntEnum):
    """The columns, from left to right."""

    NAME = 0
    VALUE = 1
    MINIMUM = 2
    MAXIMUM = 3


class HeldModel(TreeRows):
    """Held tensors and under each its buffers, by `Column`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self._without_state = ""
        self.buffers: tuple[Buffer, ...] = ()

    def show(self, snapshot: Snapshot, optimizer: OptimizerRecord, group: GroupRecord) -> None:
        """Show what a group holds at a moment."""
        self._snapshot = snapshot
        if optimizer.steps == 0 and not keeps_nothing(optimizer, group):
            self._without_state = _tr("no state yet")
        elif keeps_together(optimizer):
            self._without_state = _tr("state kept with the first")
        else:
            self._without_state = _tr("no state")
        held = held_tensors(snapshot, optimizer, group)
        self.buffers = tuple(buffer for each in held for buffer in each.children)
        self.follow(held)

    def value(self, address: str) -> TensorRecord | float | None:
        """Return what a buffer holds; None when there is no such buffer."""
        if self._snapshot is None:
            return None
        optimizer, _, rest = address.partition("/")
        tensor, _, key = rest.rpartition("/")
        record = self._snapshot.parameters.get(tensor)
        return None if record is None else record.buffers.get(optimizer, {}).get(key)

    def buffer_at(self, index: QModelIndex | QPersistentModelIndex) -> Buffer | None:
        """Return the buffer in a row; of a held tensor its first; None when it has none."""
        plan: Held | Buffer | None = self.row_at(index).plan
        if isinstance(plan, Held):
            return plan.children[0] if plan.children else None
        return plan

    def address_at(self, index: QModelIndex | QPersistentModelIndex) -> str:
        """Return the address of the buffer, or of the held tensor, in a row; empty for no row."""
        if not index.isValid():
            return ""
        plan: Held | Buffer = self.row_at(index).plan
        return plan.tensor if isinstance(plan, Held) else plan.address

    def index_of_buffer(self, address: str) -> QModelIndex:
        """Return the row of a buffer; an invalid index when it is not shown."""
        for row in self.every_row():
            if isinstance(row.plan, Buffer) and row.plan.address == address:
                return self.index_of(row)
        return QModelIndex()

    def columnCount(self, _parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """Return the number of columns."""
        return len(Column)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 - what Qt asks for depends on the role
        """Return a column's title."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Held tensor"), self.tr("State"), self.tr("Min"), self.tr("Max"))[
                section
            ]
        return super().headerData(section, orientation, role)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401 - what Qt asks for depends on the role
        """Return a cell's text, hint, mark or tone."""
        if not index.isValid() or self._snapshot is None:
            return None
        plan: Held | Buffer = self.row_at(index).plan
        column = Column(index.column())
        if isinstance(plan, Held):
            return _held_cell(plan, column, self._without_state).answer(role)
        return _buffer_cell(plan, self.value(plan.address), column, self._snapshot).answer(role)


def _tr(text: str) -> str:
    return QCoreApplication.translate("HeldModel", text)


def _held_cell(held: Held, column: Column, without_state: str) -> Cell:
    if column != Column.NAME:
        return Cell("")
    trouble = {
        "": "",
        "stale": _tr("⚠ stale: no longer the module's tensor"),
        "foreign": _tr("⚠ foreign: no loss reaches it"),
        "duplicate": _tr("⚠ held twice"),
    }[held.trouble]
    hint = held.evidence or held.key
    if trouble:
        return Cell(held.tensor, hint, "warning", after=trouble)
    if held.children:
        return Cell(held.tensor, hint)
    return Cell(held.tensor, hint, after=without_state)


def _buffer_cell(
    buffer: Buffer, record: TensorRecord | float | None, column: Column, snapshot: Snapshot
) -> Cell:
    if column == Column.NAME:
        return Cell(buffer.key, buffer.address)
    if not isinstance(record, TensorRecord):
        text = number_text(record) if column == Column.VALUE else ""
        return Cell(text, buffer.address, mark=_mark(buffer, snapshot, column))
    hint = f"{buffer.address}\n{kind_text(record)}\n{summary_text(record)}"
    mark = _mark(buffer, snapshot, column)
    if mark:
        hint += "\n" + _tr("Just changed by {0}").format(kind_title(mark))
    text = {
        Column.VALUE: tensor_text(record),
        Column.MINIMUM: number_text(record.minimum, digits=4),
        Column.MAXIMUM: number_text(record.maximum, digits=4),
    }[column]
    return Cell(text, hint, "error" if odd_text(record) else "", mark)


def _mark(buffer: Buffer, snapshot: Snapshot, column: Column) -> str:
    event = snapshot.event
    if event is None or column != Column.VALUE or buffer.address not in snapshot.changed:
        return ""
    return kind_of(event.operation)
