"""The model of the tree of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from gradstep_gui.views.parameters.cells import CELLS, ParameterColumn, module_cell
from gradstep_gui.views.parameters.outline import outline
from gradstep_gui.widgets.tables.tree_rows import TreeRows

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.parameters.outline import OutlineRow

__all__ = ["ParameterModel"]


_NO_INDEX = QModelIndex()


class ParameterModel(TreeRows):
    """Modules and tensors; see `ParameterColumn`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self._shape: tuple[object, ...] = ()
        self._outline: tuple[OutlineRow, ...] = ()
        tr = self.tr
        self._headers = (
            (tr("Tensor"), tr("Modules and their tensors")),
            (tr("data"), tr("The values of a small tensor, the Euclidean norm of a larger one")),
            (
                tr("grad"),
                tr(
                    "The gradient, in the same way; None means that there is none, "
                    "which is not zero"
                ),
            ),
            (tr("Shape"), tr("The size of each dimension")),
            (tr("Version"), tr("The number of in-place writes")),
            (tr("Optimizer"), tr("The optimizers that hold this tensor")),
            (tr("requires_grad"), tr("Whether autograd records operations on this tensor")),
        )

    def show(self, snapshot: Snapshot, wanted: str) -> None:
        """Show a Snapshot, filtered by words in the names of tensors."""
        self._snapshot = snapshot
        shape = (snapshot.modules, tuple(snapshot.parameters), wanted)
        if shape != self._shape:
            self._shape, self._outline = shape, outline(snapshot, wanted)
        self.follow(self._outline)

    def tensor_name(self, index: QModelIndex | QPersistentModelIndex) -> str:
        """Return the full name of the tensor in a row; empty for a module."""
        plan: OutlineRow | None = self.row_at(index).plan
        return "" if plan is None else plan.tensor

    def index_of_tensor(self, name: str) -> QModelIndex:
        """Return the row of a tensor; an invalid index when it is not shown."""
        rows = (row for row in self.every_row() if row.plan.tensor == name)
        row = next(rows, None)
        return QModelIndex() if row is None else self.index_of(row)

    def columnCount(self, _parent: QModelIndex | QPersistentModelIndex = _NO_INDEX) -> int:
        """Return the number of columns."""
        return len(ParameterColumn)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a column's title or tooltip."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self._headers[section][0]
            if role == Qt.ItemDataRole.ToolTipRole:
                return self._headers[section][1]
        return super().headerData(section, orientation, role)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401 - the type depends on the role
        """Return a cell's text, tooltip or alignment."""
        if not index.isValid() or self._snapshot is None:
            return None
        row: OutlineRow = self.row_at(index).plan
        column = ParameterColumn(index.column())
        if row.tensor:
            record = self._snapshot.parameters.get(row.tensor)
            if record is None:  # Qt asks for old rows while they are removed
                return None
            return CELLS[column](row.label, record, self._snapshot).answer(role)
        return (
            module_cell(row, self._snapshot).answer(role)
            if column == ParameterColumn.NAME
            else None
        )
