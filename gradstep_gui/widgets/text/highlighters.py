"""Syntax colours for Python, JSON and differences."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pygments.lexers.python import PythonLexer
from pygments.token import Token
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QTextDocument

    from gradstep_gui.theme import Theme


__all__ = [
    "ColoredSpan",
    "DifferenceHighlighter",
    "JsonHighlighter",
    "PythonHighlighter",
    "colored_spans",
]

_MOST_CHARACTERS = 60_000
"""Longer texts stay plain: lexing them would block the window."""

_INKS = (
    (Token.Comment, "comment"),
    (Token.Keyword, "keyword"),
    (Token.Operator.Word, "keyword"),
    (Token.Literal.String, "string"),
    (Token.Literal.Number, "number"),
    (Token.Name.Function, "name"),
    (Token.Name.Builtin, "builtin"),
)


class ColoredSpan(NamedTuple):
    """A part of one line with its own colour."""

    start: int
    length: int
    ink: str


@lru_cache(maxsize=8)
def colored_spans(code: str) -> tuple[tuple[ColoredSpan, ...], ...]:
    """Return the coloured spans of each line of Python source.

    Example:
        >>> colored_spans("import torch")
        ((ColoredSpan(start=0, length=6, ink='keyword'),),)
    """
    lines: list[list[ColoredSpan]] = [[]]
    if len(code) > _MOST_CHARACTERS:
        return ()
    column = 0
    for token, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(code):
        ink = next((name for kind, name in _INKS if token in kind), "")
        for at, part in enumerate(text.split("\n")):
            if at:
                lines.append([])
                column = 0
            if part and ink:
                lines[-1].append(ColoredSpan(column, len(part), ink))
            column += len(part)
    return tuple(tuple(line) for line in lines)


class DifferenceHighlighter(QSyntaxHighlighter):
    """Colours the lines of a unified difference that are removed and added.

    Args:
        document: The document.
        theme: The theme.
    """

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme

    def apply(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        color = {"-": self._theme.error, "+": self._theme.accent}.get(text[:1])
        if color is not None:
            self.setFormat(0, len(text), QColor(color))


class PythonHighlighter(QSyntaxHighlighter):
    """Colours Python source, lexed as a whole beforehand.

    Args:
        document: The document; its text must be the one given to `expect`.
        theme: The theme.
    """

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._formats = _python_formats(theme)
        self._lines: tuple[tuple[ColoredSpan, ...], ...] = ()

    def expect(self, code: str) -> None:
        """Lex the text that the document will hold next."""
        self._lines = colored_spans(code)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._formats = _python_formats(theme)
        self.rehighlight()

    def highlightBlock(self, _text: str) -> None:
        """Colour one line."""
        number = self.currentBlock().blockNumber()
        for piece in self._lines[number] if number < len(self._lines) else ():
            self.setFormat(piece.start, piece.length, self._formats[piece.ink])


def _python_formats(theme: Theme) -> dict[str, QTextCharFormat]:
    formats = _formats(
        {
            "comment": theme.muted,
            "keyword": theme.kind("zero_grad").strong,
            "string": theme.kind("step").strong,
            "number": theme.kind("edit").strong,
            "name": theme.accent,
            "builtin": theme.accent,
        }
    )
    formats["comment"].setFontItalic(True)
    return formats


_JSON_TOKENS = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<text>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?P<word>\b(?:true|false|null)\b)"
)

_LONGEST_LINE = 4000
"""Characters of a line that are coloured: a whole table in one line would block the window."""


class JsonHighlighter(QSyntaxHighlighter):
    """Colours JSON line by line, so that it can be edited.

    Args:
        document: The document, complete JSON or not.
        theme: The theme.
    """

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._formats = _json_formats(theme)

    def expect(self, _code: str) -> None:
        """Do nothing: JSON is lexed line by line."""

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._formats = _json_formats(theme)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        for piece in _JSON_TOKENS.finditer(text[:_LONGEST_LINE]):
            start, stop = piece.span()
            self.setFormat(start, stop - start, self._formats[piece.lastgroup or ""])


def _json_formats(theme: Theme) -> dict[str, QTextCharFormat]:
    return _formats(
        {
            "name": theme.accent,
            "text": theme.kind("step").strong,
            "number": theme.kind("edit").strong,
            "word": theme.kind("zero_grad").strong,
        }
    )


def _formats(colors: Mapping[str, str]) -> dict[str, QTextCharFormat]:
    """Return text formats in these colours.

    Those of the theme's Operations are readable on each other's soft backgrounds.
    """
    formats = {name: QTextCharFormat() for name in colors}
    for name, color in colors.items():
        formats[name].setForeground(QColor(color))
    return formats
