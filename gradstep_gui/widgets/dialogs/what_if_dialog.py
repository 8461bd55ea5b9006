"""The dialog that asks what a what-if changes, with one row for each change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradstep.history.records.what_if import Edits
from gradstep_gui.resources import icon
from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.dialogs.what_if_pages import PAGES, ChangePage, SkipPage, event_spin
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from gradstep_gui.widgets.dialogs.what_if_pages import Choices

__all__ = ["ChangeRow", "WhatIfDialog"]


class WhatIfDialog(QDialog):
    """Asks for the first event to replay and the changes, one row each.

    Args:
        event: The proposed event.
        choices: The options of the fields.
        parent: The parent widget.
    """

    asked = Signal(object)
    """The what-if should be run: an `Edits`."""

    def __init__(self, event: int, choices: Choices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What If"))
        self._choices = choices
        self._rows: list[ChangeRow] = []
        self.start = event_spin(self.tr("From event"), choices.count, self)
        self.start.setValue(max(1, event))
        self._what = ElidedLabel(self)
        self.add = QPushButton(self.tr("&Add a Change"), self)
        self.name = QLineEdit(self)
        self.name.setPlaceholderText(self.tr("named after the changes"))
        self.name.setAccessibleName(self.tr("Branch name"))
        self.problem = QLabel(self)
        self.problem.setWordWrap(True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setAccessibleName(self.tr("Error"))
        self.problem.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self._replay = self.buttons.addButton(
            self.tr("&Replay"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self._assemble()
        self._follow_event()
        self.add_row()

    @property
    def rows(self) -> tuple[ChangeRow, ...]:
        """The rows, in order."""
        return tuple(self._rows)

    def edits(self) -> Edits:
        """Return the changes of all rows."""
        parts = [row.page.edits() for row in self._rows]
        settings: dict[str, Any] = {}
        for part in parts:
            settings.update(part.set)
        return Edits(
            self.start.value(),
            skip=tuple(dict.fromkeys(event for part in parts for event in part.skip)),
            insert=tuple(pair for part in parts for pair in part.insert),
            move=tuple(pair for part in parts for pair in part.move),
            set=settings,
            name=self.name.text().strip(),
        )

    def accept(self) -> None:
        """Emit `asked` and close; `show_problem` opens the dialog again."""
        self.problem.hide()
        super().accept()
        self.asked.emit(self.edits())

    def show_problem(self, text: str) -> None:
        """Open again with all fields as they were, and show an error."""
        self.problem.setStyleSheet(f"color: {theme_of(self.palette()).error}")
        self.problem.setText(text)
        self.problem.show()
        self.open()

    def add_row(self) -> ChangeRow:
        """Add another row, of the same kind as the last one."""
        row = ChangeRow(self._choices, self.start.value(), self._held)
        row.begin_at(self.start.value())
        if self._rows:
            row.choose(type(self._rows[-1].page))
        elif not self._choices.values:
            row.choose(SkipPage)
        row.changed.connect(self._offer)
        row.removed.connect(lambda: self._remove(row))
        QWidget.setTabOrder(self._rows[-1] if self._rows else self.start, row)
        self._rows.append(row)
        self._lines.insertWidget(len(self._rows) - 1, row)
        self._offer()
        QTimer.singleShot(0, row, lambda: self._scroll.ensureWidgetVisible(row))
        row.setFocus()
        return row

    def _remove(self, row: ChangeRow) -> None:
        self._rows.remove(row)
        row.hide()
        row.deleteLater()
        self._offer()

    def _follow_event(self) -> None:
        event = self.start.value()
        self._what.setText(self._choices.describe(event))
        for row in self._rows:
            row.begin_at(event)

    def _offer(self) -> None:
        """Enable Replay when every row is complete."""
        complete = all(row.page.is_complete for row in self._rows)
        self._replay.setEnabled(bool(self._rows) and complete)

    def _assemble(self) -> None:
        words = QLabel(
            self.tr(
                "The events from here on are replayed on a new branch, with the changes below. "
                "The current branch stays as it is. Values are set before the first replayed "
                "event."
            ),
            self,
        )
        words.setWordWrap(True)
        self._held = QWidget(self)
        self._lines = QVBoxLayout(self._held)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(8)
        self._lines.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self._lines.addStretch(1)
        self._scroll = QScrollArea(self)
        self._scroll.setWidget(self._held)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(14)
        column.addWidget(words)
        column.addLayout(self._line(self.tr("&From event:"), self.start, self._what))
        column.addWidget(self._scroll, 1)
        column.addLayout(self._line(self.tr("Branch &name:"), self.name))
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
        remove_button_icons(self)
        self.resize(720, 400)
        self.start.valueChanged.connect(self._follow_event)
        self.add.clicked.connect(self.add_row)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    def _line(self, text: str, field: QWidget, *others: QWidget) -> QHBoxLayout:
        label = QLabel(text, self)
        label.setBuddy(field)
        line = QHBoxLayout()
        line.setSpacing(10)
        for part in (label, field, *others):
            line.addWidget(part)
        return line


class ChangeRow(QWidget):
    """A row with the kind of change, its fields, and a button to remove it.

    Args:
        choices: The options of the fields.
        event: The proposed event.
    """

    changed = Signal()
    """A field changed."""

    removed = Signal()
    """The row should be removed."""

    def __init__(self, choices: Choices, event: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox(self)
        for part in (self.kind, self.kind.view()):
            part.setAccessibleName(self.tr("Kind of change"))
        self._pages = QStackedWidget(self)
        for page in PAGES:
            self.kind.addItem(page.title())
            made = page(choices, event, self)
            made.changed.connect(self.changed)
            self._pages.addWidget(made)
        theme = theme_of(self.palette())
        self.remove = QToolButton(self, autoRaise=True)
        self.remove.setIcon(icon("close", theme.muted, theme.border))
        self.remove.setToolTip(self.tr("Remove this change"))
        self.remove.setAccessibleName(self.tr("Remove this change"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.kind)
        row.addWidget(self._pages, 1)
        row.addWidget(self.remove)
        self.setFocusPolicy(self.kind.focusPolicy())  # so that a row is in the tab order
        self.setFocusProxy(self.kind)
        self.kind.currentIndexChanged.connect(self._show_page)
        self.remove.clicked.connect(self.removed)

    @property
    def page(self) -> ChangePage:
        """The current fields."""
        shown = self._pages.currentWidget()
        if not isinstance(shown, ChangePage):
            raise TypeError("the current page is not a ChangePage")
        return shown

    def choose(self, page: type[ChangePage]) -> None:
        """Show the fields of another kind of change."""
        self.kind.setCurrentIndex(PAGES.index(page))

    def begin_at(self, event: int) -> None:
        """Set the first event that can be edited."""
        for place in range(self._pages.count()):
            page = self._pages.widget(place)
            if isinstance(page, ChangePage):
                page.begin_at(event)

    def _show_page(self, place: int) -> None:
        self._pages.setCurrentIndex(place)
        self.changed.emit()
