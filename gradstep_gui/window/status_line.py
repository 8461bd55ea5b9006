"""StatusLine: the status bar, which shows the current moment and the running task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStatusBar, QToolButton, QWidget

from gradstep_gui.actions.obstacles import at_the_end
from gradstep_gui.resources import icon
from gradstep_gui.theme import theme_of
from gradstep_gui.views.labels import operation_text, operation_title
from gradstep_gui.widgets.fonts import scaled
from gradstep_gui.widgets.number_format import count_text, counted_text, number_text
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QPaintEvent

    from gradstep.history.records.breakpoints import Breaks
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.lesson import LessonRecord
    from gradstep.history.records.snapshot import BatchRecord, Snapshot
    from gradstep.program.operation import Operation
    from gradstep_gui.records import Document, Recording, State, Work

__all__ = ["StatusLine"]

_ICON = 16
"""The side of an icon in pixels, at the size of text that the desktop prefers."""


class StatusLine(QStatusBar):
    """Shows work, Event, iteration, loss, batch, next Operation, and the number of findings.

    Args:
        cancel_save: Cancels a save; it has a button while one is under way.
        stop_recording: Ends the recording of a script, likewise.
        parent: The window.
    """

    findings_requested = Signal()
    """The user wants to see the findings."""

    def __init__(
        self, cancel_save: QAction, stop_recording: QAction, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._found: tuple[Finding, ...] = ()
        self._lesson: LessonRecord | None = None
        self._counted: tuple[int, int, int, int] = (0, 0, 0, 0)
        self.setSizeGripEnabled(False)
        self._lamp = _Lamp(self)
        self._work: Work = "empty"
        self._is_at_end = False
        self._fields: dict[str, QLabel] = {}
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(18)
        row.addWidget(self._lamp)
        for name, meaning in (
            ("work", self.tr("Status")),
            ("stop", self.tr("Why the run stopped")),
            ("event", self.tr("Present event")),
            ("iteration", self.tr("Complete iterations")),
            ("loss", self.tr("Loss of the latest Forward")),
            ("batch", self.tr("Batch of the latest Forward")),
            ("next", self.tr("What Over (F10) does next")),
        ):
            label = QLabel(holder)
            label.setObjectName(f"status.{name}")
            label.setToolTip(meaning)
            label.setAccessibleName(meaning)
            label.setVisible(False)
            self._fields[name] = label
            row.addWidget(label)
        self._recording = ElidedLabel(holder)
        self._recording.setObjectName("status.recording")
        self._recording.setAccessibleName(self.tr("Recorded script"))
        row.addWidget(self._recording, 1)
        holder.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(holder, 1)
        self._saving = QLabel(self)
        self._saving.setObjectName("status.saving")
        self._cancel = QToolButton(self)
        self._cancel.setDefaultAction(cancel_save)
        self._progress = QLabel(self)
        self._progress.setObjectName("status.recording_progress")
        self._stop = QToolButton(self)
        self._stop.setDefaultAction(stop_recording)
        for widget in (self._saving, self._cancel, self._progress, self._stop):
            widget.setVisible(False)
            self.addPermanentWidget(widget)
        self._findings = QToolButton(self, autoRaise=True)
        self._findings.setObjectName("status.findings")
        self._findings.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._findings.setToolTip(self.tr("Show the findings in this loop"))
        self._findings.clicked.connect(self.findings_requested)
        self._findings.setVisible(False)
        self.addPermanentWidget(self._findings)
        self.show_state_of("empty")

    def text(self, field: str) -> str:
        """Return the text of a field: "work", "event", "iteration", "loss", "batch" or "next"."""
        return self._fields[field].text()

    @property
    def recording_text(self) -> str:
        """Of which script this is a recording; empty for a program."""
        return self._recording.text()

    def show_document(self, document: Document) -> None:
        """Show of which script what is open is a recording, and whether that ended well."""
        recording = document.recording
        words = "" if recording is None else self._recording_words(recording)
        if words != self._recording.text():
            self._recording.setText(words)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment of the run."""
        index, count = snapshot.event_index, snapshot.event_count
        event = self.tr("Event {index} of {count}").format(
            index=count_text(index), count=count_text(count)
        )
        if snapshot.inside is not None:
            event = self.tr("Inside {name}, micro-step {number}").format(
                name=operation_title(snapshot.inside),
                number=count_text(snapshot.micro_step_number),
            )
        iteration = self.tr("Iteration {number}").format(number=count_text(snapshot.iteration))
        loss = self.tr("None") if snapshot.loss is None else number_text(snapshot.loss)
        self._set("event", event)
        self._set("iteration", iteration)
        self._set("loss", self.tr("Loss {value}").format(value=loss))
        self._set("batch", self._batch(snapshot))
        self._found = snapshot.findings
        self._count()

    def show_lesson(self, lesson: LessonRecord | None) -> None:
        """Count apart what the lesson itself has led to: it is no mistake of the learner."""
        self._lesson = lesson
        self._count()

    def show_next(self, operation: Operation | None) -> None:
        """Show what goes on next."""
        words = self.tr("Next: {name}")
        self._set("next", "" if operation is None else words.format(name=operation_text(operation)))

    @property
    def findings_text(self) -> str:
        """The number of findings in words; empty when there is none."""
        return self._findings.text()

    def changeEvent(self, event: QEvent) -> None:
        """Adopt the colours of another theme, and the size of another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._write_findings()
        elif event.type() == QEvent.Type.FontChange:
            side = scaled(_ICON, self.font())
            self._findings.setIconSize(QSize(side, side))

    def show_state(self, state: State) -> None:
        """Show the running task, and whether a file is being saved."""
        self._is_at_end = bool(at_the_end(state))
        self.show_state_of(state.work)
        if state.saving and self._saving.isHidden():
            self._saving.setText(self.tr("Saving…"))
        for widget in (self._saving, self._cancel):
            widget.setVisible(state.saving)
        if state.recording and self._progress.isHidden():
            self._progress.setText(self.tr("Recording…"))
        for widget in (self._progress, self._stop):
            widget.setVisible(state.recording)

    def show_breaks(self, breaks: Breaks) -> None:
        """Show why a run stopped, while its moment is the present one."""
        is_stop = breaks.kind in {"breakpoint", "condition_error", "script_pause", "start", "end"}
        self._set("stop", self.tr("■ {why}").format(why=breaks.sentence) if is_stop else "")

    def show_state_of(self, work: Work) -> None:
        """Show one kind of work."""
        self._work = work
        self._write_work()
        self._lamp.show_work(work)

    def show_progress(self, done: int, total: int) -> None:
        """Show the progress of a replay, or of a session that is being opened."""
        if self._work == "loading":
            share = 100 * done // max(1, total)
            self._set("work", self.tr("Opening {share} %").format(share=share))
            return
        words = self.tr("Replaying {done} of {total}")
        self._set("work", words.format(done=count_text(done), total=count_text(total)))

    def show_save_progress(self, done: int, total: int) -> None:
        """Show how much of a session is written."""
        share = 100 * done // max(1, total)
        self._saving.setText(self.tr("Saving {share} %").format(share=share))

    def show_recording_progress(self, events: int) -> None:
        """Show how many Events of a script are recorded."""
        words = self.tr("Recording: {0} event"), self.tr("Recording: {0} events")
        self._progress.setText(counted_text(events, *words))

    def _write_work(self) -> None:
        words = {
            "empty": self.tr("No program"),
            "paused": self.tr("At the end") if self._is_at_end else self.tr("Paused"),
            "running": self.tr("Running"),
            "replaying": self.tr("Replaying…"),
            "comparing": self.tr("Comparing…"),
            "loading": self.tr("Opening…"),
        }
        self._set("work", words[self._work])

    def _recording_words(self, recording: Recording) -> str:
        words = self.tr("Recording of {0}")
        if recording.is_running:
            words = self.tr("Debugging {0}")
        name = words.format(recording.script)
        if recording.backend:
            name = self.tr("{0}, {1}").format(name, recording.backend)
        if recording.lost:
            return self.tr("{0}: {1}").format(name, recording.lost)
        if recording.error:
            ended = self.tr("{0}: the script ended with status {1}: {2}")
            return ended.format(name, recording.status, recording.error)
        if recording.status:
            return self.tr("{0}: the script ended with status {1}").format(name, recording.status)
        return name

    def _count(self) -> None:
        lesson = self._lesson
        own = [found for found in self._found if lesson is None or not lesson.shows(found)]
        severities = [finding.severity for finding in own]
        facts, questions = severities.count("fact"), severities.count("question")
        shown = sum(found.severity == "fact" for found in self._found) - facts
        counted = facts, questions, severities.count("suspicion"), shown
        if counted != self._counted:
            self._counted = counted
            self._write_findings()

    def _write_findings(self) -> None:
        facts, questions, suspicions, shown = self._counted
        theme = theme_of(self.palette())
        words = []
        if facts:
            one, several = self.tr("{0} mistake found"), self.tr("{0} mistakes found")
            words.append(counted_text(facts, one, several))
        if questions:
            one, several = self.tr("{0} question"), self.tr("{0} questions")
            words.append(counted_text(questions, one, several))
        if suspicions:
            one, several = self.tr("{0} suspicion"), self.tr("{0} suspicions")
            words.append(counted_text(suspicions, one, several))
        is_quiet = not words
        if shown:
            one = self.tr("{0} mistake shown by the lesson")
            several = self.tr("{0} mistakes shown by the lesson")
            words.append(counted_text(shown, one, several))
        color = theme.error if facts else theme.accent if is_quiet else theme.warning
        self._findings.setIcon(icon("learn" if is_quiet else "warning", color, theme.border))
        self._findings.setText(", ".join(words))
        self._findings.setVisible(bool(words))

    def _batch(self, snapshot: Snapshot) -> str:
        record: BatchRecord | None = snapshot.batches.get(snapshot.last_loss)
        if record is None:
            return ""
        return self.tr("Epoch {epoch}, batch {number} of {count}").format(
            epoch=count_text(record.epoch),
            number=count_text(record.number),
            count=count_text(record.count),
        )

    def _set(self, field: str, text: str) -> None:
        label = self._fields[field]
        if label.text() != text:
            label.setText(text)
            label.setVisible(bool(text))


class _Lamp(QWidget):
    """A round light that shows the status in colour, as the text beside it does in words."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._work: Work = "empty"
        self.setFixedSize(12, 12)

    def show_work(self, work: Work) -> None:
        self._work = work
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self.palette())
        color = {
            "empty": theme.border,
            "paused": theme.kinds["edit"].strong,
            "running": theme.kinds["step"].strong,
        }.get(self._work, theme.accent)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawEllipse(self.rect().adjusted(1, 1, -1, -1))
