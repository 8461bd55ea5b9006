"""The lesson dock: the steps with check marks, the current one as a card, what was revealed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.labels import KIND_TITLES, kind_title
from gradstep_gui.views.lesson.step_card import Card, StepCard, StepLine
from gradstep_gui.views.model import ViewModel
from gradstep_gui.widgets.accessibility import announce
from gradstep_gui.widgets.button_rows import ButtonRows
from gradstep_gui.widgets.filled_button import FilledButton
from gradstep_gui.widgets.fonts import emphasis_font, small_font
from gradstep_gui.widgets.placeholder import Placeholder
from gradstep_gui.widgets.text.fitted_text import FittedText
from gradstep_gui.widgets.text.lesson_view import LessonView
from gradstep_gui.widgets.text.long_text import WrappedLabel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import SignalInstance
    from PySide6.QtGui import QShowEvent

    from gradstep.history.records.lesson import LessonRecord, StepRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.program.listing import Listing

__all__ = ["LessonModel", "LessonStepsView", "Lessons"]


class Lessons(Protocol):
    """The lesson, and what a learner does with it."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted with the `LessonRecord`, or None."""

    @property
    def record(self) -> LessonRecord | None:
        """The lesson as it is now; None without one."""

    def answer(self, text: str) -> None:
        """Answer the question of the current step."""

    def skip_question(self) -> None:
        """See what happens without an answer."""

    def proceed(self) -> None:
        """Go on from a step that is only to be read."""

    def undo(self) -> None:
        """Undo what the current step did not ask for."""

    def do_next(self) -> None:
        """Do what the current step asks for next."""

    def restart(self) -> None:
        """Begin the lesson anew."""


class LessonModel(ViewModel, Protocol):
    """The controller, as the lesson dock sees it."""

    @property
    def listing_changed(self) -> SignalInstance:
        """Emitted with the `Listing` of a program that was opened."""

    @property
    def listing(self) -> Listing | None:
        """The program as text; None when nothing is open."""

    @property
    def lessons(self) -> Lessons:
        """The lesson."""


