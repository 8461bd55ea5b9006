"""The tensors of a parameter group with their optimizer state, as a tree."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QCoreApplication, QModelIndex

from gradstep.history.records.snapshot import STALE
from gradstep.history.records.tensor import TensorRecord
from gradstep_gui.theme import kind_of
from gradstep_gui.views.labels import (
    kind_title,
    non_finite_text,
    shape_and_dtype_text,
    summary_text,
    tensor_text,
)
from gradstep_gui.widgets.number_format import number_text, scalar_text
from gradstep_gui.widgets.tables.cells import Cell, Title
from gradstep_gui.widgets.tables.tree_rows import TreeRows

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord, Snapshot
    from gradstep_gui.widgets.model_index import ModelIndex

__all__ = [
    "BufferRow",
    "OptimizerTensorModel",
    "OptimizerTensorRow",
    "StateColumn",
    "has_no_state",
    "optimizer_tensors",
    "shares_state",
]

Trouble = Literal["", "stale", "foreign", "duplicate"]


@dataclass(frozen=True, slots=True)
class BufferRow:
    """One state buffer, without its value, so that it stays equal between Snapshots."""

    key: str
    address: str
    children: tuple[BufferRow, ...] = ()


@dataclass(frozen=True, slots=True)
class OptimizerTensorRow:
    """One tensor of a parameter group.

    Attributes:
        key: Its name in the group.
        tensor: Its name without the mark for a stale tensor.
        trouble: Why the optimizer should not hold it.
        evidence: The finding about it, as text.
        children: Its state.
    """

    key: str
    tensor: str
    trouble: Trouble
    evidence: str
    children: tuple[BufferRow, ...]


def optimizer_tensors(
    snapshot: Snapshot, optimizer: OptimizerRecord, group: GroupRecord
) -> tuple[OptimizerTensorRow, ...]:
    """Return the tensors of a group.

    Example:
        >>> from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord, Snapshot
        >>> group = GroupRecord(("w (stale)",), {"lr": 0.1})
        >>> snapshot = Snapshot(None, 0, 0, 0, None)
        >>> [(row.tensor, row.trouble) for row in
        ...  optimizer_tensors(snapshot, OptimizerRecord("optimizer", "SGD", (group,)), group)]
        [('w', 'stale')]
    """
    findings: dict[str, tuple[Trouble, str]] = {}
    for finding in snapshot.findings:
        trouble = _trouble(finding.id)
        if trouble:
            evidence = "\n".join(filter(None, (finding.title, finding.detail, finding.remedy)))
            findings.update(dict.fromkeys(finding.subjects, (trouble, evidence)))
    return tuple(_tensor_row(snapshot, optimizer.name, name, findings) for name in group.parameters)


def has_no_state(optimizer: OptimizerRecord, group: GroupRecord) -> bool:
    """Return whether no Step ever creates state for a group: SGD without momentum.

    Example:
        >>> from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord
        >>> group = GroupRecord(("w",), {"lr": 0.1, "momentum": 0.0})
        >>> has_no_state(OptimizerRecord("optimizer", "SGD", (group,)), group)
        True
    """
    return optimizer.kind == "SGD" and group.hyperparameters.get("momentum", 0) == 0


def shares_state(optimizer: OptimizerRecord) -> bool:
    """Return whether an optimizer keeps the state of all tensors with the first one.

    Example:
        >>> from gradstep.history.records.snapshot import OptimizerRecord
        >>> shares_state(OptimizerRecord("optimizer", "LBFGS", ()))
        True
    """
    return optimizer.kind == "LBFGS"


def _tensor_row(
    snapshot: Snapshot, optimizer: str, name: str, findings: dict[str, tuple[Trouble, str]]
) -> OptimizerTensorRow:
    tensor = name.removesuffix(STALE)
    trouble, evidence = findings.get(tensor, ("", ""))
    if name.endswith(STALE):
        # The state belongs to a removed tensor; another one has its name now.
        return OptimizerTensorRow(name, tensor, "stale", evidence, ())
    record = snapshot.parameters.get(tensor)
    state = {} if record is None else record.buffers.get(optimizer, {})
    buffers = tuple(BufferRow(key, f"{optimizer}/{tensor}/{key}") for key in state)
    return OptimizerTensorRow(name, tensor, trouble, evidence, buffers)


def _trouble(finding: str) -> Trouble:
    match finding:
        case "optimizer-stale":
            return "stale"
        case "optimizer-foreign":
            return "foreign"
        case "optimizer-duplicate":
            return "duplicate"
    return ""


class StateColumn(IntEnum):
    """The columns, from left to right."""

    NAME = 0
    VALUE = 1
    MINIMUM = 2
    MAXIMUM = 3


class OptimizerTensorModel(TreeRows):
    """The tensors of a parameter group, with their state as children; see `StateColumn`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._snapshot: Snapshot | None = None
        self._without_state = ""
        names = self.tr("Tensor"), self.tr("State"), self.tr("Min"), self.tr("Max")
        self.titles = tuple(map(Title, names))
        self.buffers: tuple[BufferRow, ...] = ()

    def show(self, snapshot: Snapshot, optimizer: OptimizerRecord, group: GroupRecord) -> None:
        """Show the tensors that a group holds."""
        self._snapshot = snapshot
        if optimizer.steps == 0 and not has_no_state(optimizer, group):
            self._without_state = _tr("no state yet")
        elif shares_state(optimizer):
            self._without_state = _tr("state kept with the first tensor")
        else:
            self._without_state = _tr("no state")
        rows = optimizer_tensors(snapshot, optimizer, group)
        self.buffers = tuple(buffer for row in rows for buffer in row.children)
        self.follow(rows)

    def value(self, address: str) -> TensorRecord | float | None:
        """Return the value of a buffer; None when there is no such buffer."""
        if self._snapshot is None:
            return None
        optimizer, _, rest = address.partition("/")
        tensor, _, key = rest.rpartition("/")
        record = self._snapshot.parameters.get(tensor)
        return None if record is None else record.buffers.get(optimizer, {}).get(key)

    def buffer_at(self, index: ModelIndex) -> BufferRow | None:
        """Return the buffer in a row; of a tensor its first; None when it has none."""
        plan: OptimizerTensorRow | BufferRow | None = self.row_at(index).plan
        if isinstance(plan, OptimizerTensorRow):
            return plan.children[0] if plan.children else None
        return plan

    def address_at(self, index: ModelIndex) -> str:
        """Return the address of the buffer or tensor in a row; empty for no row."""
        if not index.isValid():
            return ""
        plan: OptimizerTensorRow | BufferRow = self.row_at(index).plan
        return plan.tensor if isinstance(plan, OptimizerTensorRow) else plan.address

    def index_of_buffer(self, address: str) -> QModelIndex:
        """Return the row of a buffer; an invalid index when it is not shown."""
        for row in self.every_row():
            if isinstance(row.plan, BufferRow) and row.plan.address == address:
                return self.index_of(row)
        return QModelIndex()

    def cell(self, plan: OptimizerTensorRow | BufferRow, column: int) -> Cell | None:
        """Return a cell of a tensor or of a buffer."""
        if self._snapshot is None:
            return None
        if isinstance(plan, OptimizerTensorRow):
            return _tensor_cell(plan, StateColumn(column), self._without_state)
        return _buffer_cell(plan, self.value(plan.address), StateColumn(column), self._snapshot)


