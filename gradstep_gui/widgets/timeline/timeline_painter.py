"""How a time bar is drawn: lanes of marks, ticks of iterations, flags, and the moment on show."""

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

__all__ = ["HEIGHT", "Face", "TimelinePainter"]

_TOP = 11
"""Room for flags and the handle."""
_LANE = 6
_LANES_BOTTOM = _TOP + _LANE * len(LANES)
_AXIS = 14
HEIGHT = _LANES_BOTTOM + _AXIS + 2

_SHAPES_FROM = 6.0
"""Pixels an Event must have to be drawn with a shape of its own."""
_LABEL_APART = 70
_FAINTEST = 0.35
_FLAG = 7.0
"""Pixels from one flag to the next below which they would touch."""
_FAINT_FLAG = 0.45


@dataclass(frozen=True, slots=True)
class Face:
    """What there is to draw, besides the marks.

    Attributes:
        width: Of the bar, in pixels.
        margin: At both ends, in pixels.
        cell: The width of one Event, in pixels.
        value: The moment on show.
        hovered: The moment below the mouse.
        flags: What stands above the marks.
        focused: The keys go to the bar.
        enabled: A person may go elsewhere now.
        caption: What is written below the first iteration, number 0.
        told: What is told of the moment below the mouse.
    """

    width: int
    margin: int
    cell: float
    value: int
    hovered: int | None
    flags: tuple[Flag, ...]
    focused: bool
    enabled: bool
    caption: str
    told: str

    def left_of(self, moment: int) -> float:
        """Return where the cell of a moment begins."""
        return self.margin + moment * self.cell


