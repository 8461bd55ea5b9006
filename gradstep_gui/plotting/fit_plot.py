"""Examples as points: over one input with a curve, on a plane with regions, or against a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QGraphicsItem, QVBoxLayout, QWidget

from gradstep_gui.plotting.axis import EDGE, Grid, ValueAxis, grid_places, style_plot, tick_width
from gradstep_gui.plotting.style import SYMBOLS
from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.arrays.matrix_image import colourise

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QFocusEvent, QKeyEvent
    from PySide6.QtWidgets import QStyleOptionGraphicsItem

    from gradstep_gui.theme import Theme

__all__ = ["FitPlot", "PlottedExamples", "Regions"]

_SIZE = 8
_RING = 14
_CURRENT = 20
_MANY = 600
_SIZE_OF_MANY = 6
_REACH = 12
"""Pixels from the mouse to the point that it is on."""

_PADDING = 8
_MARGIN = 0.1
_FAINTEST, _STRONGEST = 0.10, 0.42
_BELOW_GRID = -20


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """The classes, or the values, at every point of a plane.

    Attributes:
        rect: The plane.
        shares: The probability of each class, of shape (rows, columns, classes), from the bottom.
        values: Values of shape (rows, columns) likewise.
    """

    rect: QRectF
    shares: NDArray[Any] | None = None
    values: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PlottedExamples:
    """What is drawn.

    Attributes:
        x: Where each example is.
        y: Likewise.
        held_out: Whether it is held out; then it is hollow.
        in_batch: Whether it is in the current batch; then it has a ring.
        names: The names of both axes.
        classes: The class of each, which determines colour and shape; None for one colour.
        curve: A curve to draw, x in order; None for none.
        is_exact: Draw the diagonal, where x equals y.
        regions: What to draw behind; None for nothing.
        levels: A value of each, which determines its colour as it does that of the regions.
        scale: The lowest and the highest of these colours.
    """

    x: NDArray[Any]
    y: NDArray[Any]
    held_out: NDArray[Any]
    in_batch: NDArray[Any]
    names: tuple[str, str]
    classes: NDArray[Any] | None = None
    curve: tuple[NDArray[Any], NDArray[Any]] | None = None
    is_exact: bool = False
    regions: Regions | None = None
    levels: NDArray[Any] | None = None
    scale: tuple[float, float] = (0.0, 1.0)


class FitPlot(QWidget):
    """Points with what the model makes of them; the mouse and the arrow keys point at one."""

    pointed = Signal(int)
    """The example that is pointed at; -1 for none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: PlottedExamples | None = None
        self._current = -1
        self._axes = (ValueAxis("bottom"), ValueAxis("left"))
        self._widget: Any = pg.PlotWidget(
            self, axisItems={"bottom": self._axes[0], "left": self._axes[1]}
        )
        self._plot = self._widget.getPlotItem()
        self._box = self._plot.getViewBox()
        self._grid = Grid()
        self._region = _RegionItem()
        self._exact = pg.PlotCurveItem()
        self._curve = pg.PlotCurveItem(antialias=True, connect="finite")
        self._points = pg.ScatterPlotItem(pxMode=True)
        self._rings = pg.ScatterPlotItem(pxMode=True, brush=None, size=_RING)
        self._mark = pg.ScatterPlotItem(pxMode=True, brush=None, size=_CURRENT)
        self._assemble()
        self._restyle()

    @property
    def current(self) -> int:
        """The example that is pointed at; -1 for none."""
        return self._current

    @property
    def drawn_points(self) -> int:
        """The number of points that can be drawn: those whose place is finite."""
        return len(self._points.getData()[0])

    @property
    def ringed_points(self) -> int:
        """The number of points with a ring: those of the current batch."""
        return len(self._rings.getData()[0])

    def sizeHint(self) -> QSize:
        """Return about a square."""
        return QSize(320, 320)

    def draw(self, examples: PlottedExamples) -> None:
        """Draw examples."""
        if self._shown is None or len(examples.x) != len(self._shown.x):
            self._current = -1
        self._shown = examples
        for axis, name in zip(self._axes, examples.names, strict=True):
            axis.setLabel(name)
        self._refresh()

    def point_at(self, index: int) -> None:
        """Point at an example; -1 for none."""
        if index != self._current:
            self._current = index
            self._draw_mark()
            self.pointed.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Point at another example, from left to right: Left, Right, Home, End; Escape at none."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        order = self._order()
        if not len(order):
            super().keyPressEvent(event)
        elif key in steps:
            found = np.flatnonzero(order == self._current)
            first = 0 if steps[key] > 0 else len(order) - 1
            place = int(found[0]) + steps[key] if len(found) else first
            self.point_at(int(order[min(max(place, 0), len(order) - 1)]))
        elif key in {Qt.Key.Key_Home, Qt.Key.Key_End}:
            self.point_at(int(order[0 if key == Qt.Key.Key_Home else -1]))
        elif key == Qt.Key.Key_Escape and self._current >= 0:
            self.point_at(-1)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme, or a new font."""
        if event.type() in {event.Type.PaletteChange, event.Type.FontChange}:
            self._restyle()
            self._refresh()
        super().changeEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus at the first example."""
        super().focusInEvent(event)
        order = self._order()
        is_by_key = event.reason() in {
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        }
        if self._current < 0 and len(order) and is_by_key:
            self.point_at(int(order[0]))

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        self.point_at(-1)
        super().leaveEvent(event)

    # --- drawing --------------------------------------------------------------------------

    def _refresh(self) -> None:
        shown = self._shown
        if shown is None:
            return
        theme = theme_of(self.palette())
        left, right, low, high = _bounds(shown)
        self._plot.setRange(xRange=(left, right), yRange=(low, high), padding=0)
        self._grid.set_lines(
            QRectF(left, low, right - left, high - low),
            grid_places(self._axes[0], left, right, self._box.width()),
            grid_places(self._axes[1], low, high, self._box.height()),
        )
        self._region.show_regions(shown.regions, shown.scale, theme)
        if shown.is_exact:
            ends = np.array([max(left, low), min(right, high)])
            self._exact.setData(ends, ends)
        else:
            self._exact.setData([], [])
        self._curve.setData(*((shown.curve) if shown.curve is not None else ([], [])))
        self._draw_points(shown, theme)
        self._draw_mark()
        self._box.updateMatrix()  # else pyqtgraph does it while painting, and paints twice

    def _draw_points(self, shown: PlottedExamples, theme: Theme) -> None:
        kept = np.isfinite(shown.x) & np.isfinite(shown.y)
        x, y, held_out = shown.x[kept], shown.y[kept], shown.held_out[kept]
        size = _SIZE if len(x) <= _MANY else _SIZE_OF_MANY
        kinds = np.zeros(len(x), int) if shown.classes is None else shown.classes[kept]
        colors = [
            theme.curves[kind % len(theme.curves)] for kind in range(kinds.max(initial=0) + 1)
        ]
        filled = [(pg.mkPen(theme.base, width=1), pg.mkBrush(color)) for color in colors]
        hollow = [(pg.mkPen(color, width=2), pg.mkBrush(theme.base)) for color in colors]
        styles = [
            (hollow if out else filled)[kind] for kind, out in zip(kinds, held_out, strict=True)
        ]
        if shown.levels is not None:
            styles = _level_styles(shown.levels[kept], held_out, shown.scale, theme)
        self._points.setData(
            x,
            y,
            size=size,
            pen=[pen for pen, _ in styles],
            brush=[brush for _, brush in styles],
            symbol=[SYMBOLS[kind % len(SYMBOLS)] for kind in kinds],
        )
        ringed = shown.in_batch[kept]
        self._rings.setData(x[ringed], y[ringed])

    def _draw_mark(self) -> None:
        shown, at = self._shown, self._current
        if shown is None or at < 0:
            self._mark.setData([], [])
        else:
            self._mark.setData(shown.x[at : at + 1], shown.y[at : at + 1])

    def _restyle(self) -> None:
        theme = theme_of(self.palette())
        style_plot(self._widget, self._axes, self._grid, theme, self.font())
        self._axes[1].setWidth(tick_width(self.fontMetrics()) + self.fontMetrics().height() + 12)
        self._exact.setPen(pg.mkPen(theme.muted, width=1, style=Qt.PenStyle.DashLine))
        self._curve.setPen(pg.mkPen(theme.curves[1], width=3))
        self._rings.setPen(pg.mkPen(theme.text, width=1.5))
        self._mark.setPen(pg.mkPen(theme.accent, width=2.5))

    def _assemble(self) -> None:
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._widget)
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.disableAutoRange()
        self._plot.setContentsMargins(_PADDING, 8, EDGE, 0)
        self._box.addItem(self._grid, ignoreBounds=True)
        self._box.addItem(self._region, ignoreBounds=True)
        self._box.setMouseEnabled(x=False, y=False)
        self._box.sigResized.connect(lambda *_: self._refresh())
        self._widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._widget.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for item in (self._exact, self._curve, self._points, self._rings, self._mark):
            self._plot.addItem(item)
        self._widget.scene().sigMouseMoved.connect(self._on_move)

    # --- user input -----------------------------------------------------------------------

    def _order(self) -> NDArray[Any]:
        """Return the examples that are drawn, from left to right."""
        if self._shown is None:
            return np.empty(0, int)
        x, y = self._shown.x, self._shown.y
        order = np.lexsort((y, x))
        drawn: NDArray[Any] = order[np.isfinite(x[order]) & np.isfinite(y[order])]
        return drawn

    def _on_move(self, scene: QPointF) -> None:
        shown = self._shown
        if shown is None or not len(shown.x):
            return
        place = self._box.mapSceneToView(scene)
        width, height = self._box.viewPixelSize()
        with np.errstate(all="ignore"):
            away = np.hypot((shown.x - place.x()) / width, (shown.y - place.y()) / height)
        away = np.where(np.isfinite(away), away, np.inf)
        nearest = int(away.argmin())
        self.point_at(nearest if away[nearest] <= _REACH else -1)


