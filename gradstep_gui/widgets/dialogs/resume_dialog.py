"""The resume check dialog: interrupts a run at an event, and reports how it resumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.number_format import count_text, number_text
from gradstep_gui.widgets.tables.cells import Cell, Title
from gradstep_gui.widgets.tables.table import CellTable
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.history.records.what_if import ResumeCheck

__all__ = ["ResumeDialog"]

_HALF_WAY = -1
_WIDTH, _LOW, _HIGH = 720, 240, 560
"""Pixels; the dialog starts low and grows when it shows tables."""


class ResumeDialog(QDialog):
    """Asks where to interrupt the run, shows the progress of the check, and then its result.

    Args:
        event: The proposed event; None for half-way.
        describe: Returns what an event did.
        parent: The parent widget.
    """

    asked = Signal(object)
    """Start the check: the event after which the run is interrupted; None for half-way."""

    cancelled = Signal()
    """Cancel the check."""

    event_requested = Signal(int)
    """Go to an event."""

    def __init__(
        self, event: int | None, describe: Callable[[int], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Resume Check"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._describe = describe
        self._found: ResumeCheck | None = None
        self.start = QSpinBox(self)
        self.start.setRange(_HALF_WAY, max(0, 0 if event is None else event))
        self.start.setSpecialValueText(self.tr("half-way"))
        self.start.setGroupSeparatorShown(True)
        self.start.setValue(_HALF_WAY if event is None else event)
        self.start.setAccessibleName(self.tr("Interrupt after event"))
        self._what = ElidedLabel(self)
        self.check = QPushButton(self.tr("Chec&k"), self)
        self.check.setDefault(True)
        self.progress = QProgressBar(self)
        self.progress.setAccessibleName(self.tr("Progress of the check"))
        self.progress.setFormat(self.tr("%v of %m events"))
        self.cancel = QPushButton(self.tr("Ca&ncel"), self)
        self.heading = QLabel(self)
        self.sentence = QLabel(self)
        self.sentence.setAccessibleName(self.tr("Result"))
        self.resumptions = CellTable(self.tr("Resumed runs"), self)
        self.losses = CellTable(self.tr("Losses after the interruption"), self)
        self.losses.share_width()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy = self.buttons.addButton(
            self.tr("C&opy Report"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self._assemble()
        remove_button_icons(self)
        self._follow_event()
        self.stop_waiting()

    @property
    def report(self) -> str:
        """The result as text; empty before there is one."""
        if self._found is None:
            return ""
        parts = [self._found.heading, self._found.sentence]
        tables = (self.resumptions, self.losses)
        parts += [_aligned(table.texts) for table in tables if table.row_texts]
        return "\n\n".join(parts) + "\n"

    def offer_events(self, count: int) -> None:
        """Allow interrupting the run after any event but the last of `count`."""
        self.start.setMaximum(max(0, count - 1))
        self._follow_event()

    def show_progress(self, done: int, total: int) -> None:
        """Show the progress of the check, in events."""
        self.progress.setRange(0, total)
        self.progress.setValue(done)

    def wait(self) -> None:
        """Show that the check is running."""
        self.progress.setRange(0, 0)
        self._show_part(self._running, can_check=False)

    def show_result(self, found: ResumeCheck) -> None:
        """Show the result."""
        if self._found is None:
            self.resize(self.width(), max(self.height(), _HIGH))
        self._found = found
        self.heading.setText(found.heading)
        self.sentence.setText(found.sentence)
        self._fill_tables(found)
        self._show_part(self._result, can_check=True)

    def _fill_tables(self, found: ResumeCheck) -> None:
        self.resumptions.show_rows(
            (
                Title(self.tr("Resumed With"), self.tr("The part of the state that was restored")),
                Title(
                    self.tr("First Difference"),
                    self.tr("The first event with another result; double-click to go there"),
                ),
                Title(self.tr("ULPs Apart"), self.tr("Difference in units in the last place")),
            ),
            [
                (
                    Cell(found.title(run)),
                    Cell(run.place),
                    Cell("" if run.ulps is None else count_text(run.ulps), number=True),
                )
                for run in found.resumptions
            ],
        )
        self.resumptions.stretch(1)
        rows = [
            (Cell(count_text(iteration), number=True), *map(_loss_cell, losses))
            for iteration, *losses in found.rows()
        ]
        self.losses.show_rows(
            (
                Title(self.tr("Iteration"), self.tr("Iterations completed before")),
                Title(self.tr("Uninterrupted"), self.tr("The loss as recorded")),
                Title(self.tr("Fully Resumed"), self.tr("With the whole state")),
                Title(self.tr("Weights Only"), self.tr("With the parameters only")),
            ),
            rows,
        )
        self.losses.setVisible(bool(rows))

    def stop_waiting(self) -> None:
        """Show the last result, if there is one, and allow another check."""
        self._show_part(self._intro if self._found is None else self._result, can_check=True)

    def done(self, result: int) -> None:
        """Cancel a running check, and close."""
        if self._parts.currentWidget() is self._running:
            self.cancelled.emit()
        super().done(result)

    def _show_part(self, part: QWidget, *, can_check: bool) -> None:
        self._parts.setCurrentWidget(part)
        self.start.setEnabled(can_check)
        self.check.setEnabled(can_check)
        self.copy.setEnabled(part is self._result)

    def _follow_event(self) -> None:
        event = self.start.value()
        words = self.tr("the iteration half-way through the run")
        self._what.setText(words if event == _HALF_WAY else self._describe(event))

    def _ask(self) -> None:
        event = self.start.value()
        self.wait()
        self.asked.emit(None if event == _HALF_WAY else event)

    def _go(self, row: int) -> None:
        event = self._found.resumptions[row].first_event if self._found is not None else None
        if event is not None:
            self.event_requested.emit(event)

    def _assemble(self) -> None:
        label = QLabel(self.tr("&Interrupt after event:"), self)
        label.setBuddy(self.start)
        line = QHBoxLayout()
        line.setSpacing(10)
        for widget in (label, self.start):
            line.addWidget(widget)
        line.addWidget(self._what, 1)
        line.addWidget(self.check)
        self._parts = QStackedWidget(self)
        self._intro = self._make_intro()
        self._running = self._make_running()
        self._result = self._make_result()
        for part in (self._intro, self._running, self._result):
            self._parts.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(14)
        column.addLayout(line)
        column.addWidget(self._parts, 1)
        column.addWidget(self.buttons)
        self.resize(_WIDTH, _LOW)
        self.start.valueChanged.connect(self._follow_event)
        self.check.clicked.connect(self._ask)
        self.cancel.clicked.connect(self.cancelled)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.report))
        self.resumptions.opened.connect(self._go)
        self.buttons.rejected.connect(self.reject)

    def _make_intro(self) -> QWidget:
        label = QLabel(
            self.tr(
                "Can this run be interrupted and resumed from a checkpoint?\n\n"
                "The events after the interruption are replayed in new programs: one restores "
                "the whole state, others omit one part each (optimizer state, scheduler "
                "state, generator, data order), and one restores the weights only. Each result "
                "is compared with the recorded run, bit for bit. The open program does not change."
            ),
            self,
        )
        label.setWordWrap(True)
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        return label

    def _make_running(self) -> QWidget:
        part = QWidget(self)
        line = QHBoxLayout()
        line.addWidget(self.progress, 1)
        line.addWidget(self.cancel)
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(line)
        column.addStretch(1)
        return part

    def _make_result(self) -> QWidget:
        part = QWidget(self)
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        self.heading.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.sentence.setFont(emphasis_font(self.sentence.font()))
        for label in (self.heading, self.sentence):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            column.addWidget(label)
        column.addWidget(self.resumptions, 2)
        column.addWidget(self.losses, 3)
        return part


def _loss_cell(loss: float) -> Cell:
    text = number_text(None if loss != loss else loss)  # noqa: PLR0124 - NaN means no value
    return Cell(text, number=True)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text with aligned columns.

    Example:
        >>> print(_aligned([("a", "loss"), ("weights", "1.5")]))
        a        loss
        weights   1.5
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if place else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
