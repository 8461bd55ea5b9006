"""One pair of axes with curves; the x range is given, the y range fits the curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsRectItem, QLabel, QVBoxLayout, QWidget

from gradstep_gui.plotting.axis import (
    EDGE,
    Grid,
    IterationAxis,
    ValueAxis,
    grid_places,
    style_plot,
    tick_width,
)
from gradstep_gui.plotting.curve_item import CurveItem
from gradstep_gui.plotting.marks import Marks
from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import small_font

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QResizeEvent

    from gradstep_gui.plotting.curve import Curve
    from gradstep_gui.plotting.style import CurveStyle

__all__ = ["Canvas"]

_Y_MARGIN = 0.08
_DIM = 150
_RING_ROOM = 7
"""Pixels above and below the curves for the ring around the outermost point."""

_ABOVE_CURVES = 10
_MANY = 8
"""More curves than this are drawn with half as many points each, to be panned without delay."""
_AXIS_MARGIN = 10


class Canvas(QWidget):
    """One pair of axes, which draws Curves that others own."""

    chosen = Signal(float)
    """The user double-clicked at this x."""

    hovered = Signal(object)
    """The mouse is at this x; None when it left."""

    panned = Signal(float, float)
    """The user dragged or zoomed to this x range."""

    reset = Signal()
    """The user double-clicked an axis to see everything."""

    menu_requested = Signal(object)
    """The user opened the context menu at this place of the screen (`QPoint`)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: dict[str, CurveItem] = {}
        self._log = False
        self._has_bottom_axis = True
        self._now: float | None = None
        self._rings: tuple[frozenset[str], str] = (frozenset(), "")
        self._y_axis, self._x_axis = ValueAxis(), IterationAxis()
        self._widget: Any = pg.PlotWidget(
            self, axisItems={"left": self._y_axis, "bottom": self._x_axis}
        )
        self._plot = self._widget.getPlotItem()
        self._box = self._plot.getViewBox()
        self._grid = Grid()
        self._cursor = pg.InfiniteLine(angle=90)
        self._marker = pg.InfiniteLine(angle=90)
        self._veil = QGraphicsRectItem()
        self._marks = Marks()
        self._picture: object = None
        self._empty = QLabel(self._widget)
        self._unit = QLabel(self.tr("iteration"), self._widget)
        self._assemble()
        self._restyle()

    # --- what is drawn --------------------------------------------------------------------

    def set_curves(self, curves: Mapping[str, tuple[Curve, CurveStyle]]) -> None:
        """Draw these curves and no others."""
        for key in [key for key in self._items if key not in curves]:
            self._box.removeItem(self._items.pop(key))
        for key, (curve, style) in curves.items():
            item = self._items.get(key)
            if item is None or item.curve is not curve:
                if item is not None:
                    self._box.removeItem(item)
                item = self._items[key] = CurveItem(curve, style)
                self._box.addItem(item, ignoreBounds=True)
            item.style = style

    def set_range(self, low: float, high: float) -> None:
        """Show x from `low` to `high`."""
        self._plot.setXRange(low, high, padding=0)

    def set_log(self, log: bool) -> None:
        """Make the y axis logarithmic, or linear."""
        self._log = log
        self._y_axis.setLogMode(y=log)

    def set_now(self, now: float | None) -> None:
        """Mark the current moment at x and dim what is after it; None when it is the last."""
        self._now = now
        self._marker.setVisible(now is not None)
        self._veil.setVisible(now is not None)
        if now is not None:
            self._marker.setPos(now)

    def set_cursor(self, x: float | None) -> None:
        """Draw the cursor at x, or none."""
        self._cursor.setVisible(x is not None)
        if x is not None:
            self._cursor.setPos(x)

    def set_changed(self, keys: Collection[str], kind: str) -> None:
        """Draw a ring at the last point of these curves, in the colour of a kind of Operation."""
        self._rings = (frozenset(keys), kind if keys else "")
        if keys and kind:
            self._marks.set_color(QColor(theme_of(self.palette()).kind(kind).strong))

    def set_emphasis(self, key: str) -> None:
        """Draw a curve bold and its ghosts; or with "@" and the id of a branch, its curves."""
        for name, item in self._items.items():
            column, at, branch = name.partition("@")
            item.emphasize(bool(key) and key in {name, column, f"{at}{branch}"})
        self.refresh()

    def set_empty_text(self, text: str) -> None:
        """Set the text to show when there is nothing to draw."""
        self._empty.setText(text)

    def set_bottom_axis(self, shown: bool) -> None:
        """Show the iterations below the axis, or only its line."""
        self._has_bottom_axis = shown
        self._x_axis.setStyle(showValues=shown)
        self._x_axis.setHeight(self._axis_height() if shown else 2)
        self._unit.setVisible(shown)
        self._place_unit()

    def _axis_height(self) -> int:
        return self.fontMetrics().height() + _AXIS_MARGIN

    def _place_unit(self) -> None:
        """Name the numbers of the bottom axis, in the column of those of the other axis."""
        self._unit.adjustSize()
        line = self._widget.height() - self._axis_height() + _AXIS_MARGIN // 2
        self._unit.move(4, line + (self.fontMetrics().height() - self._unit.height()) // 2)

    def refresh(self) -> None:
        """Draw all curves, and fit the y range to the visible part; nothing if nothing differs."""
        low, high = self._plot.viewRange()[0]
        picture = (
            *((key, item.look) for key, item in self._items.items()),
            (low, high, self._now, self._log, self._rings),
            (self._box.width(), self._box.height(), self.devicePixelRatioF()),
        )
        if picture == self._picture:
            return
        self._picture = picture
        pixels = max(1, round(self._box.width() * self.devicePixelRatioF()))
        if len(self._items) > _MANY:
            pixels //= 2
        points = [item.refresh(low, high, pixels, log=self._log) for item in self._items.values()]
        seen = [pair for x, y in points if (pair := _bounds(x, y, low, high)) is not None]
        self._empty.setVisible(not seen)
        if self._y_axis.style["showValues"] != bool(seen):
            self._y_axis.setStyle(showValues=bool(seen))
        bottom, top = _fitted(seen, self._box.height(), log=self._log)
        self._plot.setYRange(bottom, top, padding=0)
        rect = QRectF(low, bottom, high - low, top - bottom)
        pixel = rect.width() / max(1, self._box.width()), rect.height() / max(1, self._box.height())
        share = min(1.0, _MANY / max(1, len(self._items)))
        for item, curve in zip(self._items.values(), points, strict=True):
            item.place(rect, curve, share)
        self._grid.set_lines(
            rect,
            grid_places(self._x_axis, low, high, self._box.width()),
            grid_places(self._y_axis, bottom, top, self._box.height()),
        )
        height = top - rect.height() * _Y_MARGIN / 3
        self._marks.place(rect, pixel, self._ring_points(), self._infinite_points(height))
        if self._now is not None:
            self._veil.setRect(QRectF(self._now, bottom, max(high - self._now, 0), top - bottom))
        self._box.updateMatrix()  # else pyqtgraph does it while painting, and paints twice

    def _infinite_points(self, height: float) -> list[tuple[float, float, QColor]]:
        """Return where curves became infinite, at this height, with their colours."""
        return [
            (item.curve.first_infinite, height, QColor(item.style.color))
            for item in self._items.values()
            if item.curve.first_infinite is not None
        ]

    def _ring_points(self) -> list[tuple[float, float]]:
        """Return the last points of the curves that just changed."""
        points = []
        for key in self._rings[0] & self._items.keys():
            curve = self._items[key].curve
            row = len(curve) - 1 if self._now is None else curve.nearest(self._now)
            if row is None or row < 0:
                continue
            x, y = curve.point(row)
            if self._log:
                y = math.log10(y) if y > 0 else math.nan
            if math.isfinite(y):
                points.append((x, y))
        return points

    # --- how it looks ---------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the name of the bottom axis beside it."""
        super().resizeEvent(event)
        self._place_unit()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme, and the size of another font."""
        if event.type() in {event.Type.PaletteChange, event.Type.FontChange}:
            self._restyle()
            self.set_bottom_axis(self._has_bottom_axis)
        super().changeEvent(event)

    def _restyle(self) -> None:
        theme = theme_of(self.palette())
        style_plot(self._widget, (self._x_axis, self._y_axis), self._grid, theme, self.font())
        self._y_axis.setWidth(tick_width(self.fontMetrics()) + 12)
        self._cursor.setPen(pg.mkPen(theme.muted, width=1, style=Qt.PenStyle.DashLine))
        self._marker.setPen(pg.mkPen(theme.accent, width=2))
        self._picture = None
        veil = QColor(theme.base)
        veil.setAlpha(_DIM)
        self._veil.setBrush(veil)
        self._veil.setPen(Qt.PenStyle.NoPen)
        for text in (self._empty, self._unit):
            text.setStyleSheet(f"color: {theme.muted}; background: transparent;")
        self._unit.setFont(small_font(self.font()))

    def _assemble(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._widget)
        self._widget.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the stack has the keys
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.disableAutoRange()
        self._box.addItem(self._grid, ignoreBounds=True)
        self._plot.setContentsMargins(0, 4, EDGE, 0)
        self._box.setMouseEnabled(x=True, y=False)
        for item in (self._cursor, self._marker):
            item.setVisible(False)
            self._plot.addItem(item, ignoreBounds=True)
        self._veil.setVisible(False)
        self._veil.setZValue(_ABOVE_CURVES)
        self._marker.setZValue(_ABOVE_CURVES + 1)
        self._box.addItem(self._veil, ignoreBounds=True)
        self._box.addItem(self._marks, ignoreBounds=True)
        self._marks.setZValue(_ABOVE_CURVES + 2)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        for text in (self._empty, self._unit):
            text.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        cover = QVBoxLayout(self._widget)
        cover.setContentsMargins(72, 8, 16, 24)
        cover.addWidget(self._empty)
        self._box.sigRangeChangedManually.connect(lambda *_: self.panned.emit(*self.x_range()))
        self._box.sigResized.connect(lambda *_: self.refresh())
        self._widget.scene().sigMouseClicked.connect(self._on_click)
        self._widget.scene().sigMouseMoved.connect(self._on_move)
        self._widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    # --- user input -----------------------------------------------------------------------

    def x_range(self) -> tuple[float, float]:
        """Return the current x range."""
        low, high = self._plot.viewRange()[0]
        return float(low), float(high)

    def y_range(self) -> tuple[float, float]:
        """Return the current y range; exponents of ten when it is logarithmic."""
        low, high = self._plot.viewRange()[1]
        return float(low), float(high)

    def leaveEvent(self, event: QEvent) -> None:
        """Remove the cursor."""
        self.hovered.emit(None)
        super().leaveEvent(event)

    def place_of(self, x: float) -> QPointF:
        """Return the place of x on this widget, at half the height of the axes."""
        bottom, top = self.y_range()
        scene = self._box.mapViewToScene(QPointF(x, (bottom + top) / 2))
        return QPointF(self._widget.mapTo(self, self._widget.mapFromScene(scene)))

    def _on_move(self, scene: QPointF) -> None:
        if self._box.sceneBoundingRect().contains(scene):
            self.hovered.emit(float(self._box.mapSceneToView(scene).x()))
        else:
            self.hovered.emit(None)

    def _on_click(self, event: Any) -> None:  # noqa: ANN401 - pyqtgraph has no types
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(event.screenPos().toPoint())
        elif event.double() and self._box.sceneBoundingRect().contains(event.scenePos()):
            self.chosen.emit(float(self._box.mapSceneToView(event.scenePos()).x()))
        elif event.double():
            self.reset.emit()


def _bounds(
    x: NDArray[np.float64], y: NDArray[np.float64], low: float, high: float
) -> tuple[float, float] | None:
    """Return the smallest and the largest y from `low` to `high`, or of all; None for none."""
    finite = np.isfinite(y)
    if not finite.any():
        return None
    inside = y[finite & (x >= low) & (x <= high)]
    seen = inside if len(inside) else y[finite]
    return float(seen.min()), float(seen.max())


def _fitted(bounds: list[tuple[float, float]], pixels: float, *, log: bool) -> tuple[float, float]:
    """Return a y range around the curves with a margin; never an empty one.

    Args:
        bounds: The lowest and the highest value of each curve.
        pixels: The height of the axes, of which low ones need a larger share as margin.
        log: Whether the values are exponents.
    """
    if not bounds:
        return (0.0, 1.0)
    low, high = min(pair[0] for pair in bounds), max(pair[1] for pair in bounds)
    span = high - low
    if span <= 1e-12 * max(abs(low), abs(high)):
        half = 0.5 if log or not low else abs(low) * _Y_MARGIN
        return low - half, high + half
    between = max(pixels - 2 * _RING_ROOM, 2 * _RING_ROOM)
    margin = max(_Y_MARGIN, _RING_ROOM / between) * span
    return low - margin, high + margin
