"""The docks: which there are."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QToolBar

from gradstep_gui.action_ids import ViewId, dock_toggle_id
from gradstep_gui.translation import QT_TRANSLATE_NOOP
from gradstep_gui.views.branches import BranchesView
from gradstep_gui.views.breakpoints import BreakpointsView
from gradstep_gui.views.compare import CompareView
from gradstep_gui.views.event_log import EventLogView
from gradstep_gui.views.explain import ExplainView
from gradstep_gui.views.findings import FindingsView
from gradstep_gui.views.inside import InsideView
from gradstep_gui.views.lesson import LessonStepsView
from gradstep_gui.views.optimizer_inspector import OptimizerInspectorView
from gradstep_gui.views.output import OutputView
from gradstep_gui.views.parameters import ParametersView
from gradstep_gui.views.program import ProgramView
from gradstep_gui.views.ranks import RanksView
from gradstep_gui.views.tensors import TensorsView
from gradstep_gui.views.variables import VariablesView
from gradstep_gui.views.watches import WatchesView
from gradstep_gui.widgets.text.typesetter import Typesetter

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep_gui.controller import Controller
    from gradstep_gui.views.dock_view import DockView

__all__ = ["DOCKS", "Dock", "layout_version", "make_docks"]


_Make: TypeAlias = "Callable[[Controller, Typesetter], DockView]"


def _plain(kind: Callable[[Controller], DockView]) -> _Make:
    """Return a factory of a view that shows no formulas."""
    return lambda controller, _typesetter: kind(controller)


BOTTOM = 0.22
"""The share of the window's height for the bottom docks."""


@dataclass(frozen=True, slots=True)
class Dock:
    """One dock.

    Attributes:
        id: Its stable id, part of its objectName, and the value of `--dock`.
        title: Its title.
        area: The side on which it appears where a layout does not list it.
        share: Its share of the window's width or height when it is the first one there.
        make: Makes its view, given the typesetter of all formulas.
        tabbed_with: The id of the dock whose place it shares then, as a tab.
        of_scripts: Whether it is for users' own scripts, and hidden while a program is open.
    """

    id: ViewId
    title: str
    area: Qt.DockWidgetArea
    share: float
    make: _Make
    tabbed_with: ViewId | None = None
    of_scripts: bool = False


