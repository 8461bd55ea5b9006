"""The geometry of a graph: rectangles of boxes, routes of links, and hit tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainterPath, QPolygonF

from gradstep_gui.widgets.graph.layered_layout import Point, layered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep_gui.widgets.graph.items import Link

__all__ = ["GraphGeometry", "Route"]

_MARGIN = 18.0
_TURN = 30.0
_HEAD = 8.0


@dataclass(frozen=True, slots=True)
class Route:
    """The route of a link.

    Attributes:
        path: Its line.
        extent: The bounding rectangle of the line.
        anchor: The centre of its text.
        head: The arrow head.
    """

    path: QPainterPath
    extent: QRectF
    anchor: QPointF
    head: QPolygonF


class GraphGeometry:
    """The geometry of a graph.

    Args:
        sizes: Width and height of each box.
        links: The links between them.

    Attributes:
        rects: The rectangles of the boxes.
        routes: The routes of the links.
        bounds: The bounds of everything, with a margin.

    Example:
        >>> from gradstep_gui.widgets.graph.items import Link
        >>> figure = GraphGeometry([(100, 40), (100, 40)], [Link(0, 1)])
        >>> figure.box_at(QPointF(0, 20)), figure.beside(1, Qt.Key.Key_Up)
        (0, 0)
    """

    __slots__ = (
        *("_box_edges", "_layers", "_link_edges", "_links"),
        *("bounds", "rects", "routes"),
    )

    def __init__(self, sizes: Sequence[Point], links: Sequence[Link]) -> None:
        edges = [(link.upper, link.lower) for link in links]
        placed = layered(sizes, edges)
        self._links = tuple(edges)
        self._layers = placed.layers
        self.rects = tuple(
            QRectF(x - width / 2, y - height / 2, width, height)
            for (x, y), (width, height) in zip(placed.centres, sizes, strict=True)
        )
        self.routes = tuple(
            _route(self.rects[upper], self.rects[lower], placed.bends.get((upper, lower), ()))
            for upper, lower in edges
        )
        self.bounds = QRectF()
        for rect in self.rects:
            self.bounds |= rect
        self.bounds.adjust(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
        self._box_edges = _edges(self.rects)
        self._link_edges = _edges([route.extent for route in self.routes])

    def boxes_in(self, area: QRectF) -> list[int]:
        """Return the boxes that are partly in an area, in their order."""
        return _within(self._box_edges, area)

    def links_in(self, area: QRectF) -> list[int]:
        """Return the links that may be partly in an area, in their order."""
        return _within(self._link_edges, area)

    def box_at(self, point: QPointF) -> int | None:
        """Return the box at a point."""
        return next((at for at, rect in enumerate(self.rects) if rect.contains(point)), None)

    def link_at(self, point: QPointF, reach: float) -> int | None:
        """Return a link near a point."""
        spot = QRectF(0, 0, 2 * reach, 2 * reach)
        spot.moveCenter(point)
        for at, route in enumerate(self.routes):
            if route.extent.intersects(spot) and route.path.intersects(spot):
                return at
        return None

    def lowest(self) -> int | None:
        """Return the box at the bottom; None when there is none."""
        return max(range(len(self.rects)), key=lambda at: self.rects[at].bottom(), default=None)

    def widest_below(self, top: float, width: float) -> QRectF:
        """Return the bounds of the lowest boxes, with a margin, as many as a width has room for.

        Args:
            top: Boxes that are higher do not count.
            width: The room.
        """
        bounds = QRectF()
        for rect in sorted(self.rects, key=lambda rect: -rect.bottom()):
            grown = bounds | rect.adjusted(-_MARGIN, 0, _MARGIN, 0)
            if rect.bottom() < top or grown.width() > width:
                break
            bounds = grown
        return bounds

    def beside(self, here: int, key: Qt.Key) -> int | None:
        """Return the box that an arrow key moves to: along a link, or in the same layer."""
        x = self.rects[here].center().x()
        if key == Qt.Key.Key_Up:
            found = [upper for upper, lower in self._links if lower == here]
        elif key == Qt.Key.Key_Down:
            found = [lower for upper, lower in self._links if upper == here]
        else:
            ahead = 1 if key == Qt.Key.Key_Right else -1
            layer = self._layers[here]
            peers = [at for at, found_in in enumerate(self._layers) if found_in == layer]
            found = [at for at in peers if (self.rects[at].center().x() - x) * ahead > 0]
        return min(found, key=lambda at: abs(self.rects[at].center().x() - x), default=None)


def _edges(rects: Sequence[QRectF]) -> NDArray[np.float64]:
    """Return the left, top, right and bottom edges of rectangles as four rows."""
    found = [(rect.left(), rect.top(), rect.right(), rect.bottom()) for rect in rects]
    return np.array(found, np.float64).reshape(-1, 4).T


def _within(edges: NDArray[np.float64], area: QRectF) -> list[int]:
    """Return which rectangles, given by their edges, an area overlaps."""
    left, top, right, bottom = edges
    found = (left < area.right()) & (right > area.left())
    found &= (top < area.bottom()) & (bottom > area.top())
    places: list[int] = np.flatnonzero(found).tolist()
    return places


def _route(upper: QRectF, lower: QRectF, bends: Sequence[Point]) -> Route:
    """Return the route of a link from the bottom of its upper box to the top of the lower one.

    A lower box that is far below, without bends in between, is entered from its side:
    so the links from a weight that is used many times run down together, and each turns off at
    its box.
    """
    start = QPointF(upper.center().x(), upper.bottom())
    end = QPointF(lower.center().x(), lower.top())
    path = QPainterPath(start)
    is_far = end.y() - start.y() > 2 * lower.height()
    if is_far and not bends and abs(end.x() - start.x()) > lower.width() / 2:
        side = lower.left() if start.x() < end.x() else lower.right()
        corner = QPointF(start.x(), lower.center().y())
        anchor = corner - QPointF(0, _TURN)
        path.lineTo(anchor)
        path.quadTo(corner, QPointF(side, corner.y()))
    else:
        for x, y in [*bends, (end.x(), end.y())]:
            here = path.currentPosition()
            half = (y - here.y()) / 2
            path.cubicTo(QPointF(here.x(), here.y() + half), QPointF(x, y - half), QPointF(x, y))
        anchor = path.pointAtPercent(0.5)
    return Route(path, path.boundingRect().adjusted(-2, -2, 2, 2), anchor, _head(path))


def _head(path: QPainterPath) -> QPolygonF:
    """Return the arrow head at the upper end: gradients flow against the computation."""
    tip = path.pointAtPercent(0.0)
    tail = path.pointAtPercent(min(1.0, _HEAD / max(_HEAD, path.length())))
    unit = QLineF(tail, tip).unitVector()
    ahead = QPointF(unit.dx(), unit.dy())
    side = QPointF(-ahead.y(), ahead.x()) * (_HEAD / 2)
    base = tip - ahead * _HEAD
    return QPolygonF([tip, base + side, base - side])
