"""A graph to look at: laid out in layers, with zoom, pan, and a cursor for the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QToolTip

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.graph.geometry import GraphGeometry
from gradstep_gui.widgets.graph.painter import GraphPainter
from gradstep_gui.widgets.graph.pan_zoom import PanZoom

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QWidget

    from gradstep_gui.widgets.graph.items import Box, Link

__all__ = ["GraphCanvas"]

_READABLE = 0.66
"""The scale below which words are hard to read: a larger graph is shown in part at first."""

_REACH = 5.0
"""How many pixels beside a line still point at it."""

_ARROWS = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right})


class GraphCanvas(PanZoom):
    """Draws boxes and links; a click or the arrow keys choose a box.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> from gradstep_gui.widgets.graph.items import Box, Link
        >>> app = QApplication.instance() or QApplication([])
        >>> canvas = GraphCanvas()
        >>> canvas.show_graph([Box(0, "MulBackward0"), Box(-1, "loss")], [Link(0, 1)])
        >>> canvas.choose(0)
        >>> canvas.chosen, canvas.accessibleDescription()
        (0, 'MulBackward0')
    """

    box_chosen = Signal(object)
    """Another box is chosen: its key, or None for none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._boxes: tuple[Box, ...] = ()
        self._links: tuple[Link, ...] = ()
        self._link_hint: Callable[[int], str] | None = None
        self._form: object = None
        self._chosen: int | None = None
        self._figure = GraphGeometry((), ())
        self.setAccessibleName(self.tr("Computation graph"))

    @property
    def boxes(self) -> tuple[Box, ...]:
        """What is drawn."""
        return self._boxes

    @property
    def links(self) -> tuple[Link, ...]:
        """What joins it."""
        return self._links

    @property
    def chosen(self) -> int | None:
        """The key of the chosen box; None when there is none."""
        return self._chosen

    def show_graph(
        self,
        boxes: Sequence[Box],
        links: Sequence[Link],
        link_hint: Callable[[int], str] | None = None,
    ) -> None:
        """Show a graph; one of the same form as before is looked at as before.

        Args:
            boxes: Its boxes.
            links: What joins them.
            link_hint: Tells of a link, by its place, what is told on hover.
        """
        self._boxes, self._links = tuple(boxes), tuple(links)
        self._link_hint = link_hint
        form = (
            [(box.key, box.title, box.look, len(box.lines)) for box in boxes],
            [(link.upper, link.lower) for link in links],
        )
        if form != self._form:
            self._form = form
            self._lay_out()
            self.begin()
        self._describe()
        self.update()

    def rect_of(self, key: int) -> QRectF:
        """Return where a box is on the surface; empty when it is not there."""
        at = self._index(key)
        return QRectF() if at is None else self._figure.rects[at]

    def choose(self, key: int | None) -> None:
        """Choose a box, by its key, or none."""
        if key != self._chosen:
            self._chosen = key
            self._describe()
            self.update()
            self.box_chosen.emit(key)

    def show_box(self, key: int) -> None:
        """Bring a box into sight, if it is not, with some room around it."""
        if self._index(key) is not None:
            self.reveal(self.rect_of(key).adjusted(-50, -70, 50, 70))

    def hint_at(self, point: QPointF) -> str:
        """Return what is told of the place at a point of the widget; empty for the ground."""
        place = self.transform.inverted()[0].map(point)
        box = self._figure.box_at(place)
        if box is not None:
            return self._boxes[box].hint
        link = self._figure.link_at(place, _REACH / self.scale)
        return "" if link is None or self._link_hint is None else self._link_hint(link)

    # --- the surface ----------------------------------------------------------------------

    def bounds(self) -> QRectF:
        """Return where the graph is."""
        return self._figure.bounds

    def begin(self) -> None:
        """Show the whole graph where it can be read so, else what lies around the loss."""
        lowest = self._figure.lowest()
        if lowest is None or self.fitting() >= _READABLE:
            self.fit()
            return
        bounds = self.bounds()
        part = QRectF(0, 0, self.width() / _READABLE, self.height() / _READABLE)
        wide = bounds.width() > part.width()
        part.moveCenter(self._figure.rects[lowest].center() if wide else bounds.center())
        part.moveBottom(max(bounds.bottom(), bounds.top() + part.height()))
        self.look_at(part, _READABLE)
        lit = [box.key for box in self._boxes if box.lit]
        for key in (*lit, *([] if self._chosen is None else [self._chosen]))[:1]:
            self.show_box(key)

    def clicked(self, point: QPointF) -> None:
        """Choose the box at a point, or none."""
        at = self._figure.box_at(self.transform.inverted()[0].map(point))
        self.choose(None if at is None else self._boxes[at].key)

    def cursor_over(self, point: QPointF) -> Qt.CursorShape:
        """Point at boxes, and offer to take hold of the ground."""
        at = self._figure.box_at(self.transform.inverted()[0].map(point))
        grab, choose = Qt.CursorShape.OpenHandCursor, Qt.CursorShape.PointingHandCursor
        return grab if at is None else choose

    # --- what Qt calls --------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """Prefer room for some layers."""
        return QSize(480, 360)

    def minimumSizeHint(self) -> QSize:
        """Stay usable in a narrow place."""
        return QSize(120, 80)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what has come into sight, and around all of it whether the keyboard is here."""
        theme = theme_of(self.palette())
        brush = GraphPainter(self.font(), theme)
        painter = QPainter(self)
        for part in event.region():  # type: ignore[attr-defined]  # the stub lacks its iterator
            painter.resetTransform()
            painter.setClipRect(part)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            painter.fillRect(part, QColor(theme.base))
            if self.hasFocus():
                painter.setPen(QColor(theme.accent))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setWorldTransform(self.transform)  # the clip stays where it is
            self._draw(painter, brush, self.transform.inverted()[0].mapRect(QRectF(part)))

    def _draw(self, painter: QPainter, brush: GraphPainter, sight: QRectF) -> None:
        """Draw a part: links, boxes above them, and what has gone along the links."""
        figure = self._figure
        chosen = None if self._chosen is None else self._index(self._chosen)
        shown = [at for at, route in enumerate(figure.routes) if route.extent.intersects(sight)]
        near = [at for at in shown if chosen in {self._links[at].upper, self._links[at].lower}]
        shown.sort(key=lambda at: bool(self._links[at].text))  # where lines lie on one another
        for at in shown:
            brush.draw_link(painter, self._links[at], figure.routes[at], sight)
        for at in near:
            brush.draw_link(painter, self._links[at], figure.routes[at], sight, near=True)
        for at, rect in enumerate(figure.rects):
            if rect.adjusted(-8, -12, 8, 8).intersects(sight):
                brush.draw_box(painter, self._boxes[at], rect, selected=at == chosen)
        for link, route in zip(self._links, figure.routes, strict=True):
            if link.text:
                brush.draw_text(painter, link, route, sight)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole graph, unless it is a box that was clicked."""
        if self._figure.box_at(self.transform.inverted()[0].map(event.position())) is None:
            super().mouseDoubleClickEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Make room for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from box to box with the arrow keys; Escape lets go of the chosen one."""
        key = Qt.Key(event.key())
        if key in _ARROWS:
            self._walk(key)
        elif key == Qt.Key.Key_Escape and self._chosen is not None:
            self.choose(None)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Tell of the box or the link under a mouse that rests."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.hint_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    # --- how it is done -------------------------------------------------------------------

    def _lay_out(self) -> None:
        brush = GraphPainter(self.font(), theme_of(self.palette()))
        self._figure = GraphGeometry([brush.size(box) for box in self._boxes], self._links)

    def _index(self, key: int) -> int | None:
        return next((at for at, box in enumerate(self._boxes) if box.key == key), None)

    def _walk(self, key: Qt.Key) -> None:
        here = None if self._chosen is None else self._index(self._chosen)
        if here is None:
            lit = [at for at, box in enumerate(self._boxes) if box.lit]
            there = lit[0] if lit else self._figure.lowest()
        else:
            there = self._figure.beside(here, key)
        if there is not None:
            self.choose(self._boxes[there].key)
            self.show_box(self._boxes[there].key)

    def _describe(self) -> None:
        at = None if self._chosen is None else self._index(self._chosen)
        self.setAccessibleDescription("" if at is None else self._boxes[at].words)
