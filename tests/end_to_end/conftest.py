"""The whole window, with the real Debugger behind it."""

import pytest

from gradstep.debugger import Debugger
from gradstep_gui import theme
from gradstep_gui.controller import Controller
from gradstep_gui.main_window import MainWindow
from gradstep_gui.messages import Messages
from gradstep_gui.settings import Settings
from tests.end_to_end.driver import Driver


@pytest.fixture
def driver(qtbot, qapp, tmp_path):
    theme.apply(qapp, "light")
    messages = Messages()
    controller = Controller(messages, Debugger.open)
    crashes = []
    controller.crashed.connect(crashes.append)
    window = MainWindow(controller, Settings(tmp_path / "settings.ini"), messages, ())
    qtbot.addWidget(window)
    window.resize(1280, 800)
    with qtbot.waitExposed(window):
        window.show()
    yield Driver(qtbot, window)
    assert crashes == []
    window.discard()
