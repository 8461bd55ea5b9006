"""The centre of the window: the plots, and on another tab the computation graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget

from gradstep.program.operation import Backward, Forward
from gradstep_gui.action_ids import ViewId
from gradstep_gui.theme import theme_of
from gradstep_gui.views.graph import GraphView
from gradstep_gui.views.plots import PlotsView
from gradstep_gui.widgets.bars import style_tabs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QWidget

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.controller import Controller

__all__ = ["Centre"]


class Centre(QTabWidget):
    """Shows the graph while the user steps through a Forward or Backward, else the chosen tab.

    Args:
        controller: Where Snapshots come from.

    Attributes:
        plots: The plots.
        graph: The computation graph.
    """

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.plots = PlotsView(controller, self)
        self.graph = GraphView(controller, self)
        self.addTab(self.plots, self.tr("Plots"))
        self.addTab(self.graph, self.tr("Graph"))
        self.setTabToolTip(1, self.tr("The recorded computation graph of a loss"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its bar has it
        self.tabBar().setAccessibleName(self.tr("Plots or graph"))
        style_tabs(self.tabBar(), theme_of(self.palette()))
        self._was_walking = False
        self._before: QWidget | None = None
        self.tabBarClicked.connect(self._forget)
        controller.snapshot_changed.connect(self._show_snapshot)

    @property
    def views(self) -> Mapping[str, QWidget]:
        """Its views by name."""
        return {ViewId.PLOTS: self.plots, ViewId.GRAPH: self.graph}

    def show_view(self, name: str) -> None:
        """Bring a view to the front, by its name."""
        self._forget()
        self.setCurrentWidget(self.views[name])

    def _show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the graph while a walk through it lasts, then the tab before."""
        is_walking = isinstance(snapshot.walked, (Forward, Backward))
        if is_walking and not self._was_walking:
            self._before = self.currentWidget()
            self.setCurrentWidget(self.graph)
        elif self._was_walking and not is_walking and self._before is not None:
            self.setCurrentWidget(self._before)
            self._before = None
        self._was_walking = is_walking

    def _forget(self) -> None:
        """Stay on the tab that the user has chosen."""
        self._before = None