class LessonStepsView(DockView):
    """The steps of the lesson; of a program without one, what its document says about itself.

    Args:
        controller: The controller.
    """

    next_requested = Signal()
    """The next lesson should be opened."""

    page_requested = Signal()
    """All lessons should be shown."""

    def __init__(self, controller: LessonModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "lesson", parent)
        self._controller = controller
        self._kinds = {kind_title(kind): kind for kind in KIND_TITLES}
        self._shown: LessonRecord | None = None
        self._draft = ("", 0, "")
        self._lines: dict[int, tuple[StepRecord, bool, StepLine]] = {}
        self.card: StepCard | None = None
        self.next_button: FilledButton | None = None
        # The window in which a lesson opens is still being arranged: its parts hand on the focus.
        self._focusing = QTimer(self, singleShot=True, interval=0)
        self._focusing.timeout.connect(self._take_focus)
        self._waits_for_focus = False
        self.next_title = ""
        self.title = WrappedLabel("", self)
        self.title.setFont(emphasis_font(self.font()))
        self.count = QLabel(self)
        self.count.setFont(small_font(self.font()))
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(self.tr("Steps done"))
        self.restart = QPushButton(self.tr("&Restart"), self)
        self.restart.setToolTip(self.tr("Begin this lesson anew"))
        self.restart.clicked.connect(controller.lessons.restart)
        self.all = QPushButton(self.tr("A&ll Lessons"), self)
        self.all.clicked.connect(self.page_requested)
        self.next = QPushButton(self.tr("Ne&xt Lesson"), self)
        self.next.clicked.connect(self.next_requested)
        self.steps = _Steps(self)
        self.text = LessonView(self._kinds, self)
        self.place = Placeholder(self._assemble(), self.tr("Open a lesson to see it here."), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        controller.lessons.changed.connect(self._show)
        controller.listing_changed.connect(self._show)
        self._show()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show nothing of a Snapshot: the lesson has news of its own."""

    def showEvent(self, event: QShowEvent) -> None:
        """Take the keyboard for a lesson that was opened before there was room for it."""
        super().showEvent(event)
        if self._waits_for_focus:
            self._focusing.start()

    @Slot()
    def _take_focus(self) -> None:
        self._waits_for_focus = self.card is not None and not self.card.isVisible()
        if self.card is not None and self.card.isVisible():
            self.card.take_focus()

    def name_next(self, title: str) -> None:
        """Name the lesson that follows; empty for none.

        Args:
            title: Its title.
        """
        self.next_title = title
        self.next.setEnabled(bool(title))
        self.next.setToolTip(title)

    def _assemble(self) -> QWidget:
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.count)
        self._lesson = QWidget(self)
        column = QVBoxLayout(self._lesson)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addWidget(self.steps, 1)
        column.addWidget(ButtonRows([self.restart, self.all, self.next], self._lesson))
        content = QWidget(self)
        both = QVBoxLayout(content)
        both.setContentsMargins(0, 0, 0, 0)
        both.addWidget(self._lesson)
        both.addWidget(self.text)
        return content

    @Slot()
    def _show(self) -> None:
        record, listing = self._controller.lessons.record, self._controller.listing
        if listing is None:
            return
        if record is None and (listing.files or not listing.description.strip()):
            self._shown = self.card = self.next_button = None
            self.place.show_sentence(self.tr("Open a lesson to see it here."))
            return
        self.place.show_content()
        self._lesson.setVisible(record is not None)
        self.text.setVisible(record is None)
        if record is None:
            self._shown = self.card = self.next_button = None
            self._lines.clear()
            self.steps.show_parts([])
            self.text.show_lesson(_with_title(listing))
        elif record != self._shown:
            self._show_record(record)

    def _show_record(self, record: LessonRecord) -> None:
        before, self._shown = self._shown, record
        if before is None or before.id != record.id:
            self._lines.clear()
        had_focus = self.isAncestorOf(self.focusWidget() or self.window().focusWidget() or self)
        is_new = before is None or before.id != record.id
        self.title.setText(record.title)
        self.count.setText(
            self.tr("{done} of {all}").format(done=record.current, all=len(record.steps))
        )
        self.bar.setRange(0, len(record.steps))
        self.bar.setValue(record.current)
        current = self._end_card(record) if record.is_finished else self._step_card(record)
        self._lines.pop(record.current, None)  # it goes, and would be another one later
        parts: list[QWidget] = [
            current if place == record.current else self._line(place, record)
            for place in range(len(record.steps))
        ]
        self.steps.show_parts(parts if not record.is_finished else [*parts, current])
        self.steps.show_part(current)
        if self.card is not None and (had_focus or is_new):
            self.card.take_focus()
        elif self.next_button is not None and had_focus:
            self.next_button.setFocus(Qt.FocusReason.OtherFocusReason)
        if is_new:
            self._focusing.start()
        if record.step is not None and (before is None or before.current != record.current):
            announce(self, f"{record.step.title}. {record.step.text}")

    def _line(self, place: int, record: LessonRecord) -> StepLine:
        """Return the line of a step, the one that is shown if nothing of it has changed."""
        step, is_open = record.steps[place], place == record.current - 1
        known = self._lines.get(place)
        if known is None or known[:2] != (step, is_open):
            line = StepLine(step, self._kinds, is_open=is_open, parent=self.steps)
            known = self._lines[place] = (step, is_open, line)
        return known[2]

    def _step_card(self, record: LessonRecord) -> QWidget:
        step = record.steps[record.current]
        lesson, number, text = self._draft
        draft = text if (lesson, number) == (record.id, step.number) else ""
        self.next_button = None
        card = self.card = StepCard(step, record.problem, self._kinds, draft, self.steps)
        lessons = self._controller.lessons
        card.answered.connect(lessons.answer)
        card.skipped.connect(lessons.skip_question)
        card.proceeded.connect(lessons.proceed)
        card.undone.connect(lessons.undo)
        card.pressed.connect(lessons.do_next)
        card.drafted.connect(lambda typed: self._keep(record.id, step.number, typed))
        return card

    def _keep(self, lesson: str, step: int, typed: str) -> None:
        self._draft = (lesson, step, typed)

    def _end_card(self, record: LessonRecord) -> QWidget:
        self.card = None
        card = Card("step", self.steps)
        asked = [step.question for step in record.steps if step.question is not None]
        right = sum(question.right is True for question in asked)
        head = WrappedLabel(self.tr("Done"), card)
        if asked:
            words = self.tr("Done: {right} of {all} predictions right")
            head.setText(words.format(right=right, all=len(asked)))
        head.setFont(emphasis_font(self.font()))
        card.column.addWidget(head)
        if record.end:
            card.column.addWidget(FittedText(self._kinds, record.end, card))
        self.next_button = None
        if self.next_title:
            label = self.tr("Next: {title}").format(title=self.next_title)
            self.next_button = FilledButton(label, "", card)
            self.next_button.clicked.connect(self.next_requested)
            card.column.addWidget(self.next_button)
        announce(self, head.text())
        return card


class _Steps(QScrollArea):
    """A column of steps that scrolls."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus
        self._parts: list[QWidget] = []
        self._part: QWidget | None = None
        self._scroll = QTimer(self, singleShot=True, interval=0)
        self._scroll.timeout.connect(self._reveal)
        holder = QWidget(self)
        self._column = QVBoxLayout(holder)
        self._column.setContentsMargins(0, 4, 4, 4)
        self._column.setSpacing(6)
        self._column.addStretch(1)
        self.setWidget(holder)

    def show_parts(self, parts: Sequence[QWidget]) -> None:
        """Show these in this order; those that were shown and are not among them go."""
        for part in self._parts:
            self._column.removeWidget(part)
            if part not in parts:
                part.hide()
                part.deleteLater()
        for place, part in enumerate(parts):
            self._column.insertWidget(place, part)
            part.show()
        self._parts = list(parts)
        if self._part not in parts:
            self._part = None

    def show_part(self, part: QWidget) -> None:
        """Scroll to a step, once everything is laid out."""
        self._part = part
        self._scroll.start()

    @Slot()
    def _reveal(self) -> None:
        """Show a step whole, with what is above it if there is room."""
        part = self._part
        if part is None:
            return
        bottom = part.geometry().bottom() + 8
        wanted = min(part.y() - 4, bottom - self.viewport().height())
        above = max(0, wanted)
        self.verticalScrollBar().setValue(min(above, max(0, part.y() - 4)))


def _with_title(listing: Listing) -> str:
    """Return the text with the program's name as title, unless it has a title."""
    if listing.description.startswith("# "):
        return listing.description
    return f"# {listing.title}\n\n{listing.description}"
