"""Docks among tabs have no title bars; side docks get their widths back with the room."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QMainWindow,
    QTabBar,
    QWidget,
)

from gradstep_gui import theme
from gradstep_gui.theme import DARK, LIGHT
from gradstep_gui.window.dock_behavior import DockTitles, DockWidths

LEFT, HORIZONTAL = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.Orientation.Horizontal
TIMEOUT_MS = 60_000


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

    qtbot.waitUntil(lambda: bare() == [True, True, False], timeout=TIMEOUT_MS)
    docks[1].close()
    qtbot.waitUntil(lambda: bare() == [False, False, False], timeout=TIMEOUT_MS)
    docks[1].show()
    qtbot.waitUntil(lambda: bare() == [True, True, False], timeout=TIMEOUT_MS)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, docks[0])
    qtbot.waitUntil(lambda: bare() == [False, False, False], timeout=TIMEOUT_MS)


@pytest.fixture
def dock(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    middle = QWidget()
    middle.setMinimumWidth(300)
    window.setCentralWidget(middle)
    dock = QDockWidget("a dock", window)
    dock.setWidget(QWidget())
    window.addDockWidget(LEFT, dock)
    DockWidths(window, (dock,))
    window.resize(900, 400)
    window.show()
    window.resizeDocks((dock,), (350,), HORIZONTAL)
    qtbot.waitUntil(lambda: dock.width() == 350, timeout=TIMEOUT_MS)
    return dock


def resize(window, width, qtbot):
    window.resize(width, 400)
    qtbot.waitUntil(lambda: window.width() == width, timeout=TIMEOUT_MS)


def test_a_dock_gets_its_width_back_when_the_window_does(dock, qtbot):
    resize(dock.window(), 450, qtbot)
    qtbot.waitUntil(lambda: dock.width() < 200, timeout=TIMEOUT_MS)
    resize(dock.window(), 900, qtbot)
    qtbot.waitUntil(lambda: dock.width() == 350, timeout=TIMEOUT_MS)


def test_width_lost_while_a_narrow_window_settles_is_restored(dock, qtbot):
    resize(dock.window(), 450, qtbot)
    qtbot.waitUntil(lambda: dock.width() < 200, timeout=TIMEOUT_MS)
    widths = dock.window().findChild(DockWidths)
    qtbot.waitUntil(lambda: widths._size == dock.window().size(), timeout=TIMEOUT_MS)
    dock.window().resizeDocks((dock,), (100,), HORIZONTAL)
    qtbot.waitUntil(lambda: dock.width() == 100, timeout=TIMEOUT_MS)
    resize(dock.window(), 900, qtbot)
    qtbot.waitUntil(lambda: dock.width() == 350, timeout=TIMEOUT_MS)


def test_a_dock_narrowed_by_the_user_stays_narrow(dock, qtbot):
    dock.window().resizeDocks((dock,), (120,), HORIZONTAL)
    qtbot.waitUntil(lambda: dock.width() == 120, timeout=TIMEOUT_MS)
    resize(dock.window(), 1000, qtbot)
    qtbot.waitUntil(lambda: dock.window().centralWidget().width() > 800, timeout=TIMEOUT_MS)
    assert dock.width() == 120


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_menu_of_a_tab_floats_moves_and_closes_its_dock(window, qtbot):
    docks = [QDockWidget(name, window) for name in ("one", "two")]
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.tabifyDockWidget(*docks)
    titles = DockTitles(window, docks)
    with qtbot.waitExposed(window):
        window.show()

    def choose(text):
        (entry,) = [one for one in titles.menu_of(docks[0]).actions() if one.text() == text]
        entry.trigger()

    choose("&Float")
    assert docks[0].isFloating()
    docks[0].setFloating(False)
    choose("Move to the &Right")
    assert window.dockWidgetArea(docks[0]) == Qt.DockWidgetArea.RightDockWidgetArea
    choose("&Close")
    assert docks[0].isHidden()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_right_click_on_a_tab_opens_the_menu_of_its_dock(window, qtbot):
    docks = [QDockWidget(name, window) for name in ("one", "two")]
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.tabifyDockWidget(*docks)
    titles = DockTitles(window, docks)
    with qtbot.waitExposed(window):
        window.show()
    titles.follow()
    (tabs,) = window.findChildren(QTabBar)
    tabs.customContextMenuRequested.emit(tabs.tabRect(1).center())
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None, timeout=TIMEOUT_MS)
    menu = QApplication.activePopupWidget()
    next(one for one in menu.actions() if one.text() == "&Float").trigger()
    menu.close()
    assert [dock.isFloating() for dock in docks] == [False, True]


def test_the_buttons_of_a_title_bar_are_named_and_follow_the_theme(window, qapp):
    dock = QDockWidget("Lesson", window)
    window.addDockWidget(LEFT, dock)
    titles = DockTitles(window, [dock])
    window.show()

    def inks():
        found = {}
        for button in dock.findChildren(QAbstractButton):
            picture = button.icon().pixmap(32, 32).toImage()
            drawn = [picture.pixelColor(x, y) for x in range(32) for y in range(32)]
            found[button.accessibleName()] = max(drawn, key=lambda color: color.alpha()).name()
        return found

    theme.apply(qapp, "dark")
    qapp.processEvents()
    titles.follow()
    assert inks() == {"Float Lesson": DARK.muted, "Close Lesson": DARK.muted}
    theme.apply(qapp, "light")
    qapp.processEvents()
    titles.follow()
    assert inks() == {"Float Lesson": LIGHT.muted, "Close Lesson": LIGHT.muted}
