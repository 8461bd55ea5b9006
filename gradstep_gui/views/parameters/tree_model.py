"""Modules and tensors of a program as a tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from gradstep_gui.views.parameters.cells import CELLS, ParameterColumn, module_cell
from gradstep_gui.widgets.fields import matches
from gradstep_gui.widgets.tables.tree_rows import TreeRows

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from gradstep.history.records.snapshot import ModuleRecord, Snapshot

__all__ = ["OutlineRow", "ParameterModel", "outline"]


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A row to be: a module with what is in it, or a tensor.

    Attributes:
        key: What tells it from the rows beside it.
        label: Its own name, without those above it.
        detail: A module's class and arguments; empty for a tensor.
        tensor: A tensor's full name; empty for a module.
        module: A module's full name; empty for a tensor.
        training: A module's mode.
        children: What is in it.
    """

    key: str
    label: str
    detail: str = ""
    tensor: str = ""
    module: str = ""
    training: bool = True
    children: tuple[OutlineRow, ...] = ()


def outline(snapshot: Snapshot, wanted: str = "") -> tuple[OutlineRow, ...]:
    """Return the rows for a moment: the modules, then the tensors that belong to none.

    Args:
        snapshot: The moment.
        wanted: Only tensors whose name has these words, and the modules that hold such.

    Example:
        >>> from gradstep.history.records.snapshot import ModuleRecord, Snapshot
        >>> module = ModuleRecord("model", "Sequential", "", True)
        >>> moment = Snapshot(None, 0, 0, 0, None, modules=(module,))
        >>> [branch.detail for branch in outline(moment)]
        ['Sequential']
    """
    held: set[str] = set()
    modules = [_module(record, held) for record in snapshot.modules]
    free = [OutlineRow(name, name, tensor=name) for name in snapshot.parameters if name not in held]
    return _narrow((*modules, *free), wanted) if wanted else (*modules, *free)


def _module(record: ModuleRecord, held: set[str]) -> OutlineRow:
    held.update(record.parameters)
    tensors = [OutlineRow(name, _last(name), tensor=name) for name in record.parameters]
    modules = [_module(child, held) for child in record.children]
    detail = f"{record.kind}({record.detail})" if record.detail else record.kind
    return OutlineRow(
        key=f"{record.name} {detail}",  # one of the same name but another class is another row
        label=_last(record.name),
        detail=detail,
        module=record.name,
        training=record.training,
        children=(*tensors, *modules),
    )


def _narrow(branches: tuple[OutlineRow, ...], wanted: str) -> tuple[OutlineRow, ...]:
    kept = []
    for branch in branches:
        if branch.tensor:
            if matches(branch.tensor, wanted):
                kept.append(branch)
        elif children := _narrow(branch.children, wanted):
            kept.append(replace(branch, children=children))
    return tuple(kept)


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]


_NO_INDEX = QModelIndex()


class ParameterModel(TreeRows):
    """Modules and tensors, by `ParameterColumn`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self._shape: tuple[object, ...] = ()
        self._branches: tuple[OutlineRow, ...] = ()
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
        branch: OutlineRow = self.row_at(index).plan
        column = ParameterColumn(index.column())
        if branch.tensor:
            record = self._snapshot.parameters.get(branch.tensor)
            if record is None:  # Qt asks for rows of the program before while they are taken away
                return None
            return CELLS[column](branch.label, record, self._snapshot).answer(role)
        return (
            module_cell(branch, self._snapshot).answer(role)
            if column == ParameterColumn.NAME
            else None
        )
