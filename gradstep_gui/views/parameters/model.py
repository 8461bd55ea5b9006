"""What is in the cells of the parameters tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from gradstep_gui.views.parameters.cells import CELLS, Column, module_cell
from gradstep_gui.views.parameters.outline import Branch, outline
from gradstep_gui.widgets.tables.tree_rows import TreeRows

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from gradstep.history.records.snapshot import Snapshot

__all__ = ["ParameterModel"]

_NO_INDEX = QModelIndex()


class ParameterModel(TreeRows):
    """Modules and tensors, by `Column`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self._shape: tuple[object, ...] = ()
        self._branches: tuple[Branch, ...] = ()
        tr = self.tr
        self._headers = (
            (tr("Tensor"), tr("Modules of the program, and the tensors in them")),
            (tr("data"), tr("The values of a small tensor; of a larger one, their Euclidean norm")),
            (tr("grad"), tr("The gradient, likewise; None when there is none, which is not zero")),
            (tr("Shape"), tr("The size along each axis")),
            (tr("Version"), tr("How many in-place writes the tensor has seen")),
            (tr("Optimizer"), tr("The optimizers that hold this very tensor")),
            (tr("requires_grad"), tr("Whether autograd follows the tensor")),
        )

    def show(self, snapshot: Snapshot, wanted: str) -> None:
        """Show a moment, narrowed to tensors whose names have the wanted words."""
        self._snapshot = snapshot
        shape = (snapshot.modules, tuple(snapshot.parameters), wanted)
        if shape != self._shape:
            self._shape, self._branches = shape, outline(snapshot, wanted)
        self.follow(self._branches)

    def tensor_name(self, index: QModelIndex | QPersistentModelIndex) -> str:
        """Return the full name of the tensor in a row; empty for a module."""
        plan: Branch | None = self.row_at(index).plan
        return "" if plan is None else plan.tensor

    def index_of_tensor(self, name: str) -> QModelIndex:
        """Return the row of a tensor; an invalid index when it is not shown."""
        rows = (row for row in self.every_row() if row.plan.tensor == name)
        row = next(rows, None)
        return QModelIndex() if row is None else self.index_of(row)

    def columnCount(self, _parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """Return the number of columns."""
        return len(Column)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 - what Qt asks for depends on the role
        """Return a column's title, and on hover what it means."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self._headers[section][0]
            if role == Qt.ItemDataRole.ToolTipRole:
                return self._headers[section][1]
        return super().headerData(section, orientation, role)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401 - what Qt asks for depends on the role
        """Return a cell's text, hint, mark or tone."""
        if not index.isValid() or self._snapshot is None:
            return None
        branch: Branch = self.row_at(index).plan
        column = Column(index.column())
        if branch.tensor:
            record = self._snapshot.parameters.get(branch.tensor)
            if record is None:  # Qt asks for rows of the program before while they are taken away
                return None
            return CELLS[column](branch.label, record, self._snapshot).answer(role)
        return module_cell(branch, self._snapshot).answer(role) if column == Column.NAME else None