class TimelinePainter:
    """Draws one picture of a time bar.

    Args:
        painter: Begun on the bar.
        theme: The colours.
        font: Of the bar.
        scale: Device pixels per pixel.
    """

    def __init__(self, painter: QPainter, theme: Theme, font: QFont, scale: float) -> None:
        self._painter = painter
        self._theme = theme
        self._font = QFont(font)
        self._font.setPointSizeF(font.pointSizeF() * 0.8)
        self._scale = scale

    def paint(self, marks: EventMarks, face: Face) -> None:
        """Draw everything."""
        painter, theme = self._painter, self._theme
        lanes = QRectF(face.margin, _TOP, face.width - 2 * face.margin, _LANE * len(LANES))
        painter.fillRect(lanes, QColor(theme.base))
        self._ticks(marks, face)
        if face.cell >= _SHAPES_FROM:
            cell = QRectF(face.left_of(face.value), _TOP, face.cell, _LANE * len(LANES))
            painter.fillRect(cell, QColor(theme.selection))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if face.cell >= _SHAPES_FROM:
            for index in range(1, len(marks) + 1):
                self._shape(marks, face, index)
        elif len(marks):
            self._strip(marks, face)
        self._future(marks, face)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(lanes.adjusted(-0.5, -0.5, 0.5, 0.5))
        if face.hovered is not None and face.enabled:
            x = face.left_of(face.hovered) + face.cell / 2
            painter.setPen(QPen(QColor(theme.muted), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, _TOP), QPointF(x, _LANES_BOTTOM))
        self._handle(face)
        for flag in face.flags:
            self._flag(face, flag)
        if face.told:
            self._tell(face)

    # --- the marks ------------------------------------------------------------------------

    def _shape(self, marks: EventMarks, face: Face, index: int) -> None:
        """Draw one Event: each kind has a colour, a line, and a shape of its own."""
        lane = marks.lane(index)
        colour = QColor(self._theme.kind(LANES[lane]).strong)
        x = face.left_of(index) + face.cell / 2
        y = _TOP + _LANE * (lane + 0.5)
        r = 3.0
        painter = self._painter
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if marks.refused(index):
            painter.setPen(QPen(QColor(self._theme.error), 1.8))
            painter.drawLine(QPointF(x - r, y - r), QPointF(x + r, y + r))
            painter.drawLine(QPointF(x - r, y + r), QPointF(x + r, y - r))
        elif LANES[lane] == "zero_grad":
            painter.setPen(QPen(colour, 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(x, y), r - 0.6, r - 0.6)
        elif LANES[lane] == "forward":
            painter.drawPolygon(_points((x - r, y - r), (x + r, y), (x - r, y + r)))
        elif LANES[lane] == "backward":
            painter.drawPolygon(_points((x + r, y - r), (x - r, y), (x + r, y + r)))
        elif LANES[lane] == "step":
            painter.drawRect(QRectF(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1))
        else:
            painter.drawPolygon(_points((x, y - r), (x + r, y), (x, y + r), (x - r, y)))

    def _strip(self, marks: EventMarks, face: Face) -> None:
        """Draw every lane as a strip that is the darker the more Events fall into a pixel."""
        left, right = face.left_of(1), face.left_of(len(marks) + 1)
        pixels = max(1, round((right - left) * self._scale))
        counts, refused = marks.density(pixels)
        # Half of what is usual is as good as all of it: a loop that does not fit the pixels evenly
        # would else make stripes that mean nothing.
        usual = [np.median(lane[lane > 0]) if lane.any() else 1.0 for lane in counts]
        strength = np.minimum(1.0, 2 * counts / np.array(usual)[:, None])
        strength = np.where(counts > 0, _FAINTEST + (1 - _FAINTEST) * strength, 0.0)
        image = _coloured(strength, [self._theme.kind(lane).strong for lane in LANES])
        if refused.any():
            image[:, refused] = QColor(self._theme.error).rgba()
        picture = QImage(image.data, pixels, len(LANES), 4 * pixels, QImage.Format.Format_ARGB32)
        for lane in range(len(LANES)):
            target = QRectF(left, _TOP + _LANE * lane + 1, right - left, _LANE - 2)
            self._painter.drawImage(target, picture, QRectF(0, lane, pixels, 1))

    def _future(self, marks: EventMarks, face: Face) -> None:
        """Let what lies after the moment on show be fainter."""
        left = face.left_of(face.value + 1)
        right = face.left_of(len(marks) + 1)
        if right > left:
            veil = QColor(self._theme.base)
            veil.setAlphaF(0.6)
            self._painter.fillRect(QRectF(left, _TOP, right - left, _LANE * len(LANES)), veil)

    # --- what stands around them ----------------------------------------------------------

    def _ticks(self, marks: EventMarks, face: Face) -> None:
        painter, theme = self._painter, self._theme
        painter.setFont(self._font)
        if not len(marks):
            return
        first, last = marks.iteration(1), marks.iteration(len(marks))
        width = (face.left_of(len(marks)) - face.margin) / (last - first + 1)
        step = nice_step(_LABEL_APART / max(width, 1e-9))
        metrics = QFontMetricsF(self._font)
        for iteration in range(-(-first // step) * step, last + 1, step):
            x = face.left_of(marks.first_of(iteration) + 1)
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(QPointF(x, _TOP), QPointF(x, _LANES_BOTTOM + 3))
            text = count_text(iteration)
            if iteration == 0:
                text = face.caption
            room = metrics.horizontalAdvance(text)
            painter.setPen(QColor(theme.muted))
            painter.drawText(QPointF(min(x, face.width - room - 2), HEIGHT - 3), text)

    def _flag(self, face: Face, flag: Flag) -> None:
        """Draw what stands above Events; where they lie close together, one bar over all."""
        places = face.left_of(0) + (flag.events.astype(np.float64) + 0.5) * face.cell
        if flag.kind == "fork":
            for x in places.tolist():
                self._fork(x)
            return
        now = int(np.searchsorted(flag.events, face.value, side="right"))
        colour = QColor(self._theme.error if flag.kind == "error" else self._theme.warning)
        # What has been noticed after the moment on show is fainter, as the Events below it are.
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

    def _tell(self, face: Face) -> None:
        """Write what lies below the mouse, over the numbers of the iterations."""
        painter, theme = self._painter, self._theme
        metrics = QFontMetricsF(self._font)
        text = metrics.elidedText(face.told, Qt.TextElideMode.ElideRight, face.width - 20)
        room = metrics.horizontalAdvance(text) + 12
        middle = face.left_of(face.hovered or 0) + face.cell / 2
        left = min(max(2.0, middle - room / 2), face.width - room - 2)
        plate = QRectF(left, _LANES_BOTTOM + 1.5, room, _AXIS)
        painter.setFont(self._font)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(QColor(theme.raised))
        painter.drawRoundedRect(plate, 3, 3)
        painter.setPen(QColor(theme.text))
        painter.drawText(plate, int(Qt.AlignmentFlag.AlignCenter), text)

    def _handle(self, face: Face) -> None:
        theme, painter = self._theme, self._painter
        colour = QColor(theme.accent if face.enabled else theme.muted)
        x = face.left_of(face.value) + face.cell / 2
        painter.setPen(QPen(colour, 2))
        if face.cell < _SHAPES_FROM:
            painter.drawLine(QPointF(x, _TOP - 2), QPointF(x, _LANES_BOTTOM + 2))
        else:
            half = face.cell / 2 - 1
            painter.drawLine(QPointF(x - half, _LANES_BOTTOM), QPointF(x + half, _LANES_BOTTOM))
        painter.setPen(QPen(QColor(theme.text), 1.5) if face.focused else Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(_points((x - 5, 1), (x + 5, 1), (x + 5, 6), (x, _TOP), (x - 5, 6)))


def _points(*places: tuple[float, float]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in places])


def _coloured(strength: NDArray[np.float64], colours: list[str]) -> NDArray[np.uint32]:
    """Return pixels (ARGB, not premultiplied) of a colour a row, as opaque as the strength says."""
    plain = np.array([QColor(colour).rgb() & 0xFFFFFF for colour in colours], np.uint32)
    alpha = np.round(255 * strength).astype(np.uint32) << 24
    return np.ascontiguousarray(alpha | plain[:, None])
