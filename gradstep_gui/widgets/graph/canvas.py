"""The graph widget: boxes and links in layers, with zoom, pan and keyboard navigation."""

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
"""The smallest readable scale; a larger graph is at first shown in part."""

_REACH = 5.0
"""The distance in pixels at which the mouse is on a link."""

_BESIDE = 200.0
"""Gradients that stand so far beside the visible part make way for those in it."""

_AROUND_BOX = (-8, -8, 8, 12)
"""How far an area sees beyond itself: boxes have a frame around them, and a label above."""

_ARROWS = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right})


class GraphCanvas(PanZoom):
    """Draws boxes and links; a click or the arrow keys select a box.

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
    """Another box was selected: its key, or None."""

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
        """The boxes."""
        return self._boxes

    @property
    def links(self) -> tuple[Link, ...]:
        """The links."""
        return self._links

    @property
    def chosen(self) -> int | None:
        """The key of the selected box; None when there is none."""
        return self._chosen

    def show_graph(
        self,
        boxes: Sequence[Box],
        links: Sequence[Link],
        link_hint: Callable[[int], str] | None = None,
    ) -> None:
        """Show a graph; one with the same layout keeps zoom and position.

        Args:
            boxes: The boxes.
            links: The links between them.
            link_hint: Returns the tooltip of a link, by its index.
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
        """Return the rectangle of a box; empty when there is no such box."""
        at = self._index(key)
        return QRectF() if at is None else self._figure.rects[at]

    def choose(self, key: int | None) -> None:
        """Select a box by its key, or none."""
        if key != self._chosen:
            self._chosen = key
            self._describe()
            self.update()
            self.box_chosen.emit(key)

    def show_box(self, key: int) -> None:
        """Scroll to a box, with a margin around it."""
        if self._index(key) is not None:
            self.reveal(self.rect_of(key).adjusted(-50, -70, 50, 70))

    def hint_at(self, point: QPointF) -> str:
        """Return the tooltip at a point of the widget; empty for the background."""
        place = self.transform.inverted()[0].map(point)
        box = self._figure.box_at(place)
        if box is not None:
            return self._boxes[box].hint
        link = self._figure.link_at(place, _REACH / self.scale)
        return "" if link is None or self._link_hint is None else self._link_hint(link)

    # --- overrides of PanZoom -------------------------------------------------------------

    def bounds(self) -> QRectF:
        """Return the bounds of the graph."""
        return self._figure.bounds

    def begin(self) -> None:
        """Show the whole graph if it is readable, else the part around the loss."""
        lowest = self._figure.lowest()
        if lowest is None or self.fitting() >= _READABLE:
            self.fit()
            return
        bounds = self.bounds()
        part = QRectF(0, 0, self.width() / _READABLE, self.height() / _READABLE)
        part.moveBottom(max(bounds.bottom(), bounds.top() + part.height()))
        part.moveLeft(self._figure.rects[lowest].center().x() - part.width() / 2)
        seen = self._figure.widest_below(part.top(), part.width())
        part.moveLeft(min(max(part.left(), seen.right() - part.width()), seen.left()))
        self.look_at(part, _READABLE)
        lit = [box.key for box in self._boxes if box.lit]
        for key in (*lit, *([] if self._chosen is None else [self._chosen]))[:1]:
            self.show_box(key)

    def clicked(self, point: QPointF) -> None:
        """Select the box at a point, or none."""
        at = self._figure.box_at(self.transform.inverted()[0].map(point))
        self.choose(None if at is None else self._boxes[at].key)

    def cursor_over(self, point: QPointF) -> Qt.CursorShape:
        """Return the cursor: a hand over boxes, a grab hand elsewhere."""
        at = self._figure.box_at(self.transform.inverted()[0].map(point))
        grab, choose = Qt.CursorShape.OpenHandCursor, Qt.CursorShape.PointingHandCursor
        return grab if at is None else choose

    # --- Qt overrides ---------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """Return room for a few layers."""
        return QSize(480, 360)

    def minimumSizeHint(self) -> QSize:
        """Return a size that is usable in a narrow dock."""
        return QSize(120, 80)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the visible part, and a frame when it has the focus."""
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
            painter.setWorldTransform(self.transform)  # the clip does not follow
            self._draw(painter, brush, self.transform.inverted()[0].mapRect(QRectF(part)))

    def _draw(self, painter: QPainter, brush: GraphPainter, visible: QRectF) -> None:
        """Draw a part: links, boxes above them, and gradients."""
        figure = self._figure
        chosen = None if self._chosen is None else self._index(self._chosen)
        shown = figure.links_in(visible)
        near = [at for at in shown if chosen in {self._links[at].upper, self._links[at].lower}]
        shown.sort(key=lambda at: bool(self._links[at].text))  # for links that overlap
        for at in shown:
            brush.draw_link(painter, self._links[at], figure.routes[at], visible)
        for at in near:
            brush.draw_link(painter, self._links[at], figure.routes[at], visible, near=True)
        for at in figure.boxes_in(visible.adjusted(*_AROUND_BOX)):
            brush.draw_box(painter, self._boxes[at], figure.rects[at], selected=at == chosen)
        if not brush.shows_text(painter):
            return
        taken: list[QRectF] = []
        around = visible.adjusted(-_BESIDE, -_BESIDE, _BESIDE, _BESIDE)
        for at in figure.links_in(around):
            if self._links[at].text:
                link, route = self._links[at], figure.routes[at]
                taken.append(brush.draw_text(painter, link, route, visible, taken))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole graph, unless a box was double-clicked."""
        if self._figure.box_at(self.transform.inverted()[0].map(event.position())) is None:
            super().mouseDoubleClickEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Lay out again for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the selection with the arrow keys; Escape clears it."""
        key = Qt.Key(event.key())
        if key in _ARROWS:
            self._walk(key)
        elif key == Qt.Key.Key_Escape and self._chosen is not None:
            self.choose(None)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Show the tooltip of the box or link under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.hint_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    # --- helpers --------------------------------------------------------------------------

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
