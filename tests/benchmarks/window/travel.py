"""Going through recorded runs: seeks, scrubbing, stepping through 300 layers, big sessions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from bench_window import LONGEST_S, Lateness, Repaints, open_window, settle
from figures import Figure, percentiles
from press import now
from PySide6.QtCore import QCoreApplication, QEventLoop

from gradstep_gui.action_ids import ActionId
from gradstep_gui.widgets.timeline.timeline_bar import TimelineBar

WAIT = QEventLoop.ProcessEventsFlag.WaitForMoreEvents
RUN_S = 600


def add_times(report, what, times, goal, note=""):
    """Report the 99th percentile of times by the clock, and what it is in processor time."""
    wall, cpu = np.array(times).T
    median, late, _ = percentiles(wall)
    cpu_median, cpu_late, _ = percentiles(cpu)
    text = f"p50 {median:.1f} ms; processor time p50 {cpu_median:.1f} ms, p99 {cpu_late:.1f} ms"
    report.add(Figure(what, late, "ms", goal=goal, note=f"{text}{note}"))


def measure_seeks(report, path, events, seeks):
    """Report seeks to random Events, and scrubbing along the time line, of a run in the window."""
    with open_window(path, "learn") as window:
        controller, repaints = window.controller, Repaints(window)
        controller.iterate(events // 4)
        assert controller.wait_idle(RUN_S)
        settle(window)
        count = controller.events_count()
        places = np.random.default_rng(0).integers(0, count, seeks).tolist()
        times = []
        for place in places:
            start = now()
            controller.seek(place)
            repaints.until_quiet(lambda place=place: controller.snapshot.event_index == place)
            times.append(now() - start)
        add_times(report, f"seek among {count:,} Events, painted, p99", times, "<= 33")
        bar = window.time_line.findChild(TimelineBar)
        times, shown = [], 0
        controller.set_scrubbing(True)
        for step in range(seeks):
            place = count * step // seeks
            start, before = now(), repaints.count
            bar.setValue(place)
            controller.seek(place)
            repaints.until_quiet(lambda before=before: repaints.count > before)
            times.append(now() - start)
            shown += controller.snapshot.event_index == place
        controller.set_scrubbing(False)
        add_times(report, f"scrubbing {count:,} Events, to each picture, p99", times, "<= 33")
        controller.seek(count)
        assert controller.wait_idle(RUN_S)


def deep_document(layers=300):
    """Return a network of many small layers."""
    parts = []
    for _ in range(layers // 2):
        parts += [{"kind": "Linear", "in_features": 8, "out_features": 8}, {"kind": "Tanh"}]
    return {
        "gradstep": 1,
        "name": f"{layers} layers",
        "data": {
            "noise": {
                "kind": "gaussian",
                "samples": 32,
                "inputs": 8,
                "targets": 8,
                "batch_size": 16,
            }
        },
        "modules": {"model": parts},
        "losses": {"loss": {"data": "noise", "chain": ["model"], "criterion": {"kind": "MSELoss"}}},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["model.*"], "lr": 1e-2}},
    }


def measure_steps(report, folder, steps):
    """Report Step Into and Step Back inside a Forward and a Backward of 300 layers."""
    path = Path(folder) / "deep.json"
    path.write_text(json.dumps(deep_document()), encoding="utf-8")
    with open_window(path, "debug") as window:
        controller, repaints = window.controller, Repaints(window)

        def press(name):
            before = controller.snapshot
            start = now()
            window.actions_by_id[name].trigger()
            repaints.until_quiet(
                lambda: controller.snapshot is not before and controller.wait_idle(0)
            )
            return now() - start

        press(ActionId.ZERO_GRAD)
        into = [press(ActionId.STEP_INTO) for _ in range(steps)]
        back = [press(ActionId.STEP_BACK) for _ in range(steps - 4)]
        add_times(report, "Step Into, 300 layers, Forward, p99", into, "<= 50")
        add_times(report, "Step Back, 300 layers, Forward, p99", back, "<= 50")
        press(ActionId.FORWARD)
        into = [press(ActionId.STEP_INTO) for _ in range(steps)]
        back = [press(ActionId.STEP_BACK) for _ in range(steps - 4)]
        add_times(report, "Step Into, 300 layers, Backward, p99", into, "<= 50")
        add_times(report, "Step Back, 300 layers, Backward, p99", back, "<= 50")


def measure_sessions(report, path, folder, counts):
    """Report saving and opening long sessions in the window, and whether it stays alive."""
    seconds = {"save": [], "open": []}
    for events in counts:
        file = Path(folder) / f"{events}.gradstep"
        with open_window(path, "learn") as window:
            window.controller.iterate(events // 4)
            assert window.controller.wait_idle(RUN_S)
            progress = []
            window.controller.save_progressed.connect(lambda *at, seen=progress: seen.append(at))
            lateness = Lateness(window)
            lateness.start()
            start = now()
            window.controller.save(file)
            while not (file.exists() and not window.controller.state.saving):
                QCoreApplication.processEvents(WAIT)
            seconds["save"].append(now() - start)
            lateness.stop()
            _add_life(report, f"saving {events:,} Events", seconds["save"][-1], lateness, progress)
        with open_window(None, "learn") as window:
            lateness, progress = Lateness(window), []
            window.controller.branches.progressed.connect(
                lambda *at, seen=progress: seen.append(at)
            )
            lateness.start()
            start = now()
            window.controller.open(file)
            while window.controller.snapshot is None:
                QCoreApplication.processEvents(WAIT)
            seconds["open"].append(now() - start)
            lateness.stop()
            _add_life(report, f"opening {events:,} Events", seconds["open"][-1], lateness, progress)
            assert window.controller.wait_idle(LONGEST_S)
    growth = counts[-1] / counts[0]
    for what, took in seconds.items():
        ratio = took[-1][1] / took[0][1] / growth
        title = f"to {what} {growth:.0f} times the Events, processor time over linear"
        report.add(Figure(title, ratio, "times", goal="<= 1.3"))


def _add_life(report, what, took, lateness, progress):
    _, late, most = percentiles(lateness.late)
    _, busy, most_busy = percentiles(lateness.busy)
    note = f"{took[1]:.1f} s of processor; progress told {len(progress)} times"
    report.add(Figure(what, took[0], "s", note=note))
    note = f"max {most:.0f} ms; {busy:.1f} and {most_busy:.0f} ms in processor time"
    report.add(Figure(f"  event loop late p99, {what}", late, "ms", goal="<= 50", note=note))
