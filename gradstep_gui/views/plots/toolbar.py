"""The row above the plots: curves and range, and a menu with everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QWidget,
    QWidgetAction,
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
_ARROWS = 30
"""Pixels of a spin box for its frame and arrows."""


class PlotsToolbar(QWidget):
    """The controls above the plots, which only emit signals.

    What is changed now and then is in the menu, so that the row fits beside the docks of a small
    window.

    Attributes:
        choose: Shows the list of curves.
        all: Shows every iteration.
        recent: Shows the latest iterations.
        count: How many these are.
        menu: The menu; also the context menu of the plots.
        flow: Shows the gradient flow.
        plane: Plots two elements against each other.
        ghosts: Draws the other branches and overlaid runs.
        smoothing: The weight of the moving average.
        options: The button of the menu.
        cursor_text: The iteration under the cursor.
    """

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
        self.all = ToggleButton(
            self.tr("All"), self.tr("Show every iteration (double-click an axis)")
        )
        self.recent = ToggleButton(self.tr("Recent"), self.tr("Show the latest iterations"))
        self.menu = QMenu(self)
        self.flow = self._add_toggle(
            self.tr("Gradient &Flow"),
            self.tr("Compare the gradients and updates of the layers at this moment"),
        )
        self.plane = self._add_toggle(
            self.tr("&Plane of Two Elements"), self.tr("Plot one element against the other")
        )
        self.ghosts = self._add_toggle(
            self.tr("&Other Runs"),
            self.tr("Draw the curves of other branches and the losses of overlaid runs, dashed"),
        )
        self.count = QSpinBox()
        self.smoothing = QDoubleSpinBox()
        self.cursor_text = QLabel()
        self.options = QPushButton(self.tr("Options"))
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
        """Show or hide the entry that plots two elements against each other."""
        self.plane.setVisible(offered)
        if not offered:
            self.plane.setChecked(False)

    def _assemble(self) -> None:
        self.all.setChecked(True)
        self.plane.setVisible(False)
        self.ghosts.setVisible(False)
        self.ghosts.setChecked(True)
        self.menu.setToolTipsVisible(True)
        self.cursor_text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.cursor_text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.count.setRange(2, _MOST)
        self.count.setValue(_RECENT)
        self.count.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        self.count.setGroupSeparatorShown(True)
        self.count.setMinimumWidth(self.fontMetrics().horizontalAdvance("10,000") + _ARROWS)
        self.count.setAccessibleName(self.tr("Number of recent iterations"))
        self.count.setToolTip(self.tr("Number of iterations that Recent shows"))
        self.smoothing.setRange(0, MAX_SMOOTHING)
        self.smoothing.setDecimals(3)
        self.smoothing.setSingleStep(_SMOOTHING_STEP)
        self.smoothing.setSpecialValueText(self.tr("No smoothing"))
        self.smoothing.setPrefix(self.tr("Smoothing "))
        self.smoothing.setAccessibleName(self.tr("Smoothing of losses and metrics"))
        self.smoothing.setToolTip(
            self.tr("Weight of an exponential moving average of losses and metrics")
        )
        smooth = QWidgetAction(self.menu)
        smooth.setDefaultWidget(_indented(self.smoothing))
        self.menu.addAction(smooth)
        self.menu.addSeparator()
        self.options.setMenu(self.menu)
        self.options.setToolTip(
            self.tr("Gradient flow, other runs, smoothing, and export (right-click in the plots)")
        )
        self.options.setAccessibleName(self.tr("Options of the plots"))
        exports = self.menu.addMenu(self.tr("&Export"))
        for kind, title in (
            ("png", self.tr("Image (PNG)…")),
            ("svg", self.tr("Vector Graphics (SVG)…")),
            ("csv", self.tr("Data (CSV)…")),
        ):
            action = QAction(title, self)  # its owner: what addAction(title) returns has none
            exports.addAction(action)
            action.setObjectName(f"plots.export_{kind}")
            action.triggered.connect(lambda _=False, kind=kind: self.export_requested.emit(kind))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 2)
        layout.setSpacing(4)
        for widget in (self.choose, self.all, self.recent, self.count):
            layout.addWidget(widget)
        layout.addWidget(self.cursor_text, stretch=1)
        layout.addWidget(self.options)
        self.all.clicked.connect(self.all_requested)
        self.recent.clicked.connect(lambda: self.recent_requested.emit(self.count.value()))
        self.count.valueChanged.connect(self.recent_requested)
        self.flow.toggled.connect(self.flow_requested)
        self.smoothing.valueChanged.connect(self.smoothing_requested)
        self.choose.toggled.connect(self.chooser_requested)
        self.plane.toggled.connect(self.plane_requested)
        self.ghosts.toggled.connect(self.ghosts_requested)

    def _add_toggle(self, title: str, hint: str) -> QAction:
        """Add a checkable entry to the menu."""
        entry = QAction(title, self)  # its owner: what addAction(title) returns has none
        self.menu.addAction(entry)
        entry.setCheckable(True)
        entry.setToolTip(hint)
        return entry


def _indented(content: QWidget) -> QWidget:
    """Return a widget for a menu, which lines up with the texts of its entries."""
    row = QWidget()
    layout = QHBoxLayout(row)
    layout.setContentsMargins(24, 2, 8, 2)
    layout.addWidget(content)
    return row
