"""A run with the window open, beside the same run without one: its speed, and the event loop.

A round lasts so many seconds of processor time, which other processes do not shorten. The event
loop is watched in rounds of its own: the timer that does it takes the interpreter's lock from the
run 200 times a second.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from bench_window import Lateness, Repaints, open_window
from figures import Figure, percentiles, ratio_figure
from press import now
from PySide6.QtCore import QCoreApplication, QEventLoop

from gradstep.debugger import Debugger

ROUNDS = 5


def headless(debugger, seconds):
    """Return the iterations a second without a window, recorded to a file as with one.

    Args:
        debugger: Runs.
        seconds: Of processor time.

    Returns:
        By the clock, and by the processor time of this process.
    """
    before, start = debugger.program.iteration, now()
    end = start[1] + seconds
    debugger.run(10**9, should_stop=lambda: time.process_time() >= end)
    return (debugger.program.iteration - before) / (now() - start)


def run_window(window, seconds, lateness=None):
    """Return likewise those of a run in the window, as a user starts and pauses it."""
    controller = window.controller
    before = controller.snapshot.iteration
    start = now()
    controller.run()
    if lateness is not None:
        lateness.start()
    while time.process_time() - start[1] < seconds:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    if lateness is not None:
        lateness.stop()
    controller.pause()
    while controller.state.work == "running":
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    took = now() - start
    assert controller.wait_idle(60)
    return (controller.snapshot.iteration - before) / took


def measure(report, seconds, paths, layouts=("learn", "debug")):
    """Report a run of each program, in turn with the same without a window."""
    for name, path in paths.items():
        for layout in layouts:
            with tempfile.TemporaryDirectory() as folder, open_window(path, layout) as window:
                bare = Debugger.open(path)
                bare.record_to(Path(folder) / "bare.gradstep")
                lateness, repaints = Lateness(window), Repaints(window)
                speeds, bares = [], []
                headless(bare, 0.5)
                run_window(window, 0.5)
                painted = repaints.count
                elapsed = 0.0
                for _ in range(ROUNDS):
                    bares.append(headless(bare, seconds))
                    start = time.perf_counter()
                    speeds.append(run_window(window, seconds))
                    elapsed += time.perf_counter() - start
                painted = (repaints.count - painted) / elapsed
                for _ in range(ROUNDS):
                    run_window(window, seconds, lateness)
            speed, cpu_speed = np.median(speeds, axis=0).tolist()
            bare_speed, cpu_bare = np.median(bares, axis=0).tolist()
            report.add(
                ratio_figure(
                    f"running, {name}, {layout}",
                    speed,
                    "it/s",
                    bare_speed,
                    "it/s headless",
                    ">= 0.85",
                    f"medians of {ROUNDS} rounds of {seconds:g} s of processor time in turn; "
                    f"{cpu_speed / cpu_bare:.2f} in iterations a second of processor time",
                )
            )
            _, late, most = percentiles(lateness.late)
            _, busy, most_busy = percentiles(lateness.busy)
            report.add(
                Figure(
                    f"  event loop late p99, {name}, {layout}",
                    late,
                    "ms",
                    goal="<= 16",
                    note=f"{busy:.1f} ms in processor time of the thread",
                )
            )
            report.add(
                Figure(
                    f"  event loop late max, {name}, {layout}",
                    most,
                    "ms",
                    goal="<= 50",
                    note=f"{most_busy:.1f} ms in processor time of the thread",
                )
            )
            report.add(Figure(f"  pictures a second, {name}, {layout}", painted, "1/s"))
