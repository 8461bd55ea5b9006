"""Stored layouts of docks are restored for the same docks and toolbars only."""

import pytest
from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolBar

from gradstep_gui.window.docks import layout_version


@pytest.fixture
def make_window(qtbot):
    def made(*docks, toolbar="toolbar.debug"):
        window = QMainWindow()
        qtbot.addWidget(window)
        for name in docks:
            dock = QDockWidget(name, window)
            dock.setObjectName(name)
        bar = QToolBar(window)
        bar.setObjectName(toolbar)
        return window

    return made


def test_the_layout_version_is_the_same_for_the_same_docks_in_any_order(make_window):
    version = layout_version(make_window("dock.graph", "dock.watches"))
    assert layout_version(make_window("dock.watches", "dock.graph")) == version
    assert 0 < version < 2**31


@pytest.mark.parametrize(
    ("docks", "toolbar"),
    [
        (["dock.graph"], "toolbar.debug"),
        (["dock.graph", "dock.watches", "dock.new"], "toolbar.debug"),
        (["dock.graph", "dock.new"], "toolbar.debug"),
        (["dock.graph", "dock.watches"], "toolbar.other"),
    ],
)
def test_another_dock_or_toolbar_changes_the_layout_version(make_window, docks, toolbar):
    before = layout_version(make_window("dock.graph", "dock.watches"))
    assert layout_version(make_window(*docks, toolbar=toolbar)) != before


def test_a_layout_stored_before_a_dock_was_added_is_not_restored(make_window):
    old = make_window("dock.graph")
    stored = old.saveState(layout_version(old))
    new = make_window("dock.graph", "dock.new")
    assert old.restoreState(stored, layout_version(old))
    assert not new.restoreState(stored, layout_version(new))
