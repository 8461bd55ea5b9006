"""A page to read beside the window: it stays open while one goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout

from gradstep_gui.widgets.dialogs.bare_buttons import bare_buttons
from gradstep_gui.widgets.text.lesson_view import LessonView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QWidget

__all__ = ["PageWindow"]


class PageWindow(QDialog):
    """Shows one page of Markdown at a time.

    Args:
        kinds: Words that, where they are bold, take the colour of a kind of Operation.
        parent: The window that it stands beside, and closes with.
    """

    def __init__(self, kinds: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self.page = LessonView(kinds, self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 10)
        column.addWidget(self.page)
        foot = QVBoxLayout()
        foot.setContentsMargins(14, 0, 14, 0)
        foot.addWidget(buttons)
        column.addLayout(foot)
        bare_buttons(self)
        self.resize(760, 680)

    def show_page(self, title: str, markdown: str) -> None:
        """Show a page, from its top, in place of the one before."""
        self.setWindowTitle(title)
        self.page.setAccessibleName(title)
        self.page.show_lesson(markdown)
        self.show()
        self.activateWindow()
