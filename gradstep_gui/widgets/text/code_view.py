"""A script with line numbers, an arrow at the next line, and a band on what just ran."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QFontDatabase,
    QHelpEvent,
    QPainter,
    QPolygonF,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit, QToolTip, QWidget

from gradstep_gui.theme import KindColors, blend, theme_of
from gradstep_gui.widgets.fonts import small_font
from gradstep_gui.widgets.text.highlighters import PythonHighlighter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent, QTextBlock

    from gradstep_gui.widgets.text.highlighters import JsonHighlighter

__all__ = ["CodeView", "LineRange", "shortened_value"]

_ARROW = 18
_BAR = 3
_PADDING = 6
_DOT = 2.5
_STOP = 5.0
_STOP_WITH_ARROW = 7.0
_ARROW_IN_STOP = 0.7
_VALUE_GAP = 3
_LEAST_VALUE = 6
"""Characters between a line and its value, and the fewest characters of a value that are shown."""

_BELOW = 5
"""How many lines after the next one are scrolled into sight with it: the rest of a usual loop."""


_FIRST_VALUE = re.compile(r"(?P<name>.+?)(?P<sign> = |: )(?P<value>\[.*?\](?=$|, [^[])|[^,]*)")

_LEAST_NAME = 3
"""The fewest characters of a name that are worth their room."""


class LineRange(NamedTuple):
    """Lines from `first` to `last`, counted from 1."""

    first: int
    last: int


class CodeView(QPlainTextEdit):
    r"""Read-only source code.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> view = CodeView()
        >>> view.show_code("loss.backward()\noptimizer.step()\n")
        >>> view.mark(coming=LineRange(2, 2), done=LineRange(1, 1), kind="backward")
        >>> view.accessibleDescription()
        'Line 1 just ran. Line 2 is next.'
    """

    coming_pressed = Signal()
    """The arrow was clicked, or its line double-clicked: the next Operation should run."""

    stop_toggled = Signal(int)
    """A breakpoint should be set at a line, or removed there."""

    run_to_requested = Signal(int)
    """A run should stop before a line."""

    menu_opening = Signal(QMenu, int)
    """The context menu of a line is about to open, and can be extended."""

    def __init__(
        self,
        parent: QWidget | None = None,
        highlighter: type[PythonHighlighter | JsonHighlighter] = PythonHighlighter,
    ) -> None:
        self._coming: LineRange | None = None
        self._done: LineRange | None = None
        self._kind = ""
        self._failed = False
        self._kinds: Mapping[int, str] = {}
        self._stops: Mapping[int, bool] | None = None
        self._stoppable: Collection[int] | None = None
        self._values: Mapping[int, str] = {}
        self._off: Collection[int] = ()
        self._loop: LineRange | None = None
        self._decoration: Callable[[QPainter], None] | None = None
        super().__init__(parent)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setAccessibleName(self.tr("Script"))
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(small_font(self.font()).pointSizeF())
        self.setFont(font)
        self._highlighter = highlighter(self.document(), theme_of(self.palette()))
        self._gutter = _Gutter(self)
        self.updateRequest.connect(self._scroll_gutter)
        # What is painted at the right edge does not move with the text.
        self.horizontalScrollBar().valueChanged.connect(lambda: self.viewport().update())

    @property
    def coming(self) -> LineRange | None:
        """The lines with the arrow."""
        return self._coming

    @property
    def done(self) -> LineRange | None:
        """The lines that just ran."""
        return self._done

    @property
    def kinds(self) -> Mapping[int, str]:
        """The kinds of Operations that lines do, by line."""
        return self._kinds

    @property
    def stops(self) -> Mapping[int, bool] | None:
        """The lines with a breakpoint, and whether it is enabled; None where none can be set."""
        return self._stops

    @property
    def values(self) -> Mapping[int, str]:
        """What stands after lines, by line."""
        return self._values

    @property
    def off(self) -> Collection[int]:
        """The lines that are switched off."""
        return self._off

    def show_stops(
        self, stops: Mapping[int, bool] | None, stoppable: Collection[int] | None = None
    ) -> None:
        """Show the lines with a breakpoint, and whether it is enabled; None for no gutter to click.

        A click on the gutter, or the context menu of a line, then sets and removes them.

        Args:
            stops: The lines.
            stoppable: The lines that can have one; None for all.
        """
        self._stops = stops
        self._stoppable = stoppable
        self.setAccessibleDescription(self._description())
        self._gutter.update()

    def show_values(self, values: Mapping[int, str]) -> None:
        """Show a text after each of some lines, grey, and as much of it as there is room for."""
        if values != self._values:
            before, self._values = self._values, dict(values)
            self.setAccessibleDescription(self._description())
            for line in before.keys() | values.keys():
                if before.get(line) != values.get(line):
                    self.viewport().update(self.line_rect(line))

    def show_off(self, lines: Collection[int]) -> None:
        """Show lines as switched off: grey and struck through."""
        self._off = frozenset(lines)
        self.setAccessibleDescription(self._description())
        self._paint_band()

    def keep_in_sight(self, loop: LineRange) -> None:
        """Set the lines to show together with the next ones where there is room for all of them."""
        self._loop = loop

    def decorate(self, paint: Callable[[QPainter], None]) -> None:
        """Have something painted above the text, in the coordinates of the viewport."""
        self._decoration = paint

    def show_code(self, code: str, kinds: Mapping[int, str] | None = None) -> None:
        """Show another script from its top, without marks.

        Args:
            code: The script.
            kinds: The kinds of Operations that lines do, by line; each has a dot of its colour.
        """
        self._coming = self._done = None
        self._values, self._off, self._loop = {}, (), None
        self._kinds = {} if kinds is None else kinds
        self._highlighter.expect(code)
        self.setPlainText(code)
        self.setExtraSelections([])
        self.fit_gutter()

    def mark(
        self,
        *,
        coming: LineRange | None,
        done: LineRange | None = None,
        kind: str = "",
        failed: bool = False,
    ) -> None:
        """Mark the next lines and those that just ran, and scroll to the next ones.

        Args:
            coming: The lines with the arrow.
            done: The lines with the band.
            kind: The kind of Operation that ran, which decides the colour of the band.
            failed: Whether it raised an error.
        """
        before = self._coming, self._done
        self._coming, self._done, self._kind, self._failed = coming, done, kind, failed
        self.setAccessibleDescription(self._description())
        self._paint_band()
        shown = coming or done
        if shown is not None:
            self._scroll_to(shown)
        for lines in (*before, coming, done):
            if lines is not None:
                rows = self.line_rect(lines.first) | self.line_rect(lines.last)
                self._scroll_gutter(rows, 0)

    def select_line(self, line: int) -> None:
        """Scroll to a line, and select it."""
        block = self.document().findBlockByNumber(line - 1)
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        # The cursor stays at the start, so that a long line is not scrolled to its end.
        cursor.setPosition(block.position(), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.centerCursor()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_highlighter"):
            self._highlighter.set_theme(theme_of(self.palette()))
            self._paint_band()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text, and after it the values of its lines."""
        super().paintEvent(event)
        if not self._values and self._decoration is None:
            return
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        theme = theme_of(self.palette())
        failed = self._done.last if self._failed and self._done is not None else 0
        for line, text in self._values.items():
            place = self._place_of_value(line)
            if place.intersects(event.rect()):
                painter.setPen(QColor(theme.error if line == failed else theme.muted))
                metrics = self.fontMetrics()
                shorter = shortened_value(text, place.width(), metrics.horizontalAdvance)
                shown = metrics.elidedText(shorter, Qt.TextElideMode.ElideRight, place.width())
                align = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
                painter.drawText(place, align, shown)
        if self._decoration is not None:
            self._decoration(painter)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the whole of a value that is cut off, in a tooltip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.hint_at(event.pos().y())
            QToolTip.showText(event.globalPos(), text and f"<p>{escape(text)}</p>", self)
            return True
        return super().viewportEvent(event)

    def hint_at(self, y: float) -> str:
        """Return the value of the line at a height of the viewport, if it is not drawn whole."""
        line = self._line_at(y)
        text = self._values.get(line, "")
        width = self.fontMetrics().horizontalAdvance(text)
        return text if width > self._place_of_value(line).width() else ""

    def _place_of_value(self, line: int) -> QRect:
        """Return where the value of a line is drawn; empty if there is no room or no such line."""
        block = self.document().findBlockByNumber(line - 1)
        row = self.line_rect(line)
        if not block.isValid() or not block.isVisible() or row.isEmpty():
            return QRect()
        unit = self.fontMetrics().horizontalAdvance("0")
        end = QTextCursor(block)
        end.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        left = self.cursorRect(end).right() + _VALUE_GAP * unit
        width = self.viewport().width() - left - unit
        return (
            QRect() if width < _LEAST_VALUE * unit else QRect(left, row.top(), width, row.height())
        )

    def line_rect(self, line: int) -> QRect:
        """Return the rectangle of a line in the viewport, as wide as that; empty if there is none.

        Args:
            line: The line, from 1.
        """
        block = self.document().findBlockByNumber(line - 1)
        if not block.isValid():
            return QRect()
        height = round(self._height(block))
        return QRect(0, round(self._top(block)), self.viewport().width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resize the gutter, and keep the next lines in sight in a lower view."""
        super().resizeEvent(event)
        self._place_gutter()
        shown = self._coming or self._done
        first = self.verticalScrollBar().value() + 1
        lines = event.oldSize().height() // max(1, self.fontMetrics().lineSpacing())
        if shown is not None and first <= shown.first and shown.last < first + lines:
            self._scroll_to(shown)

    def _place_gutter(self) -> None:
        inner = self.contentsRect()
        self._gutter.setGeometry(
            QRect(inner.left(), inner.top(), self.gutter_width(), inner.height())
        )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Run the next Operation when its line is double-clicked; else select a word."""
        line = self.cursorForPosition(event.position().toPoint()).blockNumber() + 1
        if self._is_coming(line):
            self.coming_pressed.emit()
        else:
            super().mouseDoubleClickEvent(event)

    def fit_gutter(self) -> None:
        """Fit the gutter to the number of lines."""
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        self._place_gutter()

    def gutter_width(self) -> int:
        """Return the width of arrow and line numbers."""
        digits = max(2, len(str(self.blockCount())))
        return _ARROW + self.fontMetrics().horizontalAdvance("9") * digits + 2 * _PADDING

    def press_gutter(self, place: QPointF) -> None:
        """Run the next Operation when the arrow was clicked; else toggle a breakpoint."""
        line = self._line_at(place.y())
        if self._is_arrow(place):
            self.coming_pressed.emit()
        elif self._can_stop(line):
            self.stop_toggled.emit(line)

    def offer_at(self, place: QPointF) -> str:
        """Return what a click on the gutter does there; empty for nothing."""
        if self._is_arrow(place):
            return self.tr("Run the next operation")
        line = self._line_at(place.y())
        if self._stops is None or not self._can_stop(line):
            return ""
        if line in self._stops:
            return self.tr("Remove the breakpoint")
        if self._stoppable is None and line not in self._kinds:
            return self.tr("Stop before this line, if it does an operation, such as Backward")
        return self.tr("Stop before this line")

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to run to a line, and to stop there, besides copying."""
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        by_keys = event.reason() == QContextMenuEvent.Reason.Keyboard
        cursor = self.textCursor() if by_keys else self.cursorForPosition(event.pos())
        line = cursor.blockNumber() + 1
        if self._can_stop(line):
            self.offer_line(menu, line)
        self.menu_opening.emit(menu, line)
        menu.popup(event.globalPos())

    def offer_line(self, menu: QMenu, line: int) -> None:
        """Add what can be done with a line to a menu."""
        menu.addSeparator()
        run_to = menu.addAction(self.tr("Run to Line {0}").format(line))
        run_to.triggered.connect(lambda: self.run_to_requested.emit(line))
        words = self.tr("Remove Breakpoint at Line {0}")
        if line not in (self._stops or {}):
            words = self.tr("Break at Line {0}")
        toggle = menu.addAction(words.format(line))
        toggle.triggered.connect(lambda: self.stop_toggled.emit(line))

    def paint_gutter(self, painter: QPainter, area: QRect) -> None:
        """Draw numbers, arrow and band for the lines in a part of the gutter."""
        theme = theme_of(self.palette())
        width = self.gutter_width()
        painter.fillRect(area, QColor(theme.alternate))
        painter.setFont(self.font())
        block = self.document().findBlockByNumber(self._line_at(area.top()) - 1)
        top = self._top(block)
        while block.isValid() and top <= area.bottom():
            height = self._height(block)
            line = block.blockNumber() + 1
            row = QRect(0, round(top), width, round(height))
            ink, is_marked = theme.muted, False
            if self._done is not None and self._done.first <= line <= self._done.last:
                colors = self._band_colors()
                painter.fillRect(row, QColor(colors.soft))
                painter.fillRect(QRect(0, row.top(), _BAR, row.height()), QColor(colors.strong))
                ink = colors.strong
                if self._failed and line == self._done.first and not self._is_coming(line):
                    mark = QRect(_BAR, row.top(), _ARROW - _BAR, row.height())
                    painter.setPen(QColor(colors.strong))
                    painter.drawText(mark, int(Qt.AlignmentFlag.AlignCenter), "✖")
                    is_marked = True
            is_next = self._coming is not None and line == self._coming.first
            stop = None if self._stops is None else self._stops.get(line)
            if stop is not None:
                radius = _STOP_WITH_ARROW if is_next else _STOP
                _paint_dot(painter, row, QColor(theme.error), radius, is_filled=stop)
                is_marked = True
            if is_next:
                color = QColor(theme.base if stop else theme.accent)
                _paint_arrow(painter, row, color, 1.0 if stop is None else _ARROW_IN_STOP)
                ink = theme.text
            elif line in self._kinds and not is_marked:
                _paint_dot(painter, row, QColor(theme.kind(self._kinds[line]).strong), _DOT)
            painter.setPen(QColor(ink))
            align = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(row.adjusted(0, 0, -_PADDING, 0), align, str(line))
            block, top = block.next(), top + height

    def _description(self) -> str:
        parts = []
        if self._done is not None:
            words = self.tr("Line {0} failed.") if self._failed else ""
            parts.append((words or self.tr("Line {0} just ran.")).format(self._done.first))
            if value := self._values.get(self._done.last):
                parts.append(f"{value}.")
        if self._coming is not None:
            parts.append(self.tr("Line {0} is next.").format(self._coming.first))
        if self._stops:
            lines = ", ".join(map(str, sorted(self._stops)))
            parts.append(self.tr("Breakpoints at {0}.").format(lines))
        if self._off:
            lines = ", ".join(map(str, sorted(self._off)))
            parts.append(self.tr("Switched off: {0}.").format(lines))
        return " ".join(parts)

    def _band_colors(self) -> KindColors:
        theme = theme_of(self.palette())
        if self._failed:
            return KindColors(theme.error, blend(theme.error, theme.base, 0.14))
        return theme.kind(self._kind)

    def _paint_band(self) -> None:
        selections = []
        if self._done is not None:
            ground = QColor(self._band_colors().soft)
            for number in range(self._done.first - 1, self._done.last):
                part = QTextEdit.ExtraSelection()
                part.format.setBackground(ground)
                part.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                part.cursor = QTextCursor(self.document().findBlockByNumber(number))
                selections.append(part)
        for line in sorted(self._off):
            part = QTextEdit.ExtraSelection()
            part.format.setForeground(QColor(theme_of(self.palette()).muted))
            part.format.setFontStrikeOut(True)
            block = self.document().findBlockByNumber(line - 1)
            part.cursor = QTextCursor(block)
            indentation = len(block.text()) - len(block.text().lstrip())
            part.cursor.setPosition(block.position() + indentation)
            part.cursor.movePosition(
                QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor
            )
            selections.append(part)
        self.setExtraSelections(selections)

    def _scroll_to(self, coming: LineRange) -> None:
        """Scroll as little as needed to show the next lines, and the loop if it fits."""
        bar = self.verticalScrollBar()
        room = self.viewport().height() // max(1, self.fontMetrics().lineSpacing())
        shown = coming
        for more in (self._done, self._loop):
            if more is not None:
                both = LineRange(min(shown.first, more.first), max(shown.last, more.last))
                shown = both if both.last - both.first < room else shown
        if bar.value() >= shown.first:
            bar.setValue(shown.first - 1 - min(1, shown.first - 1))
        elif shown.last > bar.value() + room:
            spare = room - (shown.last - shown.first + 1)
            bar.setValue(shown.last - room + max(min(1, room - 1), min(_BELOW, spare)))

    def _can_stop(self, line: int) -> bool:
        """Return whether a line can have a breakpoint."""
        return self._stops is not None and (self._stoppable is None or line in self._stoppable)

    def _is_arrow(self, place: QPointF) -> bool:
        """Return whether a place of the gutter is the arrow, or its line where only that is."""
        on_arrow = self._stops is None or place.x() < _ARROW
        return on_arrow and self._is_coming(self._line_at(place.y()))

    def _is_coming(self, line: int) -> bool:
        return self._coming is not None and self._coming.first <= line <= self._coming.last

    def _line_at(self, y: float) -> int:
        block = self.firstVisibleBlock()
        while block.isValid() and self._top(block) + self.blockBoundingRect(block).height() <= y:
            block = block.next()
        return block.blockNumber() + 1

    def _top(self, block: QTextBlock) -> float:
        return self.blockBoundingGeometry(block).translated(self.contentOffset()).top()

    def _height(self, block: QTextBlock) -> float:
        """Return the height of a line; Qt counts the margin below the last one as part of it."""
        below = 0.0 if block.next().isValid() else self.document().documentMargin()
        return self.blockBoundingRect(block).height() - below

    def _scroll_gutter(self, area: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, area.y(), self._gutter.width(), area.height())


class _Gutter(QWidget):
    """The strip at the left, which the code view paints."""

    def __init__(self, code: CodeView) -> None:
        super().__init__(code)
        self._code = code
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        """Return the width of the strip."""
        return QSize(self._code.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a part of the strip."""
        self._code.paint_gutter(QPainter(self), event.rect())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show a hand where a click does something."""
        offered = self._code.offer_at(event.position())
        shape = Qt.CursorShape.PointingHandCursor if offered else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        self.setToolTip(offered)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Accept the event, to get the release."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Click the arrow, or a line."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._code.press_gutter(event.position())


def _paint_dot(
    painter: QPainter, row: QRect, color: QColor, radius: float, *, is_filled: bool = True
) -> None:
    """Draw a dot, or a ring, where the arrow comes to stand."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(color)
    painter.setBrush(color if is_filled else QBrush())
    middle = QPointF(row.left() + (_BAR + _ARROW) / 2, row.center().y() + 0.5)
    painter.drawEllipse(middle, radius, radius)
    painter.restore()


def _paint_arrow(painter: QPainter, row: QRect, color: QColor, scale: float) -> None:
    """Draw an arrow that points at the line; within a breakpoint, a smaller one."""
    across, middle = row.left() + (_BAR + _ARROW) / 2 + 0.5, row.center().y() + 0.5
    length, half = (_ARROW - _BAR - 3) * scale, min(5.5, row.height() / 2 - 2) * scale
    left, right = across - length / 2, across + length / 2
    stem, neck = half * 0.45, right - half
    points = [
        (left, middle - stem),
        (neck, middle - stem),
        (neck, middle - half),
        (right, middle),
        (neck, middle + half),
        (neck, middle + stem),
        (left, middle + stem),
    ]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    painter.restore()


def shortened_value(text: str, room: int, width_of: Callable[[str], int]) -> str:
    """Return a value with less of its name where there is no room for both.

    Of an array that does not fit either, the end is left to be cut off, after a short name.

    Args:
        text: The name and the value, and perhaps others after them.
        room: The width that there is.
        width_of: Returns the width of a text.

    Example:
        >>> shortened_value("|model.conv1.weight| = 1.614, |model.conv1.bias| = 0.6", 19, len)
        '…weight| = 1.614, …'
        >>> shortened_value("loss = 2.3144", 8, len)
        '2.3144'
    """
    first = _FIRST_VALUE.match(text)
    if first is None or width_of(text) <= room:
        return text
    name, value, others = first["name"], first["value"], text[first.end() :]
    end = f"{first['sign']}{value}{', …' if others else ''}"
    names = (name, *(f"…{name[cut:]}" for cut in range(2, len(name) - _LEAST_NAME + 1)))
    candidates = (*(f"{shorter}{end}" for shorter in names), value)
    _, dot, last = name.rpartition(".")
    long = f"…{last}{text[len(name) :]}" if dot else text
    return next((shown for shown in candidates if width_of(shown) <= room), long)
