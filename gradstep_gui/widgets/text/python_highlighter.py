"""Python source in the theme's colours, from one lexing of the whole text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pygments.lexers.python import PythonLexer
from pygments.token import Token
from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

    from gradstep_gui.theme import Theme

__all__ = ["Piece", "PythonHighlighter", "pieces_of"]

_MOST = 60_000
"""Characters up to which a text is coloured: more would hold the window up for a moment."""

_INKS = (
    (Token.Comment, "comment"),
    (Token.Keyword, "keyword"),
    (Token.Operator.Word, "keyword"),
    (Token.Literal.String, "string"),
    (Token.Literal.Number, "number"),
    (Token.Name.Function, "name"),
    (Token.Name.Builtin, "builtin"),
)


class Piece(NamedTuple):
    """A part of one line that has a colour of its own."""

    start: int
    length: int
    ink: str


@lru_cache(maxsize=8)
def pieces_of(code: str) -> tuple[tuple[Piece, ...], ...]:
    """Return what is coloured in each line of a text.

    Example:
        >>> pieces_of("import torch")
        ((Piece(start=0, length=6, ink='keyword'),),)
    """
    lines: list[list[Piece]] = [[]]
    if len(code) > _MOST:
        return ()
    column = 0
    for token, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(code):
        ink = next((name for kind, name in _INKS if token in kind), "")
        for at, part in enumerate(text.split("\n")):
            if at:
                lines.append([])
                column = 0
            if part and ink:
                lines[-1].append(Piece(column, len(part), ink))
            column += len(part)
    return tuple(tuple(line) for line in lines)


class PythonHighlighter(QSyntaxHighlighter):
    """Colours the lines of a document.

    Args:
        document: Its text is set through `show_code`'s caller, and does not change under us.
        theme: Whose colours.
    """

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._formats = _formats(theme)
        self._lines: tuple[tuple[Piece, ...], ...] = ()

    def expect(self, code: str) -> None:
        """Learn what the document will hold next."""
        self._lines = pieces_of(code)

    def dress(self, theme: Theme) -> None:
        """Take the colours of another theme."""
        self._formats = _formats(theme)
        self.rehighlight()

    def highlightBlock(self, _text: str) -> None:
        """Colour one line."""
        number = self.currentBlock().blockNumber()
        for piece in self._lines[number] if number < len(self._lines) else ():
            self.setFormat(piece.start, piece.length, self._formats[piece.ink])


def _formats(theme: Theme) -> dict[str, QTextCharFormat]:
    """The colours of the kinds of Operations, as they can be read on each other's soft grounds."""
    inks = {
        "comment": theme.muted,
        "keyword": theme.kind("zero_grad").strong,
        "string": theme.kind("step").strong,
        "number": theme.kind("edit").strong,
        "name": theme.accent,
        "builtin": theme.accent,
    }
    formats = {}
    for name, color in inks.items():
        formats[name] = QTextCharFormat()
        formats[name].setForeground(QColor(color))
        formats[name].setFontItalic(name == "comment")
    return formats
