"""The row below the time line with the sentence of what just happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from gradstep_gui.views.sentence_bar import SentenceBar
from gradstep_gui.widgets.bars import FlatToolBar

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

    from gradstep_gui.controller import Controller

__all__ = ["SentenceToolBar"]


class SentenceToolBar(FlatToolBar):
    """Holds the `SentenceBar`; it appears when the first program is opened.

    Args:
        controller: The controller.
        window: The window, which gets it as a row of its own.
    """

    def __init__(self, controller: Controller, window: QMainWindow) -> None:
        super().__init__("toolbar.sentence", "", window)
        self.setWindowTitle(self.tr("What Just Happened"))
        self.view = SentenceBar(controller, self)
        self.addWidget(self.view)
        self.setVisible(False)
        self._is_new = True
        controller.document_changed.connect(self._appear)
        window.addToolBarBreak()
        window.addToolBar(self)

    @Slot()
    def _appear(self) -> None:
        """Show it once; from then on the user and the stored layout decide."""
        if self._is_new:
            self._is_new = False
            self.setVisible(True)
