"""Long text in little room: labels that elide or wrap, and break points in long words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QTextLayout
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QFont, QPaintEvent, QResizeEvent

__all__ = ["ElidedLabel", "WrappedLabel", "elided_name", "text_lines", "with_break_points"]

_ALIGN = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class ElidedLabel(QLabel):
    """A label that elides its text at the end, a name within, with the whole as tooltip.

    Attributes:
        most_lines: The most lines; its owner gives it the height for them.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> label = ElidedLabel()
        >>> label.setText("words " * 100)
        >>> label.minimumSizeHint().width()
        0
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.most_lines = 1
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        """Set the text and the tooltip."""
        super().setText(text)
        self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        """Return the height of a line and no width."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the elided text, in as few lines as it needs."""
        lines = text_lines(self.text(), self.font(), self.width(), self.most_lines)
        QPainter(self).drawText(self.rect(), int(_ALIGN), "\n".join(lines))


def text_lines(text: str, font: QFont, width: int, most: int) -> list[str]:
    """Return the lines of a text in a width; the last one is elided where more would be needed.

    Args:
        text: The text, a single paragraph.
        font: Its font.
        width: The width in pixels.
        most: The most lines.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> [line[-1] for line in text_lines("words " * 100, app.font(), 200, 2)]
        ['s', '…']
    """
    lines: list[str] = []
    if most > 1:
        layout = QTextLayout(text, font)
        layout.beginLayout()
        while len(lines) < most - 1 and (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            lines.append(text[line.textStart() : line.textStart() + line.textLength()].rstrip())
            if line.textStart() + line.textLength() >= len(text):
                layout.endLayout()
                return lines
        rest = text[line.textStart() + line.textLength() :] if lines else text
        layout.endLayout()
    else:
        rest = text
    metrics = QFontMetrics(font)
    if " " not in rest:
        return [*lines, elided_name(rest, metrics, width)]
    return [*lines, metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width)]


_NUMBERED = re.compile(r"\d+|.*\[\d+\]")


def elided_name(name: str, metrics: QFontMetrics, width: int) -> str:
    """Return a name shortened to a width, with the number of its layer.

    The names of a deep model differ in that number alone, which stands in their middle.

    Args:
        name: Such as "model.blocks.17.feed_forward.weight".
        metrics: Those of its font.
        width: The width in pixels.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> metrics = QFontMetrics(app.font())
        >>> width = metrics.horizontalAdvance("…17.feed_forward.weight")
        >>> elided_name("model.blocks.17.feed_forward.weight", metrics, width)
        '…17.feed_forward.weight'
    """
    middle = Qt.TextElideMode.ElideMiddle
    parts = name.split(".")
    numbered = [place for place, part in enumerate(parts) if _NUMBERED.fullmatch(part)]
    if metrics.horizontalAdvance(name) <= width:
        return name
    if not numbered:
        return metrics.elidedText(name, middle, width)
    last = numbered[-1]
    for first in range(1, last + 1):
        shorter = "…" + ".".join(parts[first:])
        if metrics.horizontalAdvance(shorter) <= width:
            return shorter
    head = f"…{parts[last]}."
    tail = ".".join(parts[last + 1 :])
    room = width - metrics.horizontalAdvance(head)
    if not tail or room < metrics.horizontalAdvance("m…m"):
        return metrics.elidedText(name, middle, width)
    return head + metrics.elidedText(tail, middle, room)


class WrappedLabel(QLabel):
    """A label whose words wrap, exactly as high as its text needs in the width that it gets.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> label = WrappedLabel("words " * 20)
        >>> label.minimumSizeHint().width(), label.sizePolicy().hasHeightForWidth()
        (1, True)
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent, wordWrap=True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)  # setting a policy drops what word wrap has set
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        """Return the height that the present width needs, and no width."""
        return QSize(1, self.heightForWidth(max(1, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height of the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


LONG = 30
"""The length from which a word may be broken."""

_JOINT = re.compile(r"([._/\[])")


def with_break_points(text: str) -> str:
    r"""Return `text` with a zero-width space after each separator in long words.

    Example:
        >>> with_break_points("short.word in model.0.a_name_that_somebody_chose").count("\u200b")
        6
    """
    words = (_JOINT.sub("\\1\u200b", w) if len(w) >= LONG else w for w in text.split(" "))
    return " ".join(words)
