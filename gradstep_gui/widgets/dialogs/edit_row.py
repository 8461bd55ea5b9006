"""EditRow: one edit of a what-if, whose kind can be chosen, and which can be taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStackedWidget, QToolButton, QWidget

from gradstep_gui.resources import icon
from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.dialogs.edit_pages import PAGES, EditPage

if TYPE_CHECKING:
    from gradstep_gui.widgets.dialogs.edit_pages import Choices

__all__ = ["EditRow"]


class EditRow(QWidget):
    """A box for the kind of edit, the fields of that kind, and a button that takes it away.

    Args:
        choices: What there is to choose from.
        event: The event that is proposed.
    """

    changed = Signal()
    """It says something else."""

    removed = Signal()
    """It is wanted no more."""

    def __init__(self, choices: Choices, event: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox(self)
        for part in (self.kind, self.kind.view()):
            part.setAccessibleName(self.tr("What to do otherwise"))
        self._pages = QStackedWidget(self)
        for page in PAGES:
            self.kind.addItem(page.title())
            made = page(choices, event, self)
            made.changed.connect(self.changed)
            self._pages.addWidget(made)
        theme = theme_of(self.palette())
        self.remove = QToolButton(self, autoRaise=True)
        self.remove.setIcon(icon("close", theme.muted, theme.border))
        self.remove.setToolTip(self.tr("Take this change away"))
        self.remove.setAccessibleName(self.tr("Take this change away"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.kind)
        row.addWidget(self._pages, 1)
        row.addWidget(self.remove)
        self.setFocusPolicy(self.kind.focusPolicy())  # so that a row has a place for the Tab key
        self.setFocusProxy(self.kind)
        self.kind.currentIndexChanged.connect(self._show_page)
        self.remove.clicked.connect(self.removed)

    @property
    def page(self) -> EditPage:
        """The fields on show."""
        shown = self._pages.currentWidget()
        if not isinstance(shown, EditPage):
            raise TypeError("a row of edits has pages alone")
        return shown

    def choose(self, page: type[EditPage]) -> None:
        """Offer the fields of another kind of edit."""
        self.kind.setCurrentIndex(PAGES.index(page))

    def begin_at(self, event: int) -> None:
        """Let no event before this one be edited."""
        for place in range(self._pages.count()):
            page = self._pages.widget(place)
            if isinstance(page, EditPage):
                page.begin_at(event)

    def _show_page(self, place: int) -> None:
        self._pages.setCurrentIndex(place)
        self.changed.emit()
