"""Whatever a person does with mouse, wheel and keys, nothing breaks."""

import gc

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from gradstep.debugger import Debugger
from gradstep.script.mirror import Mirror
from gradstep_gui import app
from gradstep_gui.main_window import MainWindow
from gradstep_gui.settings import Settings
from gradstep_gui.views.plots import view as plots_view
from gradstep_gui.widgets.dialogs import questions as dialogs
from tests.core.script.sent_frames import SQUARES, Sent, descent, take
from tests.gui.monkey import Monkey

MOVES = 250


@pytest.fixture
def window(qtbot, tmp_path, monkeypatch, plain_look):
    """The application whose questions for files are answered, and which cannot be quit.

    Windows of earlier tests are collected first. PySide does not see Qt delete what Qt has made
    itself, such as a viewport; made at the same address, the next one gets the Python object of the
    last, which becomes invalid once the window that it belonged to is collected.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    names = (tmp_path / f"written_{number}" for number in range(MOVES))
    for module in (dialogs, plots_view):
        monkeypatch.setattr(module, "ask_new_path", lambda *_: next(names))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _: True)
    crashes = []
    window = app.build(["gradstep"], Settings(tmp_path / "settings.ini"), tmp_path)[1]
    window.commands.quit = lambda: None
    window.controller.crashed.connect(crashes.append)
    qtbot.addWidget(window, before_close_func=MainWindow.discard)
    window.show()
    yield window
    window.discard()
    assert crashes == []


@pytest.mark.slow
@pytest.mark.qt_log_ignore("This plugin does not support", "not accepted by receiving widget")
@pytest.mark.parametrize("seed", [1, 21, 101])
def test_random_moves_break_nothing(qtbot, window, seed):
    monkey = Monkey(window, seed, MOVES)
    with qtbot.waitSignal(monkey.done, timeout=200_000):
        monkey.start()
    assert window.isVisible(), monkey.moves[-5:]


def ends_in_an_error():
    """Return what a script sends that has an optimizer of its own, and fails."""
    sent = Sent()
    sent.tensor("model.weight", [[1.0, 2.0], [3.0, 4.0]])
    sent.tensor("model.bias", [0.5, 0.5])
    sent.module("model", ("", "Linear", "2, 2", True))
    sent.optimizer("lion", "Lion", ["model.weight", "model.bias"], module="train", lr=0.5)
    sent.graph("loss", *SQUARES[:2], (2, "AccumulateGrad", [], "model.weight"))
    for iteration in range(3):
        sent.iteration = iteration
        sent.event("forward", "model", 6)
        sent.event("backward", "loss", 7, {"model.weight.grad": [[1, 0], [0, 1]]}, loss=2.0)
        sent.event("step", "lion", 8, {"model.weight": [[1, 2], [3, iteration]]})
    sent.event("backward", "loss", 8, {}, detail={"again": True}, error="RuntimeError: freed")
    sent.bye(1, "RuntimeError: freed")
    return sent


@pytest.fixture
def recordings(tmp_path):
    """Sessions of recorded scripts."""
    paths = []
    for sent in (descent(40, momentum=0.5), descent(4, clears=False), ends_in_an_error()):
        debugger = Debugger(Mirror(take(sent.stream)))
        debugger.follow()
        paths.append(tmp_path / f"recording_{len(paths)}.gradstep")
        debugger.save(paths[-1])
    return paths


@pytest.mark.slow
@pytest.mark.qt_log_ignore("This plugin does not support", "not accepted by receiving widget")
@pytest.mark.parametrize("seed", [2, 22, 102])
def test_random_moves_break_nothing_in_recorded_scripts(qtbot, window, recordings, seed):
    monkey = Monkey(window, seed, MOVES, recordings)
    window.controller.open(recordings[seed % 3], as_copy=True)
    with qtbot.waitSignal(monkey.done, timeout=200_000):
        monkey.start()
    assert window.isVisible(), monkey.moves[-5:]
    document = window.controller.document
    if document is not None and document.recording is not None:
        assert len(window.controller.branches.records) == 1
