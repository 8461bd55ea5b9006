"""The empty state of a dock: one sentence in place of its content."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedLayout, QWidget

from gradstep_gui.widgets.text.long_text import with_break_points

__all__ = ["Placeholder"]


class Placeholder(QWidget):
    """Shows a widget, or in its place a sentence.

    Args:
        content: The widget.
        sentence: The text of the empty state.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> place = Placeholder(QLabel("numbers"), "Press Forward to see numbers.")
        >>> place.shows_content
        False
    """

    def __init__(self, content: QWidget, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = sentence
        self._label = QLabel(with_break_points(sentence), self)
        self._label.setMinimumWidth(1)  # a long name in it must not widen a dock
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label.setWordWrap(True)
        self._label.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self._label.setMargin(16)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._label)
        self._stack.addWidget(content)

    @property
    def shows_content(self) -> bool:
        """Whether the widget is shown rather than the sentence."""
        return self._stack.currentIndex() == 1

    @property
    def sentence(self) -> str:
        """The text of the empty state."""
        return self._sentence

    def show_content(self) -> None:
        """Show the widget."""
        self._stack.setCurrentIndex(1)

    def show_sentence(self, sentence: str) -> None:
        """Show a sentence in place of the widget."""
        if sentence != self._sentence:
            self._sentence = sentence
            self._label.setText(with_break_points(sentence))
        self._stack.setCurrentIndex(0)