class _RegionItem(QGraphicsItem):
    """An image of decision regions: each class in its colour, fainter where it is less certain."""

    def __init__(self) -> None:
        super().__init__()
        self._rect = QRectF()
        self._image: QImage | None = None
        self.setZValue(_BELOW_GRID)

    def show_regions(
        self, regions: Regions | None, scale: tuple[float, float], theme: Theme
    ) -> None:
        """Show these regions, or none; values in the colours of a scale."""
        self.prepareGeometryChange()
        self._image = None
        if regions is not None and regions.shares is not None:
            self._image = _region_image(regions.shares, theme)
        elif regions is not None and regions.values is not None:
            self._image = _surface_image(regions.values, scale)
        self._rect = QRectF() if regions is None else regions.rect
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the plane."""
        return self._rect

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Draw the image, smoothly enlarged; its first row is the lowest."""
        if self._image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(self._rect, self._image)


def _region_image(shares: NDArray[Any], theme: Theme) -> QImage:
    """Return the colour of the most probable class; that of the background where there is none."""
    count = shares.shape[2]
    is_finite = np.isfinite(shares).all(axis=2)
    known = np.where(is_finite[..., None], shares, 1 / count)
    best = known.argmax(axis=2)
    certain = (known.max(axis=2) - 1 / count) / max(1 - 1 / count, 1e-9)
    strength = (_FAINTEST + (_STRONGEST - _FAINTEST) * certain) * is_finite
    colors = np.array([_rgb(theme.curves[kind % len(theme.curves)]) for kind in range(count)])
    back = np.array(_rgb(theme.base))
    mixed = back + strength[..., None] * (colors[best] - back)
    pixels = np.ascontiguousarray(mixed.round().astype(np.uint8))
    height, width = best.shape
    return QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def _surface_image(values: NDArray[Any], scale: tuple[float, float]) -> QImage:
    pixels = np.ascontiguousarray(colourise(values, *scale))
    height, width = values.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()


