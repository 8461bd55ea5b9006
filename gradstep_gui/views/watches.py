"""The watches dock: expressions, their values, and what the last event changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QModelIndex, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gradstep.history.records.breakpoints import Unknown
from gradstep.history.records.tensor import TensorRecord
from gradstep_gui.theme import kind_of
from gradstep_gui.views.dock_view import BreaksDockView
from gradstep_gui.views.labels import shape_and_dtype_text, summary_text, tensor_text
from gradstep_gui.widgets.fields import ExpressionField
from gradstep_gui.widgets.number_format import full_text, number_text
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.tables.cells import Cell
from gradstep_gui.widgets.tables.table import CellTable

if TYPE_CHECKING:
    from gradstep.history.records.breakpoints import Breaks, WatchRecord, WatchValue
    from gradstep.history.records.event import Event
    from gradstep_gui.views.model import ViewModel

__all__ = ["WatchesView", "change_cell", "value_cell"]


class WatchesView(BreaksDockView):
    """A table of expressions and values, with a field above it to add or edit one.

    Args:
        controller: The controller, which holds the watches.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "watches", parent)
        self.setWindowTitle(self.tr("Watches"))
        self._edited: int | None = None
        self.field = ExpressionField(self.tr("Expression to watch"), self)
        self.field.setPlaceholderText(
            self.tr('New watch, such as  norm(grad("model.0.weight"))  or  loss')
        )
        self.field.committed.connect(self._write)
        self.table = CellTable(self.tr("Watches"), self)
        self.table.doubleClicked.connect(self._edit)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.change = self._make_action(self.tr("Edit"), QKeySequence(Qt.Key.Key_F2))
        self.change.triggered.connect(lambda: self._edit(self.table.currentIndex()))
        self.remove = self._make_action(
            self.tr("Remove"), QKeySequence(QKeySequence.StandardKey.Delete)
        )
        self.remove.triggered.connect(self._remove)
        button = QToolButton(self)
        button.setDefaultAction(self.remove)
        above = QHBoxLayout()
        above.addWidget(self.field, 1)
        above.addWidget(button)
        self.place = Placeholder(self.table, self._nothing(), self)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 4)
        column.addLayout(above)
        column.addWidget(self.place, 1)
        controller.breakpoints.watch_requested.connect(self._begin_new)

    @property
    def records(self) -> tuple[WatchRecord, ...]:
        """The watches, in order."""
        return self.controller.breakpoints.current.watches

    def _nothing(self) -> str:
        return self.tr(
            "A watch shows the current value of an expression, and how the last event changed it."
        )

    def _make_action(self, title: str, keys: QKeySequence) -> QAction:
        action = QAction(title, self.table)
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.table.addAction(action)
        return action

    def show_breaks(self, breaks: Breaks) -> None:
        """Show the watches."""
        records = breaks.watches
        self.remove.setEnabled(bool(records))
        self.change.setEnabled(bool(records))
        if not records:
            self.place.show_sentence(self._nothing())
            return
        snapshot = self.controller.snapshot
        event = None if snapshot is None else snapshot.event
        self.table.show_rows(
            (self.tr("Expression"), self.tr("Value"), self.tr("Change")),
            [
                (
                    Cell(record.expression, record.expression),
                    value_cell(record, event),
                    change_cell(record),
                )
                for record in records
            ],
        )
        self.table.stretch(1)
        self.table.stretch(2)
        self.place.show_content()

    def _begin_new(self) -> None:
        self._edited = None
        self.field.clear()
        self.field.setFocus()

    def _edit(self, index: QModelIndex) -> None:
        if 0 <= index.row() < len(self.records):
            record = self.records[index.row()]
            self._edited = record.id
            self.field.setText(record.expression)
            self.field.selectAll()
            self.field.setFocus()

    def _write(self, text: str) -> None:
        number, self._edited = self._edited, None
        self.field.clear()
        known = {record.id for record in self.records}
        if text:
            self.controller.breakpoints.set_watch(text, number if number in known else None)

    def _remove(self) -> None:
        row = self.table.currentIndex().row()
        if 0 <= row < len(self.records):
            self.controller.breakpoints.remove_watch(self.records[row].id)


def value_cell(record: WatchRecord, event: Event | None) -> Cell:
    """Return the current value, marked when the last Event changed it."""
    if record.error:
        return Cell(record.error, record.error, "error")
    mark = kind_of(event.operation) if record.changed and event is not None else ""
    text, hint = _text(record.value)
    return Cell(text, hint, "none" if record.value is None else "", mark)


def change_cell(record: WatchRecord) -> Cell:
    """Return how the last Event changed the value."""
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
        moved = translate("Watches", "changed by norm {0}").format(number_text(record.moved))
        return Cell(moved, hint, after=came_from)
    return Cell(came_from, hint)


def _is_number(value: object) -> bool:
    return isinstance(value, float)


def _text(value: WatchValue) -> tuple[str, str]:
    """Return a value as text, and its tooltip."""
    if isinstance(value, TensorRecord):
        return tensor_text(value), f"{shape_and_dtype_text(value)}\n{summary_text(value)}"
    if isinstance(value, bool):
        return str(value), ""
    return number_text(value), "" if value is None else full_text(value)
