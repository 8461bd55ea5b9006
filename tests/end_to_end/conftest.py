"""The whole application, put together as it is when it is started."""

import pytest

from gradstep_gui import app
from gradstep_gui.action_ids import LayoutId
from gradstep_gui.main_window import MainWindow
from gradstep_gui.settings import CHOSEN_LAYOUT, THEME, Settings
from tests.end_to_end.driver import Driver


@pytest.fixture
def make_driver(qtbot, qapp, tmp_path):
    """Start the application, with a folder of its own for settings and recordings."""
    windows, crashes, font = [], [], qapp.font()

    def make(file=None):
        settings = Settings(tmp_path / "settings.ini")
        settings.set(THEME, "light")
        if settings.get(CHOSEN_LAYOUT) is None:
            settings.set(CHOSEN_LAYOUT, LayoutId.DEBUG)  # most tests look at its docks
        argv = ["gradstep"] if file is None else ["gradstep", str(file)]
        _, window = app.build(argv, settings, tmp_path / "recordings")
        window.controller.crashed.connect(crashes.append)
        windows.append(window)
        qtbot.addWidget(window, before_close_func=MainWindow.discard)
        window.resize(1280, 800)
        with qtbot.waitExposed(window):
            window.show()
        driver = Driver(qtbot, window)
        driver.settle()
        return driver

    yield make
    for window in windows:
        window.discard()
    qapp.setFont(font)  # a window zooms the application
    assert crashes == []


@pytest.fixture
def driver(make_driver):
    return make_driver()
