"""What a script prints, line by line: it follows the end, and marks standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QPainter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import small_font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent, QResizeEvent

__all__ = ["OutputText"]

_BAR = 3
_PADDING = 5
_KINDS = ("out", "err", "note")


class OutputText(QPlainTextEdit):
    r"""Read-only lines of output; a bar and the word "err" mark those of standard error.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> view = OutputText()
        >>> view.replace_from(0, 0, [("out", "epoch 1"), ("err", " 10%")])
        >>> view.replace_from(0, 1, [("err", " 20%")])
        >>> view.toPlainText()
        'epoch 1\n 20%'
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        self._first = 0  # the number of the first line that is shown
        self._count = 0
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.setAccessibleName(self.tr("Output"))
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(small_font(self.font()).pointSizeF())
        self.setFont(font)
        self._gutter = _Gutter(self)
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        self.updateRequest.connect(self._scroll_gutter)

    @property
    def is_following(self) -> bool:
        """Whether the end is in sight, so that new lines come into sight too."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The streams and texts of the lines."""
        found: list[tuple[str, str]] = []
        block = self.document().firstBlock()
        while block.isValid() and len(found) < self._count:
            found.append((_kind(block), block.text()))
            block = block.next()
        return found

    def restart(self, first: int) -> None:
        """Forget all lines; that of a number is the next.

        Args:
            first: The number.
        """
        super().clear()
        self._first, self._count = first, 0

    def replace_from(self, first: int, start: int, lines: Sequence[tuple[str, str]]) -> None:
        """Show other lines from a number on, and drop those before another.

        Args:
            first: The number of the first line that is kept.
            start: The number of the first line that changes.
            lines: The streams and the texts of that line and of all after it.
        """
        follows = self.is_following
        seen = self._first + self.firstVisibleBlock().blockNumber()
        editor = QTextCursor(self.document())
        editor.beginEditBlock()
        self._cut(editor, first)
        self._truncate(editor, max(start - self._first, 0))
        self._append(editor, lines)
        editor.endEditBlock()
        bar = self.verticalScrollBar()
        if follows:
            bar.setValue(bar.maximum())
        else:
            block = self.document().findBlockByNumber(max(seen - self._first, 0))
            bar.setValue(block.firstLineNumber())
        self._gutter.update()

    def find_text(self, text: str, *, backwards: bool) -> bool:
        """Select the next place where a text stands, from the end on again at the beginning.

        Args:
            text: The text; upper and lower case are the same.
            backwards: Whether to look for the place before.

        Returns:
            Whether there is one.
        """
        flags = QTextDocument.FindFlag.FindBackward if backwards else QTextDocument.FindFlag(0)
        if not text or self.find(text, flags):
            return bool(text)
        edge = QTextCursor(self.document())
        if backwards:
            edge.movePosition(QTextCursor.MoveOperation.End)
        found = self.document().find(text, edge, flags)
        if found.isNull():
            return False
        self.setTextCursor(found)
        return True

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_gutter"):
            lines = self.lines
            self.replace_from(self._first, self._first, lines)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay at the end, and resize the gutter."""
        follows = self.is_following
        super().resizeEvent(event)
        inner = self.contentsRect()
        self._gutter.setGeometry(
            QRect(inner.left(), inner.top(), self.gutter_width(), inner.height())
        )
        if follows:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def gutter_width(self) -> int:
        """Return the width of the marks of standard error."""
        return _BAR + self.fontMetrics().horizontalAdvance("err") + 2 * _PADDING

    def paint_gutter(self, painter: QPainter) -> None:
        """Mark the visible lines of standard error, and name it where they begin."""
        theme = theme_of(self.palette())
        painter.fillRect(self._gutter.rect(), QColor(theme.alternate))
        painter.setFont(small_font(self.font()))
        block = self.firstVisibleBlock()
        is_first = True
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > self._gutter.height():
                break
            if _kind(block) == "err":
                top, height = round(place.top()), round(place.height())
                painter.fillRect(QRect(0, top, _BAR, height), QColor(theme.warning))
                if is_first or _kind(block.previous()) != "err":
                    painter.setPen(QColor(theme.warning))
                    base = top + self.fontMetrics().ascent()
                    painter.drawText(_BAR + _PADDING, base, "err")
            is_first = False
            block = block.next()

    def _cut(self, editor: QTextCursor, first: int) -> None:
        """Remove the lines before the first that is kept."""
        dropped, state = min(max(first - self._first, 0), self._count), 0
        if dropped:
            editor.movePosition(QTextCursor.MoveOperation.Start)
            if dropped == self._count:
                editor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            else:
                kept = self.document().findBlockByNumber(dropped)
                state = kept.userState()  # blocks that are joined have that of either
                editor.setPosition(kept.position(), QTextCursor.MoveMode.KeepAnchor)
            editor.removeSelectedText()
            self.document().firstBlock().setUserState(state)
            self._count -= dropped
        self._first = max(first, self._first)

    def _truncate(self, editor: QTextCursor, kept: int) -> None:
        """Remove all lines after some."""
        if kept >= self._count:
            return
        block = self.document().findBlockByNumber(kept)
        state = block.previous().userState()
        editor.setPosition(max(block.position() - 1, 0))
        editor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        editor.removeSelectedText()
        editor.block().setUserState(state)
        self._count = kept

    def _append(self, editor: QTextCursor, lines: Sequence[tuple[str, str]]) -> None:
        editor.movePosition(QTextCursor.MoveOperation.End)
        for kind, text in lines:
            if self._count:
                editor.insertBlock()
            editor.block().setUserState(_KINDS.index(kind))
            editor.insertText(text, self._format(kind))
            self._count += 1

    def _format(self, kind: str) -> QTextCharFormat:
        theme, made = theme_of(self.palette()), QTextCharFormat()
        made.setForeground(QColor(theme.muted if kind == "note" else theme.text))
        if kind == "note":
            made.setFontWeight(QFont.Weight.Bold)
        return made

    def _scroll_gutter(self, area: QRect, by: int) -> None:
        if by:
            self._gutter.scroll(0, by)
        else:
            self._gutter.update(0, area.y(), self._gutter.width(), area.height())


class _Gutter(QWidget):
    """The strip with the marks of standard error."""

    def __init__(self, text: OutputText) -> None:
        super().__init__(text)
        self._text = text
        self.setToolTip(self.tr("err: printed on standard error"))

    def sizeHint(self) -> QSize:
        """Return the width of the strip."""
        return QSize(self._text.gutter_width(), 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the strip."""
        self._text.paint_gutter(QPainter(self))


def _kind(block: QTextBlock) -> str:
    return _KINDS[max(block.userState(), 0)]
