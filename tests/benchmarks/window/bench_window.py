"""A window to measure, and the programs that are opened in it."""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QWidget

from gradstep.program.gallery import scenarios
from gradstep_gui import app
from gradstep_gui.action_ids import LayoutId
from gradstep_gui.settings import Settings

LONGEST_S = 120.0


def wide_document(width=512):
    """Return a network of two layers of 512 x 512, as a document."""
    return {
        "gradstep": 1,
        "name": f"{width} x {width}",
        "data": {
            "noise": {
                "kind": "gaussian",
                "samples": 128,
                "inputs": width,
                "targets": width,
                "batch_size": 64,
                "shuffle": True,
            }
        },
        "modules": {
            "model": [
                {"kind": "Linear", "in_features": width, "out_features": width},
                {"kind": "ReLU"},
                {"kind": "Linear", "in_features": width, "out_features": width},
            ]
        },
        "losses": {"loss": {"data": "noise", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
        "optimizers": {"optimizer": {"kind": "Adam", "params": ["model.*"], "lr": 1e-4}},
    }


def programs(folder):
    """Return the programs by what the tables call them."""
    numbered = {item.path.name[:2]: item.path for item in scenarios()}
    wide = Path(folder) / "wide.json"
    wide.write_text(json.dumps(wide_document()), encoding="utf-8")
    return {
        "01 (two numbers)": numbered["01"],
        "03 (2000-200-20)": numbered["03"],
        "06 (iris)": numbered["06"],
        "512x512": wide,
    }


@contextmanager
def open_window(path, layout, size=(1280, 800)):
    """Give a shown window of the application itself, which records as for a user."""
    sys.setswitchinterval(app.SWITCH_INTERVAL_S)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "settings.ini")
        window = app.build(["gradstep"], settings, Path(folder) / "recordings")[1]
        app.collect_cycles(window)
        try:
            window.resize(*size)
            window.show()
            if path is not None:
                window.controller.open(path, as_copy=True)
                assert window.controller.wait_idle(LONGEST_S)
                window.layouts.choose(LayoutId(layout))
            settle(window)
            yield window
        finally:
            window.discard()
            window.deleteLater()
            del window
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            gc.enable()
            gc.unfreeze()
            gc.collect()  # the next window is measured beside no other one


def settle(window, seconds=0.5):
    """Let everything come that comes late, such as formulas."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
    assert window.controller.wait_idle(LONGEST_S)


class Repaints(QObject):
    """Counts how often the window was painted, and when it was last."""

    def __init__(self, window):
        super().__init__(window)
        self.count = 0
        window.installEventFilter(self)

    def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.UpdateRequest:
            self.count += 1
        return False

    def until_quiet(self, is_done):
        """Run the event loop until it is done and a turn of it paints nothing more."""
        limit = time.monotonic() + LONGEST_S
        while not is_done():
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            assert time.monotonic() < limit
        before = -1
        while self.count != before:
            before = self.count
            QCoreApplication.processEvents()


def repaint_all(window):
    """Have everything that is seen painted again."""
    for widget in window.findChildren(QWidget):
        widget.update()  # a hidden one ignores it


class Lateness(QObject):
    """How late a timer of 5 ms fires: how long the event loop is busy with something else.

    Attributes:
        late: The seconds that it was late.
        busy: The seconds of processor time that its thread took meanwhile, which a machine that is
            busy with other processes does not lengthen.
    """

    EVERY_S = 0.005

    def __init__(self, parent):
        super().__init__(parent)
        self.late, self.busy = [], []
        self._due = self._used = 0.0
        self._timer = QTimer(self, interval=int(1e3 * self.EVERY_S), singleShot=True)
        self._timer.setTimerType(self._timer.timerType().PreciseTimer)
        self._timer.timeout.connect(self._fire)

    def start(self):
        self._due = time.perf_counter() + self.EVERY_S
        self._used = time.thread_time()
        self._timer.start()

    def stop(self):
        self._timer.stop()

    def _fire(self):
        self.late.append(max(0.0, time.perf_counter() - self._due))
        self.busy.append(time.thread_time() - self._used)
        self.start()
