"""The row above the graph: its state, the loss, and the zoom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.buttons import ToggleButton
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["GraphToolbar"]


class GraphToolbar(QWidget):
    """The controls above the graph, which only emit signals."""

    loss_chosen = Signal(str)
    """Show the graph of this loss; empty for the last one computed."""

    zoom_requested = Signal(int)
    """Zoom in by a number of steps; out when it is negative."""

    fit_requested = Signal()
    """Show the whole graph."""

    modules_requested = Signal(bool)
    """Show each module call as one box, or each operation."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_error = False
        self.losses = QComboBox(self)
        self.losses.setAccessibleName(self.tr("Show the graph of this loss"))
        self.losses.setToolTip(self.tr("Show the graph of this loss"))
        self.losses.hide()
        self.losses.activated.connect(lambda at: self.loss_chosen.emit(self.losses.itemData(at)))
        self.sentence = ElidedLabel(self)
        self.modules = ToggleButton(
            self.tr("Modules"), self.tr("Show each module call as one box"), self
        )
        self.modules.toggled.connect(self.modules_requested)
        zoom_out = self._button(
            "−", self.tr("Zoom out (Ctrl+−)"), lambda: self.zoom_requested.emit(-1)
        )
        zoom_in = self._button(
            "+", self.tr("Zoom in (Ctrl++)"), lambda: self.zoom_requested.emit(1)
        )
        fit = self._button(
            self.tr("Fit"), self.tr("Show the whole graph (F)"), self.fit_requested.emit
        )
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 2, 4, 2)
        layout.setSpacing(4)
        layout.addWidget(self.losses)
        layout.addWidget(self.sentence, 1)
        for button in (self.modules, zoom_out, zoom_in, fit):
            layout.addWidget(button)

    def offer(self, losses: Sequence[str]) -> None:
        """Offer a choice of losses; hidden when there is only one."""
        self.losses.setVisible(len(losses) > 1)
        if [self.losses.itemData(at) for at in range(1, self.losses.count())] == list(losses):
            return
        self.losses.clear()
        self.losses.addItem(self.tr("Last Computed"), "")
        for loss in losses:
            self.losses.addItem(loss, loss)

    def show_status(self, sentence: str, *, is_error: bool = False) -> None:
        """Show the state of the graph."""
        self.sentence.setText(sentence)
        self._is_error = is_error
        self._apply_theme()

    def sizeHint(self) -> QSize:
        """Be as high as the row above the plots, so that switching tabs moves nothing."""
        return QSize(super().sizeHint().width(), max(28, super().sizeHint().height()))

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    def _apply_theme(self) -> None:
        theme = theme_of(self.palette())
        palette = QPalette(self.palette())
        ink = QColor(theme.error if self._is_error else theme.text)
        palette.setColor(QPalette.ColorRole.WindowText, ink)
        self.sentence.setPalette(palette)

    def _button(self, text: str, tip: str, press: Callable[[], object]) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(press)
        return button
