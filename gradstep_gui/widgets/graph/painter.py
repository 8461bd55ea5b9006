"""Painting of a graph: boxes, links and gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPainterPath, QPen

from gradstep_gui.theme import blend
from gradstep_gui.widgets.fonts import digits_font, emphasis_font, small_font
from gradstep_gui.widgets.text.long_text import elided_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep_gui.theme import Theme
    from gradstep_gui.widgets.graph.geometry import Route
    from gradstep_gui.widgets.graph.items import Box, Link
    from gradstep_gui.widgets.graph.layered_layout import Point

__all__ = ["GraphPainter"]

WIDEST = 264.0
NARROWEST = 104.0
_PADDING_X, _PADDING_Y = 12.0, 5.0
_CHIP_OVERLAP = 3.0
"""How far a label reaches into its box: no further than the padding above the title."""

_ASIDE = (0.3, 0.7, 0.15, 0.85)
"""Where else on its route a gradient may stand: the shares of the route before it."""

_PILE = 3.0
"""The offset of the second rectangle under a box for several nodes."""
_LEAST_LINE_PX = 6.5
"""Text that would be lower than this on the screen is not drawn."""
_TINY_PX = 9
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)


class GraphPainter:
    """Measures and paints boxes and links in one font and one theme.

    Args:
        font: The font of the canvas.
        theme: Its colours.
    """

    def __init__(self, font: QFont, theme: Theme) -> None:
        self.theme = theme
        self._title = emphasis_font(font)
        self._small = digits_font(small_font(font))
        self._title_metrics = QFontMetricsF(self._title)
        self._small_metrics = QFontMetricsF(self._small)
        self._passed = theme.kind("backward")

    @property
    def text_height(self) -> float:
        """The height of a small line at scale 1."""
        return self._small_metrics.height()

    def size(self, box: Box) -> Point:
        """Return the width and height of a box."""
        widths = [self._title_metrics.horizontalAdvance(box.title)]
        widths += [self._small_metrics.horizontalAdvance(line) for line in box.lines]
        widths.append(self._small_metrics.horizontalAdvance(box.reserve))
        width = min(WIDEST, max(NARROWEST, max(widths) + 2 * _PADDING_X))
        height = self._title_metrics.height() + len(box.lines) * self._small_metrics.height()
        return width, height + 2 * _PADDING_Y

    # --- boxes ----------------------------------------------------------------------------

    def draw_box(self, painter: QPainter, box: Box, rect: QRectF, *, selected: bool) -> None:
        """Draw one box."""
        theme = self.theme
        shape = self._shape(box, rect)
        if box.lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(blend(theme.kind(box.lit).strong, theme.base, 0.35)))
            glow = min(6.0, rect.height() / 5)
            painter.drawPath(self._shape(box, rect.adjusted(-glow, -glow, glow, glow)))
        if selected:
            painter.setPen(_pen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(self._shape(box, rect.adjusted(-4, -4, 4, 4)))
        painter.setPen(self._rim(box))
        painter.setBrush(QColor(self._ground(box)))
        if box.look == "group":
            painter.drawPath(shape.translated(_PILE, _PILE))
        painter.drawPath(shape)
        if box.look == "root":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(self._shape(box, rect.adjusted(3, 3, -3, -3)))
        if self.shows_text(painter):
            self._draw_words(painter, box, rect)
        else:
            self._draw_title(painter, box, painter.worldTransform().mapRect(rect))

    def _draw_words(self, painter: QPainter, box: Box, rect: QRectF) -> None:
        room = rect.adjusted(_PADDING_X / 2, _PADDING_Y, -_PADDING_X / 2, -_PADDING_Y)
        planned = box.status == "planned"
        lines = [words for words in box.lines if words]
        spare = (len(box.lines) - len(lines)) * self._small_metrics.height()
        line = QRectF(room.x(), room.y() + spare / 2, room.width(), self._title_metrics.height())
        painter.setFont(self._title)
        painter.setPen(QColor(self.theme.muted if planned else self.theme.text))
        text = box.title
        if self._title_metrics.horizontalAdvance(text) > line.width():
            text = elided_name(text, QFontMetrics(self._title), int(line.width()))
        painter.drawText(line, _CENTRE, text)
        painter.setFont(self._small)
        painter.setPen(QColor(self.theme.muted))
        for words in lines:
            line = QRectF(room.x(), line.bottom(), room.width(), self._small_metrics.height())
            text = self._small_metrics.elidedText(words, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, _CENTRE, text)
        if box.badge:
            ink = self.theme.error if box.status == "changed" else self.theme.muted
            self._draw_chip(painter, box.badge, self.badge_rect(box, rect), ink)

    def badge_rect(self, box: Box, rect: QRectF) -> QRectF:
        """Return the rectangle of a box's label: at the upper right, above the title."""
        chip = _chip_rect(self._small_metrics, box.badge, rect.topRight())
        chip.moveRight(rect.right() - 7)
        chip.moveBottom(rect.top() + _CHIP_OVERLAP)
        return chip

    def _draw_title(self, painter: QPainter, box: Box, area: QRectF) -> None:
        """Draw only the title, in the smallest readable font, if it fits."""
        if area.height() < _TINY_PX + 2 or area.width() < 4 * _TINY_PX:
            return
        font = QFont(self._small)
        font.setPixelSize(_TINY_PX)
        room = area.adjusted(3, 0, -3, 0)
        text = QFontMetricsF(font).elidedText(box.title, Qt.TextElideMode.ElideRight, room.width())
        painter.save()
        painter.resetTransform()
        painter.setFont(font)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(room, _CENTRE, text)
        painter.restore()

    def _shape(self, box: Box, rect: QRectF) -> QPainterPath:
        path = QPainterPath()
        round_ = box.look in {"leaf", "root"}
        radius = min(rect.height() / 2, 16.0) if round_ else 4.0
        path.addRoundedRect(rect, radius, radius)
        return path

    def _rim(self, box: Box) -> QPen:
        theme = self.theme
        color, width, style = theme.muted, 1.2, Qt.PenStyle.SolidLine
        if box.status == "changed":
            color, width = theme.error, 2.4
        elif box.status == "planned":
            color, style = blend(theme.muted, theme.base, 0.6), Qt.PenStyle.DotLine
        elif box.status == "freed":
            style = Qt.PenStyle.DashLine
        if box.visited and box.status != "changed":
            color = self._passed.strong
        if box.lit:
            color, width = theme.kind(box.lit).strong, 2.4
        return _pen(color, width, style)

    def _ground(self, box: Box) -> str:
        if box.status == "planned":
            return self.theme.base
        if box.visited:
            return self._passed.soft
        return self.theme.window if box.status == "freed" else self.theme.raised

    # --- links ----------------------------------------------------------------------------

    def draw_link(
        self, painter: QPainter, link: Link, route: Route, visible: QRectF, *, near: bool = False
    ) -> None:
        """Draw the visible part of one link; `near` when it is linked to the selection."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._line(link, near=near))
        painter.drawPath(route.path)
        if link.text and route.head.boundingRect().intersects(visible):
            painter.setBrush(QColor(self._passed.strong))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawPolygon(route.head)

    def draw_text(
        self,
        painter: QPainter,
        link: Link,
        route: Route,
        visible: QRectF,
        taken: Sequence[QRectF],
    ) -> QRectF:
        """Draw the gradient of a link, after all links, so that no line crosses it.

        Args:
            painter: A painter in the coordinates of the graph.
            link: The link.
            route: Its route.
            visible: The part to draw.
            taken: Where other gradients stand; this one avoids them, along its route.

        Returns:
            Where it stands.
        """
        chip = self._free_chip(link, route, taken)
        if chip.adjusted(-2, -2, 2, 2).intersects(visible):
            self._draw_chip(painter, link.text, chip, self._passed.strong, lit=link.lit)
        return chip

    def _free_chip(self, link: Link, route: Route, taken: Sequence[QRectF]) -> QRectF:
        """Return the first place for a gradient that covers no other, or the least of others."""
        chip = _chip_rect(self._small_metrics, link.text, route.anchor)
        covered = _covered(chip, taken)
        for part in _ASIDE:
            if not covered:
                break
            other = _chip_rect(self._small_metrics, link.text, route.path.pointAtPercent(part))
            if (less := _covered(other, taken)) < covered:
                chip, covered = other, less
        return chip

    def _line(self, link: Link, *, near: bool) -> QPen:
        theme = self.theme
        if link.text:
            return _pen(self._passed.strong, 2.4 if link.lit else 1.5)
        if near:
            return _pen(theme.accent, 1.8)
        if link.faint:
            return _pen(blend(theme.muted, theme.base, 0.5), 1.0, Qt.PenStyle.DotLine)
        return _pen(blend(theme.muted, theme.base, 0.7), 1.1)

    def _draw_chip(
        self, painter: QPainter, text: str, rect: QRectF, ink: str, *, lit: bool = False
    ) -> None:
        painter.setFont(self._small)
        painter.setPen(_pen(ink, 1.6 if lit else 0.8))
        painter.setBrush(QColor(self.theme.base))
        painter.drawRoundedRect(rect, 5, 5)
        painter.setPen(QColor(ink))
        painter.drawText(rect, _CENTRE, text)

    def shows_text(self, painter: QPainter) -> bool:
        """Return whether the scale is large enough for text to be read."""
        return painter.worldTransform().m11() * self.text_height >= _LEAST_LINE_PX


def _pen(color: str, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Return a pen with the same width at every scale."""
    pen = QPen(QColor(color), width, style)
    pen.setCosmetic(True)
    return pen


def _covered(one: QRectF, others: Sequence[QRectF]) -> float:
    """Return the area of a rectangle that others cover, those of each added up."""
    return sum((both := one & other).width() * both.height() for other in others)


def _chip_rect(metrics: QFontMetricsF, text: str, at: QPointF) -> QRectF:
    """Return the rectangle of a text on a link or border."""
    width, height = metrics.horizontalAdvance(text) + 10, metrics.height() - 1
    return QRectF(at.x() - width / 2, at.y() - height / 2, width, height)
