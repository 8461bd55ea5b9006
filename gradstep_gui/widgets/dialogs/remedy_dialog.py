"""The dialog that shows what remedies change before one is carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
)

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.text.highlighters import DifferenceHighlighter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

__all__ = ["RemedyChoice", "RemedyDialog"]


class RemedyChoice(NamedTuple):
    """One remedy in words.

    Attributes:
        title: What it does, such as "with no bias before BatchNorm".
        outcome: What its trial found; empty when it was not tried.
        words: How it is carried out.
        changes: The changes: one a line, or the lines of a document that differ.
        button: The title of the button that carries it out.
    """

    title: str
    outcome: str
    words: str
    changes: str
    button: str


class RemedyDialog(QDialog):
    """Shows the changes of one or several remedies; accepting carries out the chosen one.

    Args:
        choices: The remedies; the first one is chosen.
        parent: The parent widget.

    Attributes:
        chosen: The place of the chosen remedy among the choices.
        radios: A button for each remedy; hidden where there is only one.
    """

    def __init__(self, choices: Sequence[RemedyChoice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Remedy"))
        self._choices = tuple(choices)
        self.chosen = 0
        several = len(self._choices) > 1
        one = self.tr("What if it ran {0}?").format(self._choices[0].title)
        heading = self._label(self.tr("What if it ran ...") if several else one)
        heading.setFont(emphasis_font(heading.font()))
        self.radios = [self._radio(at, choice) for at, choice in enumerate(self._choices)]
        self.outcome, self._words = self._label(), self._label()
        self.changes = QPlainTextEdit(self, readOnly=True)
        self.changes.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.changes.setTabChangesFocus(True)
        self.changes.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._colors = DifferenceHighlighter(self.changes.document(), theme_of(self.palette()))
        self.changes.setAccessibleName(self.tr("Changes"))
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self._apply = QPushButton(self)
        self.buttons.addButton(self._apply, QDialogButtonBox.ButtonRole.AcceptRole)
        self._apply.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(12)
        column.addWidget(heading)
        for radio in self.radios:
            column.addWidget(radio)
            radio.setVisible(several)
        column.addWidget(self.outcome)
        column.addWidget(self._words)
        column.addWidget(self.changes, 1)
        column.addWidget(self.buttons)
        remove_button_icons(self)
        self.resize(680, 420)
        self.choose(0)

    def choose(self, at: int) -> None:
        """Show a remedy, which is then carried out by accepting.

        Args:
            at: Its place among the choices.
        """
        choice = self._choices[at]
        self.chosen = at
        self.radios[at].setChecked(True)
        self.outcome.setText(choice.outcome)
        self.outcome.setVisible(bool(choice.outcome))
        self._words.setText(choice.words)
        self.changes.setPlainText(choice.changes)
        self._apply.setText(choice.button)

    def _label(self, text: str = "") -> QLabel:
        label = QLabel(text, self, wordWrap=True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    def _radio(self, at: int, choice: RemedyChoice) -> QRadioButton:
        radio = QRadioButton(f"... {choice.title}?", self)
        radio.clicked.connect(lambda: self.choose(at))
        return radio

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_colors"):
            self._colors.apply(theme_of(self.palette()))
