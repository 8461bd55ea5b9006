"""The cells of the tree of parameters."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.program.operation import Freeze
from gradstep_gui.theme import kind_of
from gradstep_gui.views.labels import (
    kind_title,
    non_finite_text,
    shape_and_dtype_text,
    summary_text,
    tensor_text,
)
from gradstep_gui.widgets.number_format import count_text, counted_text, shape_text
from gradstep_gui.widgets.tables.cells import Cell, Tone

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.tensor import ParameterRecord
    from gradstep_gui.views.parameters.outline import OutlineRow

__all__ = ["CELLS", "ParameterColumn", "module_cell"]


class ParameterColumn(IntEnum):
    """The columns, from left to right."""

    NAME = 0
    DATA = 1
    GRAD = 2
    SHAPE = 3
    VERSION = 4
    HELD_BY = 5
    REQUIRES_GRAD = 6


def _tr(text: str) -> str:
    return QCoreApplication.translate("ParameterModel", text)


def _mark(snapshot: Snapshot, *, changed: bool) -> str:
    event = snapshot.event
    return kind_of(event.operation) if changed and event is not None else ""


def _data_mark(record: ParameterRecord, snapshot: Snapshot) -> str:
    """Return the mark of the values; a Freeze lists the tensor as written but keeps them."""
    return _mark(snapshot, changed=record.name in snapshot.changed and not _is_freeze(snapshot))


def _is_freeze(snapshot: Snapshot) -> bool:
    return snapshot.event is not None and isinstance(snapshot.event.operation, Freeze)


def _marked(text: str, mark: str) -> str:
    return f"{text}\n{_tr('Just changed by {0}').format(kind_title(mark))}" if mark else text


def _is_orphan(record: ParameterRecord) -> bool:
    """Return whether a tensor requires grad but no optimizer holds it."""
    return record.requires_grad and not record.held_by and not record.is_buffer


def _name(label: str, record: ParameterRecord, _snapshot: Snapshot) -> Cell:
    hint = f"{record.name}\n{summary_text(record.value)}"
    if _is_orphan(record):  # here too, because the column of holders may be hidden
        hint += "\n" + _tr("No optimizer holds {0}, so no Step updates it").format(record.name)
        return Cell(label, hint, after="⚠")
    return Cell(label, hint)


def _data(_label: str, record: ParameterRecord, snapshot: Snapshot) -> Cell:
    mark = _data_mark(record, snapshot)
    hint = _marked(f"{record.name}\n{summary_text(record.value)}", mark)
    return Cell(
        tensor_text(record.value), hint, "error" if non_finite_text(record.value) else "", mark
    )


def _grad(_label: str, record: ParameterRecord, snapshot: Snapshot) -> Cell:
    mark = _mark(snapshot, changed=f"{record.name}.grad" in snapshot.changed)
    if record.gradient is None:
        hint = _tr("{0}.grad is None, which is not zero").format(record.name)
        return Cell("None", _marked(hint, mark), "none", mark)
    hint = _marked(f"{record.name}.grad\n{summary_text(record.gradient)}", mark)
    tone: Tone = "error" if non_finite_text(record.gradient) else ""
    return Cell(tensor_text(record.gradient), hint, tone, mark)


def _shape(_label: str, record: ParameterRecord, _snapshot: Snapshot) -> Cell:
    return Cell(shape_text(record.value.shape), shape_and_dtype_text(record.value))


def _version(_label: str, record: ParameterRecord, snapshot: Snapshot) -> Cell:
    mark = _data_mark(record, snapshot)
    words = _tr("{0} in-place write so far"), _tr("{0} in-place writes so far")
    hint = counted_text(record.version, *words)
    return Cell(count_text(record.version), _marked(hint, mark), "", mark, number=True)


def _held_by(_label: str, record: ParameterRecord, snapshot: Snapshot) -> Cell:
    starts = tuple(f"{holder}/{record.name}/" for holder in record.held_by)
    changed = any(address.startswith(starts) for address in snapshot.changed)
    mark = _mark(snapshot, changed=changed)
    if record.held_by:
        names = ", ".join(record.held_by)
        return Cell(names, _marked(_tr("Held by {0}").format(names), mark), "", mark)
    if record.is_buffer:
        return Cell(_tr("buffer"), _tr("A module buffer: no optimizer updates it"), "muted")
    if _is_orphan(record):
        hint = _tr("No optimizer holds {0}, so no Step updates it").format(record.name)
        return Cell(_tr("⚠ no optimizer"), hint, "warning")
    return Cell("–", _tr("No optimizer holds it"), "muted")


def _requires_grad(_label: str, record: ParameterRecord, snapshot: Snapshot) -> Cell:
    mark = _mark(snapshot, changed=record.name in snapshot.changed and _is_freeze(snapshot))
    if record.requires_grad:
        hint = _tr("Autograd records operations on {0}").format(record.name)
        return Cell("True", _marked(hint, mark), "", mark)
    hint = _tr(
        "Autograd does not record operations on {0}: Backward does not write its .grad"
    ).format(record.name)
    text = "False" if record.is_buffer else _tr("False (frozen)")
    return Cell(text, _marked(hint, mark), "muted", mark)


def module_cell(row: OutlineRow, snapshot: Snapshot) -> Cell:
    """Return the cell of a module: its name, then its class, arguments and mode."""
    mark = _mark(snapshot, changed=row.module in snapshot.changed)
    if row.training:
        hint = f"{row.module}\n{row.detail}"
        return Cell(row.label, _marked(hint, mark), mark=mark, after=row.detail)
    hint = _tr("{0} is in evaluation mode").format(row.module)
    after = _tr("{0}, eval").format(row.detail)
    return Cell(row.label, _marked(hint, mark), mark=mark, after=after)


CELLS: Mapping[ParameterColumn, Callable[[str, ParameterRecord, Snapshot], Cell]] = {
    ParameterColumn.NAME: _name,
    ParameterColumn.DATA: _data,
    ParameterColumn.GRAD: _grad,
    ParameterColumn.SHAPE: _shape,
    ParameterColumn.VERSION: _version,
    ParameterColumn.HELD_BY: _held_by,
    ParameterColumn.REQUIRES_GRAD: _requires_grad,
}
"""By column, the function that makes a cell of a label, a tensor and a Snapshot."""
