"""A popup with short lists side by side, such as what is read, written and left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QVBoxLayout, QWidget

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.accessibility import announce
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.text.long_text import with_break_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QHideEvent, QKeyEvent, QMouseEvent, QPaintEvent

__all__ = ["ColumnsPopup"]

_WIDEST = 280
"""The most pixels of a column; longer lines are wrapped."""

_DISTANCE = 4
"""Pixels between the popup and what it belongs to, or the edge of the window."""

_RADIUS = 5.0


class ColumnsPopup(QWidget):
    """Shows columns of lines beside a widget, until Escape or a click elsewhere.

    It floats over the content of the window of `parent`, so that nothing moves.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> popup = ColumnsPopup()
        >>> popup.show_columns("Step", [("Reads", ["x", "x.grad"]), ("Writes", ["x"])], "nothing")
        >>> popup.text
        'Step. Reads: x, x.grad. Writes: x.'
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setVisible(False)
        self._opener: QWidget | None = None
        self._text = ""
        self._title = QLabel(self)
        self._title.setFont(emphasis_font(self.font()))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 12)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addLayout(self._grid)

    @property
    def text(self) -> str:
        """All that it shows, as one line."""
        return self._text

    def show_columns(
        self, title: str, columns: Sequence[tuple[str, Sequence[str]]], nothing: str
    ) -> None:
        """Replace what is shown.

        Args:
            title: The heading.
            columns: The heading and the lines of each.
            nothing: What an empty column says.
        """
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._title.setText(title)
        for place, (heading, lines) in enumerate(columns):
            head = QLabel(heading, self)
            head.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            self._grid.addWidget(head, 0, place)
            body = QLabel("\n".join(map(with_break_points, lines)) or nothing, self)
            body.setTextFormat(Qt.TextFormat.PlainText)
            body.setWordWrap(True)
            body.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            body.setMinimumWidth(min(_WIDEST, _natural_width(body)))
            body.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            if not lines:
                body.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            self._grid.addWidget(body, 1, place)
        parts = [f"{head}: {', '.join(lines) or nothing}." for head, lines in columns]
        self._text = " ".join((f"{title}.", *parts))
        self.setAccessibleName(title)
        self.setAccessibleDescription(self._text)

    def open_above(self, widget: QWidget, opener: QWidget) -> None:
        """Open it above a widget of the same window, with their right edges aligned.

        What follows from the widget is usually below it, and stays in sight; where there is no room
        above, it opens below.

        Args:
            widget: What it belongs to.
            opener: Gets the focus back when it closes.
        """
        window = widget.window()
        self._opener = opener
        self.setParent(window)
        self.adjustSize()
        corner = widget.mapTo(window, QPoint(widget.width() - self.width(), 0))
        above = corner.y() - self.height() - _DISTANCE
        corner.setY(above if above >= _DISTANCE else corner.y() + widget.height() + _DISTANCE)
        corner.setX(max(4, min(corner.x(), window.width() - self.width() - 4)))
        self.move(corner)
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.PopupFocusReason)
        self._watch_presses(watched=True)
        announce(self, self._text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Close at a press elsewhere; the press itself does what it always does."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            inside = watched is self or self.isAncestorOf(watched)
            if not inside and watched is not self._opener:
                self.close()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep a press to itself: Qt would pass it on to the window, as one elsewhere."""
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a panel that stands out from what it covers, also in a dark window."""
        theme = theme_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.window))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(theme.raised))
        painter.setPen(QPen(QColor(theme.muted), 1))
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(area, _RADIUS, _RADIUS)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close at Escape, and give the focus back."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
            if self._opener is not None:
                self._opener.setFocus(Qt.FocusReason.PopupFocusReason)
        else:
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Watch no more presses."""
        self._watch_presses(watched=False)
        super().hideEvent(event)

    def _watch_presses(self, *, watched: bool) -> None:
        application = QApplication.instance()
        if application is None:  # it is about to end
            return
        if watched:
            application.installEventFilter(self)
        else:
            application.removeEventFilter(self)


def _natural_width(label: QLabel) -> int:
    lines = label.text().splitlines()
    return max(label.fontMetrics().horizontalAdvance(line) for line in lines) + 4