DOCKS: tuple[Dock, ...] = (
    Dock(
        ViewId.LESSON,
        QT_TRANSLATE_NOOP("Dock", "Lesson"),
        Qt.DockWidgetArea.LeftDockWidgetArea,
        0.27,
        _plain(LessonStepsView),
    ),
    Dock(
        ViewId.PROGRAM,
        QT_TRANSLATE_NOOP("Dock", "Program"),
        Qt.DockWidgetArea.LeftDockWidgetArea,
        0.31,
        _plain(ProgramView),
    ),
    Dock(
        ViewId.PARAMETERS,
        QT_TRANSLATE_NOOP("Dock", "Parameters"),
        Qt.DockWidgetArea.LeftDockWidgetArea,
        0.31,
        _plain(ParametersView),
        tabbed_with=ViewId.PROGRAM,
    ),
    Dock(
        ViewId.TENSORS,
        QT_TRANSLATE_NOOP("Dock", "Tensors"),
        Qt.DockWidgetArea.RightDockWidgetArea,
        0.27,
        _plain(TensorsView),
    ),
    Dock(
        ViewId.OPTIMIZER,
        QT_TRANSLATE_NOOP("Dock", "Optimizer Inspector"),
        Qt.DockWidgetArea.RightDockWidgetArea,
        0.27,
        _plain(OptimizerInspectorView),
    ),
    Dock(
        ViewId.EXPLAIN,
        QT_TRANSLATE_NOOP("Dock", "Explain"),
        Qt.DockWidgetArea.RightDockWidgetArea,
        0.27,
        ExplainView,
        tabbed_with=ViewId.OPTIMIZER,
    ),
    Dock(
        ViewId.VARIABLES,
        QT_TRANSLATE_NOOP("Dock", "Variables"),
        Qt.DockWidgetArea.RightDockWidgetArea,
        0.27,
        _plain(VariablesView),
        tabbed_with=ViewId.OPTIMIZER,
        of_scripts=True,
    ),
    Dock(
        ViewId.EVENT_LOG,
        QT_TRANSLATE_NOOP("Dock", "Event Log"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        _plain(EventLogView),
    ),
    Dock(
        ViewId.OUTPUT,
        QT_TRANSLATE_NOOP("Dock", "Output"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        _plain(OutputView),
        tabbed_with=ViewId.EVENT_LOG,
        of_scripts=True,
    ),
    Dock(
        ViewId.FINDINGS,
        QT_TRANSLATE_NOOP("Dock", "Findings"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        _plain(FindingsView),
        tabbed_with=ViewId.EVENT_LOG,
    ),
    Dock(
        ViewId.INSIDE,
        QT_TRANSLATE_NOOP("Dock", "Inside"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        InsideView,
        tabbed_with=ViewId.EVENT_LOG,
    ),
    Dock(
        ViewId.BREAKPOINTS,
        QT_TRANSLATE_NOOP("Dock", "Breakpoints"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        _plain(BreakpointsView),
        tabbed_with=ViewId.EVENT_LOG,
    ),
    Dock(
        ViewId.WATCHES,
        QT_TRANSLATE_NOOP("Dock", "Watches"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        _plain(WatchesView),
        tabbed_with=ViewId.EVENT_LOG,
    ),
    Dock(
        ViewId.BRANCHES,
        QT_TRANSLATE_NOOP("Dock", "Branches"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        _plain(BranchesView),
        tabbed_with=ViewId.EVENT_LOG,
    ),
    Dock(
        ViewId.COMPARE,
        QT_TRANSLATE_NOOP("Dock", "Compare"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        _plain(CompareView),
        tabbed_with=ViewId.EVENT_LOG,
    ),
    Dock(
        ViewId.RANKS,
        QT_TRANSLATE_NOOP("Dock", "Ranks"),
        Qt.DockWidgetArea.BottomDockWidgetArea,
        BOTTOM,
        _plain(RanksView),
        tabbed_with=ViewId.EVENT_LOG,
    ),
)


def make_docks(window: QMainWindow, controller: Controller) -> dict[str, QDockWidget]:
    """Make every dock, and add it to the window."""
    window.setDockNestingEnabled(True)
    window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
    window.setCorner(Qt.Corner.TopLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
    window.setCorner(Qt.Corner.TopRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
    window.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
    window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
    made: dict[str, QDockWidget] = {}
    typesetter = Typesetter(window)
    for dock in DOCKS:
        title = QCoreApplication.translate("Dock", dock.title)
        widget = QDockWidget(title, window)
        widget.setObjectName(f"dock.{dock.id}")
        view = dock.make(controller, typesetter)
        view.windowTitleChanged.connect(widget.setWindowTitle)
        widget.setWidget(view)
        widget.visibilityChanged.connect(view.come_to_front)
        widget.setAccessibleName(title)
        toggle = widget.toggleViewAction()
        toggle.setObjectName(dock_toggle_id(dock.id))
        made[dock.id] = widget
        window.addDockWidget(dock.area, widget)
    return made


def layout_version(window: QMainWindow) -> int:
    """Return the version of stored layouts: another one for other docks or toolbars.

    Args:
        window: The window with its docks and toolbars.
    """
    parts = (*window.findChildren(QDockWidget), *window.findChildren(QToolBar))
    names = "\n".join(sorted(part.objectName() for part in parts))
    return zlib.crc32(names.encode()) & 0x7FFF_FFFF  # Qt wants a signed 32-bit integer
