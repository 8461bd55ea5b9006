"""One step of a lesson: the current one as a card, the others as a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gradstep_gui.theme import blend, theme_of
from gradstep_gui.views.lesson.question_box import QuestionBox, Verdict
from gradstep_gui.widgets.accessibility import announce
from gradstep_gui.widgets.filled_button import FilledButton
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.number_format import counted_text
from gradstep_gui.widgets.text.fitted_text import FittedText
from gradstep_gui.widgets.text.long_text import WrappedLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QKeyEvent, QPaintEvent

    from gradstep.history.records.lesson import StepRecord

__all__ = ["Card", "StepCard", "StepLine"]

_BUTTONS = frozenset({"zero_grad", "forward", "backward", "step", "into", "over", "out", "back"})
"""What is a button of the toolbar; other Operations are in menus and fields."""

_RADIUS = 6.0
_STRIP = 4.0


class Card(QWidget):
    """A panel with a strip in a colour at its left edge.

    Args:
        kind: The kind of Operation whose colour the strip has; empty for the accent.
        parent: The parent widget.
    """

    def __init__(self, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = kind
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(14, 10, 12, 12)
        self.column.setSpacing(10)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press the button that has the keyboard, as Space does."""
        button = self.focusWidget()
        is_enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if is_enter and isinstance(button, QPushButton) and button.hasFocus():
            button.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the panel and its strip."""
        theme = theme_of(self.palette())
        color = QColor(theme.kind(self._kind).strong if self._kind else theme.accent)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setBrush(QColor(theme.base))
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(QRectF(0, 0, _STRIP, self.height()), 2, 2)


class StepCard(Card):
    """The current step: what to do, the question, and the one button to press.

    Args:
        step: The step.
        problem: Why what was just done is not what it asks for; empty for nothing.
        kinds: The words in the colours of Operations.
        draft: What the learner had begun to type.
        parent: The parent widget.
    """

    answered = Signal(str)
    """The question was answered."""

    skipped = Signal()
    """The question was skipped."""

    drafted = Signal(str)
    """Something was typed."""

    pressed = Signal()
    """What the step asks for next should be done."""

    proceeded = Signal()
    """The learner has read the step."""

    undone = Signal()
    """What the step did not ask for should be undone."""

    def __init__(
        self,
        step: StepRecord,
        problem: str,
        kinds: Mapping[str, str],
        draft: str = "",
        parent: QWidget | None = None,
    ) -> None:
        kind = step.press if step.press in kinds.values() else ""
        super().__init__(kind, parent)
        self.question: QuestionBox | None = None
        self.press: FilledButton | None = None
        self.undo: QPushButton | None = None
        title = WrappedLabel(f"{step.number}.  {step.title}", self)
        title.setFont(emphasis_font(self.font()))
        self.column.addWidget(title)
        if step.text:
            self.column.addWidget(FittedText(kinds, step.text, self))
        if problem:
            self._add_problem(problem)
        question = step.question
        if question is not None and question.is_open:
            self.question = QuestionBox(question, kinds, draft, self)
            self.question.answered.connect(self.answered)
            self.question.skipped.connect(self.skipped)
            self.question.drafted.connect(self.drafted)
            if problem:
                self.question.suspend()
            self.column.addWidget(self.question)
        elif question is not None and question.given is not None:
            given = self.tr("{ask}\n\nYour answer: **{given}**")
            self.column.addWidget(
                FittedText(kinds, given.format(ask=question.ask, given=question.given), self)
            )
        if step.press:
            self.press = FilledButton(self._press_label(step), kind, self)
            self.press.setToolTip(self.tr("Do it from here"))
            self.press.clicked.connect(self.pressed)
        elif step.can_proceed:
            self.press = FilledButton(self.tr("Continue"), "", self)
            self.press.clicked.connect(self.proceeded)
        if self.press is not None:
            self.column.addWidget(self.press)

    def take_focus(self) -> None:
        """Put the keyboard where the learner goes on."""
        if self.undo is not None:
            self.undo.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.question is not None:
            self.question.take_focus()
        elif self.press is not None:
            self.press.setFocus(Qt.FocusReason.OtherFocusReason)

    def _press_label(self, step: StepRecord) -> str:
        """Return what the button does, as an imperative."""
        if step.press in _BUTTONS:
            return self.tr("Press {title}").format(title=step.press_title)
        if step.press == "iterate":
            one, several = self.tr("Press One Iteration"), self.tr("Run {0} iterations")
            return counted_text(step.press_times, one, several)
        labels = {
            "set_hyperparameter": self.tr("Set {title}"),
            "what_if": self.tr("Try the What If"),
            "remedy": self.tr("Follow the remedy"),
            "checkout": self.tr("Go to the new branch"),
        }
        return labels.get(step.press, "{title}").format(title=step.press_title)

    def _add_problem(self, problem: str) -> None:
        box = _Warning(problem, self)
        self.undo = box.undo
        box.undo.clicked.connect(self.undone)
        self.column.addWidget(box)
        announce(self, problem, urgent=True)


class _Warning(QWidget):
    """A sentence on a tinted ground, and the button that undoes what it is about."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        label = WrappedLabel(text, self)
        self.undo = QPushButton(self.tr("&Undo It"), self)
        self.undo.setObjectName("lesson.undo")
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        column.addWidget(label)
        column.addWidget(self.undo, 0, Qt.AlignmentFlag.AlignLeft)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the ground."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.warning), 1))
        painter.setBrush(QColor(blend(theme.warning, theme.base, 0.14)))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)


