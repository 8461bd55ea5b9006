"""An arrow in a plot: a shaft in its coordinates, and a head of a fixed size on the screen."""

from __future__ import annotations

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF

__all__ = ["PlotArrow"]

_SHAFT, _CASING = 3, 6
_HEAD = 15
_SHORTEST = 3.0
"""Pixels; a shorter arrow would be all head, and seem to point where nothing has moved to."""


class PlotArrow:
    """An arrow, with an outline in the colour of the background.

    Args:
        plot: The pyqtgraph plot that it is part of.
        depth: Where it is among the items of the plot.
    """

    def __init__(self, plot: Any, depth: float) -> None:  # noqa: ANN401 - pyqtgraph has no types
        self._box = plot.getViewBox()
        self._casing = pg.PlotCurveItem(antialias=True)
        self._shaft = pg.PlotCurveItem(antialias=True)
        self._head = pg.ArrowItem(headLen=_HEAD, tipAngle=44, baseAngle=12, pxMode=True)
        self._ends: tuple[tuple[float, float], tuple[float, float]] | None = None
        self._pixels: float | None = None
        for at, item in enumerate((self._casing, self._shaft, self._head)):
            item.setZValue(depth + at / 10)
            plot.addItem(item, ignoreBounds=True)
        self.hide()

    @property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Where it begins and ends; None while it is hidden."""
        return self._ends

    @property
    def is_drawn(self) -> bool:
        """Whether it is long enough to be seen."""
        return bool(self._head.isVisible())

    def set_colors(self, color: str, background: str) -> None:
        """Set its colour, and that of its outline."""
        self._casing.setPen(pg.mkPen(background, width=_CASING))
        self._shaft.setPen(pg.mkPen(color, width=_SHAFT))
        self._head.setStyle(brush=pg.mkBrush(color), pen=pg.mkPen(background, width=1))

    def show(
        self, start: tuple[float, float], change: tuple[float, float], pixels: float | None = None
    ) -> None:
        """Draw it.

        Args:
            start: Where it begins.
            change: How far it goes.
            pixels: Its length on the screen, whatever the change; None to draw it true to scale.
        """
        self._ends = start, (start[0] + change[0], start[1] + change[1])
        self._pixels = pixels
        self.adjust()

    def hide(self) -> None:
        """Draw nothing."""
        self._ends = None
        for item in (self._casing, self._shaft, self._head):
            item.setVisible(False)

    def adjust(self) -> None:
        """Adapt it to another range or size of the plot."""
        if self._ends is None:
            return
        start, end = self._ends
        one, two = (self._box.mapViewToScene(QPointF(*place)) for place in (start, end))
        across, down = two.x() - one.x(), two.y() - one.y()
        length = math.hypot(across, down)
        is_seen = math.isfinite(length) and length > (0.0 if self._pixels else _SHORTEST)
        for item in (self._casing, self._shaft, self._head):
            item.setVisible(is_seen)
        if not is_seen:
            return
        if self._pixels is not None:
            drawn = self._room(one, QPointF(across / length, down / length))
            scale = drawn / length
            end = start[0] + scale * (end[0] - start[0]), start[1] + scale * (end[1] - start[1])
            length = drawn
        inner = max(0.0, 1 - 0.8 * _HEAD / length)  # the shaft ends inside the head
        stop = start[0] + inner * (end[0] - start[0]), start[1] + inner * (end[1] - start[1])
        for item in (self._casing, self._shaft):
            item.setData([start[0], stop[0]], [start[1], stop[1]])
        self._head.setPos(*end)
        self._head.setStyle(angle=math.degrees(math.atan2(down, across)) + 180)

    def _room(self, start: QPointF, direction: QPointF) -> float:
        """Return how long an arrow whose length means nothing is drawn: its head stays in sight.

        Args:
            start: Where it begins on the screen.
            direction: Where it points to, of length 1.
        """
        assert self._pixels is not None, "it is called for those alone"
        frame = self._box.sceneBoundingRect()
        if not frame.contains(start):
            return self._pixels
        sides = (
            (start.x(), direction.x(), frame.left(), frame.right()),
            (start.y(), direction.y(), frame.top(), frame.bottom()),
        )
        ways = [((high if step > 0 else low) - at) / step for at, step, low, high in sides if step]
        return max(float(_HEAD), min([self._pixels, *map(float, ways)]))
