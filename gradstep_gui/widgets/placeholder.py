"""What a dock shows while it has nothing to show: one sentence that says what will fill it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedLayout, QWidget

from gradstep_gui.widgets.text.long_text import with_break_points

__all__ = ["Placeholder"]


class Placeholder(QWidget):
    """Holds a widget, or in its place a sentence.

    Args:
        content: What is shown when there is something.
        sentence: What is said when there is not.

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
        """What is said when there is nothing."""
        return self._sentence

    def show_content(self) -> None:
        """Show the widget."""
        self._stack.setCurrentIndex(1)

    def show_sentence(self, sentence: str) -> None:
        """Say what is missing."""
        self._sentence = sentence
        self._label.setText(with_break_points(sentence))
        self._stack.setCurrentIndex(0)
