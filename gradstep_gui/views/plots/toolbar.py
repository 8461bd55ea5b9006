"""The row above the plots: what range to show, which curves, and where to export to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSpinBox, QToolButton, QWidget

from gradstep_gui.widgets.buttons import ToggleButton
from gradstep_gui.widgets.number_format import count_text

if TYPE_CHECKING:
    from gradstep_gui.plotting.stack import Range

__all__ = ["PlotsToolbar"]

_RECENT = 100
_MOST = 10_000_000


class PlotsToolbar(QWidget):
    """Buttons for the plots; it decides nothing."""

    all_wanted = Signal()
    """Show every iteration."""

    recent_wanted = Signal(int)
    """Show the newest so many iterations."""

    chooser_wanted = Signal(bool)
    """Show or hide the list of curves."""

    plane_wanted = Signal(bool)
    """Draw the two chosen elements against each other, or not."""

    ghosts_wanted = Signal(bool)
    """Draw the other branches, or not."""

    export_wanted = Signal(str)
    """Export as "png", "svg" or "csv"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choose = ToggleButton(
            self.tr("Curves"), self.tr("Choose which losses, tensors and elements are drawn")
        )
        self.all = ToggleButton(self.tr("All"), self.tr("Show every iteration (double-click)"))
        self.recent = ToggleButton(self.tr("Recent"), self.tr("Show the newest iterations"))
        self.plane = ToggleButton(self.tr("Plane"), self.tr("Draw two elements against each other"))
        self.ghosts = ToggleButton(
            self.tr("Ghosts"), self.tr("Draw the losses of the other branches, thin and dashed")
        )
        self.count = QSpinBox()
        self.cursor_text = QLabel()
        self.export = QToolButton()
        self.menu = QMenu(self)
        self._assemble()

    def show_range(self, name: Range) -> None:
        """Press the button of the range on show; neither when a person zoomed."""
        self.all.setChecked(name == "all")
        self.recent.setChecked(name == "recent")

    def show_cursor(self, iteration: float | None) -> None:
        """Write at which iteration the cursor is."""
        at = None if iteration is None else round(iteration)
        text = "" if at is None else self.tr("iteration {number}").format(number=count_text(at))
        self.cursor_text.setText(text)

    def offer_plane(self, offered: bool) -> None:
        """Offer to draw two elements against each other, or take that back."""
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
        self.count.setAccessibleName(self.tr("How many recent iterations"))
        self.count.setToolTip(self.tr("How many iterations Recent shows"))
        self.export.setText(self.tr("Export"))
        self.export.setMenu(self.menu)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setAccessibleName(self.tr("Export the plots"))
        for kind, title in (
            ("png", self.tr("Picture (PNG)…")),
            ("svg", self.tr("Drawing (SVG)…")),
            ("csv", self.tr("Numbers (CSV)…")),
        ):
            action = self.menu.addAction(title)
            action.setObjectName(f"plots.export_{kind}")
            action.triggered.connect(lambda _=False, kind=kind: self.export_wanted.emit(kind))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 2)
        layout.setSpacing(4)
        for widget in (self.choose, self.all, self.recent, self.count, self.plane, self.ghosts):
            layout.addWidget(widget)
        layout.addStretch(1)
        layout.addWidget(self.cursor_text)
        layout.addWidget(self.export)
        self.all.clicked.connect(self.all_wanted)
        self.recent.clicked.connect(lambda: self.recent_wanted.emit(self.count.value()))
        self.count.valueChanged.connect(self.recent_wanted)
        self.choose.toggled.connect(self.chooser_wanted)
        self.plane.toggled.connect(self.plane_wanted)
        self.ghosts.toggled.connect(self.ghosts_wanted)
