"""Markdown that is as high as its text, for use among other widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QSizePolicy

from gradstep_gui.widgets.text.lesson_view import LessonView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QResizeEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

__all__ = ["FittedText"]


class FittedText(LessonView):
    """Shows Markdown without scroll bars or a background; its height follows its width.

    Args:
        kinds: The words that, when bold, get the colour of a kind of Operation.
        markdown: The text.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> text = FittedText({}, "one two three")
        >>> text.heightForWidth(40) > text.heightForWidth(400)
        True
    """

    def __init__(
        self, kinds: Mapping[str, str], markdown: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(kinds, parent)
        self.document().setDocumentMargin(0)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(markdown)
        self.show_lesson(markdown)

    def hasHeightForWidth(self) -> bool:
        """Return True: words wrap."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the text in a width."""
        copy = self.document().clone()
        copy.setTextWidth(max(1, width))
        height = round(copy.size().height())
        copy.deleteLater()
        return height

    def sizeHint(self) -> QSize:
        """Return a narrow size, so that the text widens nothing."""
        width = max(self.width(), 1)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return the height that the present width needs."""
        return QSize(1, self.heightForWidth(max(self.width(), 1)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height of the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave scrolling to what is around it."""
        event.ignore()

    def changeEvent(self, event: QEvent) -> None:
        """Fit the text of another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
