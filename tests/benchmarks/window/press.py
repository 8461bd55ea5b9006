"""How long a press takes until its picture is painted, over an empty repaint of the window."""

from __future__ import annotations

import time

import numpy as np
from bench_window import Repaints, open_window, repaint_all
from figures import Figure, percentiles

from gradstep_gui.action_ids import ActionId

PRESSES = (ActionId.ZERO_GRAD, ActionId.FORWARD, ActionId.BACKWARD, ActionId.STEP)


def press_times(path, layout, presses):
    """Return the seconds of each press until all is painted, and of as many empty repaints.

    Returns:
        Rows of wall-clock times and of processor times: of the presses, and of the repaints.
    """
    pressed, empty = [], []
    with open_window(path, layout) as window:
        repaints = Repaints(window)
        controller = window.controller
        for turn in range(presses + 8):
            goal = controller.events_count() + 1
            action = window.actions_by_id[PRESSES[turn % len(PRESSES)]]
            start = now()
            action.trigger()
            repaints.until_quiet(
                lambda goal=goal: controller.events_count() == goal and controller.wait_idle(0)
            )
            pressed.append(now() - start)
            start = now()
            before = repaints.count
            repaint_all(window)
            repaints.until_quiet(lambda before=before: repaints.count > before)
            empty.append(now() - start)
    return np.array(pressed[8:]).T, np.array(empty[8:]).T


def now():
    """Return the time on the clock, and the processor time of this process."""
    return np.array([time.perf_counter(), time.process_time()])


def measure(report, presses, paths):
    """Report the presses of each program in the layouts of beginners and of debugging.

    The note compares each press with the empty repaint that follows it, too: what else the machine
    does then lengthens both.
    """
    for name, path in paths.items():
        for layout in ("learn", "debug"):
            pressed, empty = press_times(path, layout, presses)
            median, late, _ = percentiles(pressed[0])
            cpu_median, cpu_late, _ = percentiles(pressed[1])
            blank = percentiles(empty[0])[0]
            _, over, _ = percentiles(pressed[0] - empty[0])
            _, cpu_over, _ = percentiles(pressed[1] - empty[1])
            report.add(
                Figure(
                    f"press to paint p99, {name}, {layout}",
                    late,
                    "ms",
                    blank,
                    "ms empty repaint",
                    late - blank,
                    "<= 16 ms over",
                    f"p50 {median:.1f} ms; each less the repaint after it, p99 {over:.1f} ms; in "
                    f"processor time p50 {cpu_median:.1f} ms, p99 {cpu_late:.1f} ms, and "
                    f"{cpu_over:.1f} ms so",
                )
            )
