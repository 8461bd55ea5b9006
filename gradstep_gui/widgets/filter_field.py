"""A field to type a few letters into, which narrows a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

__all__ = ["FilterField", "matches"]


def matches(name: str, wanted: str) -> bool:
    """Tell whether every word of `wanted` occurs in `name`, whatever the case.

    Example:
        >>> matches("model.0.weight", "MODEL weight"), matches("model.0.bias", "weight")
        (True, False)
    """
    low = name.lower()
    return all(word in low for word in wanted.lower().split())


class FilterField(QLineEdit):
    """A line edit with a clear button; Escape clears it.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> FilterField("Filter tensors").placeholderText()
        'Filter tensors'
    """

    def __init__(self, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.setClearButtonEnabled(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear on Escape; hand on an Escape that has nothing to clear."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
