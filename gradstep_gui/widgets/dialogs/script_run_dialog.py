"""ScriptRunDialog: asks whether and how to run a person's own script."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
)

from gradstep_gui.theme import theme_of
from gradstep_gui.user_folders import home_folder
from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.fonts import emphasis_font
from gradstep_gui.widgets.text.long_text import with_break_points

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

__all__ = ["ScriptRunDialog"]

WIDTH = 620


class ScriptRunDialog(QDialog):
    """Shows which file would run, with which Python, arguments and folder; it runs nothing itself.

    Args:
        path: The script.
        python: The Python that is proposed; empty for none.
        is_trusted: Whether this very content was run before.
        parent: The window.
    """

    debug_requested = Signal()
    """Run the script, and hold it before its first Operation."""

    record_requested = Signal()
    """Run the script to its end, and record it."""

    look_requested = Signal()
    """Show the script without running it."""

    def __init__(
        self, path: Path, python: str, *, is_trusted: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Run {0}").format(path.name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._warning = QLabel(self)
        self._warning.setWordWrap(True)
        self._warning.setFont(emphasis_font(self.font()))
        self._warning.setText(
            self.tr(
                "This runs the file with your rights. GradStep cannot make a stranger's script "
                "safe."
            )
        )
        place = QLabel(with_break_points(str(path)), self)
        place.setTextFormat(Qt.TextFormat.PlainText)
        place.setWordWrap(True)
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        self.python, self.arguments = QLineEdit(python, self), QLineEdit(self)
        self.folder = QLineEdit(str(path.parent), self)
        self.arguments.setPlaceholderText(self.tr("none"))
        form = QFormLayout()
        form.addRow(self.tr("Script:"), place)
        self._add_row(form, self.tr("&Python:"), self.python, self._browse_python)
        self._add_row(form, self.tr("&Arguments:"), self.arguments)
        self._add_row(form, self.tr("&Folder:"), self.folder, self._browse_folder)
        self.problem = QLabel(self)
        self.problem.setWordWrap(True)
        self.problem.setAccessibleName(self.tr("Error"))
        self.problem.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        action = QDialogButtonBox.ButtonRole.ActionRole
        self.debug = buttons.addButton(self.tr("Run and &Debug"), action)
        self.debug.setToolTip(self.tr("Hold the script before its first operation"))
        self.record = buttons.addButton(self.tr("Run and &Record"), action)
        self.record.setToolTip(self.tr("Run the script to its end, and open the recording"))
        self.look = buttons.addButton(self.tr("&Look at It Only"), action)
        self.look.setToolTip(self.tr("Show the file without running it"))
        self.debug.clicked.connect(self.debug_requested)
        self.record.clicked.connect(self.record_requested)
        self.look.clicked.connect(self.look_requested)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(12)
        column.addWidget(self._warning)
        column.addWidget(self.note)
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addStretch(1)
        column.addWidget(buttons)
        remove_button_icons(self)
        self.show_trust(is_trusted=is_trusted)
        self.resize(WIDTH, self.sizeHint().height())

    def show_trust(self, *, is_trusted: bool) -> None:
        """Show whether this content was run before; Enter only runs what was."""
        self.note.setText(
            self.tr("You have run this version of the file before.")
            if is_trusted
            else self.tr("You have not run this version of the file before: look at it first.")
        )
        (self.record if is_trusted else self.look).setDefault(True)

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments.

        Raises:
            ValueError: A quotation has no end.
        """
        return tuple(shlex.split(self.arguments.text()))

    def show_problem(self, words: str) -> None:
        """Show why the script cannot be run like this."""
        palette = self.problem.palette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme_of(self.palette()).error))
        self.problem.setPalette(palette)
        self.problem.setText(f"✖ {words}")
        self.problem.show()

    def _add_row(
        self,
        form: QFormLayout,
        title: str,
        field: QLineEdit,
        browse: Callable[[], None] | None = None,
    ) -> None:
        label = QLabel(title, self)
        label.setBuddy(field)
        name = title.replace("&", "").rstrip(":")
        field.setAccessibleName(name)
        if browse is None:
            form.addRow(label, field)
            return
        button = QPushButton(self.tr("Browse…"), self)
        button.setAccessibleName(self.tr("Browse for {0}").format(name))
        button.setAutoDefault(False)
        button.clicked.connect(browse)
        line = QHBoxLayout()
        line.addWidget(field, 1)
        line.addWidget(button)
        form.addRow(label, line)

    def _browse_python(self) -> None:
        chosen, _filter = QFileDialog.getOpenFileName(
            self, self.tr("Python"), self.python.text() or str(home_folder())
        )
        if chosen:
            self.python.setText(chosen)

    def _browse_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self.tr("Folder"), self.folder.text())
        if chosen:
            self.folder.setText(chosen)
