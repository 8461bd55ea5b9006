"""What is shown where there is no landscape: a sentence, and a button that computes one."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from gradstep_gui.widgets.text.long_text import with_break_points

__all__ = ["LandscapeOffer"]

_WIDEST = 460


class LandscapeOffer(QWidget):
    """Shows a widget, or in its place a sentence, with or without a button below it.

    Args:
        content: The widget.
        parent: The parent widget.

    Attributes:
        button: The button.
    """

    accepted = Signal()
    """The button was pressed."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = ""
        self._label = QLabel()
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._label.setWordWrap(True)
        self._label.setMinimumWidth(1)
        self._label.setMaximumWidth(_WIDEST)
        self._label.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.button = QPushButton(self.tr("&Compute the Landscape"))
        self.button.clicked.connect(self.accepted)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(16)
        column.addStretch()
        middle = QHBoxLayout()  # an alignment would keep the label at its narrow preferred width
        middle.addStretch()
        middle.addWidget(self._label, 100)
        middle.addStretch()
        column.addLayout(middle)
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(page)
        self._stack.addWidget(content)
        self.show_sentence(self.tr("Open a program to see its landscape."))

    @property
    def shows_content(self) -> bool:
        """Whether the widget is shown rather than the sentence."""
        return self._stack.currentIndex() == 1

    @property
    def sentence(self) -> str:
        """The sentence that is shown, or was shown last."""
        return self._sentence

    def show_content(self) -> None:
        """Show the widget."""
        self._stack.setCurrentIndex(1)

    def show_sentence(self, sentence: str, *, with_button: bool = False) -> None:
        """Show a sentence in place of the widget.

        Args:
            sentence: The sentence.
            with_button: Whether a landscape can be computed.
        """
        self._sentence = sentence
        self._label.setText(with_break_points(sentence))
        self.button.setVisible(with_button)
        self._stack.setCurrentIndex(0)
