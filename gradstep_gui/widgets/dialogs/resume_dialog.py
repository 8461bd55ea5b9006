"""ResumeDialog: breaks a run off at an event, and reports how it goes on from a checkpoint."""

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
from gradstep_gui.widgets.tables.plain_table import PlainTable
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.history.records.what_if import ResumeCheck

__all__ = ["ResumeDialog"]

_HALF_WAY = -1
_WIDTH, _LOW, _HIGH = 720, 240, 560
"""Pixels: low while there are words alone."""


class ResumeDialog(QDialog):
    """Asks where to break off, shows how far the check has got, and then what it has found.

    Args:
        event: The event that is proposed; None for the one half-way.
        describe: Says what an event did.
        parent: Its owner.
    """

    asked = Signal(object)
    """The check is wanted: the event after which the run is broken off; None for half-way."""

    cancelled = Signal()
    """The check is wanted no more."""

    event_wanted = Signal(int)
    """The person wants to see an event."""

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
        self.start.setAccessibleName(self.tr("After which event to break off"))
        self._what = ElidedLabel(self)
        self.check = QPushButton(self.tr("Chec&k"), self)
        self.check.setDefault(True)
        self.progress = QProgressBar(self)
        self.progress.setAccessibleName(self.tr("How far the check has got"))
        self.progress.setFormat(self.tr("%v of %m events"))
        self.cancel = QPushButton(self.tr("Ca&ncel"), self)
        self.heading = QLabel(self)
        self.sentence = QLabel(self)
        self.sentence.setAccessibleName(self.tr("What was found"))
        self.resumptions = PlainTable(
            self.tr("How each resumption went on"),
            (
                (self.tr("Resumed with"), self.tr("What of the state the fresh program took")),
                (
                    self.tr("First difference"),
                    self.tr("The first event that gave something else; double-click to go there"),
                ),
                (self.tr("Units apart"), self.tr("How many units in the last place lie between")),
            ),
            self,
        )
        self.losses = PlainTable(
            self.tr("The losses after the break"),
            (
                (self.tr("Iteration"), self.tr("How many iterations were complete before it")),
                (self.tr("Loss without a break"), self.tr("As it was recorded")),
                (self.tr("Fully resumed"), self.tr("With every part of the state")),
                (self.tr("Weights alone"), self.tr("With nothing but the parameters")),
            ),
            self,
            evenly=True,
        )
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy = self.buttons.addButton(
            self.tr("C&opy Report"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self._assemble()
        remove_button_icons(self)
        self._follow_event()
        self.rest()

    @property
    def report(self) -> str:
        """What was found, as text; empty before anything was."""
        if self._found is None:
            return ""
        parts = [self._found.heading, self._found.sentence]
        parts += [_aligned(table.texts) for table in (self.resumptions, self.losses) if table.rows]
        return "\n\n".join(parts) + "\n"

    def offer_events(self, count: int) -> None:
        """Let the run be broken off before the last of so many events."""
        self.start.setMaximum(max(0, count - 1))
        self._follow_event()

    def show_progress(self, done: int, total: int) -> None:
        """Show how far the check has got."""
        self.progress.setRange(0, total)
        self.progress.setValue(done)

    def wait(self) -> None:
        """Show that the check goes on."""
        self.progress.setRange(0, 0)
        self._show_part(self._running, can_check=False)

    def show_result(self, found: ResumeCheck) -> None:
        """Show what the check has found."""
        if self._found is None:
            self.resize(self.width(), max(self.height(), _HIGH))
        self._found = found
        self.heading.setText(found.heading)
        self.sentence.setText(found.sentence)
        self.resumptions.set_rows(
            [
                (found.title(run), run.place, "" if run.ulps is None else count_text(run.ulps))
                for run in found.resumptions
            ]
        )
        self.losses.set_rows(
            [
                (count_text(iteration), *(number_text(None if x != x else x) for x in losses))  # noqa: PLR0124 - NaN is no value
                for iteration, *losses in found.rows()
            ]
        )
        self.losses.setVisible(bool(self.losses.rows))
        self._show_part(self._result, can_check=True)

    def rest(self) -> None:
        """Show what was found, if anything was, and let another check begin."""
        self._show_part(self._intro if self._found is None else self._result, can_check=True)

    def done(self, result: int) -> None:
        """Want the check no more, and close."""
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
        words = self.tr("the end of the iteration in the middle")
        self._what.setText(words if event == _HALF_WAY else self._describe(event))

    def _ask(self) -> None:
        event = self.start.value()
        self.wait()
        self.asked.emit(None if event == _HALF_WAY else event)

    def _go(self, row: int) -> None:
        event = self._found.resumptions[row].first_event if self._found is not None else None
        if event is not None:
            self.event_wanted.emit(event)

    def _assemble(self) -> None:
        label = QLabel(self.tr("&Break off after event"), self)
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
                "Could this run have been broken off and resumed from a checkpoint?\n\n"
                "The events after the break are done again by fresh programs: one that takes the "
                "whole state, one without each part of it (optimizer state, scheduler state, "
                "generator, data order), and one with the weights alone. What each gives is "
                "compared with what is recorded, bit for bit. Nothing on show changes."
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


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of texts with their columns below one another.

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
