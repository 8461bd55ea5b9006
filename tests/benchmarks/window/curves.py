"""Panning and zooming 20 curves of a million points each, beside a bare plot of pyqtgraph."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from figures import Figure, percentiles
from press import now
from PySide6.QtWidgets import QApplication

from gradstep_gui.plotting.canvas import Canvas
from gradstep_gui.plotting.curve import Curve
from gradstep_gui.plotting.style import style_of
from gradstep_gui.theme import LIGHT

CURVES, POINTS = 20, 1_000_000


def measure(report, frames):
    """Report the frames of our canvas, and of pyqtgraph with its own downsampling."""
    application = QApplication.instance() or QApplication([])
    generator = np.random.default_rng(0)
    x = np.arange(POINTS, dtype=float)
    columns = [generator.normal(size=POINTS).cumsum() for _ in range(CURVES)]
    canvas = Canvas()
    curves = {}
    for rank, y in enumerate(columns):
        curve = Curve()
        curve.extend(x, y)
        curves[f"loss/{rank}"] = (curve, style_of(rank, LIGHT))
    canvas.set_curves(curves)
    plot = pg.PlotWidget()
    for y in columns:
        item = plot.plot(x, y)
        item.setDownsampling(auto=True, method="peak")
        item.setClipToView(True)
    plot.disableAutoRange()
    for widget in (canvas, plot):
        widget.resize(1280, 400)
        widget.show()
        application.processEvents()

    def show_ours(low, high):
        canvas.set_range(low, high)
        canvas.refresh()

    def show_bare(low, high):
        plot.setXRange(low, high, padding=0)

    ours, bare = [], []
    for ranges in (tuple(_pans(frames)), tuple(_zooms(frames))):
        # one plot after the other: frame by frame, each would wait for the other's late updates
        for show, times in ((show_ours, ours), (show_bare, bare)):
            times += _frame_times(show, ranges)
    for what, rows in (("pan", slice(0, frames)), ("zoom", slice(frames, None))):
        wall, cpu = np.array(ours[rows]).T
        median, late, _ = percentiles(wall)
        _, cpu_late, _ = percentiles(cpu)
        reference = percentiles(np.array(bare[rows])[:, 0])[1]
        report.add(
            Figure(
                f"{what} {CURVES} curves of {POINTS:,} points, frame p99",
                late,
                "ms",
                reference,
                "ms pyqtgraph, downsampled",
                late,
                "<= 20",
                f"p50 {median:.1f} ms; in processor time p99 {cpu_late:.1f} ms",
            )
        )
    for widget in (canvas, plot):
        widget.close()


def _frame_times(show, ranges):
    """Yield how long it takes to show each range."""
    for low, high in ranges:
        start = now()
        show(low, high)
        QApplication.processEvents()
        yield now() - start


def _pans(frames):
    width = POINTS / 10
    for frame in range(frames):
        low = (POINTS - width) * frame / frames
        yield low, low + width


def _zooms(frames):
    for frame in range(frames):
        width = POINTS * 0.5 ** (14 * frame / frames)
        yield (POINTS - width) / 2, (POINTS + width) / 2
