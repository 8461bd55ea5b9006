"""A zoomable surface: the wheel zooms, a drag pans, and everything can be fitted in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QTransform
from PySide6.QtWidgets import QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QResizeEvent, QWheelEvent

__all__ = ["PanZoom"]

_SMALLEST, _LARGEST = 0.02, 3.0
_STEP = 1.2
_NOTCH = 120.0
_ZOOM_KEYS = frozenset((Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus, Qt.Key.Key_0))
_DRAG = 5.0
"""The distance in pixels from which a press is a drag and not a click."""


class PanZoom(QWidget):
    """Maps a surface with its own coordinates to the widget.

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
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # needed by scroll()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def scale(self) -> float:
        """Pixels per unit of the surface."""
        return self._scale

    @property
    def transform(self) -> QTransform:
        """From the surface to the widget."""
        return QTransform(self._scale, 0, 0, self._scale, self._offset.x(), self._offset.y())

    @property
    def visible_area(self) -> QRectF:
        """The visible part of the surface."""
        return self.transform.inverted()[0].mapRect(QRectF(self.rect()))

    # --- for subclasses -------------------------------------------------------------------

    def bounds(self) -> QRectF:
        """Return the bounds of the surface; subclasses override it."""
        return QRectF()

    def begin(self) -> None:
        """Show the initial part, also after a resize until the user pans or zooms."""
        self.fit()

    def clicked(self, point: QPointF) -> None:
        """Handle a click at a point of the widget."""

    def cursor_over(self, _point: QPointF) -> Qt.CursorShape:
        """Return the cursor for a point of the widget."""
        return Qt.CursorShape.OpenHandCursor

    # --- zoom and position ----------------------------------------------------------------

    def fit(self) -> None:
        """Show everything, at a scale of at most 1."""
        self.look_at(self.bounds(), min(1.0, self.fitting()))

    def fitting(self) -> float:
        """Return the scale at which everything just fits in."""
        bounds = self.bounds()
        if bounds.isEmpty():
            return 1.0
        return min(self.width() / bounds.width(), self.height() / bounds.height())

    def look_at(self, part: QRectF, scale: float) -> None:
        """Centre a part of the surface in the widget."""
        self._scale = min(_LARGEST, max(_SMALLEST, scale))
        self._offset = QRectF(self.rect()).center() - part.center() * self._scale
        self._at_rest = True
        self.update()

    def zoom(self, steps: float, at: QPointF | None = None) -> None:
        """Zoom by steps, negative ones out, around a point of the widget or its centre."""
        point = QRectF(self.rect()).center() if at is None else at
        scale = min(_LARGEST, max(_SMALLEST, self._scale * _STEP**steps))
        self._offset = point - (point - self._offset) * (scale / self._scale)
        self._scale = scale
        self._at_rest = False
        self.update()

    def reveal(self, part: QRectF) -> None:
        """Pan as little as needed to show a part of the surface."""
        rect, room = self.transform.mapRect(part), QRectF(self.rect())
        if not room.contains(rect):
            x = max(0.0, -rect.left()) or min(0.0, room.right() - rect.right())
            y = max(0.0, -rect.top()) or min(0.0, room.bottom() - rect.bottom())
            self._pan_by(QPointF(x, y))

    # --- Qt overrides ---------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the initial part again, or keep the centre that the user chose."""
        if self._at_rest:
            self.begin()
        else:
            grown = event.size() - event.oldSize()
            self._offset += QPointF(grown.width() / 2, grown.height() / 2)
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse."""
        turned = event.angleDelta().y() or event.angleDelta().x()
        self.zoom(turned / _NOTCH, event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start a drag."""
        if event.button() in {Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton}:
            self._grabbed, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan during a drag; else update the cursor."""
        if self._grabbed is None:
            self.setCursor(self.cursor_over(event.position()))
            return
        moved = event.position() - self._grabbed
        if self._dragged or moved.manhattanLength() > _DRAG:
            self._dragged = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._grabbed += self._pan_by(moved)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag; without movement it was a click."""
        held, self._grabbed = self._grabbed, None
        self.setCursor(self.cursor_over(event.position()))
        if held is not None and not self._dragged:
            self.clicked(event.position())

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Show everything."""
        self.fit()

    def event(self, event: QEvent) -> bool:
        """Keep the keys of zooming for the picture: else the window zooms all text."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            if control and event.key() in _ZOOM_KEYS:
                event.accept()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom and fit with the shortcuts of browsers."""
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
        """Pan by whole pixels, and return the distance.

        The drawn part is moved, so that only the new part must be drawn.
        """
        x, y = round(shift.x()), round(shift.y())
        self._offset += QPointF(x, y)
        self._at_rest = False
        self.scroll(x, y, self.rect().adjusted(1, 1, -1, -1))
        return QPointF(x, y)