class _Title(QPushButton):
    """A line of text that can be clicked; what does not fit is cut with dots."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self.setFlat(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setToolTip(text)

    def sizeHint(self) -> QSize:
        """Return the height of the text."""
        return QSize(1, self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the text at the left, and a ring when the keyboard is here."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text
        )
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme_of(self.palette()).accent), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


class StepLine(QWidget):
    """A step that is done, with what it revealed; or one that is still to come.

    A click on a step that is done shows and hides what it revealed.

    Args:
        step: The step.
        kinds: The words in the colours of Operations.
        is_open: Whether to show what it revealed.
        parent: The parent widget.

    Attributes:
        title: The button with its title.
    """

    def __init__(
        self,
        step: StepRecord,
        kinds: Mapping[str, str],
        *,
        is_open: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._is_done = step.is_done
        question = step.question
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 2, 4, 2)
        column.setSpacing(6)
        mark = "✓" if step.is_done else "○"
        self.title = _Title(f"{mark}  {step.title}", self)
        state = self.tr("done") if step.is_done else self.tr("to come")
        self.title.setAccessibleName(f"{step.number}. {step.title}, {state}")
        column.addWidget(self.title)
        has_result = bool(step.after) or question is not None
        has_more = step.is_done and (has_result or bool(step.text))
        self._more = QWidget(self)
        inner = QVBoxLayout(self._more)
        inner.setContentsMargins(18, 0, 0, 4)
        inner.setSpacing(6)
        if has_more and step.text and not (is_open and has_result):
            inner.addWidget(FittedText(kinds, step.text, self._more))
        if has_more and question is not None:
            inner.addWidget(FittedText(kinds, question.ask, self._more))
            inner.addWidget(Verdict(question, kinds, self._more))
        if has_more and step.after:
            inner.addWidget(FittedText(kinds, step.after, self._more))
        column.addWidget(self._more)
        self._more.setVisible(has_result and is_open and step.is_done)
        self.title.setEnabled(has_more)
        self.title.clicked.connect(lambda: self._more.setVisible(self._more.isHidden()))
        self._apply_theme()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def _apply_theme(self) -> None:
        theme = theme_of(self.palette())
        color = QColor(theme.kind("step").strong if self._is_done else theme.muted)
        palette = self.title.palette()
        if palette.color(QPalette.ColorRole.ButtonText) != color:
            for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
                palette.setColor(group, QPalette.ColorRole.ButtonText, color)
            palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText, color)
            self.title.setPalette(palette)
