"""The dialog that asks for one value, and shows at once what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.buttons import remove_button_icons

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

__all__ = ["ValueDialog"]


class ValueDialog(QDialog):
    """Asks for a value; it is accepted only if it has no problem.

    Args:
        title: The title of the window.
        label: What the value is, with the letter of its key.
        proposed: The proposed value.
        problem: Returns what is wrong with a value; empty if nothing is.
        parent: The parent widget.
    """

    def __init__(
        self,
        title: str,
        label: str,
        proposed: str,
        problem: Callable[[str], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._problem_of = problem
        self.field = QLineEdit(proposed, self)
        self.field.selectAll()
        caption = QLabel(label, self)
        caption.setBuddy(self.field)
        self.problem = QLabel(self, wordWrap=True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setAccessibleName(self.tr("Error"))
        self.problem.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        apply = self.buttons.addButton(self.tr("&Apply"), QDialogButtonBox.ButtonRole.AcceptRole)
        apply.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.field.textEdited.connect(self.problem.hide)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(12)
        column.addWidget(caption)
        column.addWidget(self.field)
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
        remove_button_icons(self)
        self.setMinimumWidth(360)
        self._use_theme()

    def accept(self) -> None:
        """Close the dialog, unless the value has a problem, which is then shown."""
        problem = self._problem_of(self.field.text())
        if not problem:
            super().accept()
            return
        self.problem.setText(problem)
        self.problem.show()
        self.field.setFocus()
        self.field.selectAll()

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of a new theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "problem"):
            self._use_theme()

    def _use_theme(self) -> None:
        palette = self.problem.palette()
        error = theme_of(self.palette()).error
        palette.setColor(self.problem.foregroundRole(), QColor(error))
        self.problem.setPalette(palette)
