"""A sheet of images, each with what it is taken for: right or wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import digits_font, small_font

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from gradstep_gui.theme import Theme

__all__ = ["ImageSheet", "SheetImages"]

_SIDE = 48
"""The height of an image in pixels, about."""

_GAP = 8
_FRAME = 2
_CORNER = 10
_GRAY = 2
_DEEPEST = 255.0


@dataclass(frozen=True, slots=True, eq=False)
class SheetImages:
    """What is drawn.

    Attributes:
        images: Of shape (count, height, width), or (count, height, width, 3) in colour.
        captions: What each is taken for, and what it is if that is wrong.
        right: Whether that is right; None where it cannot be told.
        in_batch: Whether the current batch has it.
    """

    images: NDArray[Any]
    captions: tuple[str, ...]
    right: tuple[bool | None, ...]
    in_batch: tuple[bool, ...]


class ImageSheet(QAbstractScrollArea):
    """Images in rows, as many as fit; the mouse and the arrow keys point at one."""

    pointed = Signal(int)
    """The image that is pointed at; -1 for none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: SheetImages | None = None
        self._range = (0.0, 1.0)
        self._current = -1
        self._image_size = QSize(_SIDE, _SIDE)
        self._cell_size = QSize(_SIDE, _SIDE)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)

    @property
    def current(self) -> int:
        """The image that is pointed at; -1 for none."""
        return self._current

    def draw(self, images: SheetImages) -> None:
        """Draw images."""
        if self._shown is None or len(images.images) != len(self._shown.images):
            self._current = -1
        self._shown = images
        finite = images.images[np.isfinite(images.images)]
        low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
        self._range = float(low), float(high) if high > low else float(low) + 1.0
        self._arrange()
        self.viewport().update()

    def point_at(self, index: int) -> None:
        """Point at an image; -1 for none."""
        if index != self._current:
            self._current = index
            self.viewport().update()
            self.pointed.emit(index)

    def cell(self, index: int) -> QRect:
        """Return the place of an image on the viewport."""
        size = self._cell_size
        row, column = divmod(index, self._columns())
        top = row * size.height() - self.verticalScrollBar().value()
        return QRect(QPoint(_GAP + column * size.width(), _GAP + top), size)

    def sizeHint(self) -> QSize:
        """Return room for some images."""
        return QSize(480, 320)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is visible."""
        painter = QPainter(self.viewport())
        painter.setFont(self._font())
        theme = theme_of(self.palette())
        painter.fillRect(event.rect(), QColor(theme.base))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in self._visible():
            self._paint(painter, index, theme)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the images for the new size."""
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Arrange the images for another font."""
        super().changeEvent(event)
        if event.type() == event.Type.FontChange:
            self._arrange()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the image under the mouse."""
        self.point_at(self._at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        self.point_at(-1)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus at the first image."""
        super().focusInEvent(event)
        by_key = {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}
        if self._current < 0 and self._count() and event.reason() in by_key:
            self.point_at(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Point at another image: the arrow keys, Home and End; Escape at none."""
        key, last = Qt.Key(event.key()), self._count() - 1
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._columns(),
            Qt.Key.Key_Down: self._columns(),
        }
        if last >= 0 and key in steps:
            self._go_to(0 if self._current < 0 else self._current + steps[key])
        elif last >= 0 and key in {Qt.Key.Key_Home, Qt.Key.Key_End}:
            self._go_to(0 if key == Qt.Key.Key_Home else last)
        elif key == Qt.Key.Key_Escape and self._current >= 0:
            self.point_at(-1)
        else:
            super().keyPressEvent(event)

    def _go_to(self, index: int) -> None:
        if not 0 <= index < self._count():
            return
        self.point_at(index)
        place, bar = self.cell(index), self.verticalScrollBar()
        if place.top() < 0:
            bar.setValue(bar.value() + place.top() - _GAP)
        elif place.bottom() > self.viewport().height():
            bar.setValue(bar.value() + place.bottom() - self.viewport().height() + _GAP)

    def _font(self) -> QFont:
        return digits_font(small_font(self.font()))

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(self._font())

    def _count(self) -> int:
        return 0 if self._shown is None else len(self._shown.images)

    def _columns(self) -> int:
        return max(1, (self.viewport().width() - _GAP) // self._cell_size.width())

    def _measure(self, shown: SheetImages) -> None:
        """Note the size of an image, in whole pixels of it if it is small, and of its cell."""
        height, width = shown.images.shape[1:3]
        scale = max(1, round(_SIDE / height)) if height <= _SIDE else _SIDE / height
        image = QSize(max(1, round(width * scale)), max(1, round(height * scale)))
        metrics = self._metrics()
        longest = max(set(shown.captions), key=len, default="")
        text = min(metrics.horizontalAdvance(longest), 2 * image.width())
        across = max(image.width(), text) + 2 * _FRAME + _GAP
        self._image_size = image
        self._cell_size = QSize(across, image.height() + metrics.height() + 2 * _FRAME + _GAP)

    def _arrange(self) -> None:
        if self._shown is not None:
            self._measure(self._shown)
        rows = -(-self._count() // self._columns())
        height = rows * self._cell_size.height() + 2 * _GAP
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, height - self.viewport().height()))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self._cell_size.height())

    def _visible(self) -> range:
        columns, height = self._columns(), self._cell_size.height()
        first = max(0, self.verticalScrollBar().value() - _GAP) // height
        rows = self.viewport().height() // height + 2
        return range(first * columns, min((first + rows) * columns, self._count()))

    def _at(self, point: QPoint) -> int:
        return next((index for index in self._visible() if self.cell(index).contains(point)), -1)

    def _paint(self, painter: QPainter, index: int, theme: Theme) -> None:
        shown = self._shown
        assert shown is not None  # it has images
        place, size = self.cell(index), self._image_size
        left = place.left() + (place.width() - _GAP - size.width()) // 2
        image = QRect(QPoint(left, place.top() + _FRAME), size)
        painter.drawImage(image, _picture(shown.images[index], self._range))
        is_wrong = shown.right[index] is False
        color = theme.error if is_wrong else theme.border
        pen = QPen(QColor(color), _FRAME if is_wrong else 1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawRect(image.adjusted(-1, -1, 0, 0))
        if shown.in_batch[index]:
            _draw_corner(painter, image.topLeft(), theme)
        if index == self._current:
            painter.setPen(QPen(QColor(theme.accent), _FRAME))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place.adjusted(0, -2, -_GAP, -_GAP + 2), 4, 4)
        painter.setPen(QColor(theme.error if is_wrong else theme.text))
        text = QRect(place.left(), image.bottom() + 1, place.width() - _GAP, place.height())
        caption = self._metrics().elidedText(
            shown.captions[index], Qt.TextElideMode.ElideRight, text.width()
        )
        painter.drawText(text, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, caption)


def _draw_corner(painter: QPainter, at: QPoint, theme: Theme) -> None:
    """Mark an image as one of the current batch: a triangle in its corner."""
    corner = QPointF(at)
    painter.setPen(QPen(QColor(theme.base), 1))
    painter.setBrush(QColor(theme.accent))
    painter.drawPolygon(
        QPolygonF([corner, corner + QPointF(_CORNER, 0), corner + QPointF(0, _CORNER)])
    )


def _picture(image: NDArray[Any], ends: tuple[float, float]) -> QImage:
    """Return an image for the screen: bright where its numbers are high, dark where not finite."""
    low, high = ends
    scaled = (np.nan_to_num(image, nan=low, posinf=high, neginf=low) - low) / (high - low)
    pixels = np.ascontiguousarray((scaled.clip(0, 1) * _DEEPEST).round().astype(np.uint8))
    height, width = image.shape[:2]
    if image.ndim == _GRAY:
        return QImage(pixels.data, width, height, width, QImage.Format.Format_Grayscale8).copy()
    return QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
