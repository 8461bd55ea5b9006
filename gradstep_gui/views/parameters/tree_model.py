"""The model of the tree of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex

from gradstep_gui.views.parameters.cells import CELLS, ParameterColumn, module_cell
from gradstep_gui.views.parameters.outline import outline
from gradstep_gui.widgets.tables.cells import Title
from gradstep_gui.widgets.tables.tree_rows import TreeRows

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.parameters.outline import OutlineRow
    from gradstep_gui.widgets.model_index import ModelIndex
    from gradstep_gui.widgets.tables.cells import Cell

__all__ = ["ParameterModel"]


class ParameterModel(TreeRows):
    """Modules and tensors; see `ParameterColumn`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self._shape: tuple[object, ...] = ()
        self._outline: tuple[OutlineRow, ...] = ()
        tr = self.tr
        self.titles = (
            Title(tr("Tensor"), tr("Modules and their tensors")),
            Title(
                tr("data"), tr("The values of a small tensor, the Euclidean norm of a larger one")
            ),
            Title(
                tr("grad"),
                tr(
                    "The gradient, in the same way; None means that there is none, "
                    "which is not zero"
                ),
            ),
            Title(tr("Shape"), tr("The size of each dimension")),
            Title(tr("Version"), tr("The number of in-place writes")),
            Title(tr("Optimizer"), tr("The optimizers that hold this tensor")),
            Title(tr("requires_grad"), tr("Whether autograd records operations on this tensor")),
        )

    def show(self, snapshot: Snapshot, wanted: str) -> None:
        """Show a Snapshot, filtered by words in the names of tensors."""
        self._snapshot = snapshot
        shape = (snapshot.modules, tuple(snapshot.parameters), wanted)
        if shape != self._shape:
            self._shape, self._outline = shape, outline(snapshot, wanted)
        self.follow(self._outline)

    def tensor_name(self, index: ModelIndex) -> str:
        """Return the full name of the tensor in a row; empty for a module."""
        plan: OutlineRow | None = self.row_at(index).plan
        return "" if plan is None else plan.tensor

    def index_of_tensor(self, name: str) -> QModelIndex:
        """Return the row of a tensor; an invalid index when it is not shown."""
        rows = (row for row in self.every_row() if row.plan.tensor == name)
        row = next(rows, None)
        return QModelIndex() if row is None else self.index_of(row)

    def cell(self, plan: OutlineRow, column: int) -> Cell | None:
        """Return a cell of a tensor, or the name of a module."""
        if self._snapshot is None:
            return None
        if plan.tensor:
            record = self._snapshot.parameters.get(plan.tensor)
            if record is None:  # Qt asks for old rows while they are removed
                return None
            return CELLS[ParameterColumn(column)](plan.label, record, self._snapshot)
        return module_cell(plan, self._snapshot) if column == ParameterColumn.NAME else None
