"""The start page, which the window shows while nothing is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.resources import application_icon
from gradstep_gui.widgets.buttons import MovementButton
from gradstep_gui.widgets.fonts import scaled
from gradstep_gui.widgets.lesson_list import LessonList
from gradstep_gui.widgets.scenario_list import Card, ScenarioList

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PySide6.QtGui import QAction, QShowEvent

    from gradstep_gui.widgets.lesson_list import LessonCard

__all__ = ["Welcome"]

WIDTH = 820
LOGO = 56
RECENT_SHOWN = 3


class Welcome(QWidget):
    """The lessons, recent files, and buttons to open or write a program, or to run a script.

    Args:
        lessons: The lessons in the order that teaches.
        recent: Recent files, the latest first.
        layouts: What chooses the layout in which they open.
        parent: The parent widget.

    Attributes:
        lessons: The list of lessons.
    """

    chosen = Signal(object)
    """A `LessonCard` was chosen."""

    open_requested = Signal()
    """The dialog for opening a file should be shown."""

    own_requested = Signal()
    """The program editor should be shown."""

    script_requested = Signal()
    """The dialog for choosing a script should be shown."""

    help_requested = Signal()
    """The first help page should be shown."""

    recent_chosen = Signal(object)
    """The `Path` of a recent file was chosen."""

    def __init__(
        self,
        lessons: Sequence[LessonCard],
        recent: Sequence[Path],
        layouts: Sequence[QAction] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        column = QVBoxLayout()
        column.setSpacing(14)
        column.addLayout(self._head())
        column.addLayout(self._start(layouts))
        self.lessons = LessonList(lessons, self)
        self.lessons.chosen.connect(self.chosen)
        column.addWidget(self.lessons, 1)
        if recent:
            column.addWidget(_heading(self.tr("Recent Files"), self))
            cards = [Card(path.name, str(path.parent), path) for path in recent[:RECENT_SHOWN]]
            lately = ScenarioList(cards, self.tr("Recent files"), self)
            lately.chosen.connect(lambda card: self.recent_chosen.emit(card.path))
            lately.itemClicked.connect(lately.itemActivated)
            lately.setCurrentRow(-1)
            lately.setFixedHeight(lately.height_of_cards)
            column.addWidget(lately)
        holder = self._holder = QWidget(self)
        holder.setLayout(column)
        holder.setMaximumWidth(scaled(WIDTH, self.font()))
        holder.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 28, 24, 28)
        row.addStretch(1)
        row.addWidget(holder, 20)
        row.addStretch(1)

    def showEvent(self, event: QShowEvent) -> None:
        """Set the focus to the list, so that Enter opens the selected lesson."""
        super().showEvent(event)
        self.lessons.items.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        """Take more room for larger text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._holder.setMaximumWidth(scaled(WIDTH, self.font()))

    def _start(self, layouts: Sequence[QAction]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(_heading(self.tr("Start with a Lesson"), self))
        row.addStretch(1)
        if layouts:
            row.addWidget(QLabel(self.tr("Layout:"), self))
        for layout in layouts:
            row.addWidget(MovementButton(layout, self))
        return row

    def _head(self) -> QHBoxLayout:
        logo = QLabel(self)
        logo.setPixmap(application_icon().pixmap(QSize(LOGO, LOGO), self.devicePixelRatioF()))
        title = QLabel("GradStep", self)
        font = QFont(title.font())
        font.setPointSizeF(font.pointSizeF() * 2)
        font.setWeight(QFont.Weight.DemiBold)
        title.setFont(font)
        line = QLabel(
            self.tr(
                "A debugger for gradient descent: press Zero Grad, Forward, Backward and Step in "
                "any order, or step through your own PyTorch script, and see what each one reads "
                "and writes."
            ),
            self,
            wordWrap=True,
        )
        first = QPushButton(self.tr("First &Steps"), self)
        first.clicked.connect(self.help_requested)
        button = QPushButton(self.tr("O&pen File…"), self)
        button.clicked.connect(self.open_requested)
        buttons = QVBoxLayout()
        buttons.setSpacing(6)
        own = QPushButton(self.tr("&Write Program…"), self)
        own.clicked.connect(self.own_requested)
        script = QPushButton(self.tr("Run S&cript…"), self)
        script.clicked.connect(self.script_requested)
        for one in (first, button, own, script):
            buttons.addWidget(one)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(line)
        words.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(logo, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addLayout(buttons)
        return row


def _heading(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    font = QFont(label.font())
    font.setPointSizeF(font.pointSizeF() * 1.15)
    font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    return label
