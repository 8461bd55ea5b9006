"""JSON in the theme's colours, line by line, so that it can be typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from gradstep_gui.theme import Theme

__all__ = ["JsonHighlighter"]

_PIECES = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<text>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?P<word>\b(?:true|false|null)\b)"
)
_LONGEST = 4000
"""Characters of a line that are coloured: a table in one line would hold the window up."""


class JsonHighlighter(QSyntaxHighlighter):
    """Colours the lines of a document.

    Args:
        document: A text of JSON, whole or not.
        theme: Whose colours.
    """

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._formats = _formats(theme)

    def expect(self, _code: str) -> None:
        """Nothing need be known of a text beforehand."""

    def dress(self, theme: Theme) -> None:
        """Take the colours of another theme."""
        self._formats = _formats(theme)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        for piece in _PIECES.finditer(text[:_LONGEST]):
            start, stop = piece.span()
            self.setFormat(start, stop - start, self._formats[piece.lastgroup or ""])


def _formats(theme: Theme) -> dict[str, QTextCharFormat]:
    inks = {
        "name": theme.accent,
        "text": theme.kind("step").strong,
        "number": theme.kind("edit").strong,
        "word": theme.kind("zero_grad").strong,
    }
    formats = {}
    for name, color in inks.items():
        formats[name] = QTextCharFormat()
        formats[name].setForeground(QColor(color))
    return formats
