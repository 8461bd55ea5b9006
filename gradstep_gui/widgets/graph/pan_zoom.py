"""A surface larger than its widget: the wheel zooms, a drag pans, the whole can be fitted in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QTransform
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QWheelEvent

__all__ = ["PanZoom"]

_SMALLEST, _LARGEST = 0.02, 3.0
_STEP = 1.2
_NOTCH = 120.0
_DRAG = 5.0
"""How many pixels the mouse moves before a press is a drag and no click."""


class PanZoom(QWidget):
    """Maps a surface of its own coordinates to the widget.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> surface = PanZoom()
        >>> surface.resize(100, 50)
        >>> surface.look_at(QRectF(0, 0, 200, 100), 0.5)
        >>> surface.transform.map(QPointF(100, 50))
        PySide6.QtCore.QPointF(50.000000, 25.000000)
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale = 1.0
        self._offset = QPointF()
        self._grabbed: QPointF | None = None
        self._dragged = False
        self._at_rest = True
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # else nothing can be moved
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def scale(self) -> float:
        """Pixels a unit of the surface."""
        return self._scale

    @property
    def transform(self) -> QTransform:
        """From the surface to the widget."""
        return QTransform(self._scale, 0, 0, self._scale, self._offset.x(), self._offset.y())

    @property
    def sight(self) -> QRectF:
        """The part of the surface that is seen."""
        return self.transform.inverted()[0].mapRect(QRectF(self.rect()))

    # --- for those who draw on it ---------------------------------------------------------

    def bounds(self) -> QRectF:
        """Return the whole of the surface. Each kind has its own."""
        return QRectF()

    def begin(self) -> None:
        """Look where nobody has looked elsewhere yet; also while the room changes."""
        self.fit()

    def clicked(self, point: QPointF) -> None:
        """Do what a click at a point of the widget does."""

    def cursor_over(self, _point: QPointF) -> Qt.CursorShape:
        """Return the cursor for a point of the widget."""
        return Qt.CursorShape.OpenHandCursor

    # --- where it is looked at ------------------------------------------------------------

    def fit(self) -> None:
        """Show the whole, but not enlarged."""
        self.look_at(self.bounds(), min(1.0, self.fitting()))

    def fitting(self) -> float:
        """Return the scale at which the whole just fits in."""
        bounds = self.bounds()
        if bounds.isEmpty():
            return 1.0
        return min(self.width() / bounds.width(), self.height() / bounds.height())

    def look_at(self, part: QRectF, scale: float) -> None:
        """Put the middle of a part of the surface into the middle of the widget."""
        self._scale = min(_LARGEST, max(_SMALLEST, scale))
        self._offset = QRectF(self.rect()).center() - part.center() * self._scale
        self._at_rest = True
        self.update()

    def zoom(self, steps: float, at: QPointF | None = None) -> None:
        """Zoom in by steps, out by negative ones, about a point of the widget or its middle."""
        point = QRectF(self.rect()).center() if at is None else at
        scale = min(_LARGEST, max(_SMALLEST, self._scale * _STEP**steps))
        self._offset = point - (point - self._offset) * (scale / self._scale)
        self._scale = scale
        self._at_rest = False
        self.update()

    def reveal(self, part: QRectF) -> None:
        """Pan as little as brings a part of the surface into sight."""
        rect, room = self.transform.mapRect(part), QRectF(self.rect())
        if not room.contains(rect):
            x = max(0.0, -rect.left()) or min(0.0, room.right() - rect.right())
            y = max(0.0, -rect.top()) or min(0.0, room.bottom() - rect.bottom())
            self._pan_by(QPointF(x, y))

    # --- what Qt calls --------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Begin again, or keep what a person has put into the middle."""
        if self._at_rest:
            self.begin()
        else:
            grown = event.size() - event.oldSize()
            self._offset += QPointF(grown.width() / 2, grown.height() / 2)
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the mouse."""
        turned = event.angleDelta().y() or event.angleDelta().x()
        self.zoom(turned / _NOTCH, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the surface."""
        if event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            self._grabbed, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while held; else show what a click would do."""
        if self._grabbed is None:
            self.setCursor(self.cursor_over(event.position()))
            return
        moved = event.position() - self._grabbed
        if self._dragged or moved.manhattanLength() > _DRAG:
            self._dragged = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._grabbed += self._pan_by(moved)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go; without a drag, that was a click."""
        held, self._grabbed = self._grabbed, None
        self.setCursor(self.cursor_over(event.position()))
        if held is not None and not self._dragged:
            self.clicked(event.position())

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Show the whole."""
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom and fit by the keys of browsers."""
        key, control = event.key(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and key in {Qt.Key.Key_Plus, Qt.Key.Key_Equal}:
            self.zoom(1)
        elif control and key == Qt.Key.Key_Minus:
            self.zoom(-1)
        elif (control and key == Qt.Key.Key_0) or (not control and key == Qt.Key.Key_F):
            self.fit()
        else:
            super().keyPressEvent(event)

    def _pan_by(self, shift: QPointF) -> QPointF:
        """Pan by whole pixels, and return by how many.

        What was drawn is moved, so that only what comes into sight must be drawn.
        """
        x, y = round(shift.x()), round(shift.y())
        self._offset += QPointF(x, y)
        self._at_rest = False
        self.scroll(x, y, self.rect().adjusted(1, 1, -1, -1))
        return QPointF(x, y)
