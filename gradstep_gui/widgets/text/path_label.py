"""PathLabel: a path in one line, whose first parts make way where there is no room."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.text.long_text import elided_name

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

__all__ = ["PathLabel"]

_BETWEEN = "\u00a0\u00a0>\u00a0\u00a0"


class PathLabel(QLabel):
    """Shows a path, its last part in bold; without room it begins with an ellipsis.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> label = PathLabel()
        >>> label.resize(10_000, 20)
        >>> label.show_path(["Step", "group 0"], "weight")
        >>> label.shown_path()
        (['Step', 'group 0'], 'weight')
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: list[str] = []
        self._last = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_path(self, parts: list[str], last: str) -> None:
        """Show the parts before the last one, and that."""
        self._parts, self._last = parts, last
        self._write()

    def shown_path(self) -> tuple[list[str], str]:
        """Return the parts for which there is room, and the last one, elided if need be."""
        metrics, bold = QFontMetrics(self.font()), QFontMetrics(emphasis_font(self.font()))

        def room(parts: list[str]) -> int:
            before = "".join(part + _BETWEEN for part in parts)
            return self.width() - metrics.horizontalAdvance(before)

        needed = bold.horizontalAdvance(self._last)
        parts, rest = self._parts, self._parts
        while rest and room(parts) < needed:
            rest = rest[1:]
            parts = ["…", *rest]
        return parts, elided_name(self._last, bold, max(0, room(parts)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many parts as there is room for."""
        super().resizeEvent(event)
        self._write()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of another theme, and the room of another font."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.FontChange}:
            self._write()

    def _write(self) -> None:
        parts, last = self.shown_path()
        before = escape("".join(part + _BETWEEN for part in parts))
        muted = theme_of(self.palette()).muted
        self.setText(f"<span style='color:{muted}'>{before}</span><b>{escape(last)}</b>")
