"""The program dock: the script with an arrow at the next line, or a user's own files."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradstep.history.records.breakpoints import BreakpointSpec
from gradstep.program.operation import Skip, line_name, loop_key
from gradstep_gui.theme import kind_of
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.program.inline_values import inline_values, value_line
from gradstep_gui.views.program.loop_editor import LoopEditor, LoopModel
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.text.code_view import CodeView, LineRange

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.listing import LineSpan, Listing
    from gradstep.program.operation import Operation

__all__ = ["ProgramModel", "ProgramView", "coming_span", "done_span"]


class ProgramModel(LoopModel, Protocol):
    """The controller, as the program dock sees it."""

    @property
    def listing_changed(self) -> SignalInstance:
        """Emitted with the `Listing` of a program that was opened."""

    @property
    def loop_edited(self) -> SignalInstance:
        """Emitted with the `Listing` of the program when its loop has other lines."""

    def apply_next(self) -> None:
        """Apply the next Operation of the loop."""

    @property
    def document_changed(self) -> SignalInstance:
        """Emitted with the `Document` that is open, also when its script has ended."""

    def run_to(self, line: str) -> None:
        """Run a script until it comes to a line, such as "train.py:13"."""


class ProgramView(DockView):
    """The program as a script, or a user's own files.

    An arrow marks the next line, and a band the lines that just ran, or at its end the line whose
    error ended the script. Clicking the arrow runs the next line. After each line stands what it
    was the last to write, or that error. The lines of a program's loop
    can be edited, and have breakpoints as those of a user's own files.

    Args:
        controller: The controller.
    """

    def __init__(self, controller: ProgramModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "program", parent)
        self._controller = controller
        self._listing: Listing | None = None
        self._written_out: dict[str, None] = {}
        self.code = CodeView(self)
        self.code.coming_pressed.connect(self._apply_next)
        self.code.stop_toggled.connect(self._toggle_stop)
        self.code.run_to_requested.connect(self._run_to)
        self.editor = LoopEditor(controller, self.code)
        controller.breakpoints.changed.connect(self._show_stops)
        self.copy = self._button(self.tr("Copy"), self.tr("Copy the whole script"))
        self.copy.clicked.connect(self._copy)
        # Not a tool button: Fusion draws the arrow of its menu below the text, hardly visible.
        self.insert = QPushButton(self.tr("Insert"), self, flat=True)
        self.insert.setToolTip(self.tr("Insert a line into the loop"))
        self.insert.setAccessibleName(self.insert.toolTip())
        self.insert.setMenu(self.editor.insert_menu)
        self.title = QLabel(self)
        self.title.setFont(emphasis_font(self.font()))
        self.files = QComboBox(self)
        for part in (self.files, self.files.view()):
            part.setAccessibleName(self.tr("File of the script"))
        self.files.currentTextChanged.connect(self._show_file)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 2, 4, 2)
        bar.addWidget(self.title)
        bar.addWidget(self.files)
        bar.addStretch(1)
        bar.addWidget(self.insert)
        bar.addWidget(self.copy)
        below = QWidget(self)
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.code, 1)
        self.place = Placeholder(below, self.tr("Open a program to see its script here."), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        controller.listing_changed.connect(self._show_listing)
        controller.loop_edited.connect(self._show_loop)
        controller.document_changed.connect(self._show_end)
        self._show_listing()

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Mark the next line and the lines that just ran."""
        if self._listing is None:
            return
        following = coming_span(self._listing, snapshot) or done_span(self._listing, snapshot)
        file = "" if following is None else following.file
        failed = self._failed_line(snapshot)
        if failed is not None:
            file = failed[0]
        if file and self._listing.files:
            self.files.setCurrentText(file)
        self.editor.show_moment(snapshot)
        self._mark(self._listing, snapshot)

    def _mark(self, listing: Listing, snapshot: Snapshot) -> None:
        """Mark what of the next line and of those that just ran is in the file that is shown."""
        event, here = snapshot.event, self.files.currentText()
        failed = self._failed_line(snapshot)
        done = _lines(done_span(listing, snapshot), here)
        if failed is not None:
            file, line, _ = failed
            done = LineRange(line, line) if file == here else None
        self.code.mark(
            coming=_lines(coming_span(listing, snapshot), here),
            done=done,
            kind="" if event is None else kind_of(event.operation),
            failed=failed is not None or (event is not None and not event.outcome.ok),
        )
        events = self._controller.events_before(snapshot.event_index)
        values = inline_values(listing, snapshot, events)
        # All of this listing's, as fetching others for each moment is a second picture of it.
        self._written_out = dict.fromkeys([*self._written_out, *values.wanted])
        self.want(tuple(self._written_out))
        spans = ((listing.spans[index], text) for index, text in values.texts.items())
        texts = {value_line(listing, span): text for span, text in spans if span.file == here}
        if failed is not None and failed[0] == here:
            texts[failed[1]] = failed[2]
        self.code.show_values(texts)

    def _failed_line(self, snapshot: Snapshot) -> tuple[str, int, str] | None:
        """Return the file, the line and the error that ended the script, if this is its end."""
        document, listing = self._controller.document, self._listing
        recording = None if document is None else document.recording
        if recording is None or recording.is_running or listing is None:
            return None
        if snapshot.event_index < snapshot.event_count:
            return None
        error, place = recording.error_and_line
        file, _, line = place.rpartition(":")
        return (file, int(line), error) if file in listing.files else None

    @Slot()
    def _show_end(self) -> None:
        """Mark the line whose error has ended the script, when that becomes known."""
        snapshot = self._controller.snapshot
        if snapshot is not None and self._failed_line(snapshot) is not None:
            self.render(snapshot)

    @Slot()
    def _show_listing(self) -> None:
        listing = self._controller.listing
        if listing is None:
            return
        self._listing = listing
        self._written_out = {}
        with QSignalBlocker(self.files):
            self.files.clear()
            self.files.addItems(list(listing.files))
        self.files.setVisible(len(listing.files) > 1)
        self.title.setText(self._heading(listing))
        self.place.show_content()
        self._show_file()
        snapshot = self._controller.snapshot
        if snapshot is not None:
            self.render(snapshot)

    @Slot()
    def _show_loop(self) -> None:
        """Show the script with the lines that the loop has at this moment."""
        self._listing = self._controller.listing
        scrolled = self.code.verticalScrollBar().value()
        self._show_file()
        self.code.verticalScrollBar().setValue(scrolled)

    def show_line(self, file: str, line: int) -> bool:
        """Show a line of one of the script's own files; return whether it is one.

        Args:
            file: The path of the file.
            line: The line, from 1.
        """
        name = PurePath(file).name
        if self.files.findText(name) < 0:
            return False
        self.files.setCurrentText(name)
        self.code.select_line(line)
        return True

    def _heading(self, listing: Listing) -> str:
        """Return what stands above the code; of several files, the box beside it has the name."""
        if not listing.files:
            return self.tr("PyTorch Script")
        return next(iter(listing.files)) if len(listing.files) == 1 else self.tr("Script")

    @Slot()
    def _show_file(self) -> None:
        """Show the chosen file of a script, or the script of a program."""
        listing = self._listing
        if listing is None:
            return
        here = self.files.currentText()
        kinds = {
            span.first: kind_of(span.operation)
            for span in listing.spans
            if listing.files and span.file == here
        }
        self.code.show_code(listing.files.get(here, listing.code).rstrip("\n"), kinds)
        places = [each for each in listing.spans if not listing.files or each.file == here]
        if places:
            first, last = min(each.first for each in places), max(each.last for each in places)
            self.code.keep_in_sight(LineRange(first, last))
        self.insert.setVisible(not listing.files)
        self.editor.show_listing(listing)
        self._show_stops()
        if self._controller.snapshot is not None:
            self._mark(listing, self._controller.snapshot)

    @Slot()
    def _show_stops(self) -> None:
        """Show which lines have a breakpoint: of a script's file, or of a program's loop."""
        listing, here = self._listing, self.files.currentText()
        if listing is None or not (listing.files or listing.spans):
            self.code.show_stops(None)
            return
        places = {span.first: line_name(span.operation) for span in listing.spans}
        stops: dict[int, bool] = {}
        for record in self._controller.breakpoints.current.breakpoints:
            line, is_on = record.spec.line, record.spec.enabled
            file, _, number = line.rpartition(":")
            if listing.files:
                numbers = [int(number)] if file == here and number.isdecimal() else []
            else:
                numbers = [first for first, name in places.items() if name == line]
            stops |= {number: is_on or stops.get(number, False) for number in numbers}
        self.code.show_stops(stops, None if listing.files else places)

    def _line(self, number: int) -> str:
        """Return the name of a line, as breakpoints know it."""
        listing = self._listing
        if listing is None or listing.files:
            return f"{self.files.currentText()}:{number}"
        found = (span for span in listing.spans if span.first == number)
        return next((line_name(span.operation) for span in found), "")

    @Slot(int)
    def _toggle_stop(self, number: int) -> None:
        """Set a breakpoint at a line; remove those that are there."""
        line, breakpoints = self._line(number), self._controller.breakpoints
        found = [item.id for item in breakpoints.current.breakpoints if item.spec.line == line]
        for known in found:
            breakpoints.remove_breakpoint(known)
        if not found:
            breakpoints.set_breakpoint(BreakpointSpec.at_line(line))

    @Slot(int)
    def _run_to(self, number: int) -> None:
        if self._controller.state.work == "paused":
            self._controller.run_to(self._line(number))

    @Slot()
    def _apply_next(self) -> None:
        if self._controller.state.work != "running":
            self._controller.apply_next()

    @Slot()
    def _copy(self) -> None:
        if self._listing is not None:
            listing = self._listing
            code = listing.files.get(self.files.currentText(), listing.code)
            QGuiApplication.clipboard().setText(code)


