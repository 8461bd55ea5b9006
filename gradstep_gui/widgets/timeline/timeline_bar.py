"""The time bar: a slider over all Events of a run, with a mark for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.timeline.event_marks import EventMarks, Flag
from gradstep_gui.widgets.timeline.timeline_painter import HEIGHT, Face, TimelinePainter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QWidget

__all__ = ["TimelineBar"]

MARGIN = 12
WIDEST = 14.0
"""The most pixels that an Event takes: a short run begins at the left and grows."""

_HALF_FLAG = 4
"""Pixels at either side of an Event at which its flag is pointed at."""

_NOTCH = 120
"""Eighths of a degree in one notch of a wheel."""


class TimelineBar(QAbstractSlider):
    """Goes to any moment: by click, drag, wheel and keys.

    Left and Right go one Event, with Ctrl one iteration; Home and End to the ends. Its value is
    the index of the Event after which the moment on show is.

    Args:
        describe: Says in a line what an Event is, for hovering; 0 is the start.

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
    """A person wants to see this moment."""

    def __init__(self, describe: Callable[[int], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.marks = EventMarks()
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
        """Show a moment, unless a person is dragging; the marks are all there are now.

        Args:
            moment: The index of the Event after which it is.
            flags: What is to be seen above the marks.
        """
        self.blockSignals(True)
        self.setMaximum(len(self.marks))
        if not self.isSliderDown():
            self.setValue(moment)
        self.blockSignals(False)
        self._flags = tuple(flags)
        self.update()

    def moment_at(self, x: float) -> int:
        """Return the moment whose cell lies at a place, the nearest where there is none."""
        return min(self.maximum(), max(0, int((x - MARGIN) / self.cell)))

    def place_of(self, moment: int) -> float:
        """Return the place of the middle of a moment's cell, in pixels from the left."""
        return MARGIN + (moment + 0.5) * self.cell

    @property
    def cell(self) -> float:
        """The width of an Event, in pixels."""
        return min(WIDEST, (self.width() - 2 * MARGIN) / (self.maximum() + 1))

    # --- what Qt calls --------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """Return the least width in which something can be made out."""
        return QSize(400, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Return a width that never keeps the window from being narrow."""
        return QSize(120, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw marks, ticks, flags and the moment on show."""
        painter = QPainter(self)
        face = Face(
            self.width(),
            MARGIN,
            self.cell,
            self.value(),
            self._hovered,
            self._flags,
            focused=self.hasFocus(),
            enabled=self.isEnabled(),
            caption=self.tr("iteration 0"),
            told="" if self._hovered is None else self.text_at(self._hovered),
        )
        TimelinePainter(
            painter, theme_of(self.palette()), self.font(), self.devicePixelRatioF()
        ).paint(self.marks, face)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the moment below the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go(self.moment_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is below the mouse, and go along with it while it is pressed."""
        moment = self.moment_at(event.position().x())
        if self.isSliderDown():
            self._go(moment)
        if moment != self._hovered:
            self._hovered = moment
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def leaveEvent(self, event: QEvent) -> None:
        """Hover no more."""
        self._hovered = None
        self.update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go by keys; one that is held down drags."""
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
        """Let go of what a key has held."""
        if not event.isAutoRepeat():
            self.setSliderDown(False)
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Let go: the key's release goes elsewhere."""
        self.setSliderDown(False)
        super().focusOutEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Go on as a list scrolls: later towards oneself; by iterations with Ctrl."""
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
        """Return what is told of a moment on hover, and of the flags that stand there."""
        distance = _HALF_FLAG / self.cell
        # What is drawn last lies on top, and is told first.
        near = [flag.text for flag in reversed(self._flags) if flag.is_near(moment, distance)]
        return " · ".join([self._describe(moment), *near[:4]])

    def _go(self, moment: int) -> None:
        moment = min(self.maximum(), max(0, moment))
        if moment != self.value():
            self.setValue(moment)
            self.moved.emit(moment)
            self.update()
