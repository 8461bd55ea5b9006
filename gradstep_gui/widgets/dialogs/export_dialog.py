"""ExportDialog: shows a script before it is written to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QLabel, QVBoxLayout

from gradstep_gui.widgets.dialogs.bare_buttons import bare_buttons
from gradstep_gui.widgets.text.code_view import CodeView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

__all__ = ["ExportDialog"]


class ExportDialog(QDialog):
    """A script to be read, copied or saved.

    Args:
        title: What it is.
        words: What it does, and how to run it.
        code: The script.
        parent: Its owner.
    """

    save_asked = Signal(str)
    """The person wants this script in a file."""

    def __init__(self, title: str, words: str, code: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        label = QLabel(words, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        self.code = CodeView(self)
        self.code.setFrameShape(QFrame.Shape.StyledPanel)
        self.code.show_code(code.rstrip("\n"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.save = buttons.addButton(self.tr("&Save As…"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy = buttons.addButton(self.tr("C&opy"), QDialogButtonBox.ButtonRole.ActionRole)
        self.save.setDefault(True)
        self.save.clicked.connect(lambda: self.save_asked.emit(code))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(code))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(12)
        column.addWidget(label)
        column.addWidget(self.code, 1)
        column.addWidget(buttons)
        bare_buttons(self)
        self.resize(780, 600)
