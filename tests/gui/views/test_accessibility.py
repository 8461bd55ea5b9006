"""Every control of every dock has a name for screen readers and can be reached by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QTabBar, QWidget

from gradstep_gui.views.data import DataView
from gradstep_gui.views.graph import GraphView
from gradstep_gui.widgets.text.typesetter import Typesetter
from gradstep_gui.window.docks import DOCKS
from tests.gui.factory import RememberingController, events, layered

MAKERS = {dock.id: dock.make for dock in DOCKS} | {
    "graph": lambda controller, _typesetter: GraphView(controller),
    "data": lambda controller, _typesetter: DataView(controller),
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_focusable_widget_has_an_accessible_name(qtbot, name):
    controller = RememberingController(layered(2, 3, momentum=True), events(4))
    view = MAKERS[name](controller, Typesetter())
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


@pytest.mark.parametrize("name", ["parameters", "optimizer", "event_log", "explain"])
def test_a_view_without_a_program_shows_a_placeholder(qtbot, name):
    view = MAKERS[name](RememberingController(), Typesetter())
    qtbot.addWidget(view)
    view.show()
    assert not view.place.shows_content
    assert view.place.sentence.startswith("Open a program")
