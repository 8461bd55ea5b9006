"""The breakpoints dock: conditions, check boxes for common ones, and the log."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSplitter,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradstep.history.records.breakpoints import CONDITION_TERMS, BreakpointSpec
from gradstep_gui.translation import QT_TRANSLATE_NOOP
from gradstep_gui.views.breakpoints.row import BreakpointRow
from gradstep_gui.views.dock_view import BreaksDockView
from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.fields import ExpressionField
from gradstep_gui.widgets.number_format import count_text
from gradstep_gui.widgets.tables.cells import Cell
from gradstep_gui.widgets.tables.table import CellTable

if TYPE_CHECKING:
    from gradstep.history.records.breakpoints import BreakpointRecord, Breaks, LogLine
    from gradstep_gui.views.model import ViewModel

__all__ = ["EXAMPLES", "BreakpointsView", "ConditionHelpDialog"]

EXAMPLES = (
    'loss > 10 or norm(grad("model.0.weight")) > 1e3',
    'changed("model.0.weight[0, 1]") and iteration > 40',
    "dot(buf, grad) < 0",
)

EXCEPTIONS: dict[str, str] = {
    "non_finite": QT_TRANSLATE_NOOP("BreakpointsView", "NaN or Inf"),
    "raised": QT_TRANSLATE_NOOP("BreakpointsView", "Failed Operation"),
    "new_finding": QT_TRANSLATE_NOOP("BreakpointsView", "New Finding"),
}
"""The conditions that have a check box, and their labels."""

HINTS: dict[str, str] = {
    "non_finite": QT_TRANSLATE_NOOP("BreakpointsView", "Stop when a NaN or an Inf is written"),
    "raised": QT_TRANSLATE_NOOP(
        "BreakpointsView", "A run always stops at a failed operation; Run Back then stops there too"
    ),
    "new_finding": QT_TRANSLATE_NOOP("BreakpointsView", "Stop at the first event of each finding"),
}


class BreakpointsView(BreaksDockView):
    """A table of breakpoints, with a field above it for a new one.

    Args:
        controller: The controller, which holds the breakpoints.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "breakpoints", parent)
        self._rows: dict[int, BreakpointRow] = {}
        self._noted: tuple[LogLine, ...] = ()
        self.setWindowTitle(self.tr("Breakpoints"))
        self.exceptions = {name: self._make_exception(name) for name in EXCEPTIONS}
        self.fresh = ExpressionField(self.tr("New condition"), self)
        self.fresh.setPlaceholderText(
            self.tr('New condition, such as  loss > 10  or  changed("model.0.weight.grad")')
        )
        self.fresh.committed.connect(self._add)
        self.help = QToolButton(self)
        self.help.setText(self.tr("Help"))
        self.help.setToolTip(self.tr("Syntax of Conditions and Watches"))
        self.help.clicked.connect(lambda: ConditionHelpDialog(self).open())
        self.lines = CellTable(self.tr("Breakpoint log"), self)
        self.lines.chosen.connect(self._go)
        self.lines.hide()
        self._headers = self._make_headers()
        self._nothing = self._make_nothing()
        self._grid = QGridLayout()
        self._lay_out()
        controller.breakpoints.breakpoint_requested.connect(self.fresh.setFocus)

    @property
    def rows(self) -> tuple[BreakpointRow, ...]:
        """The rows, in order of the breakpoints."""
        return tuple(self._rows.values())

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for row in self._rows.values():
                row.apply_theme()

    def _make_exception(self, name: str) -> QCheckBox:
        box = QCheckBox(self.tr(EXCEPTIONS[name]), self)
        box.setToolTip(self.tr(HINTS[name]))
        box.clicked.connect(lambda on: self._tick(name, on=on))
        return box

    def _make_headers(self) -> list[QLabel]:
        headers = []
        for words in (
            "",
            self.tr("Condition"),
            self.tr("Evaluated"),
            self.tr("From Hit"),
            self.tr("Log Instead of Stopping"),
            "",
            "",
        ):
            label = QLabel(words, self)
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            headers.append(label)
        return headers

    def _lay_out(self) -> None:
        above = QHBoxLayout()
        above.addWidget(self.fresh, 1)
        above.addSpacing(8)
        above.addWidget(QLabel(self.tr("Stop at:"), self))
        for box in self.exceptions.values():
            above.addWidget(box)
        above.addSpacing(8)
        above.addWidget(self.help)
        held = QWidget(self)
        column = QVBoxLayout(held)
        column.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 5)
        self._grid.setColumnStretch(4, 2)
        for place, label in enumerate(self._headers):
            self._grid.addWidget(label, 0, place)
        column.addLayout(self._grid)
        column.addWidget(self._nothing)
        column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(held)
        self._held = held
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(scroll)
        split.addWidget(self.lines)
        split.setStretchFactor(0, 4)
        split.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 4)
        layout.addLayout(above)
        layout.addWidget(split, 1)

    def _make_nothing(self) -> QLabel:
        label = QLabel(
            self.tr(
                "A run, forward or backward, stops where a condition holds. Enter one above, "
                "or check what to stop at."
            ),
            self,
        )
        label.setWordWrap(True)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        label.setMargin(16)
        return label

    def show_breaks(self, breaks: Breaks) -> None:
        """Show the breakpoints; a field that is being edited keeps its text."""
        ticked = {_ticked(record): record for record in breaks.breakpoints}
        for name, box in self.exceptions.items():
            box.setChecked(name in ticked)
        listed = [record for record in breaks.breakpoints if not _ticked(record)]
        if [record.id for record in listed] != list(self._rows):
            self._make_rows(listed)
        for record in listed:
            self._rows[record.id].show_record(record, is_hit=record.id == breaks.hit)
        for label in self._headers:
            label.setVisible(bool(listed))
        self._nothing.setVisible(not listed)
        self._show_lines(breaks)

    def _make_rows(self, records: list[BreakpointRecord]) -> None:
        for row in self._rows.values():
            row.delete()
        self._rows = {}
        for place, record in enumerate(records):
            row = BreakpointRow(record, self._grid, 1 + 2 * place, self._held)
            row.changed.connect(self.controller.breakpoints.set_breakpoint)
            row.removed.connect(self.controller.breakpoints.remove_breakpoint)
            self._rows[record.id] = row

    def _show_lines(self, breaks: Breaks) -> None:
        if breaks.lines == self._noted:
            return
        self._noted = breaks.lines
        self.lines.setVisible(bool(breaks.lines))
        self.lines.show_rows(
            (self.tr("Event"), self.tr("Message")),
            [
                (Cell(count_text(line.event), number=True), Cell(line.text, line.text))
                for line in breaks.lines
            ],
        )
        self.lines.stretch(1)
        self.lines.scrollToBottom()

    def _add(self, text: str) -> None:
        if text:
            self.fresh.clear()
            self.controller.breakpoints.set_breakpoint(BreakpointSpec(text))

    def _tick(self, name: str, *, on: bool) -> None:
        breaks = self.controller.breakpoints
        if on:
            breaks.set_breakpoint(BreakpointSpec(name))
            return
        for record in breaks.current.breakpoints:
            if _ticked(record) == name:
                breaks.remove_breakpoint(record.id)

    def _go(self, row: int) -> None:
        lines = self.controller.breakpoints.current.lines
        if 0 <= row < len(lines):
            self.controller.seek(lines[row].event)


