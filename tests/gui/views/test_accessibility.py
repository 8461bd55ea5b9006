"""Every control of every dock has a name that a screen reader can tell, and can be reached."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QTabBar, QWidget

from gradstep_gui.views.branches import BranchesView
from gradstep_gui.views.breakpoints import BreakpointsView
from gradstep_gui.views.compare import CompareView
from gradstep_gui.views.event_log import EventLogView
from gradstep_gui.views.explain import ExplainView
from gradstep_gui.views.graph import GraphView
from gradstep_gui.views.optimizer_inspector import OptimizerInspectorView
from gradstep_gui.views.parameters import ParametersView
from gradstep_gui.views.watches import WatchesView
from tests.gui.factory import RememberingController, events, layered


@pytest.mark.parametrize(
    "kind",
    [
        ParametersView,
        OptimizerInspectorView,
        EventLogView,
        ExplainView,
        GraphView,
        BranchesView,
        CompareView,
        BreakpointsView,
        WatchesView,
    ],
)
def test_what_can_have_the_focus_has_a_name(qtbot, kind):
    view = kind(RememberingController(layered(2, 3, momentum=True), events(4)))
    qtbot.addWidget(view)
    view.show()
    nameless = [
        widget
        for widget in view.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not isinstance(widget, QLabel)
        and widget.objectName() != "qt_spinbox_lineedit"
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and not (isinstance(widget.parent(), QTabBar))
    ]
    assert nameless == []


@pytest.mark.parametrize(
    "kind", [ParametersView, OptimizerInspectorView, EventLogView, ExplainView]
)
def test_a_view_without_a_program_says_what_will_fill_it(qtbot, kind):
    view = kind(RememberingController())
    qtbot.addWidget(view)
    view.show()
    assert not view.place.shows_content
    assert view.place.sentence.startswith("Open a program")
