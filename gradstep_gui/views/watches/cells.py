"""What a watch says about itself at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from gradstep.history.records.breakpoints import Unknown
from gradstep.history.records.tensor import TensorRecord
from gradstep_gui.theme import kind_of
from gradstep_gui.views.labels import kind_text, summary_text, tensor_text
from gradstep_gui.widgets.number_format import full_text, number_text
from gradstep_gui.widgets.tables.cells import Cell

if TYPE_CHECKING:
    from gradstep.history.records.breakpoints import WatchRecord, WatchValue
    from gradstep.history.records.event import Event

__all__ = ["change_cell", "value_cell"]


def value_cell(record: WatchRecord, event: Event | None) -> Cell:
    """Return the present value, marked when the Event just done changed it."""
    if record.error:
        return Cell(record.error, record.error, "error")
    mark = kind_of(event.operation) if record.changed and event is not None else ""
    text, hint = _text(record.value)
    return Cell(text, hint, "none" if record.value is None else "", mark)


def change_cell(record: WatchRecord) -> Cell:
    """Return what the Event just done changed."""
    translate = QCoreApplication.translate
    if record.error or record.before is Unknown:
        return Cell("")
    if not record.changed:
        return Cell(translate("Watches", "no change"), tone="muted")
    value, before = record.value, record.before
    was, hint = _text(before)  # type: ignore[arg-type]  # it is known here
    came_from = translate("Watches", "from {0}").format(was)
    if _is_number(value) and _is_number(before):
        difference = float(value) - float(before)  # type: ignore[arg-type]
        return Cell(f"{difference:+.5g}", hint, after=came_from)
    if record.moved is not None:
        moved = translate("Watches", "moved by norm {0}").format(number_text(record.moved))
        return Cell(moved, hint, after=came_from)
    return Cell(came_from, hint)


def _is_number(value: object) -> bool:
    return isinstance(value, float)


def _text(value: WatchValue) -> tuple[str, str]:
    """Write a value, and on hover all there is to say about it."""
    if isinstance(value, TensorRecord):
        return tensor_text(value), f"{kind_text(value)}\n{summary_text(value)}"
    if isinstance(value, bool):
        return str(value), ""
    return number_text(value), "" if value is None else full_text(value)
