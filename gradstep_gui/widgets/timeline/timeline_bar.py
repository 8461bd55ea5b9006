"""The timeline: a slider over all Events of a run, with a mark for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import scaled
from gradstep_gui.widgets.timeline.event_marks import EventMarks, Flag
from gradstep_gui.widgets.timeline.timeline_painter import (
    HEIGHT,
    BarState,
    LaneStrips,
    TimelinePainter,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QWidget

__all__ = ["TimelineBar"]

MARGIN = 12
WIDEST = 14.0
"""The largest width of an Event in pixels; a short run starts at the left and grows."""

_HALF_FLAG = 4
"""The distance in pixels at which the mouse is on a flag."""

_PER_CENT = 100
_NOTCH = 120
"""Eighths of a degree per notch of the wheel."""


class TimelineBar(QAbstractSlider):
    """A slider that seeks by click, drag, wheel and keys.

    Left and Right move one Event, with Ctrl one iteration; Home and End go to the ends. Its value
    is the index of the current Event.

    Args:
        describe: Returns an Event as one line of text; 0 is the start.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> bar = TimelineBar(str)
        >>> bar.marks.extend([0, 1, 2, 3], [0, 0, 0, 0], [False] * 4)
        >>> bar.show_moment(3, ())
        >>> bar.maximum(), bar.value()
        (4, 3)
    """

    moved = Signal(int)
    """The user seeks this Event."""

    def __init__(self, describe: Callable[[int], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.marks = EventMarks()
        self._strips = LaneStrips()
        self._describe = describe
        self._flags: tuple[Flag, ...] = ()
        self._hovered: int | None = None
        self._turned = 0
        self.setRange(0, 0)
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)

    def show_moment(self, moment: int, flags: Sequence[Flag]) -> None:
        """Show the current Event, unless the user is dragging.

        Args:
            moment: The index of the current Event.
            flags: The flags above the marks.
        """
        self.blockSignals(True)
        self.setMaximum(len(self.marks))
        if not self.isSliderDown():
            self.setValue(moment)
        self.blockSignals(False)
        self._flags = tuple(flags)
        self.update()

    def moment_at(self, x: float) -> int:
        """Return the index of the Event at a place, or the nearest one."""
        return min(self.maximum(), max(0, int((x - MARGIN) / self.cell)))

    def place_of(self, moment: int) -> float:
        """Return the centre of an Event in pixels from the left."""
        return MARGIN + (moment + 0.5) * self.cell

    @property
    def cell(self) -> float:
        """The width of an Event, in pixels."""
        return min(WIDEST * self._zoom, (self.width() - 2 * MARGIN) / (self.maximum() + 1))

    @property
    def _zoom(self) -> float:
        """How much larger everything is drawn than with the font of the desktop."""
        return scaled(_PER_CENT, self.font()) / _PER_CENT

    def changeEvent(self, event: QEvent) -> None:
        """Take the room of another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    # --- Qt overrides ---------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """Return a usable size."""
        return QSize(400, scaled(HEIGHT, self.font()))

    def minimumSizeHint(self) -> QSize:
        """Return a size that allows a narrow window."""
        return QSize(120, scaled(HEIGHT, self.font()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw marks, ticks, flags and the handle."""
        painter, zoom = QPainter(self), self._zoom
        painter.scale(zoom, zoom)
        state = BarState(
            self.width() / zoom,
            MARGIN / zoom,
            self.cell / zoom,
            self.value(),
            self._hovered,
            self._flags,
            focused=self.hasFocus(),
            enabled=self.isEnabled(),
            caption=self.tr("iteration 0"),
            hover_text="" if self._hovered is None else self.text_at(self._hovered),
        )
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() / zoom)  # the painter enlarges it
        TimelinePainter(
            painter, theme_of(self.palette()), font, self.devicePixelRatioF() * zoom, self._strips
        ).paint(self.marks, state)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Seek the Event under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go(self.moment_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the Event under the mouse, and seek it during a drag."""
        moment = self.moment_at(event.position().x())
        if self.isSliderDown():
            self._go(moment)
        if moment != self._hovered:
            self._hovered = moment
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the hover text."""
        self._hovered = None
        self.update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Seek by keys; a key that is held down counts as a drag."""
        if event.isAutoRepeat():
            self.setSliderDown(True)
        marks, value = self.marks, self.value()
        by_iteration = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Left if by_iteration:
                self._go(marks.iteration_before(value))
            case Qt.Key.Key_Right if by_iteration:
                self._go(marks.iteration_after(value))
            case Qt.Key.Key_Left | Qt.Key.Key_Down:
                self._go(value - 1)
            case Qt.Key.Key_Right | Qt.Key.Key_Up:
                self._go(value + 1)
            case Qt.Key.Key_Home:
                self._go(0)
            case Qt.Key.Key_End:
                self._go(self.maximum())
            case _:
                event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """End the drag of a held key."""
        if not event.isAutoRepeat():
            self.setSliderDown(False)
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End the drag, because the release of the key goes elsewhere."""
        self.setSliderDown(False)
        super().focusOutEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Seek by wheel, in the direction of scrolling a list; by iterations with Ctrl."""
        angle = event.angleDelta()
        self._turned -= angle.y() or angle.x()
        notches = int(self._turned / _NOTCH)
        self._turned -= notches * _NOTCH
        event.accept()
        moment = self.value()
        by_iteration = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        for _ in range(abs(notches)):
            if not by_iteration:
                moment += 1 if notches > 0 else -1
            elif notches > 0:
                moment = self.marks.iteration_after(moment)
            else:
                moment = self.marks.iteration_before(moment)
        if notches:
            self._go(moment)

    def text_at(self, moment: int) -> str:
        """Return the hover text of an Event and of the flags above it."""
        distance = _HALF_FLAG / self.cell
        # The flag that is drawn last is on top, and comes first.
        near = [flag.text for flag in reversed(self._flags) if flag.is_near(moment, distance)]
        return " · ".join([self._describe(moment), *near[:4]])

    def _go(self, moment: int) -> None:
        moment = min(self.maximum(), max(0, moment))
        if moment != self.value():
            self.setValue(moment)
            self.moved.emit(moment)
            self.update()
