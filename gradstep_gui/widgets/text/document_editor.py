"""An editor for program documents, with line numbers, colours and a mark for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from gradstep_gui.widgets.text.code_view import CodeView, LineRange
from gradstep_gui.widgets.text.highlighters import JsonHighlighter

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QWidget

__all__ = ["DocumentEditor", "with_commas"]

_INDENT = "  "
_UNITS = "utf-16-le"
"""Qt counts text in units of 16 bits, Python in characters."""


class DocumentEditor(CodeView):
    r"""An editor for JSON.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> editor = DocumentEditor()
        >>> editor.setPlainText('{"gradstep": 1,\n "seed": -1}')
        >>> editor.mark_error((17, 27))
        2
        >>> editor.go_to((17, 27))
        >>> editor.textCursor().selectedText()
        '"seed": -1'
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, JsonHighlighter)
        self.setReadOnly(False)
        self.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        self.setAccessibleName(self.tr("Program document"))
        self.blockCountChanged.connect(self.fit_gutter)
        self.fit_gutter()

    def mark_error(self, place: tuple[int, int] | None) -> int | None:
        """Mark the line of an error, and return its number.

        Args:
            place: The range of wrong characters; None when nothing is wrong, or
                not in one place.
        """
        if place is None:
            self.mark(coming=None)
            return None
        line = self.toPlainText().count("\n", 0, place[0]) + 1
        self.mark(coming=None, done=LineRange(line, line), failed=True)
        return line

    def go_to(self, place: tuple[int, int]) -> None:
        """Select a range, up to the end of its first line, and scroll to it."""
        text = self.toPlainText()
        start, stop = place
        end = text.find("\n", start, stop)
        cursor = self.textCursor()
        cursor.setPosition(_units(text[:start]))
        cursor.setPosition(
            _units(text[: stop if end < 0 else end]), QTextCursor.MoveMode.KeepAnchor
        )
        self.setTextCursor(cursor)
        self.centerCursor()
        self.setFocus()

    @property
    def place(self) -> int:
        """The number of characters before the cursor."""
        raw = self.toPlainText().encode(_UNITS, "surrogatepass")
        return len(raw[: 2 * self.textCursor().position()].decode(_UNITS, "surrogatepass"))

    def replace(self, start: int, stop: int, text: str) -> None:
        """Replace a range of characters by a text, and select it."""
        whole = self.toPlainText()
        begin = _units(whole[:start])
        cursor = self.textCursor()
        cursor.setPosition(begin)
        cursor.setPosition(_units(whole[:stop]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text)
        lead = len(text) - len(text.lstrip(", \n"))
        cursor.setPosition(begin + _units(text[:lead]))
        cursor.setPosition(begin + _units(text), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()
        self.setFocus()

    def replace_all(self, text: str) -> None:
        """Replace the whole text; this can be undone."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        self.setTextCursor(cursor)
        self.setFocus()

    def insert_member(self, member: str) -> None:
        """Insert a member of an object or list at the cursor, with the commas it needs."""
        cursor = self.textCursor()
        text = self.toPlainText()
        raw = text.encode(_UNITS, "surrogatepass")
        before = raw[: 2 * cursor.selectionStart()].decode(_UNITS, "surrogatepass")
        after = raw[2 * cursor.selectionEnd() :].decode(_UNITS, "surrogatepass")
        cursor.insertText(with_commas(before, member, after))
        self.setTextCursor(cursor)
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Indent a new line like the current one, and deeper after a bracket."""
        if event.key() not in {Qt.Key.Key_Return, Qt.Key.Key_Enter} or event.modifiers():
            super().keyPressEvent(event)
            return
        cursor = self.textCursor()
        line = cursor.block().text()[: cursor.positionInBlock()]
        indent = line[: len(line) - len(line.lstrip())]
        deeper = _INDENT if line.rstrip()[-1:] in {"{", "["} else ""
        cursor.insertText(f"\n{indent}{deeper}")
        self.setTextCursor(cursor)


def with_commas(before: str, member: str, after: str) -> str:
    """Return a member with the commas between it and its neighbours.

    Example:
        >>> with_commas('[{"kind": "ReLU"}', '{"kind": "Tanh"}', "]")
        ', {"kind": "Tanh"}'
        >>> with_commas("[", '{"kind": "Tanh"}', '{"kind": "ReLU"}]')
        '{"kind": "Tanh"}, '
    """
    left = before.rstrip()[-1:]
    right = after.lstrip()[:1]
    lead = "" if left in {"", "[", "{", ",", ":"} else ", " if before == before.rstrip() else ","
    return f"{lead}{member}{'' if right in {'', ']', '}', ','} else ', '}"


def _units(text: str) -> int:
    return len(text.encode(_UNITS, "surrogatepass")) // 2
