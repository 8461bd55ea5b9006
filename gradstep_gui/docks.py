"""Which views there are, and where they stand at first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget

from gradstep_gui.action import QT_TRANSLATE_NOOP
from gradstep_gui.views.event_log import EventLogView
from gradstep_gui.views.findings import FindingsView
from gradstep_gui.views.optimizer_inspector import OptimizerInspectorView
from gradstep_gui.views.parameters import ParametersView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QWidget

    from gradstep_gui.controller import Controller

__all__ = ["DOCKS", "Dock", "arrange", "make_docks"]


@dataclass(frozen=True, slots=True)
class Dock:
    """One dock.

    Attributes:
        id: Its name for ever; part of its objectName, and what `--dock` is given.
        title: Its words.
        area: The side where it stands at first.
        share: Its part of the window's width or height at first.
        make: Makes its view.
        tabbed_with: The id of the dock that it shares its place with, behind it.
    """

    id: str
    title: str
    area: Qt.DockWidgetArea
    share: float
    make: Callable[[Controller], QWidget]
    tabbed_with: str = ""


DOCKS: tuple[Dock, ...] = (
    Dock(
        "parameters",
        QT_TRANSLATE_NOOP("Dock", "Parameters"),
        Qt.DockWidgetArea.LeftDockWidgetArea,
        0.31,
        ParametersView,
    ),
    Dock(
        "optimizer",
        QT_TRANSLATE_NOOP("Dock", "Optimizer inspector"),
        Qt.DockWidgetArea.RightDockWidgetArea,
        0.27,
        OptimizerInspectorView,
    ),
    Dock(
        "event_log",
        QT_TRANSLATE_NOOP("Dock", "Event log"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        0.30,
        EventLogView,
    ),
    Dock(
        "findings",
        QT_TRANSLATE_NOOP("Dock", "Findings"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        0.30,
        FindingsView,
        tabbed_with="event_log",
    ),
)


def make_docks(window: QMainWindow, controller: Controller) -> dict[str, QDockWidget]:
    """Make every dock, and give it to the window."""
    window.setDockNestingEnabled(True)
    window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
    window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
    window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
    made = {}
    for dock in DOCKS:
        title = QCoreApplication.translate("Dock", dock.title)
        widget = QDockWidget(title, window)
        widget.setObjectName(f"dock.{dock.id}")
        widget.setWidget(dock.make(controller))
        widget.setAccessibleName(title)
        toggle = widget.toggleViewAction()
        toggle.setObjectName(f"view.dock.{dock.id}")
        made[dock.id] = widget
        window.addDockWidget(dock.area, widget)
    return made


def arrange(window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
    """Put every dock where it stands at first, in shares of the window's present size."""
    for dock in DOCKS:
        widget = docks[dock.id]
        widget.setFloating(False)
        window.removeDockWidget(widget)
        window.addDockWidget(dock.area, widget)
        widget.setVisible(True)
    _tabify(window, docks)
    bottom = Qt.DockWidgetArea.BottomDockWidgetArea
    for sideways in (True, False):
        chosen = [
            dock for dock in DOCKS if (dock.area != bottom) is sideways and not dock.tabbed_with
        ]
        extent = window.width() if sideways else window.height()
        window.resizeDocks(
            [docks[dock.id] for dock in chosen],
            [round(dock.share * extent) for dock in chosen],
            Qt.Orientation.Horizontal if sideways else Qt.Orientation.Vertical,
        )
    _tabify(window, docks)  # once more: Qt hides the tabs of docks that are resized


def _tabify(window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
    for dock in DOCKS:
        if dock.tabbed_with:
            window.tabifyDockWidget(docks[dock.tabbed_with], docks[dock.id])
            docks[dock.tabbed_with].raise_()
