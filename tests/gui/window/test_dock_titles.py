"""A dock among tabs has no title bar; one that stands alone has."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from gradstep_gui.window.dock_titles import DockTitles


@pytest.fixture
def window(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    return window


def test_the_title_bar_is_hidden_among_tabs_and_shown_again(window, qtbot):
    docks = [QDockWidget(name, window) for name in ("one", "two", "three")]
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    DockTitles(window, docks)
    window.show()
    window.tabifyDockWidget(docks[0], docks[1])

    def bare():
        return [dock.titleBarWidget() is not None for dock in docks]

    qtbot.waitUntil(lambda: bare() == [True, True, False], timeout=60_000)
    docks[1].close()
    qtbot.waitUntil(lambda: bare() == [False, False, False], timeout=60_000)
    docks[1].show()
    qtbot.waitUntil(lambda: bare() == [True, True, False], timeout=60_000)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, docks[0])
    qtbot.waitUntil(lambda: bare() == [False, False, False], timeout=60_000)
