"""The row above the plots: curves, range and export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSpinBox,
    QWidget,
)

from gradstep_gui.plotting.smoothing import MAX_SMOOTHING
from gradstep_gui.widgets.buttons import ToggleButton
from gradstep_gui.widgets.number_format import count_text

if TYPE_CHECKING:
    from gradstep_gui.plotting.stack import Range

__all__ = ["PlotsToolbar"]

_RECENT = 100
_MOST = 10_000_000
_SMOOTHING_STEP = 0.1


class PlotsToolbar(QWidget):
    """The controls above the plots, which only emit signals."""

    all_requested = Signal()
    """Show every iteration."""

    recent_requested = Signal(int)
    """Show this number of latest iterations."""

    chooser_requested = Signal(bool)
    """Show or hide the list of curves."""

    plane_requested = Signal(bool)
    """Plot the two chosen elements against each other, or not."""

    ghosts_requested = Signal(bool)
    """Draw the other branches, or not."""

    flow_requested = Signal(bool)
    """Show the size of each layer's gradient, or not."""

    smoothing_requested = Signal(float)
    """Smooth the losses with this weight; 0 for not at all."""

    export_requested = Signal(str)
    """Export as "png", "svg" or "csv"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choose = ToggleButton(
            self.tr("Curves"), self.tr("Choose the losses, tensors and elements to draw")
        )
        self.all = ToggleButton(self.tr("All"), self.tr("Show every iteration (double-click)"))
        self.recent = ToggleButton(self.tr("Recent"), self.tr("Show the latest iterations"))
        self.plane = ToggleButton(self.tr("Plane"), self.tr("Plot one element against the other"))
        self.ghosts = ToggleButton(
            self.tr("Other Runs"),
            self.tr("Draw the losses of the other branches and of overlaid runs, thin and dashed"),
        )
        self.flow = ToggleButton(
            self.tr("Flow"),
            self.tr("Gradient flow: compare the gradients of the layers at this moment"),
        )
        self.count = QSpinBox()
        self.smoothing = QDoubleSpinBox()
        self.cursor_text = QLabel()
        self.export = QPushButton()
        self.menu = QMenu(self)
        self._assemble()

    def show_range(self, name: Range) -> None:
        """Check the button of the current range; none after zooming."""
        self.all.setChecked(name == "all")
        self.recent.setChecked(name == "recent")

    def show_cursor(self, iteration: float | None) -> None:
        """Show the iteration under the cursor."""
        at = None if iteration is None else round(iteration)
        text = "" if at is None else self.tr("iteration {number}").format(number=count_text(at))
        self.cursor_text.setText(text)

    def offer_plane(self, offered: bool) -> None:
        """Show or hide the button that plots two elements against each other."""
        self.plane.setVisible(offered)
        if not offered:
            self.plane.setChecked(False)

    def _assemble(self) -> None:
        self.all.setChecked(True)
        self.plane.hide()
        self.ghosts.hide()
        self.ghosts.setChecked(True)
        self.count.setRange(2, _MOST)
        self.count.setValue(_RECENT)
        self.count.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        self.count.setGroupSeparatorShown(True)
        self.count.setAccessibleName(self.tr("Number of recent iterations"))
        self.count.setToolTip(self.tr("Number of iterations that Recent shows"))
        self.smoothing.setRange(0, MAX_SMOOTHING)
        self.smoothing.setDecimals(3)
        self.smoothing.setSingleStep(_SMOOTHING_STEP)
        self.smoothing.setSpecialValueText(self.tr("No smoothing"))
        self.smoothing.setPrefix(self.tr("Smoothing "))
        self.smoothing.setAccessibleName(self.tr("Smoothing of the losses"))
        self.smoothing.setToolTip(
            self.tr("Weight of an exponential moving average of the losses, drawn in front of them")
        )
        self.export.setText(self.tr("Export"))
        self.export.setMenu(self.menu)
        self.export.setAccessibleName(self.tr("Export Plots"))
        for kind, title in (
            ("png", self.tr("Image (PNG)…")),
            ("svg", self.tr("Vector Graphics (SVG)…")),
            ("csv", self.tr("Data (CSV)…")),
        ):
            action = self.menu.addAction(title)
            action.setObjectName(f"plots.export_{kind}")
            action.triggered.connect(lambda _=False, kind=kind: self.export_requested.emit(kind))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 2)
        layout.setSpacing(4)
        for widget in (self.choose, self.all, self.recent, self.count, self.plane, self.ghosts):
            layout.addWidget(widget)
        layout.addWidget(self.flow)
        layout.addWidget(self.smoothing)
        layout.addStretch(1)
        layout.addWidget(self.cursor_text)
        layout.addWidget(self.export)
        self.all.clicked.connect(self.all_requested)
        self.recent.clicked.connect(lambda: self.recent_requested.emit(self.count.value()))
        self.count.valueChanged.connect(self.recent_requested)
        self.flow.toggled.connect(self.flow_requested)
        self.smoothing.valueChanged.connect(self.smoothing_requested)
        self.choose.toggled.connect(self.chooser_requested)
        self.plane.toggled.connect(self.plane_requested)
        self.ghosts.toggled.connect(self.ghosts_requested)
