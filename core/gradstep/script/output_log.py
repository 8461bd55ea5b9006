"""OutputLog: what a script prints, as lines of plain text, as many as a person would look at."""

from __future__ import annotations

import re
import threading
from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MAX_LINES", "OutputChange", "OutputLine", "OutputLog", "Stream"]

Stream = Literal["out", "err", "note"]
"""Standard output, standard error, or what GradStep says of the script's end."""

MAX_LINES: Final = 10_000
MAX_CHARACTERS: Final = 8_000_000
MAX_WIDTH: Final = 4_000
"""Characters of a line; what comes after them begins another one."""

_MAX_ESCAPE = 256
_NEAR = 200
"""How many lines later a progress bar is still rewritten where it stands."""
_MAX_KNOWN = 64
_TAB = 8
_DIGITS = 9

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TOKEN = re.compile(
    r"""(?P<text>[^\x00-\x1f\x7f-\x9f]+)
    |\x1b\[(?P<numbers>[0-?]*)[ -/]*(?P<final>[@-~])  # a command such as "erase the line"
    |\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)          # a title or a link
    |\x1b[ -/]*[0-OQ-WYZ`-~\\]                        # a character set, and others without effect
    |(?P<control>[\x00-\x1f\x7f-\x9f])""",
    re.VERBOSE,
)


class OutputLine(NamedTuple):
    """One line of output.

    Attributes:
        stream: Where the script has printed it.
        text: The text, without control characters.
    """

    stream: Stream
    text: str


class OutputChange(NamedTuple):
    """What has changed since the last time.

    Attributes:
        first: The number of the oldest line that is kept; lines are counted from the first one.
        start: The number of the first line that is another one now, or new.
        lines: That line, and all after it.
    """

    first: int
    start: int
    lines: tuple[OutputLine, ...]


@dataclass(slots=True)
class _Cursor:
    """Where a stream writes next.

    Attributes:
        rows: The numbers of the latest lines of the stream.
        row: The index of the line in `rows`; that after the last for one that is not begun.
        column: The place in the line.
        pending: The beginning of an escape sequence whose end has not come.
    """

    rows: list[int] = field(default_factory=list)
    row: int = 0
    column: int = 0
    pending: str = ""


