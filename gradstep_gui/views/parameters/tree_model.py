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
    """A row of the tree: a module with its contents, or a tensor.

    Attributes:
        key: What identifies it among its siblings.
        label: The last part of its name.
        detail: A module's class and arguments; empty for a tensor.
        tensor: A tensor's full name; empty for a module.
        module: A module's full name; empty for a tensor.
        training: A module's mode.
        children: The rows below it.
    """

    key: str
    label: str
    detail: str = ""
    tensor: str = ""
    module: str = ""
    training: bool = True
    children: tuple[OutlineRow, ...] = ()


def outline(snapshot: Snapshot, wanted: str = "") -> tuple[OutlineRow, ...]:
    """Return the rows of a Snapshot: the modules, then the tensors outside of modules.

    Args:
        snapshot: The Snapshot.
        wanted: Words to filter tensors by; empty for all.

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
        key=f"{record.name} {detail}",  # a rebuilt module of another class is another row
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
    """Modules and tensors; see `ParameterColumn`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self._shape: tuple[object, ...] = ()
        self._branches: tuple[OutlineRow, ...] = ()
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
        branch: OutlineRow = self.row_at(index).plan
        column = ParameterColumn(index.column())
        if branch.tensor:
            record = self._snapshot.parameters.get(branch.tensor)
            if record is None:  # Qt asks for old rows while they are removed
                return None
            return CELLS[column](branch.label, record, self._snapshot).answer(role)
        return (
            module_cell(branch, self._snapshot).answer(role)
            if column == ParameterColumn.NAME
            else None
        )