def _ticked(record: BreakpointRecord) -> str:
    """Return the check box of a breakpoint; empty when it has a row of its own."""
    name = record.spec.expression
    return name if name in EXCEPTIONS and record.spec == BreakpointSpec(name) else ""


class ConditionHelpDialog(QDialog):
    """A dialog that explains the syntax of conditions and watches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Syntax of Conditions and Watches"))
        page = QTextBrowser(self)
        page.setAccessibleName(self.windowTitle())
        translate = QCoreApplication.translate
        rows = "".join(
            f"<tr><td style='padding:3px 16px 3px 2px'><code>{escape(form)}</code></td>"
            f"<td style='padding:3px 2px'>{escape(translate('Language', meaning))}</td></tr>"
            for form, meaning in CONDITION_TERMS
        )
        note = self.tr("A comparison with a missing value is false.")
        examples = "<br>".join(f"<code>{escape(text)}</code>" for text in EXAMPLES)
        headings = [f"<h4>{escape(text)}</h4>" for text in (self.tr("Examples"), self.tr("Terms"))]
        page.setHtml(
            f"{headings[0]}<p>{examples}</p>{headings[1]}<table>{rows}</table><p>{escape(note)}</p>"
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(page)
        column.addWidget(buttons)
        remove_button_icons(self)
        self.resize(720, 700)