def _tr(text: str) -> str:
    return QCoreApplication.translate("OptimizerTensorModel", text)


def _tensor_cell(row: OptimizerTensorRow, column: StateColumn, without_state: str) -> Cell:
    if column != StateColumn.NAME:
        return Cell("")
    trouble = {
        "": "",
        "stale": _tr("⚠ stale: the module has another tensor now"),
        "foreign": _tr("⚠ foreign: no loss depends on it"),
        "duplicate": _tr("⚠ held twice"),
    }[row.trouble]
    hint = row.evidence or row.key
    if trouble:
        return Cell(row.tensor, hint, "warning", after=trouble)
    if row.children:
        return Cell(row.tensor, hint)
    return Cell(row.tensor, hint, after=without_state)


def _buffer_cell(
    buffer: BufferRow, record: TensorRecord | float | None, column: StateColumn, snapshot: Snapshot
) -> Cell:
    if column == StateColumn.NAME:
        return Cell(buffer.key, buffer.address)
    if not isinstance(record, TensorRecord):
        text = "" if column != StateColumn.VALUE or record is None else scalar_text(record)
        return Cell(text, buffer.address, mark=_mark(buffer, snapshot, column))
    hint = f"{buffer.address}\n{shape_and_dtype_text(record)}\n{summary_text(record)}"
    mark = _mark(buffer, snapshot, column)
    if mark:
        hint += "\n" + _tr("Just changed by {0}").format(kind_title(mark))
    text = {
        StateColumn.VALUE: tensor_text(record),
        StateColumn.MINIMUM: number_text(record.minimum, digits=4),
        StateColumn.MAXIMUM: number_text(record.maximum, digits=4),
    }[column]
    return Cell(text, hint, "error" if non_finite_text(record) else "", mark)


def _mark(buffer: BufferRow, snapshot: Snapshot, column: StateColumn) -> str:
    event = snapshot.event
    if event is None or column != StateColumn.VALUE or buffer.address not in snapshot.changed:
        return ""
    return kind_of(event.operation)
