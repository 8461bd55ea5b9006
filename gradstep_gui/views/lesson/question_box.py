"""The box of a question: answered before the press, revealed after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.theme import blend, theme_of
from gradstep_gui.widgets.button_rows import ButtonRows
from gradstep_gui.widgets.fonts import emphasis_font, small_font
from gradstep_gui.widgets.text.fitted_text import FittedText
from gradstep_gui.widgets.text.long_text import WrappedLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QKeyEvent, QPaintEvent

    from gradstep.history.records.lesson import QuestionRecord

__all__ = ["QuestionBox", "Verdict"]


class QuestionBox(QWidget):
    """Asks a question, and takes the answer.

    Args:
        question: The question, which waits for an answer.
        kinds: The words in the colours of Operations.
        draft: What the learner had begun to type.
        parent: The parent widget.
    """

    answered = Signal(str)
    """The learner has answered."""

    skipped = Signal()
    """The learner wants to see what happens without an answer."""

    drafted = Signal(str)
    """The learner has typed something."""

    def __init__(
        self,
        question: QuestionRecord,
        kinds: Mapping[str, str],
        draft: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._question = question
        self.field = QLineEdit(self)
        self.choices: list[QRadioButton] = []
        self.buttons: list[QPushButton] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 6)
        column.setSpacing(8)
        self.caption = WrappedLabel(self.tr("Predict before you press"), self)
        self.caption.setFont(emphasis_font(small_font(self.font())))
        column.addWidget(self.caption)
        column.addWidget(FittedText(kinds, question.ask, self))
        if question.kind == "number":
            self._ask_number(column, draft)
        elif question.kind == "yes_no":
            self._ask_yes_no(column)
        else:
            self._ask_choice(column)
        self.field.setVisible(question.kind == "number")
        self.skip = QToolButton(self, autoRaise=True)
        self.skip.setText(self.tr("Skip this question"))
        self.skip.setToolTip(self.tr("See what happens without an answer"))
        self.skip.setFont(small_font(self.font()))
        self.skip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.skip.clicked.connect(self.skipped)
        column.addWidget(self.skip, 0, Qt.AlignmentFlag.AlignRight)
        self._apply_theme()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a tinted ground: this is what is to be done now."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(blend(theme.accent, theme.base, 0.45)), 1))
        painter.setBrush(QColor(blend(theme.accent, theme.base, 0.09)))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter make the choice that has the keyboard, and then give it."""
        choice = self.focusWidget()
        is_enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if not is_enter or not isinstance(choice, QRadioButton) or not choice.hasFocus():
            super().keyPressEvent(event)
        elif choice.isChecked():
            self._give_choice()
        else:
            choice.click()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def _apply_theme(self) -> None:
        sheet = f"color: {theme_of(self.palette()).accent}"
        if self.caption.styleSheet() != sheet:
            self.caption.setStyleSheet(sheet)

    def suspend(self) -> None:
        """Take no answer, because what is asked about has happened; the question can be skipped."""
        for part in (self.field, *self.choices, *self.buttons):
            part.setDisabled(True)

    def take_focus(self) -> None:
        """Put the keyboard where the answer goes."""
        target: QWidget = self.field
        if self._question.kind != "number":
            target = self.choices[0] if self.choices else self.buttons[0]
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask_number(self, column: QVBoxLayout, draft: str) -> None:
        self.field.setPlaceholderText(self.tr("A number, several, or None"))
        self.field.setAccessibleName(self.tr("Your answer"))
        self.field.setText(draft)
        self.field.textChanged.connect(self.drafted)
        self.field.returnPressed.connect(self._give_number)
        give = QPushButton(self.tr("&Answer"), self)
        give.clicked.connect(self._give_number)
        none = QPushButton(self.tr("&None"), self)
        none.setToolTip(self.tr("There will be no value"))
        none.clicked.connect(lambda _=False: self.answered.emit("None"))
        self.buttons = [give, none]
        column.addWidget(self.field)
        column.addWidget(ButtonRows(self.buttons, self))

    def _ask_yes_no(self, column: QVBoxLayout) -> None:
        for title, answer in ((self.tr("&Yes"), "yes"), (self.tr("&No"), "no")):
            button = QPushButton(title, self)
            button.setAccessibleDescription(self._question.ask)
            button.clicked.connect(lambda _=False, answer=answer: self.answered.emit(answer))
            self.buttons.append(button)
        column.addWidget(ButtonRows(self.buttons, self))

    def _ask_choice(self, column: QVBoxLayout) -> None:
        """Offer the choices as buttons, each with its text, so that one click answers."""
        group = QButtonGroup(self)
        for text in self._question.choices:
            choice = _Choice(self)
            choice.setAccessibleName(text)
            group.addButton(choice)
            self.choices.append(choice)
            label = _ChoiceLabel(text, choice, self)
            row = QHBoxLayout()
            row.setSpacing(6)
            row.addWidget(choice, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(label, 1)
            column.addLayout(row)
        give = QPushButton(self.tr("&Answer"), self)
        give.setEnabled(False)
        group.buttonClicked.connect(lambda _: give.setEnabled(True))
        give.clicked.connect(self._give_choice)
        self.buttons = [give]
        column.addWidget(give, 0, Qt.AlignmentFlag.AlignLeft)

    def _give_number(self) -> None:
        if self.field.text().strip():
            self.answered.emit(self.field.text())

    def _give_choice(self) -> None:
        for choice, text in zip(self.choices, self._question.choices, strict=True):
            if choice.isChecked():
                self.answered.emit(text)


class _Choice(QRadioButton):
    """The button of a choice, whose text is a label beside it; with a ring while it has focus."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the button; styles draw the focus around its text, and it has none."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme_of(self.palette()).accent), 2))
            painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))


class _ChoiceLabel(WrappedLabel):
    """The text of a choice, which wraps, and checks its button when it is clicked."""

    def __init__(self, text: str, button: QRadioButton, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._button = button

    def mousePressEvent(self, _event: object) -> None:
        """Check the button."""
        self._button.click()


class Verdict(QWidget):
    """What a question has revealed: right or wrong, and why.

    Args:
        question: The question, which was revealed.
        kinds: The words in the colours of Operations.
        parent: The parent widget.
    """

    def __init__(
        self, question: QuestionRecord, kinds: Mapping[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._right = question.right
        self.headline = WrappedLabel(self._headline(question), self)
        self.headline.setFont(emphasis_font(self.font()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.headline)
        if question.explanation:
            column.addWidget(FittedText(kinds, question.explanation, self))
        self._apply_theme()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def _headline(self, question: QuestionRecord) -> str:
        if question.right is None:
            return self.tr("It is: {truth}").format(truth=question.truth)
        if question.right:
            return self.tr("✓ Right: {truth}").format(truth=question.truth)
        words = self.tr("✗ You answered {given}. Right: {truth}")
        return words.format(given=question.given, truth=question.truth)

    def _apply_theme(self) -> None:
        theme = theme_of(self.palette())
        colors = {True: theme.kind("step").strong, False: theme.error, None: theme.text}
        sheet = f"color: {colors[self._right]}"
        if self.headline.styleSheet() != sheet:
            self.headline.setStyleSheet(sheet)
