"""A script that is held in the window: from a press to its next Operation, and a free run."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import numpy as np
from bench_window import Lateness, Repaints, open_window, settle
from figures import Figure, percentiles
from press import now
from PySide6.QtCore import QCoreApplication, QEventLoop

from gradstep.script.command import ScriptCommand
from gradstep_gui.action_ids import ActionId, LayoutId

WAIT = QEventLoop.ProcessEventsFlag.WaitForMoreEvents
LIMIT_S = 60

TRAINS = """
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(64, 2), torch.randn(64, 1)
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
while True:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
"""


def measure(report, folder, presses, seconds):
    """Report a held script: with PyTorch where it is installed, else with the stand-in."""
    script = Path(folder) / "train.py"
    script.write_text(TRAINS)
    is_stand_in = importlib.util.find_spec("torch") is None
    python = None if is_stand_in else sys.executable
    note = "with the stand-in" if is_stand_in else "with PyTorch"
    with open_window(None, "debug") as window:
        controller = window.controller
        controller.debug_here(ScriptCommand(str(script), (), python, is_stand_in=is_stand_in))
        assert controller.wait_idle(LIMIT_S)
        window.layouts.choose(LayoutId.DEBUG)
        settle(window)
        held, painted = _presses(window, presses)
        paused = _pauses(window, max(3, presses // 20))
        lateness = Lateness(window)
        before = controller.snapshot.iteration
        start = time.perf_counter()
        controller.run()
        lateness.start()
        while time.perf_counter() - start < seconds:
            QCoreApplication.processEvents(WAIT)
        lateness.stop()
        controller.pause()
        assert controller.wait_idle(LIMIT_S)
        speed = (controller.snapshot.iteration - before) / (time.perf_counter() - start)
    for what, times, goal in (
        ("a press until the script is held again, p50", held, "<= 5"),
        ("a press until that is painted, p50", painted, ""),
        ("a running script until it is held, p50", paused, "<= 20"),
    ):
        wall, cpu = np.array(times).T
        median, late, _ = percentiles(wall)
        text = f"{note}; p99 {late:.1f} ms; processor time p50 {percentiles(cpu)[0]:.1f} ms"
        report.add(Figure(what, median, "ms", goal=goal, note=text))
    _, late, most = percentiles(lateness.late)
    text = f"{note}; max {most:.1f} ms; {speed:,.0f} iterations a second"
    report.add(Figure("event loop late in a free run, p99", late, "ms", goal="<= 25", note=text))


def _presses(window, presses):
    """Return the times of steps over one Operation each: until it is held, and until painted."""
    controller, repaints = window.controller, Repaints(window)
    held, painted, tape = [], [], controller.debugger.program.tape
    for _ in range(presses + 8):
        goal = tape.recorded + 1
        start = now()
        window.actions_by_id[ActionId.STEP_OVER].trigger()
        while tape.recorded < goal:  # by the worker; nothing is drawn meanwhile
            time.sleep(1e-4)
        held.append(now() - start)
        repaints.until_quiet(lambda: controller.wait_idle(0))
        painted.append(now() - start)
    return held[8:], painted[8:]


def _pauses(window, count):
    """Return the times from a press of Pause until the script is held."""
    controller, times = window.controller, []
    for _ in range(count):
        controller.run()
        settled = time.perf_counter() + 0.3
        while time.perf_counter() < settled:
            QCoreApplication.processEvents(WAIT)
        start = now()
        controller.pause()
        while controller.state.work == "running":
            QCoreApplication.processEvents(WAIT)
        times.append(now() - start)
        assert controller.wait_idle(LIMIT_S)
    return times
