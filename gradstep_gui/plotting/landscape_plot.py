"""A loss over one or two directions: contours or a curve, and the paths that runs took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gradstep_gui.plotting.arrow import PlotArrow
from gradstep_gui.plotting.axis import EDGE, Grid, ValueAxis, grid_places, style_plot, tick_width
from gradstep_gui.plotting.color_bar import ColorBar
from gradstep_gui.plotting.contours import Contours, band_colors
from gradstep_gui.plotting.levels import Levels, levels_of, suits_logarithm
from gradstep_gui.theme import theme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent, QResizeEvent

    from gradstep_gui.plotting.style import CurveStyle

__all__ = ["LandscapePlot", "PlanePath", "Surface"]

_TOP = 8
_GRADIENT_PIXELS = 64.0
_CASING = 5
_DOTS_UP_TO = 400
_DOT, _HERE, _BEGIN = 6, 13, 10
_APART = 9.0
"""Pixels between two dots: nearer ones would hide the path."""

_CURSOR = 15
_CURSOR_SHARE = 1 / 40
"""How far an arrow key moves the cursor."""

_SETTLE_MS = 300
_FAINT = 110
_LEAST_LINES = 6
_ABOVE = 0.08
"""The margin above and below a curve."""

_ARROW_KEYS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
_ZOOM = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Values over one or two axes.

    Attributes:
        x: The points of the first axis.
        y: Those of the second; empty where there is one.
        values: The values, `[y, x]` or `[x]`.
        names: The names of the axes.
        title: What the values are.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float64]
    names: tuple[str, ...]
    title: str

    @property
    def is_flat(self) -> bool:
        """Whether it has one axis."""
        return not len(self.y)

    def at(self, x: float, y: float) -> float | None:
        """Return the value at a point, interpolated; None outside.

        Example:
            >>> line = np.array([0.0, 1.0])
            >>> Surface(line, line, np.array([[0.0, 1.0], [2.0, 3.0]]), (), "loss").at(0.5, 0.5)
            1.5
        """
        if not self.x[0] <= x <= self.x[-1] or (
            not self.is_flat and not self.y[0] <= y <= self.y[-1]
        ):
            return None
        if self.is_flat:
            found = float(np.interp(x, self.x, self.values))
        else:
            low, share = _cell(self.y, y)
            rows = self.values[low : low + 2]
            one, two = (float(np.interp(x, self.x, row)) for row in rows)
            found = one + share * (two - one)
        return found if np.isfinite(found) else None


@dataclass(frozen=True, slots=True, eq=False)
class PlanePath:
    """The path of one run.

    Attributes:
        iterations: How many iterations were complete at each point.
        x: The first coordinate; NaN interrupts the path.
        y: The second.
        style: How it is drawn; the path of another branch is a ghost.
    """

    iterations: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    style: CurveStyle


class LandscapePlot(QWidget):
    """A surface with paths, the present point, and two arrows."""

    hovered = Signal(object)
    """The mouse is at this point, or the cursor; None when it left."""

    chosen = Signal(float, float)
    """The user double-clicked a point, or pressed Enter at the cursor."""

    menu_requested = Signal(object, object)
    """The user opened the context menu at a place of the screen, and on a point, or None."""

    framed = Signal(tuple)
    """The user has zoomed or dragged to this range, as lowest and highest value of each axis."""

    reset = Signal()
    """The user wants to see everything again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._surface: Surface | None = None
        self._levels = Levels(np.zeros(0))
        self._log: bool | None = None
        self._flat_log = False
        self._equal = False
        self._paths: tuple[PlanePath, ...] = ()
        self._now: float | None = None
        self._point: tuple[float, float] | None = None
        self._cursor: tuple[float, float] | None = None
        self._slope: float | None = None
        self._axes = (ValueAxis("bottom"), ValueAxis("left"))
        self._widget: Any = pg.PlotWidget(
            self, axisItems={"bottom": self._axes[0], "left": self._axes[1]}
        )
        self._plot = self._widget.getPlotItem()
        self._box = self._plot.getViewBox()
        self._grid = Grid()
        self._contours = Contours()
        self._curve = pg.PlotCurveItem(antialias=True, connect="finite")
        self._tangent = pg.PlotCurveItem(antialias=True)
        self._lines: list[Any] = []
        self._ghosts: list[Any] = []
        self._begin = pg.ScatterPlotItem(size=_BEGIN, symbol="s")
        self._here = pg.ScatterPlotItem(size=_HERE, symbol="o")
        self._cross = pg.ScatterPlotItem(size=_CURSOR, symbol="+")
        self.bar = ColorBar(self)
        self._assemble()
        self.gradient = PlotArrow(self._plot, 30)
        self.step = PlotArrow(self._plot, 40)
        self._settled = QTimer(self, interval=_SETTLE_MS, singleShot=True)
        self._settled.timeout.connect(lambda: self.framed.emit(self.bounds))
        self._restyle()

    # --- what is drawn --------------------------------------------------------------------

    @property
    def surface(self) -> Surface | None:
        """What is drawn."""
        return self._surface

    @property
    def levels(self) -> Levels:
        """The levels of the contours."""
        return self._levels

    @property
    def here(self) -> tuple[float, float] | None:
        """The present point; None when there is none."""
        x, y = self._here.getData()
        return (float(x[0]), float(y[0])) if len(x) else None

    @property
    def bounds(self) -> tuple[float, ...]:
        """The lowest and the highest value of each axis that are seen."""
        found = [float(edge) for side in self._plot.viewRange() for edge in side]
        flat = self._surface is not None and self._surface.is_flat
        return tuple(found[:2] if flat else found)

    @property
    def is_log(self) -> bool:
        """Whether levels, or the axis of a curve, are spaced logarithmically."""
        return self._flat_log or self._levels.offset is not None

    @property
    def path_count(self) -> int:
        """The number of paths that are drawn."""
        return len(self._paths)

    def sizeHint(self) -> QSize:
        """Return about a square."""
        return QSize(480, 420)

    def minimumSizeHint(self) -> QSize:
        """Return a size in which contours can be seen beside the text of the axes."""
        return QSize(super().minimumSizeHint().width(), _LEAST_LINES * self.fontMetrics().height())

    def set_surface(self, surface: Surface | None, *, keep_range: bool = False) -> None:
        """Draw a surface.

        Args:
            surface: The surface; None for none.
            keep_range: Stay at the range that is seen.
        """
        same = surface is not None and self._surface is not None
        self._surface = surface
        if surface is None:
            self._contours.clear()
            self._curve.setData([], [])
            return
        for axis, name in zip(self._axes, (*surface.names, surface.title), strict=False):
            axis.setLabel(name)
        self._measure()
        if not (keep_range and same):
            self.show_all()
        self._draw_paths()
        self._redraw_frame()

    def set_log(self, log: bool | None) -> None:
        """Space levels logarithmically, or evenly; None to do what suits the values."""
        self._log = log
        if self._surface is not None:
            self._measure()
            self._draw_paths()
            self._redraw_frame()

    def set_equal(self, equal: bool) -> None:
        """Give both axes the same scale, or let them fill the widget."""
        self._equal = equal
        self._fit_aspect()

    def set_paths(
        self,
        paths: Sequence[PlanePath],
        now: float | None,
        point: tuple[float, float] | None,
    ) -> None:
        """Draw the paths of runs.

        Args:
            paths: The paths; what comes later than `now` is faint, but for ghosts.
            now: The present iteration; None for the last.
            point: The present point; None when there is none.
        """
        before, self._paths = self._paths, tuple(paths)
        self._now, self._point = now, point
        if not _same_ghosts(before, self._paths):
            self._draw_ghosts()
        self._draw_own()

    def set_arrows(
        self,
        gradient: tuple[tuple[float, float], tuple[float, float]] | None,
        step: tuple[tuple[float, float], tuple[float, float]] | None,
    ) -> None:
        """Draw the direction of the gradient, and the step true to scale.

        Args:
            gradient: Where it begins, and the negative gradient; None for none.
            step: Where it begins, and the change; None for none.
        """
        self._slope = None
        for arrow, found, pixels in (
            (self.gradient, gradient, _GRADIENT_PIXELS),
            (self.step, step, None),
        ):
            if found is None:
                arrow.hide()
                continue
            start, change = found
            surface = self._surface
            if surface is not None and surface.is_flat:
                height = self._height(start[0])
                end = self._height(start[0] + change[0]) if arrow is self.step else height
                start, change = (start[0], height), (change[0], end - height)
            if not np.isfinite((*start, *change)).all():
                arrow.hide()
            elif any(change):
                arrow.show(start, change, pixels)
            else:
                arrow.hide()
        if gradient is not None:
            self._slope = -gradient[1][0]
        self._draw_tangent(None if gradient is None else gradient[0][0])

    def show_all(self) -> None:
        """Show the whole surface."""
        surface = self._surface
        if surface is None:
            return
        low, high = self._vertical_range(surface)
        self._plot.setRange(xRange=(surface.x[0], surface.x[-1]), yRange=(low, high), padding=0)
        self._fit_aspect()

    def _vertical_range(self, surface: Surface) -> tuple[float, float]:
        if not surface.is_flat:
            return float(surface.y[0]), float(surface.y[-1])
        finite = self._flat(surface.values)
        finite = finite[np.isfinite(finite)]
        if not len(finite):
            return 0.0, 1.0
        low, high = float(finite.min()), float(finite.max())
        margin = _ABOVE * (high - low) or 1.0
        return low - margin, high + margin

    def _measure(self) -> None:
        """Find the levels, and draw the surface with them."""
        surface = self._surface
        assert surface is not None, "it is called where there is one"
        log = suits_logarithm(surface.values) if self._log is None else self._log
        if surface.is_flat:  # a parabola looks like one on a linear scale alone
            log = bool(self._log)
            self._levels = Levels(np.zeros(0))
            self._flat_log = log and bool(np.nanmin(surface.values, initial=np.inf) > 0)
            self._axes[1].setLogMode(y=self._flat_log)
            self._contours.clear()
            self._curve.setData(surface.x, self._flat(surface.values))
            self.bar.hide()
            self._set_vertical_range()
            return
        self._flat_log = False
        self._axes[1].setLogMode(y=False)
        self._curve.setData([], [])
        self._levels = levels_of(surface.values, log=log)
        self._contours.set_surface(surface.x, surface.y, surface.values, self._levels)
        self._color()
        self.bar.setVisible(True)

    def _set_vertical_range(self) -> None:
        surface = self._surface
        if surface is not None and surface.is_flat:
            self._plot.setYRange(*self._vertical_range(surface), padding=0)

    def _flat(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of a curve as they are drawn."""
        if not self._flat_log:
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            found: NDArray[np.float64] = np.log10(values)
        return found

    def _height(self, x: float) -> float:
        """Return how high the curve is drawn at x; NaN outside."""
        surface = self._surface
        value = None if surface is None else surface.at(x, 0.0)
        if value is None:
            return float("nan")
        return float(self._flat(np.array([value]))[0])

    def _draw_paths(self) -> None:
        self._draw_ghosts()
        self._draw_own()

    def _draw_ghosts(self) -> None:
        """Draw the paths of the other branches, which seldom change."""
        self._remove(self._ghosts)
        for path in reversed(self._paths):
            if path.style.is_ghost:
                x, y = self._places(path.x, path.y)
                self._ghosts += self._line(x, y, path.style, 2, 5)

    def _draw_own(self) -> None:
        """Draw the path of the current branch up to the present point, and faintly beyond."""
        self._remove(self._lines)
        here = self._here_drawn()
        self._here.setData([at for at, _ in here], [at for _, at in here])
        self._begin.setData([], [])
        path = next((path for path in self._paths if not path.style.is_ghost), None)
        if path is None or not len(path.x):
            return
        x, y = self._places(path.x, path.y)
        self._begin.setData(x[:1], y[:1])
        past = path.iterations <= (np.inf if self._now is None else self._now)
        self._lines += self._line(*_later(x, y, past), path.style, 2, 9, _FAINT)
        x = np.append(x[past], [at for at, _ in here])
        y = np.append(y[past], [at for _, at in here])
        self._lines += self._line(x, y, path.style, 3, 10)
        if len(x) <= _DOTS_UP_TO:
            apart, brush = self._apart(x, y), pg.mkBrush(path.style.color)
            dots = pg.ScatterPlotItem(x[apart], y[apart], size=_DOT, pen=None, brush=brush)
            dots.setZValue(12)
            self._plot.addItem(dots, ignoreBounds=True)
            self._lines.append(dots)

    def _here_drawn(self) -> list[tuple[float, float]]:
        """Return where the present point is drawn, in a list; an empty one where it is not."""
        if self._point is None:
            return []
        x, y = self._places(*(np.array([value]) for value in self._point))
        return [(float(x[0]), float(y[0]))] if np.isfinite((x[0], y[0])).all() else []

    def _remove(self, items: list[Any]) -> None:
        for item in items:
            self._plot.removeItem(item)
        items.clear()

    def _places(
        self, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return where points are drawn: on the curve, where there is one axis."""
        surface = self._surface
        if surface is None or not surface.is_flat:
            return x, y
        heights = np.interp(x, surface.x, surface.values, left=np.nan, right=np.nan)
        return x, self._flat(heights)

    def _apart(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which points are far from the last one that is drawn, on the screen."""
        (left, right), (low, high) = self._plot.viewRange()
        across = x * (self._box.width() / max(right - left, 1e-300))
        up = y * (self._box.height() / max(high - low, 1e-300))
        kept = np.zeros(len(x), np.bool_)
        last: int | None = None
        for at in np.flatnonzero(np.isfinite(across) & np.isfinite(up)):
            near = last is not None and np.hypot(across[at] - across[last], up[at] - up[last])
            if last is None or near >= _APART:
                kept[at], last = True, int(at)
        return kept

    def _line(
        self,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        style: CurveStyle,
        width: int,
        depth: float,
        alpha: int = 255,
    ) -> list[Any]:
        """Draw a line with an outline in the colour of the background, and return both."""
        theme, drawn = theme_of(self.palette()), []
        casing, color = QColor(theme.base), QColor(style.color)
        casing.setAlpha(alpha * 3 // 4)
        color.setAlpha(alpha)
        for pen, above in (
            (pg.mkPen(casing, width=width + 3), 0.0),
            (pg.mkPen(color, width=width, style=style.dashes), 0.1),
        ):
            item = pg.PlotCurveItem(x, y, pen=pen, connect="finite", antialias=True)
            item.setZValue(depth + above)
            self._plot.addItem(item, ignoreBounds=True)
            drawn.append(item)
        return drawn

    def _draw_tangent(self, x: float | None) -> None:
        """Draw the tangent of a curve, where the gradient is known."""
        surface = self._surface
        is_flat = surface is not None and surface.is_flat and not self._flat_log
        if x is None or self._slope is None or surface is None or not is_flat:
            self._tangent.setData([], [])
            return
        height, reach = self._height(x), (surface.x[-1] - surface.x[0]) / 6
        ends = np.array([x - reach, x + reach])
        self._tangent.setData(ends, height + self._slope * (ends - x))

    # --- how it looks ---------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme, and the size of another font."""
        if event.type() in {event.Type.PaletteChange, event.Type.FontChange}:
            self._restyle()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep equal axes equal."""
        super().resizeEvent(event)
        self._fit_aspect()

    def _restyle(self) -> None:
        theme = theme_of(self.palette())
        style_plot(self._widget, self._axes, self._grid, theme, self.font())
        self._axes[1].setWidth(tick_width(self.fontMetrics()) + self.fontMetrics().height() + 12)
        self._curve.setPen(pg.mkPen(theme.text, width=2))
        self._tangent.setPen(
            pg.mkPen(theme.kind("backward").strong, width=1, style=Qt.PenStyle.DashLine)
        )
        self._begin.setBrush(pg.mkBrush(theme.base))
        self._begin.setPen(pg.mkPen(theme.curves[0], width=2))
        self._here.setPen(pg.mkPen(theme.base, width=2))
        self._here.setBrush(pg.mkBrush(theme.curves[0]))
        self._cross.setPen(pg.mkPen(theme.text, width=2))
        self.gradient.set_colors(theme.kind("backward").strong, theme.base)
        self.step.set_colors(theme.kind("step").strong, theme.base)
        self._color()
        self._draw_paths()

    def _color(self) -> None:
        theme, surface = theme_of(self.palette()), self._surface
        colors = band_colors(theme.heights, len(self._levels.values) + 1)
        self._contours.set_colors(colors, theme.text)
        if surface is not None:
            self.bar.show_bands(colors, self._levels.values.tolist(), surface.title)

    def _fit_aspect(self) -> None:
        """Leave room beside the axes, so that a unit is as long on both."""
        surface, left, top, right, bottom = self._surface, 0.0, float(_TOP), float(EDGE), 0.0
        if self._equal and surface is not None and not surface.is_flat:
            (low_x, high_x), (low_y, high_y) = self._plot.viewRange()
            ratio = (high_x - low_x) / max(high_y - low_y, 1e-300)
            width = self._widget.width() - self._axes[1].width() - EDGE
            height = self._widget.height() - self._axes[0].height() - _TOP
            if width > 0 and height > 0 and ratio > 0:
                left = max(0.0, (width - height * ratio) / 2)
                top += max(0.0, (height - width / ratio) / 2)
                right, bottom = right + left, top - _TOP
        self._plot.setContentsMargins(left, top, right, bottom)
        self._plot.layout.activate()
        self._redraw_frame()

    def _redraw_frame(self) -> None:
        """Draw the grid of a curve, and adapt the arrows to the range."""
        surface = self._surface
        (left, right), (low, high) = self._plot.viewRange()
        is_flat = surface is not None and surface.is_flat
        self._grid.setVisible(is_flat)
        if is_flat:
            self._grid.set_lines(
                QRectF(left, low, right - left, high - low),
                grid_places(self._axes[0], left, right, self._box.width()),
                grid_places(self._axes[1], low, high, self._box.height()),
            )
        self.gradient.adjust()
        self.step.adjust()

    # --- user input -----------------------------------------------------------------------

    def leaveEvent(self, event: QEvent) -> None:
        """Report that the mouse is at no point."""
        self.hovered.emit(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor, choose the point at it, zoom, or show everything."""
        key = Qt.Key(event.key())
        if self._surface is None:
            super().keyPressEvent(event)
        elif key in _ARROW_KEYS:
            self._move_cursor(*_ARROW_KEYS[key])
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self._cursor is not None:
            self.chosen.emit(*self._cursor)
        elif key in {Qt.Key.Key_Plus, Qt.Key.Key_Minus}:
            scale = _ZOOM if key == Qt.Key.Key_Plus else 1 / _ZOOM
            self._box.scaleBy((scale, scale))
            self._settled.start()
        elif key == Qt.Key.Key_Home:
            self.reset.emit()
        elif key == Qt.Key.Key_Menu and self._cursor is not None:
            scene = self._box.mapViewToScene(QPointF(*self._cursor))
            place = self._widget.mapToGlobal(self._widget.mapFromScene(scene))
            self.menu_requested.emit(place, self._cursor)
        else:
            super().keyPressEvent(event)

    def _move_cursor(self, across: int, up: int) -> None:
        (left, right), (low, high) = self._plot.viewRange()
        x, y = self._cursor or self._point or ((left + right) / 2, (low + high) / 2)
        x = min(max(x + across * (right - left) * _CURSOR_SHARE, left), right)
        y = min(max(y + up * (high - low) * _CURSOR_SHARE, low), high)
        surface = self._surface
        if surface is not None and surface.is_flat:
            y = self._height(x)
        self._cursor = x, y
        self._cross.setData([x], [y])
        self.hovered.emit(self._cursor)

    def _point_at(self, scene: QPointF) -> tuple[float, float] | None:
        if not self._box.sceneBoundingRect().contains(scene):
            return None
        place = self._box.mapSceneToView(scene)
        return float(place.x()), float(place.y())

    def _on_move(self, scene: QPointF) -> None:
        self.hovered.emit(self._point_at(scene))

    def _on_click(self, event: Any) -> None:  # noqa: ANN401 - pyqtgraph has no types
        point = self._point_at(event.scenePos())
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_requested.emit(event.screenPos().toPoint(), point)
        elif event.double() and point is not None:
            self.chosen.emit(*point)
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    def _assemble(self) -> None:
        self.setAccessibleName(self.tr("Landscape of the loss"))
        self.setAccessibleDescription(
            self.tr("Arrow keys move a cursor, Enter asks what if the run had begun there.")
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._widget, stretch=1)
        layout.addWidget(self.bar)
        self.bar.hide()
        self._widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.disableAutoRange()
        self._box.setMenuEnabled(False)
        self._box.addItem(self._grid, ignoreBounds=True)
        self._box.addItem(self._contours, ignoreBounds=True)
        self._plot.setContentsMargins(0, _TOP, EDGE, 0)
        self._widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._widget.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for depth, item in ((2, self._curve), (3, self._tangent), (20, self._begin)):
            item.setZValue(depth)
            self._plot.addItem(item, ignoreBounds=True)
        for depth, item in ((50, self._here), (60, self._cross)):
            item.setZValue(depth)
            self._plot.addItem(item, ignoreBounds=True)
        self._box.sigRangeChangedManually.connect(lambda *_: self._settled.start())
        self._box.sigRangeChanged.connect(lambda *_: self._redraw_frame())
        self._box.sigResized.connect(lambda *_: self._redraw_frame())
        self._widget.scene().sigMouseClicked.connect(self._on_click)
        self._widget.scene().sigMouseMoved.connect(self._on_move)


def _same_ghosts(before: Sequence[PlanePath], after: Sequence[PlanePath]) -> bool:
    """Return whether the paths of the other branches are the same."""
    one, two = ([path for path in paths if path.style.is_ghost] for paths in (before, after))
    return len(one) == len(two) and all(
        a.x is b.x and a.y is b.y and a.style == b.style for a, b in zip(one, two, strict=True)
    )


def _later(
    x: NDArray[np.float64], y: NDArray[np.float64], past: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the later part of a path, which begins at the last point before."""
    ahead = ~past
    if not ahead.any() or not past.any():
        return x[ahead], y[ahead]
    return np.append(x[past][-1], x[ahead]), np.append(y[past][-1], y[ahead])


def _cell(axis: NDArray[np.float64], value: float) -> tuple[int, float]:
    """Return the last point at or before a value, and the share of the way to the next."""
    low = min(max(int(np.searchsorted(axis, value, side="right")) - 1, 0), len(axis) - 2)
    return low, float((value - axis[low]) / (axis[low + 1] - axis[low]))
