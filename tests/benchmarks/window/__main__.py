"""Measures the window: `python tests/benchmarks/window [PART ...] [--quick] [--minutes N]`.

Prints each figure beside its reference, and writes them to docs/measurements.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

# Before NumPy and Qt are imported; as many threads as the window computes with.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from figures import Report

PARTS = (
    *("start", "press", "running", "travel", "curves", "sessions", "recording", "memory"),
    "held_script",
)


def main() -> int:
    """Measure; the exit status is 1 when a goal is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="what to measure; all of it")
    parser.add_argument("--programs", default="", help="only those whose name holds this")
    parser.add_argument("--quick", action="store_true", help="a tenth of it, to see that it works")
    parser.add_argument("--part", type=int, default=1, metavar="N", help="measure an N-th of it")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to watch the memory")
    options = parser.parse_args()
    few = 10 if options.quick else options.part
    chosen = options.parts or PARTS
    missed = False
    for part in chosen:
        report = Report(f"window-{PARTS.index(part) + 1}-{part}", not options.quick)
        with tempfile.TemporaryDirectory() as folder:
            measure(part, report, Path(folder), few, options)
        missed |= any(figure.met is False for figure in report.figures)
    return int(missed)


def measure(part, report, folder, few, options):
    """Measure one part; `few` divides how often."""
    if part == "recording":
        import recording

        recording.measure(report)
        return
    if part == "curves":
        import curves

        curves.measure(report, 100 // few)
        return
    if part == "held_script":
        import held_script

        held_script.measure(report, folder, 200 // few, 10 / few)
        return
    import bench_window

    paths = bench_window.programs(folder)
    iris = paths["06 (iris)"]
    paths = {name: path for name, path in paths.items() if options.programs in name}
    if part == "start":
        import start

        start.measure(report, max(1, 10 // few), {"06 (iris)": iris})
    elif part == "press":
        import press

        press.measure(report, 200 // few, paths)
    elif part == "running":
        import running

        running.measure(report, max(1.0, 3.0 / few), paths)
    elif part == "travel":
        import travel

        travel.measure_seeks(report, iris, 100_000 // few, 200 // few)
        travel.measure_steps(report, folder, 150 // few)
    elif part == "sessions":
        import travel

        counts = (140_000 // few, 1_400_000 // few)
        travel.measure_sessions(report, paths["01 (two numbers)"], folder, counts)
    else:
        import memory

        memory.measure(report, iris, options.minutes, min(60.0, 10 * options.minutes))


if __name__ == "__main__":
    sys.exit(main())