def _level_styles(
    levels: NDArray[Any], held_out: NDArray[Any], scale: tuple[float, float], theme: Theme
) -> list[tuple[Any, Any]]:
    """Return the pens and brushes of values: held-out ones have a brighter rim."""
    colors = colourise(levels.clip(*scale), *scale).tolist()
    rims = [pg.mkPen(theme.base, width=1.5), pg.mkPen(theme.error, width=2)]
    return [
        (rims[int(out)], pg.mkBrush(QColor.fromRgb(color)))
        for color, out in zip(colors, held_out, strict=True)
    ]


def _rgb(name: str) -> tuple[int, int, int]:
    color = QColor(name)
    return color.red(), color.green(), color.blue()


def _bounds(shown: PlottedExamples) -> tuple[float, float, float, float]:
    """Return left, right, low and high: all points, and the curve as far as it stays near them."""
    if shown.regions is not None:
        rect = shown.regions.rect
        return rect.left(), rect.right(), rect.top(), rect.bottom()
    x, y = _range(shown.x), _range(shown.y)
    if shown.is_exact:
        low, high = _widened(x, y)
        return (*_with_margin(x), *_with_margin((low, high)))
    if shown.curve is not None:
        across, along = _range(shown.curve[0]), _range(shown.curve[1])
        return (*across, *_with_margin(_widened(y, along)))
    return (*_with_margin(x), *_with_margin(y))


def _range(values: NDArray[Any]) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)


def _widened(inner: tuple[float, float], outer: tuple[float, float]) -> tuple[float, float]:
    """Return a range widened to another one, at most by its own length on each side."""
    low, high = inner
    span = high - low or abs(low) or 1.0
    return min(low, max(outer[0], low - span)), max(high, min(outer[1], high + span))


def _with_margin(ends: tuple[float, float]) -> tuple[float, float]:
    low, high = ends
    margin = _MARGIN * (high - low) or _MARGIN * (abs(low) or 1.0)
    return low - margin, high + margin