def _lines(span: LineSpan | None, file: str) -> LineRange | None:
    """Return the lines of a span, if it is one of this file."""
    return None if span is None or span.file != file else LineRange(span.first, span.last)


def _span_of(listing: Listing, operation: Operation) -> LineSpan | None:
    """Return the line of a person's own script that does an Operation."""
    return next((span for span in listing.spans if span.operation == operation), None)


def coming_span(listing: Listing, snapshot: Snapshot) -> LineSpan | None:
    """Return the lines of the upcoming Operation in the script; None when it is not there.

    If it is there more than once, the first one from the loop's next line on.
    """
    upcoming, count = snapshot.upcoming, len(listing.spans)
    if upcoming is not None and upcoming.at:
        return _span_of(listing, upcoming)
    place = snapshot.next_line
    if place is None or place >= count:
        return None
    if upcoming is None:
        return listing.spans[place]
    alike = _alike(listing, upcoming)
    nearest = min(alike, key=lambda line: (line - place) % count, default=None)
    return None if nearest is None else listing.spans[nearest]


def done_span(listing: Listing, snapshot: Snapshot) -> LineSpan | None:
    """Return the lines of the last Operation in the script; None when it is not there.

    If it is there more than once, the last one before the next Operation.
    """
    event, count = snapshot.event, len(listing.spans)
    if event is not None and event.operation.at:
        return _span_of(listing, event.operation)
    if event is None or snapshot.next_line is None or isinstance(event.operation, Skip):
        return None
    before = snapshot.next_line - 1
    alike = _alike(listing, event.operation)
    nearest = min(alike, key=lambda place: (before - place) % count, default=None)
    return None if nearest is None else listing.spans[nearest]


def _alike(listing: Listing, operation: Operation) -> list[int]:
    """Return the places of the lines that do an Operation."""
    key = loop_key(operation)
    return [place for place, span in enumerate(listing.spans) if loop_key(span.operation) == key]
