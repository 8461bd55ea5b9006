"""The page of all lessons, as a dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.lesson_list import LessonCard, LessonList

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LessonDialog"]


class LessonDialog(QDialog):
    """Offers the lessons.

    Args:
        cards: The lessons.
        current: The id of the one that is open; empty for none.
        parent: The window.
    """

    chosen = Signal(object)
    """A `LessonCard` was chosen."""

    def __init__(
        self, cards: Sequence[LessonCard], current: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Lessons"))
        self.list = LessonList(cards, self)
        self.list.select(current)
        self.list.chosen.connect(self._choose)
        done = sum(card.is_done for card in cards)
        words = self.tr("Each lesson asks before it tells. {done} of {all} are done.")
        head = QLabel(words.format(done=done, all=len(cards)), self, wordWrap=True)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Open | QDialogButtonBox.StandardButton.Cancel, self
        )
        buttons.accepted.connect(self.list.choose_current)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(12)
        column.addWidget(head)
        column.addWidget(self.list, 1)
        column.addWidget(buttons)
        remove_button_icons(self)
        self.resize(QSize(680, 640))
        self.list.field.setFocus()

    def _choose(self, card: LessonCard) -> None:
        self.chosen.emit(card)
        self.accept()