class OutputLog:
    r"""Keeps the last lines that a script has printed, as a terminal shows them.

    A carriage return rewrites the line and the cursor goes up again, so that progress bars stay in
    their places; colours and other escape sequences are dropped. Each stream has a cursor of its
    own: a bar on standard error stays whole when standard output goes on.

    Any thread may call its methods.

    Args:
        changed: Called when there is something to `take`, once until it is taken.

    Example:
        >>> log = OutputLog()
        >>> log.write("err", "\r 10%|#   |\r 100%|####|")
        >>> log.write("out", "\x1b[32mdone\x1b[0m\n")
        >>> [line.text for line in log.lines]
        [' 100%|####|', 'done']
    """

    def __init__(self, changed: Callable[[], None] | None = None) -> None:
        self._changed = changed
        self._lock = threading.Lock()
        self._lines: deque[OutputLine] = deque()
        self._first = self._characters = 0
        self._dirty = 0
        self._is_announced = False
        self._cursors: dict[str, _Cursor] = {"out": _Cursor(), "err": _Cursor()}

    @property
    def lines(self) -> tuple[OutputLine, ...]:
        """The lines that are kept."""
        with self._lock:
            return tuple(self._lines)

    def write(self, stream: Literal["out", "err"], text: str) -> None:
        """Add what a script has printed.

        Args:
            stream: Where it has.
            text: Any part of the text; it may begin and end within a line or an escape sequence.
        """
        with self._lock:
            cursor = self._cursors[stream]
            text = (cursor.pending + text).replace("\r\n", "\n")
            cursor.pending = ""
            if _CONTROL.search(text) is None and "\t" not in text:
                self._write_plain(stream, cursor, text)
            else:
                self._interpret(stream, cursor, text)
            self._trim()
        self._announce()

    def note(self, text: str) -> None:
        """Add a line that the script has not printed itself."""
        with self._lock:
            for cursor in self._cursors.values():
                cursor.row, cursor.column = len(cursor.rows), 0
            self._append("note", text)
            self._trim()
        self._announce()

    def take(self, *, whole: bool = False) -> OutputChange:
        """Return what has changed since this was called before.

        Args:
            whole: Whether to return everything instead.
        """
        with self._lock:
            self._is_announced = False
            start = self._first if whole else max(self._dirty, self._first)
            self._dirty = self._first + len(self._lines)
            return OutputChange(
                self._first, start, tuple(islice(self._lines, start - self._first, None))
            )

    def clear(self) -> None:
        """Forget all lines."""
        with self._lock:
            self._first += len(self._lines)
            self._lines.clear()
            self._characters, self._dirty = 0, self._first
            for cursor in self._cursors.values():
                cursor.rows.clear()
                cursor.row = cursor.column = 0
        self._announce()

    def _announce(self) -> None:
        with self._lock:
            is_news, self._is_announced = not self._is_announced, True
        if is_news and self._changed is not None:
            self._changed()

    # -- the parts of a text -------------------------------------------------------------------

    def _write_plain(self, stream: Stream, cursor: _Cursor, text: str) -> None:
        """Write a text that has no control characters but the ends of lines."""
        *whole, last = text.split("\n")
        for line in whole:
            self._put(stream, cursor, line)
            self._end_line(stream, cursor)
        self._put(stream, cursor, last)

    def _interpret(self, stream: Stream, cursor: _Cursor, text: str) -> None:
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            assert token is not None, "any character is a token"
            if token["control"] == "\x1b":
                if len(text) - at < _MAX_ESCAPE:  # its end comes later
                    cursor.pending = text[at:]
                    return
            elif token["text"]:
                self._put(stream, cursor, token["text"])
            elif token["control"]:
                self._control(stream, cursor, token["control"])
            elif token["final"]:
                self._move(cursor, token["final"], token["numbers"])
            at = token.end()

    def _control(self, stream: Stream, cursor: _Cursor, control: str) -> None:
        match control:
            case "\n":
                self._end_line(stream, cursor)
            case "\r":
                if cursor.row < len(cursor.rows) and self._is_far(cursor.rows[cursor.row]):
                    cursor.row = len(cursor.rows)
                cursor.column = 0
            case "\b":
                cursor.column = max(cursor.column - 1, 0)
            case "\t":
                self._put(stream, cursor, " " * (_TAB - cursor.column % _TAB))
            case _:
                pass

    def _move(self, cursor: _Cursor, final: str, numbers: str) -> None:
        """Carry out a command that moves the cursor, or erases something."""
        text = numbers.partition(";")[0]
        number = int(text[:_DIGITS]) if text.isascii() and text.isdecimal() else 0
        count = max(number, 1)
        match final:
            case "A":
                cursor.row = max(cursor.row - count, 0)
            case "B":
                cursor.row = min(cursor.row + count, len(cursor.rows))
            case "C":
                cursor.column = min(cursor.column + count, MAX_WIDTH)
            case "D":
                cursor.column = max(cursor.column - count, 0)
            case "G":
                cursor.column = min(count - 1, MAX_WIDTH)
            case "K":
                self._erase(cursor, number)
            case "J" if number == 0:
                self._erase(cursor, 0)
                for row in cursor.rows[cursor.row + 1 :]:
                    self._replace(row, "")
            case _:
                pass

    def _erase(self, cursor: _Cursor, part: int) -> None:
        """Erase the line after the cursor (0), before it (1), or all of it (2)."""
        if cursor.row == len(cursor.rows):
            return
        row = cursor.rows[cursor.row]
        text = self._text(row)
        kept = {0: text[: cursor.column], 1: " " * cursor.column + text[cursor.column :]}
        self._replace(row, kept.get(part, ""))

    # -- lines ---------------------------------------------------------------------------------

    def _put(self, stream: Stream, cursor: _Cursor, text: str) -> None:
        """Write characters at the cursor, over those that stand there."""
        while text:
            if cursor.column >= MAX_WIDTH:
                self._end_line(stream, cursor)
            part, text = text[: MAX_WIDTH - cursor.column], text[MAX_WIDTH - cursor.column :]
            column = cursor.column
            cursor.column += len(part)
            if cursor.row == len(cursor.rows):
                self._begin_line(stream, cursor, " " * column + part)
                continue
            row = cursor.rows[cursor.row]
            known = self._text(row)
            self._replace(row, known[:column].ljust(column) + part + known[cursor.column :])

    def _end_line(self, stream: Stream, cursor: _Cursor) -> None:
        if cursor.row == len(cursor.rows):
            self._begin_line(stream, cursor, "")
        cursor.row += 1
        cursor.column = 0

    def _begin_line(self, stream: Stream, cursor: _Cursor, text: str) -> None:
        cursor.rows.append(self._append(stream, text))
        del cursor.rows[:-_MAX_KNOWN]
        cursor.row = len(cursor.rows) - 1

    def _append(self, stream: Stream, text: str) -> int:
        number = self._first + len(self._lines)
        self._lines.append(OutputLine(stream, text))
        self._characters += len(text)
        self._dirty = min(self._dirty, number)
        return number

    def _text(self, row: int) -> str:
        return self._lines[row - self._first].text if row >= self._first else ""

    def _replace(self, row: int, text: str) -> None:
        if row < self._first:  # it is not kept any more
            return
        line = self._lines[row - self._first]
        self._lines[row - self._first] = line._replace(text=text)
        self._characters += len(text) - len(line.text)
        self._dirty = min(self._dirty, row)

    def _is_far(self, row: int) -> bool:
        return self._first + len(self._lines) - row > _NEAR

    def _trim(self) -> None:
        while len(self._lines) > MAX_LINES or self._characters > MAX_CHARACTERS:
            self._characters -= len(self._lines.popleft().text)
            self._first += 1
