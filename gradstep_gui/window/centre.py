"""The centre of the window: the plots, and on another tab the computation graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QTabWidget, QWidget

from gradstep.program.operation import Backward, Forward
from gradstep_gui.action_ids import ViewId
from gradstep_gui.theme import theme_of
from gradstep_gui.translation import QT_TRANSLATE_NOOP
from gradstep_gui.views.data import DataView
from gradstep_gui.views.graph import GraphView
from gradstep_gui.views.landscape import LandscapeView
from gradstep_gui.views.plots import PlotsView
from gradstep_gui.widgets.bars import style_tabs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.controller import Controller

__all__ = ["TABS", "Centre", "Tab"]


V = TypeVar("V", bound=QWidget)


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab of the centre.

    Attributes:
        id: Its stable id, and the value of `--dock`.
        title: Its title.
        tip: What it shows, in a sentence.
        make: Makes its view.
    """

    id: ViewId
    title: str
    tip: str
    make: Callable[[Controller, QWidget], QWidget]


TABS: tuple[Tab, ...] = (
    Tab(
        ViewId.PLOTS,
        QT_TRANSLATE_NOOP("Tab", "Plots"),
        QT_TRANSLATE_NOOP("Tab", "The curves of losses, gradients and parameters"),
        PlotsView,
    ),
    Tab(
        ViewId.GRAPH,
        QT_TRANSLATE_NOOP("Tab", "Graph"),
        QT_TRANSLATE_NOOP("Tab", "The recorded computation graph of a loss"),
        GraphView,
    ),
    Tab(
        ViewId.LANDSCAPE,
        QT_TRANSLATE_NOOP("Tab", "Landscape"),
        QT_TRANSLATE_NOOP("Tab", "The loss over two directions of the parameters"),
        LandscapeView,
    ),
    Tab(
        ViewId.DATA,
        QT_TRANSLATE_NOOP("Tab", "Data"),
        QT_TRANSLATE_NOOP("Tab", "The data, and what the model predicts for them"),
        DataView,
    ),
)


class Centre(QTabWidget):
    """Shows the graph while the user steps through a Forward or Backward, else the chosen tab.

    Args:
        controller: Where Snapshots come from.
        parent: The window.

    Attributes:
        plots: The plots.
        graph: The computation graph.
        landscape: The landscape.
    """

    def __init__(self, controller: Controller, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.setMovable(True)
        self._views: dict[str, QWidget] = {}
        for tab in TABS:
            view = tab.make(controller, self)
            self._views[tab.id] = view
            at = self.addTab(view, QCoreApplication.translate("Tab", tab.title))
            self.setTabToolTip(at, QCoreApplication.translate("Tab", tab.tip))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its bar has it
        self.tabBar().setAccessibleName(self.tr("Plots or graph"))
        style_tabs(self.tabBar(), theme_of(self.palette()))
        self.plots = self._view(PlotsView)
        self.graph = self._view(GraphView)
        self.landscape = self._view(LandscapeView)
        self._was_walking = False
        self._before: QWidget | None = None
        self.tabBarClicked.connect(self._forget)
        controller.snapshot_changed.connect(self._show_snapshot)

    @property
    def views(self) -> Mapping[str, QWidget]:
        """Its views by name."""
        return self._views

    def has_tab(self, name: str) -> bool:
        """Return whether a view has a tab that can be seen."""
        return self.isTabVisible(self.indexOf(self._views[name]))

    def show_tabs(self, names: Sequence[str]) -> None:
        """Show the tabs of these views alone, the first one in front."""
        self._forget()
        shown = [name for name in names if name in self._views]
        for name, view in self._views.items():
            self.setTabVisible(self.indexOf(view), name in shown)
        self.setCurrentWidget(self._views[shown[0]])
        self._follow_tabs()

    def hide_view(self, name: str) -> None:
        """Hide the tab of a view; if it is in front, another one comes."""
        self.setTabVisible(self.indexOf(self._views[name]), False)

    def show_view(self, name: str) -> None:
        """Bring a view to the front, by its name."""
        self._forget()
        self._raise(self._views[name])

    def title_of(self, name: str) -> str:
        """Return the title of a view's tab."""
        return self.tabText(self.indexOf(self._views[name]))

    def set_title(self, name: str, title: str) -> None:
        """Set the title of a view's tab."""
        self.setTabText(self.indexOf(self._views[name]), title)

    def _view(self, kind: type[V]) -> V:
        return next(view for view in self._views.values() if isinstance(view, kind))

    def _raise(self, view: QWidget) -> None:
        self.setTabVisible(self.indexOf(view), True)
        self.setCurrentWidget(view)
        self._follow_tabs()

    def _follow_tabs(self) -> None:
        """Hide the bar while there is nothing to choose."""
        shown = sum(self.isTabVisible(at) for at in range(self.count()))
        self.tabBar().setVisible(shown > 1)

    def _show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the graph while a walk through it lasts, then the tab before."""
        is_walking = isinstance(snapshot.walked, (Forward, Backward))
        if is_walking and not self._was_walking:
            self._before = self.currentWidget()
            self._raise(self.graph)
        elif self._was_walking and not is_walking and self._before is not None:
            self.setCurrentWidget(self._before)
            self._before = None
        self._was_walking = is_walking

    def _forget(self) -> None:
        """Stay on the tab that the user has chosen."""
        self._before = None
