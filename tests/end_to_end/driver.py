"""Driver: presses the window's real buttons, and waits until their result is shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox

from gradstep_gui.widgets.buttons import ActionButton

TIMEOUT_S = 60.0
SCENARIOS = Path(__file__).parents[2] / "resources" / "scenarios"


class Driver:
    """A person at the window, who has patience and never misses a button."""

    def __init__(self, qtbot, window):
        self.qtbot = qtbot
        self.window = window
        self.controller = window.controller

    @property
    def snapshot(self):
        """The current moment."""
        return self.controller.snapshot

    @property
    def debugger(self):
        """The Debugger, while the worker rests."""
        assert self.controller.wait_idle(TIMEOUT_S)
        return self.controller.debugger

    @property
    def message(self):
        """What the message bar says; empty when it is not shown."""
        history = self.window.messages.history
        return history[-1].text if self.window.message_bar.isVisible() and history else ""

    def open(self, path):
        """Open a file."""
        self.window.documents.open(Path(path))
        self.settle()

    def open_scenario(self, name):
        """Open a program that ships, without its lesson."""
        self.window.controller.open(SCENARIOS / f"{name}.json", as_copy=True)
        self.settle()

    def button(self, action):
        """The toolbar's button of an action."""
        buttons = self.window.toolbar.findChildren(ActionButton)
        return next(b for b in buttons if b.defaultAction().objectName() == action)

    def press(self, *actions):
        """Click on buttons of the toolbar, one after the other."""
        for action in actions:
            button = self.button(action)
            assert button.isVisible(), action
            assert button.isEnabled(), action
            self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
            self.settle()

    def loop(self):
        """Press the four buttons of one iteration."""
        self.press("debug.zero_grad", "debug.forward", "debug.backward", "debug.step")

    def trigger(self, action):
        """Choose an entry of the menu."""
        entry = self.window.actions_by_id[action]
        assert entry.isEnabled(), action
        entry.trigger()
        self.settle()

    def do_other(self, kind, target):
        """Choose what is in the menu of other operations."""
        assert self.window.other_operations.isEnabled()
        menu = next(
            entry.menu() for entry in self.window.other_operations.actions() if entry.text() == kind
        )
        next(entry for entry in menu.actions() if entry.text() == target).trigger()
        self.settle()

    def choose(self, caption, name):
        """Choose a target in one of the toolbar's boxes, by keyboard."""
        boxes = self.window.toolbar.findChildren(QComboBox)
        box = next(box for box in boxes if box.accessibleName() == caption)
        assert box.isVisible(), caption
        for _ in range(box.count()):
            self.qtbot.keyClick(box, Qt.Key.Key_Up)
        while box.currentText() != name:
            before = box.currentText()
            self.qtbot.keyClick(box, Qt.Key.Key_Down)
            assert box.currentText() != before, name

    def iterate(self, count):
        """Run the program's loop, as the menu's entry does once a number is given."""
        self.controller.iterate(count)
        self.settle()

    def settle(self):
        """Wait until the worker rests and everything is painted."""
        assert self.controller.wait_idle(TIMEOUT_S)
        QApplication.processEvents()
        assert self.controller.wait_idle(TIMEOUT_S)

    def legend(self, panel):
        """What a panel's legend says: values by column."""
        entries = self.window.plots.stack.panels[panel].legend.entries
        return {entry.key: entry.value for entry in entries}

    def points(self, column):
        """The points of a curve."""
        curve = self.window.plots._curves[column]
        return curve.x.tolist(), curve.y.tolist()


def state_of(debugger):
    """Everything that can be seen of a program's tensors and optimizers, as bytes."""
    snapshot = debugger.snapshot
    state = {}
    for name, parameter in snapshot.parameters.items():
        state[name] = parameter.data.tobytes()
        state[f"{name}.grad"] = None if parameter.grad is None else parameter.grad.tobytes()
        for optimizer, buffers in parameter.buffers.items():
            for key, buffer in buffers.items():
                array = buffer if isinstance(buffer, float) else buffer.values(key)
                state[f"{optimizer}/{name}/{key}"] = np.asarray(array).tobytes()
    return state
