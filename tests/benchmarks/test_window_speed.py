"""How long a press takes until it is on the screen, in the layout that a beginner sees."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QWidget

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep_gui.action_ids import ActionId, LayoutId, ViewId
from gradstep_gui.controller import Controller
from gradstep_gui.main_window import MainWindow
from gradstep_gui.messages import Messages
from gradstep_gui.settings import Settings

LONGEST_S = 30.0
PRESSES = (ActionId.ZERO_GRAD, ActionId.FORWARD, ActionId.BACKWARD, ActionId.STEP)


class Painted(QObject):
    """Notes which of some widgets have been painted."""

    def __init__(self, widgets):
        super().__init__()
        self.left = set()
        self.widgets = widgets
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched, event):  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Paint:
            self.left.discard(watched)
        return False

    def wait(self):
        """Run the event loop until all of them have been painted, and nothing is left to do."""
        limit = time.monotonic() + LONGEST_S
        while self.left:
            QCoreApplication.processEvents()
            assert time.monotonic() < limit
        QCoreApplication.processEvents()


@pytest.fixture(params=["who_does_what", "iris"])
def window(request, qtbot, tmp_path):
    """A window at 1280 x 800 in the Learn layout, with a program that has done an iteration."""
    messages = Messages()
    window = MainWindow(
        Controller(messages, Debugger.open), Settings(tmp_path / "settings.ini"), messages, ()
    )
    qtbot.addWidget(window)
    window.resize(1280, 800)
    with qtbot.waitExposed(window):
        window.show()
    path = next(item.path for item in scenarios() if request.param in item.id)
    window.controller.open(path, as_copy=True)
    assert window.controller.wait_idle(60)
    window.layouts.choose(LayoutId.LEARN)
    yield window
    window.discard()


def of_interest(window):
    """Return the sentence and the cards: each press changes both."""
    cards = window.docks[ViewId.TENSORS].widget().list.viewport()
    return Painted((window.sentence_bar.view, cards))


def test_speed_from_a_press_to_its_picture(benchmark, window):
    painted, pressed = of_interest(window), []
    awaited = object()

    def arrive(_snapshot):
        """Await the picture of the first moment that comes; others bring only more values."""
        if awaited in painted.left:
            painted.left = set(painted.widgets)

    window.controller.snapshot_changed.connect(arrive)

    def press():
        action = PRESSES[len(pressed) % len(PRESSES)]
        painted.left.add(awaited)
        window.actions_by_id[action].trigger()
        painted.wait()
        pressed.append(action)

    press()
    benchmark(press)
    assert window.controller.events_count() == len(pressed)
    assert window.sentence_bar.view.sentence == window.controller.snapshot.sentence


def test_speed_of_painting_the_window_without_news(benchmark, window):
    painted = of_interest(window)

    def repaint():
        painted.left.update(painted.widgets)
        for widget in window.findChildren(QWidget):
            widget.update()  # a hidden one ignores it
        painted.wait()

    benchmark(repaint)
    assert not painted.left
