"""How long a process takes to its first paint, beside a bare window of the same libraries.

python tests/benchmarks/window/start.py ours|bare STARTED [FILE]    (one start; prints JSON)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

from figures import ratio_figure

BARE = ("bare", "")


def main() -> None:
    """Start one window and report when it was painted."""
    kind, started, file = sys.argv[1], float(sys.argv[2]), [*sys.argv[3:]]

    def done():
        now = time.monotonic()
        sys.stdout.write(json.dumps({"wall": now - started, "cpu": time.process_time()}))
        sys.stdout.flush()
        os._exit(0)

    if kind == "bare":
        open_bare(done)
    else:
        open_ours(done, file)


def watch(window, done):
    """Call a function when the window, whatever of it, has been painted for the first time."""
    from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer

    class Watch(QObject):
        def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
            if event.type() == QEvent.Type.Paint:
                QTimer.singleShot(0, done)  # after the rest of the window too
            return False

    window.watch = Watch()
    QCoreApplication.instance().installEventFilter(window.watch)


def open_bare(done):
    """Open a window with a plot of pyqtgraph and nothing else."""
    import numpy as np
    import pyqtgraph as pg
    from PySide6.QtWidgets import QApplication, QMainWindow

    application = QApplication([])
    window = QMainWindow()
    plot = pg.PlotWidget()
    plot.plot(np.arange(100.0), np.zeros(100))
    window.setCentralWidget(plot)
    window.resize(1280, 800)
    watch(window, done)
    window.show()
    application.exec()


def open_ours(done, file):
    """Open our window as the command line does."""
    from gradstep_gui import cli, main_window

    appear = main_window.MainWindow.appear

    def watched(window):
        watch(window, done)
        appear(window)

    main_window.MainWindow.appear = watched
    sys.exit(cli.main(file))


def once(kind, file=()):
    """Start a process; return the seconds to its first paint, by the clock and of processor."""
    with tempfile.TemporaryDirectory() as home:
        own = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"), home)
        command = [sys.executable, __file__, kind, str(time.monotonic()), *map(str, file)]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", **own}
        found = json.loads(subprocess.check_output(command, env=environment))
    return found["wall"], found["cpu"]


def measure(report, rounds, files):
    """Report the first paint, in turn with that of a bare window; the quickest of each counts."""
    starts = {"bare": ("bare", ()), "no file": ("ours", ())}
    starts |= {name: ("ours", (path,)) for name, path in files.items()}
    walls, cpus = ({name: [] for name in starts} for _ in range(2))
    for turn in range(rounds + 1):
        for name, (kind, file) in starts.items():
            wall, cpu = once(kind, file)
            if turn:  # the first one reads from disk
                walls[name].append(wall)
                cpus[name].append(cpu)
    for name in list(starts)[1:]:
        report.add(
            ratio_figure(
                f"first paint, {name}",
                1e3 * min(walls[name]),
                "ms",
                1e3 * min(walls["bare"]),
                "ms bare window",
                "<= 1.5",
                f"quickest of {rounds}; processor time {1e3 * min(cpus[name]):.0f} ms, bare "
                f"{1e3 * min(cpus['bare']):.0f} ms",
            )
        )


if __name__ == "__main__":
    main()
