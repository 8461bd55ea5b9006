"""Painting of the timeline: lanes of marks, ticks of iterations, flags and the handle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from gradstep_gui.widgets.number_format import count_text
from gradstep_gui.widgets.timeline.event_marks import LANES, nice_step, stretches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep_gui.theme import Theme
    from gradstep_gui.widgets.timeline.event_marks import EventMarks, Flag

__all__ = ["HEIGHT", "BarState", "LaneStrips", "TimelinePainter"]

_TOP = 11
"""The height of flags and handle."""
_LANE = 6
_LANES_BOTTOM = _TOP + _LANE * len(LANES)
_AXIS = 14
HEIGHT = _LANES_BOTTOM + _AXIS + 2

_SHAPES_FROM = 6.0
"""The width from which each Event is drawn as a shape."""
_LABEL_APART = 70
_FAINTEST = 0.35
_FLAG = 7.0
"""The distance in pixels below which flags would touch."""
_FAINT_FLAG = 0.45


@dataclass(frozen=True, slots=True)
class BarState:
    """What to draw besides the marks.

    Attributes:
        width: The width in pixels.
        margin: The margin at both ends, in pixels.
        cell: The width of one Event, in pixels.
        value: The index of the current Event.
        hovered: The index of the Event under the mouse.
        flags: The flags above the marks.
        focused: Whether it has the focus.
        enabled: Whether the user can seek.
        caption: The label of iteration 0.
        hover_text: The text about the Event under the mouse.
    """

    width: float
    margin: float
    cell: float
    value: int
    hovered: int | None
    flags: tuple[Flag, ...]
    focused: bool
    enabled: bool
    caption: str
    hover_text: str

    def left_of(self, moment: int) -> float:
        """Return the left edge of an Event."""
        return self.margin + moment * self.cell


class LaneStrips:
    """A row of pixels for every lane, made again when Events, size or colours differ."""

    def __init__(self) -> None:
        self._made_for: object = None
        self._picture = QImage()

    def of(self, marks: EventMarks, pixels: int, theme: Theme) -> QImage:
        """Return rows that are darker where a pixel has more Events.

        Args:
            marks: The Events.
            pixels: The length of a row.
            theme: The theme.
        """
        wanted = marks, marks.version, pixels, theme
        if wanted != self._made_for:
            self._made_for, self._picture = wanted, _strips(marks, pixels, theme)
        return self._picture


class TimelinePainter:
    """Draws the timeline once.

    Args:
        painter: A painter that is active on the widget.
        theme: The theme.
        font: The font of the widget.
        scale: Device pixels per pixel.
        strips: The lanes of a run whose Events are too many for shapes.
    """

    def __init__(
        self, painter: QPainter, theme: Theme, font: QFont, scale: float, strips: LaneStrips
    ) -> None:
        self._painter = painter
        self._strips = strips
        self._theme = theme
        self._font = QFont(font)
        self._font.setPointSizeF(font.pointSizeF() * 0.8)
        self._scale = scale

    def paint(self, marks: EventMarks, state: BarState) -> None:
        """Draw everything."""
        painter, theme = self._painter, self._theme
        lanes = QRectF(state.margin, _TOP, state.width - 2 * state.margin, _LANE * len(LANES))
        painter.fillRect(lanes, QColor(theme.base))
        self._ticks(marks, state)
        if state.cell >= _SHAPES_FROM:
            cell = QRectF(state.left_of(state.value), _TOP, state.cell, _LANE * len(LANES))
            painter.fillRect(cell, QColor(theme.selection))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state.cell >= _SHAPES_FROM:
            self._shapes(marks, state)
        elif len(marks):
            self._strip(marks, state)
        self._future(marks, state)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(lanes.adjusted(-0.5, -0.5, 0.5, 0.5))
        if state.hovered is not None and state.enabled:
            x = state.left_of(state.hovered) + state.cell / 2
            painter.setPen(QPen(QColor(theme.muted), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, _TOP), QPointF(x, _LANES_BOTTOM))
        self._handle(state)
        for flag in state.flags:
            self._flag(state, flag)
        if state.hover_text:
            self._draw_hover_text(state)

    # --- the marks ------------------------------------------------------------------------

    def _shapes(self, marks: EventMarks, state: BarState) -> None:
        """Draw each Event: each kind has its own colour, lane and shape."""
        lanes, failed = marks.lanes(), marks.failed()
        middles = state.left_of(1) + (np.arange(len(marks)) + 0.5) * state.cell
        for lane, kind in enumerate(LANES):
            y = _TOP + _LANE * (lane + 0.5)
            color = QColor(self._theme.kind(kind).strong)
            self._shapes_of(kind, color, middles[(lanes == lane) & ~failed].tolist(), y)
            self._crosses(middles[(lanes == lane) & failed].tolist(), y)

    def _shapes_of(self, kind: str, color: QColor, middles: list[float], y: float) -> None:
        painter, r = self._painter, 3.0
        if kind == "zero_grad":
            painter.setPen(QPen(color, 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for x in middles:
                painter.drawEllipse(QPointF(x, y), r - 0.6, r - 0.6)
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        for x in middles:
            if kind == "forward":
                painter.drawPolygon(_points((x - r, y - r), (x + r, y), (x - r, y + r)))
            elif kind == "backward":
                painter.drawPolygon(_points((x + r, y - r), (x - r, y), (x + r, y + r)))
            elif kind == "step":
                painter.drawRect(QRectF(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1))
            else:
                painter.drawPolygon(_points((x, y - r), (x + r, y), (x, y + r), (x - r, y)))

    def _crosses(self, middles: list[float], y: float) -> None:
        """Draw Events that raised an error."""
        painter, r = self._painter, 3.0
        painter.setPen(QPen(QColor(self._theme.error), 1.8))
        for x in middles:
            painter.drawLine(QPointF(x - r, y - r), QPointF(x + r, y + r))
            painter.drawLine(QPointF(x - r, y + r), QPointF(x + r, y - r))

    def _strip(self, marks: EventMarks, state: BarState) -> None:
        """Draw every lane as a strip."""
        left, right = state.left_of(1), state.left_of(len(marks) + 1)
        pixels = max(1, round((right - left) * self._scale))
        picture = self._strips.of(marks, pixels, self._theme)
        for lane in range(len(LANES)):
            target = QRectF(left, _TOP + _LANE * lane + 1, right - left, _LANE - 2)
            self._painter.drawImage(target, picture, QRectF(0, lane, pixels, 1))

    def _future(self, marks: EventMarks, state: BarState) -> None:
        """Dim the Events after the current one."""
        left = state.left_of(state.value + 1)
        right = state.left_of(len(marks) + 1)
        if right > left:
            veil = QColor(self._theme.base)
            veil.setAlphaF(0.6)
            self._painter.fillRect(QRectF(left, _TOP, right - left, _LANE * len(LANES)), veil)

    # --- flags, ticks and handle ----------------------------------------------------------

    def _ticks(self, marks: EventMarks, state: BarState) -> None:
        painter, theme = self._painter, self._theme
        painter.setFont(self._font)
        if not len(marks):
            return
        first, last = marks.iteration(1), marks.iteration(len(marks))
        width = (state.left_of(len(marks)) - state.margin) / (last - first + 1)
        step = nice_step(_LABEL_APART / max(width, 1e-9))
        metrics = QFontMetricsF(self._font)
        for iteration in range(-(-first // step) * step, last + 1, step):
            x = state.left_of(marks.first_of(iteration) + 1)
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(QPointF(x, _TOP), QPointF(x, _LANES_BOTTOM + 3))
            text = count_text(iteration)
            if iteration == 0:
                text = state.caption
            room = metrics.horizontalAdvance(text)
            painter.setPen(QColor(theme.muted))
            painter.drawText(QPointF(min(x, state.width - room - 2), HEIGHT - 3), text)

    def _flag(self, state: BarState, flag: Flag) -> None:
        """Draw a flag above its Events; one bar where they are close together."""
        places = state.left_of(0) + (flag.events.astype(np.float64) + 0.5) * state.cell
        if flag.kind == "fork":
            for x in places.tolist():
                self._fork(x)
            return
        now = int(np.searchsorted(flag.events, state.value, side="right"))
        colour = QColor(self._theme.error if flag.kind == "error" else self._theme.warning)
        # Flags after the current Event are dimmed, like the Events.
        for part, strength in ((places[now:], _FAINT_FLAG), (places[:now], 1.0)):
            colour.setAlphaF(strength)
            self._painter.setPen(QPen(QColor(self._theme.window), 1))
            self._painter.setBrush(colour)
            for first, last in stretches(part, _FLAG).tolist():
                if flag.kind == "error" or last > first:
                    self._painter.drawRect(QRectF(first - 3, 3, last - first + 6, 6))
                else:
                    self._painter.drawPolygon(_points((first - 4, 9), (first + 4, 9), (first, 2)))

    def _fork(self, x: float) -> None:
        painter = self._painter
        painter.setPen(QPen(QColor(self._theme.accent), 1.6))
        painter.drawLine(QPointF(x, _TOP), QPointF(x, 6))
        painter.drawLine(QPointF(x, 6), QPointF(x - 3, 2))
        painter.drawLine(QPointF(x, 6), QPointF(x + 4, 2))

    def _draw_hover_text(self, state: BarState) -> None:
        """Draw the hover text over the numbers of the iterations."""
        painter, theme = self._painter, self._theme
        metrics = QFontMetricsF(self._font)
        text = metrics.elidedText(state.hover_text, Qt.TextElideMode.ElideRight, state.width - 20)
        room = metrics.horizontalAdvance(text) + 12
        middle = state.left_of(state.hovered or 0) + state.cell / 2
        left = min(max(2.0, middle - room / 2), state.width - room - 2)
        plate = QRectF(left, _LANES_BOTTOM + 1.5, room, _AXIS)
        painter.setFont(self._font)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(QColor(theme.raised))
        painter.drawRoundedRect(plate, 3, 3)
        painter.setPen(QColor(theme.text))
        painter.drawText(plate, int(Qt.AlignmentFlag.AlignCenter), text)

    def _handle(self, state: BarState) -> None:
        theme, painter = self._theme, self._painter
        colour = QColor(theme.accent if state.enabled else theme.muted)
        x = state.left_of(state.value) + state.cell / 2
        painter.setPen(QPen(colour, 2))
        if state.cell < _SHAPES_FROM:
            painter.drawLine(QPointF(x, _TOP - 2), QPointF(x, _LANES_BOTTOM + 2))
        else:
            half = state.cell / 2 - 1
            painter.drawLine(QPointF(x - half, _LANES_BOTTOM), QPointF(x + half, _LANES_BOTTOM))
        painter.setPen(QPen(QColor(theme.text), 1.5) if state.focused else Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(_points((x - 5, 1), (x + 5, 1), (x + 5, 6), (x, _TOP), (x - 5, 6)))


def _strips(marks: EventMarks, pixels: int, theme: Theme) -> QImage:
    counts, failed = marks.density(pixels)
    # Half of the median is drawn at full strength, else a loop that does not fit the pixels evenly
    # makes meaningless stripes.
    usual = [np.median(lane[lane > 0]) if lane.any() else 1.0 for lane in counts]
    strength = np.minimum(1.0, 2 * counts / np.array(usual)[:, None])
    strength = np.where(counts > 0, _FAINTEST + (1 - _FAINTEST) * strength, 0.0)
    image = _coloured(strength, [theme.kind(lane).strong for lane in LANES])
    if failed.any():
        image[:, failed] = QColor(theme.error).rgba()
    picture = QImage(image.data, pixels, len(LANES), 4 * pixels, QImage.Format.Format_ARGB32)
    return picture.copy()  # QImage does not own NumPy's memory


def _points(*places: tuple[float, float]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in places])


def _coloured(strength: NDArray[np.float64], colours: list[str]) -> NDArray[np.uint32]:
    """Return pixels (ARGB, not premultiplied), one colour per row, with the strength as alpha."""
    plain = np.array([QColor(colour).rgb() & 0xFFFFFF for colour in colours], np.uint32)
    alpha = np.round(255 * strength).astype(np.uint32) << 24
    return np.ascontiguousarray(alpha | plain[:, None])
