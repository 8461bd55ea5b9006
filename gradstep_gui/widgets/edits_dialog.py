"""EditsDialog: asks what a what-if shall do otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gradstep.history.edits import Edits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gradstep.program.operation import Operation

__all__ = ["EditsDialog"]


class EditsDialog(QDialog):
    """From which event on, and what: leave it out, do something before it, set a value.

    Args:
        event: The event that is proposed.
        count: How many events there are.
        describe: Says what an event did.
        operations: What can be done before it, each with its name.
        values: What can be set, each with its present value.
        parent: Its owner.
    """

    asked = Signal(object)
    """The person wants this: an `Edits`."""

    def __init__(
        self,
        event: int,
        count: int,
        *,
        describe: Callable[[int], str],
        operations: Sequence[tuple[str, Operation]],
        values: Mapping[str, str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("What if…"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._describe = describe
        self._operations = [operation for _, operation in operations]
        self._values = dict(values)
        self.start = QSpinBox(self, minimum=1, maximum=max(1, count), value=max(1, event))
        self.start.setGroupSeparatorShown(True)
        self.start.setAccessibleName(self.tr("From which event on"))
        self._what = QLabel(self)
        self.skip = QCheckBox(self.tr("&Leave it out"), self)
        self.insert = QCheckBox(self.tr("&Do before it:"), self)
        self.operation = QComboBox(self)
        self.operation.setAccessibleName(self.tr("What to do before it"))
        self.operation.addItems([name for name, _ in operations])
        self.change = QCheckBox(self.tr("&Set before it:"), self)
        self.name = QComboBox(self)
        self.name.setAccessibleName(self.tr("What to set"))
        self.name.addItems(list(values))
        self.value = QLineEdit(self)
        self.value.setAccessibleName(self.tr("The value to set"))
        self._hint = QLabel(self)
        self._hint.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self._replay = self.buttons.addButton(
            self.tr("&Replay"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self._assemble()
        self._follow_event()
        self._follow_name()
        self._offer()

    def edits(self) -> Edits:
        """Return what is asked for."""
        at = self.start.value()
        chosen = self._operations[self.operation.currentIndex()] if self._operations else None
        return Edits(
            at,
            skip=(at,) if self.skip.isChecked() else (),
            insert=((at, chosen),) if self.insert.isChecked() and chosen is not None else (),
            set={self.name.currentText(): _read(self.value.text())}
            if self.change.isChecked()
            else {},
        )

    def accept(self) -> None:
        """Ask for it, and close."""
        self.asked.emit(self.edits())
        super().accept()

    def _follow_event(self) -> None:
        self._what.setText(self._describe(self.start.value()))

    def _follow_name(self) -> None:
        now = self._values.get(self.name.currentText(), "")
        self.value.setPlaceholderText(now)
        self._hint.setText(self.tr("now {value}").format(value=now) if now else "")

    def _offer(self) -> None:
        """Let Replay be pressed once something is to be done otherwise."""
        valued = self.change.isChecked() and bool(self.value.text().strip())
        unfinished = self.change.isChecked() and not valued
        wanted = self.skip.isChecked() or self.insert.isChecked() or valued
        self._replay.setEnabled(wanted and not unfinished)

    def _assemble(self) -> None:
        words = QLabel(
            self.tr(
                "The events from this one on are done again on a branch of their own, with "
                "something done otherwise. What is on show stays as it is."
            ),
            self,
        )
        words.setWordWrap(True)
        label = QLabel(self.tr("&From event"), self)
        label.setBuddy(self.start)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(2, 1)
        grid.addWidget(label, 0, 0)
        grid.addWidget(self.start, 0, 1)
        grid.addWidget(self._what, 0, 2)
        grid.addWidget(self.skip, 1, 0, 1, 3)
        grid.addWidget(self.insert, 2, 0)
        grid.addWidget(self.operation, 2, 1, 1, 2)
        grid.addWidget(self.change, 3, 0)
        grid.addWidget(self.name, 3, 1)
        grid.addWidget(self.value, 3, 2)
        grid.addWidget(self._hint, 4, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(14)
        column.addWidget(words)
        column.addLayout(grid)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.resize(520, 260)
        self.start.valueChanged.connect(self._follow_event)
        self.name.currentTextChanged.connect(self._follow_name)
        self.name.activated.connect(lambda: self.change.setChecked(True))
        self.operation.activated.connect(lambda: self.insert.setChecked(True))
        self.value.textEdited.connect(lambda: self.change.setChecked(True))
        for box in (self.skip, self.insert, self.change):
            box.toggled.connect(self._offer)
        self.value.textChanged.connect(self._offer)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)


def _read(text: str) -> Any:  # noqa: ANN401 - a number, a text, a list
    """Read a value as JSON, or else as it stands, so that Adam needs no quotation marks."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()
