"""LineEditor: some lines of a script can be dragged to another place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QTextCursor
from PySide6.QtWidgets import QApplication

from gradstep_gui.theme import blend, theme_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep_gui.widgets.text.code_view import CodeView, LineRange

__all__ = ["LineEditor"]


class LineEditor(QObject):
    """Shows a grip before each of some lines of a script, by which they can be dragged.

    While one is dragged, it is pale, and a line shows where it goes. Escape, or a release where it
    came from, moves nothing.

    Args:
        code: The script.
    """

    moved = Signal(int, int)
    """A line was dragged: its index among those lines, and its index afterwards."""

    def __init__(self, code: CodeView) -> None:
        super().__init__(code)
        self._code = code
        self._viewport = code.viewport()
        self._ranges: tuple[LineRange, ...] = ()
        self._is_enabled = False
        self._hovered: int | None = None
        self._pressed: int | None = None
        self._pressed_at = QPoint()
        self._target: int | None = None
        self._viewport.setMouseTracking(True)
        self._viewport.installEventFilter(self)
        code.installEventFilter(self)
        code.decorate(self._paint)
        code.cursorPositionChanged.connect(self._viewport.update)

    @property
    def current(self) -> int | None:
        """The index of the line with the text cursor; None if it is on another line."""
        return self.index_of(self._code.textCursor().blockNumber() + 1)

    @property
    def target(self) -> int | None:
        """Where the line that is being dragged would go; None when none is dragged."""
        return self._target

    def show_lines(self, ranges: Sequence[LineRange]) -> None:
        """Make lines editable, in place of those before.

        Args:
            ranges: The lines of code of each, in order; empty for none.
        """
        self._end_drag()
        self._hovered = None
        self._ranges = tuple(ranges)
        self._viewport.update()

    def set_enabled(self, is_enabled: bool) -> None:
        """Set whether lines can be moved now."""
        if is_enabled != self._is_enabled:
            self._is_enabled = is_enabled
            self._end_drag()
            for index in range(len(self._ranges)):
                self._viewport.update(self.grip(index))

    def select(self, index: int) -> None:
        """Put the text cursor on a line."""
        if 0 <= index < len(self._ranges):
            block = self._code.document().findBlockByNumber(self._ranges[index].first - 1)
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + _indentation(block.text()))
            self._code.setTextCursor(cursor)

    def index_of(self, line: int) -> int | None:
        """Return the index of the editable line that a line of code is part of; None if none is."""
        for index, lines in enumerate(self._ranges):
            if lines.first <= line <= lines.last:
                return index
        return None

    def grip(self, index: int) -> QRect:
        """Return where a line is gripped, in the viewport: its indentation."""
        lines = self._ranges[index]
        first, last = self._code.line_rect(lines.first), self._code.line_rect(lines.last)
        block = self._code.document().findBlockByNumber(lines.first - 1)
        start = QTextCursor(block)
        start.setPosition(block.position() + _indentation(block.text()))
        room = self._code.cursorRect(start).left()
        return QRect(0, first.top(), max(room, 0), last.bottom() - first.top() + 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the mouse on the script, and cancel a drag with Escape."""
        # Other events also come while the script is being deleted.
        if watched is self._viewport:
            if isinstance(event, QMouseEvent):
                return self._follow_mouse(event)
            if event.type() == QEvent.Type.Leave:
                self._hover(None)
        elif self._pressed is not None and isinstance(event, QKeyEvent):
            return self._follow_key(event)
        return False

    def _follow_key(self, event: QKeyEvent) -> bool:
        """End a drag with Escape, which does nothing else then."""
        if event.key() != Qt.Key.Key_Escape:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        else:
            self._end_drag()
        return True

    # -- the mouse -------------------------------------------------------------------------------

    def _follow_mouse(self, event: QMouseEvent) -> bool:
        place = event.position().toPoint()
        if event.type() == QEvent.Type.MouseButtonPress:
            gripped = self._gripped(place)
            if event.button() != Qt.MouseButton.LeftButton or gripped is None:
                return False
            self._pressed, self._pressed_at = gripped, place
            self._code.setFocus(Qt.FocusReason.MouseFocusReason)
            self.select(gripped)
            return True
        if event.type() == QEvent.Type.MouseMove:
            if self._pressed is None:
                self._hover(self._gripped(place))
                return False
            self._drag(place)
            return True
        if event.type() == QEvent.Type.MouseButtonRelease and self._pressed is not None:
            index, target = self._pressed, self._target
            self._end_drag()
            if target is not None and target != index:
                self.moved.emit(index, target)
            return True
        return False

    def _drag(self, place: QPoint) -> None:
        far = (place - self._pressed_at).manhattanLength() >= QApplication.startDragDistance()
        if self._target is None and not far:
            return
        self._scroll_towards(place)
        self._target = self._target_at(place.y())
        self._viewport.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._viewport.update()

    def _scroll_towards(self, place: QPoint) -> None:
        """Scroll by a line while the mouse is above or below the script."""
        bar = self._code.verticalScrollBar()
        if place.y() < 0:
            bar.setValue(bar.value() - 1)
        elif place.y() > self._viewport.height():
            bar.setValue(bar.value() + 1)

    def _target_at(self, y: int) -> int:
        """Return where the dragged line goes when it is dropped at a height."""
        assert self._pressed is not None
        above = sum(
            self.grip(index).center().y() < y
            for index in range(len(self._ranges))
            if index != self._pressed
        )
        return int(above)

    def _end_drag(self) -> None:
        if self._pressed is not None:
            self._pressed = self._target = None
            self._viewport.setCursor(Qt.CursorShape.IBeamCursor)
            self._viewport.update()

    def _hover(self, index: int | None) -> None:
        if index != self._hovered:
            self._hovered = index
            shape = Qt.CursorShape.IBeamCursor if index is None else Qt.CursorShape.OpenHandCursor
            self._viewport.setCursor(shape)
            words = "" if index is None else self.tr("Drag to move this line")
            self._viewport.setToolTip(words)
            self._viewport.update()

    def _gripped(self, place: QPoint) -> int | None:
        if not self._is_enabled:
            return None
        indices = range(len(self._ranges))
        return next((index for index in indices if self.grip(index).contains(place)), None)

    # -- drawing ---------------------------------------------------------------------------------

    def _paint(self, painter: QPainter) -> None:
        if not self._ranges:
            return
        theme = theme_of(self._code.palette())
        if self._target is None:
            self._paint_current(painter)
        if self._is_enabled:
            for index in range(len(self._ranges)):
                strong = index in (self._hovered, self._pressed)
                color = theme.text if strong else blend(theme.muted, theme.base, 0.6)
                _paint_grip(painter, self.grip(index), QColor(color))
        if self._target is not None and self._pressed is not None:
            self._paint_drop(painter)

    def _paint_current(self, painter: QPainter) -> None:
        """Frame the line with the text cursor while the keyboard is on the script."""
        index = self.current
        if index is None or not self._code.hasFocus():
            return
        place = self.grip(index)
        place.setWidth(self._viewport.width())
        painter.setPen(QColor(theme_of(self._code.palette()).accent))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place.adjusted(0, 0, -1, -1))

    def _paint_drop(self, painter: QPainter) -> None:
        """Draw the dragged line pale, and a line where it goes."""
        assert self._pressed is not None
        assert self._target is not None
        theme, width = theme_of(self._code.palette()), self._viewport.width()
        taken = self.grip(self._pressed)
        pale = QColor(theme.base)
        pale.setAlphaF(0.65)
        painter.fillRect(QRect(0, taken.top(), width, taken.height()), pale)
        others = [index for index in range(len(self._ranges)) if index != self._pressed]
        if self._target < len(others):
            y = self.grip(others[self._target]).top()
        else:
            y = self.grip(others[-1]).bottom() + 1 if others else taken.top()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent), 2.0))
        painter.setBrush(QColor(theme.base))
        radius = 3.5
        left = max(taken.width() - 2 * radius, radius + 1)
        painter.drawLine(QPointF(left + radius, y), QPointF(width, y))
        painter.drawEllipse(QPointF(left, y), radius, radius)
        painter.restore()


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())


def _paint_grip(painter: QPainter, place: QRect, color: QColor) -> None:
    """Draw six dots in the middle of the indentation."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    middle = QPointF(place.left() + place.width() / 2, place.center().y() + 0.5)
    for across in (-2.0, 2.0):
        for down in (-4.0, 0.0, 4.0):
            painter.drawEllipse(middle + QPointF(across, down), 1.1, 1.1)
    painter.restore()
