"""How much memory a long run takes: growth after warm-up, and what that is in two hours."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

from bench_window import open_window
from figures import Figure
from PySide6.QtCore import QCoreApplication, QEventLoop

TWO_HOURS_S = 7200.0


def resident_mb():
    """Return the resident memory of this process in megabytes (2**20)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(report, path, minutes, warm_up_s=60.0):
    """Report the growth of a run at full speed with the window open."""
    with open_window(path, "debug") as window:
        controller = window.controller
        controller.run()
        start = time.monotonic()
        samples = []
        while (passed := time.monotonic() - start) < 60.0 * minutes:
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            if passed >= warm_up_s and (not samples or passed - samples[-1][0] >= 5.0):
                samples.append((passed, resident_mb(), controller.events_count()))
        controller.pause()
        assert controller.wait_idle(60)
        gc.collect()
    (first, before, events_before), (last, after, events) = samples[0], samples[-1]
    share = (last - first) / (TWO_HOURS_S - warm_up_s)
    report.add(
        Figure(
            f"growth in {last / 60:.0f} minutes after {warm_up_s:.0f} s",
            after - before,
            "MB",
            before,
            "MB then",
            after - before,
            "<= 50 MB",
            f"{events - events_before:,} Events meanwhile, {events:,} in all; "
            f"{share:.0%} of two hours",
        )
    )
