"""Whatever a person does with mouse, wheel and keys, nothing breaks."""

import pytest
from PySide6.QtGui import QDesktopServices

from gradstep_gui import app
from gradstep_gui.settings import Settings
from gradstep_gui.views.plots import view as plots_view
from gradstep_gui.widgets.dialogs import questions as dialogs
from tests.gui.monkey import Monkey

MOVES = 250


@pytest.fixture
def window(qtbot, qapp, tmp_path, monkeypatch):
    """The application whose questions for files are answered, and which cannot be quit."""
    names = (tmp_path / f"written_{number}" for number in range(MOVES))
    for module in (dialogs, plots_view):
        monkeypatch.setattr(module, "ask_new_path", lambda *_: next(names))
    monkeypatch.setattr(dialogs, "ask_open_path", lambda *_: None)
    monkeypatch.setattr(dialogs, "ask_session_paths", lambda *_: ())
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: True)
    crashes = []
    window = app.build(["gradstep"], Settings(tmp_path / "settings.ini"), tmp_path)[1]
    window.commands.quit = lambda: None
    window.controller.crashed.connect(crashes.append)
    qtbot.addWidget(window)
    window.show()
    yield window
    window.discard()
    assert crashes == []


@pytest.mark.slow
@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("seed", [1, 21, 101])
def test_random_moves_break_nothing(qtbot, window, seed):
    monkey = Monkey(window, seed, MOVES)
    with qtbot.waitSignal(monkey.done, timeout=200_000):
        monkey.start()
    assert window.isVisible(), monkey.moves[-5:]
