"""Announcements to a screen reader, and the roles of our own widgets."""

from __future__ import annotations

import gc
import importlib

import pytest
import shiboken6
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from gradstep_gui.widgets.accessibility import ROLES, announce, install_accessible_roles
from gradstep_gui.widgets.arrays.heat_map import HeatMap

Politeness = QAccessible.AnnouncementPoliteness


@pytest.fixture
def message(monkeypatch):
    reported = []
    keep = lambda event: reported.append((event.message(), event.politeness()))  # noqa: E731 - a stand-in
    monkeypatch.setattr(QAccessible, "updateAccessibility", keep)
    return reported


@pytest.fixture
def widget(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def test_announcements_reach_listeners_and_urgent_ones_interrupt(message, widget, monkeypatch):
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    announce(widget, "Event 3")
    announce(widget, "")
    announce(widget, "Could not save", urgent=True)
    assert message == [("Event 3", Politeness.Polite), ("Could not save", Politeness.Assertive)]


def test_nothing_is_announced_without_listeners(message, widget, monkeypatch):
    monkeypatch.setattr(QAccessible, "isActive", lambda: False)
    announce(widget, "Event 3")
    assert message == []


HOMES = {
    "ConfusionMatrix": "gradstep_gui.plotting.confusion_matrix",
    "FitLegend": "gradstep_gui.plotting.fit_legend",
    "FitPlot": "gradstep_gui.plotting.fit_plot",
    "ImageSheet": "gradstep_gui.plotting.image_sheet",
    "FormulaLabel": "gradstep_gui.widgets.text.formula_label",
    "GraphCanvas": "gradstep_gui.widgets.graph.canvas",
    "GraphLegend": "gradstep_gui.widgets.graph.legend",
    "HeatMap": "gradstep_gui.widgets.arrays.heat_map",
    "Legend": "gradstep_gui.plotting.legend",
    "LegendBar": "gradstep_gui.widgets.arrays.legend_bar",
    "PlotStack": "gradstep_gui.plotting.stack",
    "FormulaPage": "gradstep_gui.views.explain.change",
    "TimelineBar": "gradstep_gui.widgets.timeline.timeline_bar",
}


@pytest.mark.parametrize("name", ROLES)
def test_every_role_is_that_of_a_widget_of_ours(name):
    assert issubclass(getattr(importlib.import_module(HOMES[name]), name), QWidget)


def test_a_role_lives_and_dies_with_its_widget(qtbot):
    install_accessible_roles()
    parent = QWidget()
    qtbot.addWidget(parent)
    for number in range(20):
        HeatMap(parent).setAccessibleName(f"map {number}")
    gc.collect()
    reported = QAccessible.queryAccessibleInterface(parent)
    names = [reported.child(at).text(QAccessible.Text.Name) for at in range(reported.childCount())]
    assert names == [f"map {number}" for number in range(20)]
    assert reported.child(3).role() == QAccessible.Role.Chart
    for widget in parent.findChildren(HeatMap)[:19]:
        shiboken6.delete(widget)
    gc.collect()
    assert reported.childCount() == 1
