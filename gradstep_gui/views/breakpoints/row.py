"""One breakpoint as a row of fields, with its error below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QSpinBox, QToolButton, QWidget

from gradstep_gui.resources import icon
from gradstep_gui.theme import theme_of
from gradstep_gui.views.breakpoints.evaluation_points import EvaluationPointsBox
from gradstep_gui.widgets.fields import ExpressionField
from gradstep_gui.widgets.number_format import counted_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QGridLayout

    from gradstep.history.records.breakpoints import BreakpointRecord, BreakpointSpec

__all__ = ["COLUMNS", "BreakpointRow"]

COLUMNS = 7
MOST_HITS = 1_000_000
_SPACE = "\N{NO-BREAK SPACE}"


class BreakpointRow(QObject):
    """The fields of a breakpoint; emits `changed(spec, id)` and `removed(id)`.

    Args:
        record: The breakpoint.
        grid: The grid that holds the fields.
        line: The row of the grid; the next row is for the error.
        parent: The widget of the grid.
    """

    changed = Signal(object, int)
    removed = Signal(int)

    def __init__(
        self, record: BreakpointRecord, grid: QGridLayout, line: int, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._record = record
        self.enabled = QCheckBox(parent)
        self.enabled.setAccessibleName(self.tr("Enabled"))
        self.enabled.setToolTip(self.tr("Enable or disable this breakpoint"))
        self.expression = ExpressionField(self.tr("Condition"), parent)
        self.when = EvaluationPointsBox(parent)
        self.hits = QSpinBox(parent)
        self.hits.setRange(1, MOST_HITS)
        self.hits.setMaximumWidth(80)
        self.hits.setAccessibleName(self.tr("Stop from hit number"))
        self.hits.setToolTip(self.tr("Stop from this hit on; earlier hits are only counted"))
        self.log = ExpressionField(self.tr("Log message"), parent)
        self.log.setPlaceholderText(self.tr("stops"))
        self.log.setToolTip(
            self.tr("Log this message instead of stopping, such as  {iteration}: loss {loss}")
        )
        self.count = QLabel(parent)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.count.setAccessibleName(self.tr("Hits"))
        self.remove = QToolButton(parent)
        self.remove.setAutoRaise(True)
        self.remove.setAccessibleName(self.tr("Remove this breakpoint"))
        self.remove.setToolTip(self.tr("Remove this breakpoint"))
        self.problem = QLabel(parent)
        self.problem.setFont(self.expression.font())
        self.problem.setAccessibleName(self.tr("Error in the condition"))
        self.problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._fields: tuple[QWidget, ...] = (
            self.enabled, self.expression, self.when, self.hits, self.log, self.count, self.remove,
        )  # fmt: skip
        for column, field in enumerate(self._fields):
            grid.addWidget(field, line, column)
        grid.addWidget(self.problem, line + 1, 1, 1, COLUMNS - 1)
        self.enabled.clicked.connect(lambda on: self._change(enabled=on))
        self.expression.committed.connect(self._write)
        self.when.activated.connect(self._choose_when)
        self.hits.editingFinished.connect(self._count_from)
        self.log.committed.connect(lambda text: self._change(log=text or None))
        self.remove.clicked.connect(lambda: self.removed.emit(self._record.id))
        for field in (self.when, self.hits):
            field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            field.installEventFilter(self)
        self.apply_theme()
        self.show_record(record, is_hit=False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the wheel scroll the list instead of changing a field without focus."""
        unfocused = isinstance(watched, QWidget) and not watched.hasFocus()
        if event.type() == QEvent.Type.Wheel and unfocused:
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def show_record(self, record: BreakpointRecord, *, is_hit: bool) -> None:
        """Show the state of the breakpoint; `is_hit` when it just stopped a run."""
        self._record, spec = record, record.spec
        self.enabled.setChecked(spec.enabled)
        self.expression.show_text(spec.expression)
        self.expression.setToolTip(spec.expression)
        self.when.show_record(record)
        if not self.hits.hasFocus():
            self.hits.setValue(min(spec.hits, MOST_HITS))
        self.log.show_text(spec.log or "")
        hits = counted_text(record.count, self.tr("{0} hit"), self.tr("{0} hits"))
        self.count.setText(f"● {hits}" if is_hit else hits)
        self.problem.setText(_pointed(record))
        self.problem.setVisible(bool(record.error))

    def apply_theme(self) -> None:
        """Use the colours of the current theme."""
        theme = theme_of(self.expression.palette())
        self.problem.setStyleSheet(f"color: {theme.error}")
        self.remove.setIcon(icon("close", theme.muted, theme.border))

    def delete(self) -> None:
        """Remove all fields."""
        for field in (*self._fields, self.problem):
            field.hide()
            field.deleteLater()
        self.deleteLater()

    def _write(self, text: str) -> None:
        if text:
            self._change(expression=text)
        else:
            self.removed.emit(self._record.id)

    def _choose_when(self) -> None:
        if not self.when.shows_line:
            before, after = self.when.choice
            self._change(before=before, after=after, line="")

    def _count_from(self) -> None:
        if self.hits.value() != self._record.spec.hits:
            self._change(hits=self.hits.value())

    def _change(self, **fields: object) -> None:
        spec: BreakpointSpec = msgspec.structs.replace(self._record.spec, **fields)
        self.changed.emit(spec, self._record.id)


def _pointed(record: BreakpointRecord) -> str:
    """Return the error with a pointer to its column."""
    if not record.error:
        return ""
    lead = _SPACE * (record.column - 1) if record.column else ""
    return f"{lead}▲ {record.error}"
