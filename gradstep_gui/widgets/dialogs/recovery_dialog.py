"""The dialog of recordings that processes left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QDateTime, QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.tables.cells import Cell
from gradstep_gui.widgets.tables.table import CellTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["RecordingRow", "RecoveryDialog"]

WIDTH, HEIGHT = 620, 360
_DATE = "yyyy-MM-dd HH:mm"


class RecordingRow(NamedTuple):
    """A recording.

    Attributes:
        path: Its file.
        name: The program or the script; empty when it cannot be told.
        changed: When it was written last, in seconds since 1970.
        size: In bytes.
    """

    path: Path
    name: str
    changed: float
    size: int


class RecoveryDialog(QDialog):
    """Lists recordings, to open one or to delete them.

    Args:
        parent: The parent widget.
    """

    recover_requested = Signal(object)
    """Open a recording: its path."""

    delete_requested = Signal(list)
    """Delete recordings: their paths."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Recover Session"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._rows: tuple[RecordingRow, ...] = ()
        words = QLabel(
            self.tr(
                "These sessions were open when GradStep ended unexpectedly. Each was recorded up "
                "to its last event, and is kept until you recover or delete it."
            ),
            self,
            wordWrap=True,
        )
        self.table = CellTable(self.tr("Recordings"), self)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.opened.connect(lambda _row: self.recover())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.recover_button = buttons.addButton(self.tr("&Recover"), role)
        self.delete_button = buttons.addButton(self.tr("&Delete…"), role)
        self.recover_button.clicked.connect(self.recover)
        self.delete_button.clicked.connect(self.delete)
        self.recover_button.setDefault(True)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        for widget in (words, self.table, buttons):
            column.addWidget(widget)
        remove_button_icons(self)
        self.resize(WIDTH, HEIGHT)
        self.show_recordings(())

    @property
    def chosen(self) -> list[Path]:
        """The paths of the selected recordings."""
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        return [self._rows[row].path for row in rows]

    def show_recordings(self, rows: Sequence[RecordingRow]) -> None:
        """Show recordings, and select the first."""
        self._rows = tuple(rows)
        titles = (self.tr("Program"), self.tr("Last Event"), self.tr("Size"))
        locale = QLocale()
        self.table.show_rows(
            titles,
            [
                (
                    Cell(row.name or self.tr("unknown"), str(row.path)),
                    Cell(QDateTime.fromSecsSinceEpoch(int(row.changed)).toString(_DATE)),
                    Cell(locale.formattedDataSize(row.size), number=True),
                )
                for row in rows
            ],
        )
        self.table.stretch(0)
        if rows:
            self.table.selectRow(0)
        for button in (self.recover_button, self.delete_button):
            button.setEnabled(bool(rows))

    def recover(self) -> None:
        """Open the first of the selected recordings."""
        if self.chosen:
            self.recover_requested.emit(self.chosen[0])

    def delete(self) -> None:
        """Delete the selected recordings, once the user has agreed."""
        chosen = self.chosen
        if chosen and self._agrees(len(chosen)):
            self.delete_requested.emit(chosen)

    def _agrees(self, count: int) -> bool:
        question = self.tr("Delete this recording?")
        if count > 1:
            question = self.tr("Delete these {0} recordings?").format(count)
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self,
            self.tr("Delete Recordings"),
            question + " " + self.tr("This cannot be undone."),
            buttons.Yes | buttons.Cancel,
            buttons.Cancel,
        )
        return answer == buttons.Yes
