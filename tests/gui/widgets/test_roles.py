"""What is drawn here has a role, so that a screen reader can say what it is."""

import gc
import importlib

import pytest
import shiboken6
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from gradstep_gui.widgets.arrays.heat_map import HeatMap
from gradstep_gui.widgets.roles import ROLES, give_roles

HOMES = {
    "FormulaLabel": "gradstep_gui.widgets.text.formula_label",
    "GraphCanvas": "gradstep_gui.widgets.graph.canvas",
    "GraphLegend": "gradstep_gui.widgets.graph.legend",
    "HeatMap": "gradstep_gui.widgets.arrays.heat_map",
    "Legend": "gradstep_gui.plotting.legend",
    "LegendBar": "gradstep_gui.widgets.arrays.legend_bar",
    "PlotStack": "gradstep_gui.plotting.stack",
    "RulePage": "gradstep_gui.views.explain.rules",
    "TimeBar": "gradstep_gui.widgets.time.time_bar",
}


@pytest.mark.parametrize("name", ROLES)
def test_every_role_is_that_of_a_widget_of_ours(name):
    assert issubclass(getattr(importlib.import_module(HOMES[name]), name), QWidget)


def test_a_role_lives_and_dies_with_its_widget(qtbot):
    give_roles()
    parent = QWidget()
    qtbot.addWidget(parent)
    for number in range(20):
        HeatMap(parent).setAccessibleName(f"map {number}")
    gc.collect()
    told = QAccessible.queryAccessibleInterface(parent)
    names = [told.child(at).text(QAccessible.Text.Name) for at in range(told.childCount())]
    assert names == [f"map {number}" for number in range(20)]
    assert told.child(3).role() == QAccessible.Role.Chart
    for widget in parent.findChildren(HeatMap)[:19]:
        shiboken6.delete(widget)
    gc.collect()
    assert told.childCount() == 1
