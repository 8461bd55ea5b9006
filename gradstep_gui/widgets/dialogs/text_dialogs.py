"""Dialogs that show a text: a crash report, a script, a help page, a list of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.text.code_view import CodeView
from gradstep_gui.widgets.text.lesson_view import LessonView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtWidgets import QWidget


__all__ = ["CrashDialog", "HelpWindow", "ScriptDialog", "show_text"]

WIDTH = 640
HEIGHT = 420


class CrashDialog(QDialog):
    """Reports an internal error, with the report to copy.

    Args:
        report: The details of the error.
        parent: The parent window.
    """

    def __init__(self, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Internal Error"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = QLabel(
            self.tr(
                "GradStep ran into an internal error. The open program is unchanged: you can "
                "continue, or save it first. The report below helps to find the error. It "
                "contains none of your data except file names."
            ),
            self,
            wordWrap=True,
        )
        self._report = QPlainTextEdit(report, self, readOnly=True)
        self._report.setAccessibleName(self.tr("Error report"))
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
        remove_button_icons(self)
        self.resize(WIDTH, HEIGHT)

    @property
    def report(self) -> str:
        """The whole report."""
        return self._report.toPlainText()

    def copy(self) -> None:
        """Put the report on the clipboard."""
        QGuiApplication.clipboard().setText(self.report)


class ScriptDialog(QDialog):
    """Shows a script to read, copy or save.

    Args:
        title: What it is.
        words: The introduction: what it does, and how to run it.
        code: The script.
        parent: The parent widget.
        can_save: Whether it can be saved to a file.
    """

    save_requested = Signal(str)
    """This script should be saved to a file."""

    def __init__(
        self,
        title: str,
        words: str,
        code: str,
        parent: QWidget | None = None,
        *,
        can_save: bool = True,
    ) -> None:
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
        self.save.setVisible(can_save)
        self.save.setDefault(can_save)
        self.save.clicked.connect(lambda: self.save_requested.emit(code))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(code))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(12)
        column.addWidget(label)
        column.addWidget(self.code, 1)
        column.addWidget(buttons)
        remove_button_icons(self)
        self.resize(780, 600)


class HelpWindow(QDialog):
    """Shows one page of Markdown at a time.

    Args:
        kinds: The words that, when bold, get the colour of a kind of Operation.
        parent: The window that it closes with.
    """

    def __init__(self, kinds: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(parent)
        self.page = LessonView(kinds, self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 10)
        column.addWidget(self.page)
        foot = QVBoxLayout()
        foot.setContentsMargins(14, 0, 14, 0)
        foot.addWidget(buttons)
        column.addLayout(foot)
        remove_button_icons(self)
        self.resize(760, 680)

    def show_page(self, title: str, markdown: str) -> None:
        """Show another page from its top."""
        self.setWindowTitle(title)
        self.page.setAccessibleName(title)
        self.page.show_lesson(markdown)
        self.show()
        self.activateWindow()


def show_text(parent: QWidget, title: str, text: str) -> None:
    """Show a longer text to read and copy."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(title)
    field = QPlainTextEdit(text, dialog, readOnly=True)
    field.setAccessibleName(title)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, dialog)
    buttons.rejected.connect(dialog.reject)
    column = QVBoxLayout(dialog)
    column.setContentsMargins(14, 14, 14, 14)
    column.addWidget(field)
    column.addWidget(buttons)
    remove_button_icons(dialog)
    dialog.resize(620, 380)
    dialog.exec()
    dialog.deleteLater()
