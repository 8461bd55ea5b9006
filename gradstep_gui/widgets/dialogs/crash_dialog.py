"""The dialog for an error that is ours: what happened, a report to copy, and on one goes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.widgets.dialogs.bare_buttons import bare_buttons

__all__ = ["CrashDialog"]

WIDTH = 640
HEIGHT = 420


class CrashDialog(QDialog):
    """Says that an error of ours happened, and offers the report.

    Args:
        report: Everything that helps to find the error.
        parent: The window it opens over.
    """

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("An error inside GradStep"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = QLabel(
            self.tr(
                "Something went wrong inside GradStep itself. The program that is open is kept as "
                "it was before; you can go on, or save it first. The report below helps to find "
                "the error. It holds no data of yours but file names."
            ),
            self,
            wordWrap=True,
        )
        self._report = QPlainTextEdit(report, self, readOnly=True)
        self._report.setAccessibleName(self.tr("Report"))
        self._report.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._report.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self._copy = buttons.addButton(
            self.tr("&Copy Report"), QDialogButtonBox.ButtonRole.ActionRole
        )
        self._copy.clicked.connect(self.copy)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        for widget in (words, self._report, buttons):
            column.addWidget(widget)
        bare_buttons(self)
        self.resize(WIDTH, HEIGHT)

    @property
    def report(self) -> str:
        """The whole report."""
        return self._report.toPlainText()

    def copy(self) -> None:
        """Put the report on the clipboard."""
        QGuiApplication.clipboard().setText(self.report)
