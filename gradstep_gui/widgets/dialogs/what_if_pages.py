"""The changes of a what-if: set, skip, insert and move, with the fields of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QWidget

from gradstep.history.records.what_if import Edits
from gradstep_gui.widgets.number_format import counted_text
from gradstep_gui.widgets.text.long_text import ElidedLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gradstep.program.operation import Operation

__all__ = ["PAGES", "ChangePage", "Choices", "event_spin", "written"]

_PLAIN = {"true": True, "false": False, "none": None}


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of the fields.

    Attributes:
        count: The number of events.
        describe: Returns what an event did.
        find: Returns the events of a kind in a range; of any kind when it is empty.
        kinds: The titles of the kinds of operations among the events.
        operations: The operations that can be inserted, each with its name.
        values: The values that can be set, with their current value.
        offers: The possible values of some of them.
    """

    count: int
    describe: Callable[[int], str]
    find: Callable[[int, int, str], tuple[int, ...]]
    kinds: Sequence[str] = ()
    operations: Sequence[tuple[str, Operation]] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    offers: Mapping[str, Sequence[str]] = field(default_factory=dict)


def written(text: str) -> Any:  # noqa: ANN401 - a number, a text, a list, a truth value, None
    """Parse a value as the user types it: Adam needs no quotation marks, betas no brackets.

    Example:
        >>> written("1e-3"), written("0.9, 0.999"), written("Adam"), written("True")
        (0.001, [0.9, 0.999], 'Adam', True)
    """
    text = text.strip()
    if text.lower() in _PLAIN:
        return _PLAIN[text.lower()]
    for form in (text, f"[{text}]"):
        try:
            return json.loads(form)
        except ValueError:
            continue
    return text


def event_spin(name: str, count: int, parent: QWidget | None = None) -> QSpinBox:
    """Return a field for the number of an event, from 1 to `count`."""
    made = QSpinBox(parent, minimum=1, maximum=max(1, count))
    made.setGroupSeparatorShown(True)
    made.setAccessibleName(name)
    return made


class ChangePage(QWidget):
    """The fields of one change.

    Args:
        choices: The options of the fields.
        event: The proposed event.
    """

    changed = Signal()
    """A field changed."""

    def __init__(self, choices: Choices, event: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choices = choices
        self._words = ElidedLabel(self)
        self._words.setForegroundRole(self.palette().ColorRole.PlaceholderText)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._fill(event)
        self._row.addWidget(self._words, 1)
        self._follow()

    @classmethod
    def title(cls) -> str:
        """Return the name of the change."""
        raise NotImplementedError(cls.__name__)

    @property
    def is_complete(self) -> bool:
        """Whether the fields are complete."""
        return True

    def edits(self) -> Edits:
        """Return the change."""
        raise NotImplementedError(type(self).__name__)

    def begin_at(self, event: int) -> None:
        """Set the first event that can be edited."""
        for spin in self.findChildren(QSpinBox):
            spin.setMinimum(event)

    def _fill(self, event: int) -> None:
        """Add the fields."""
        raise NotImplementedError(type(self).__name__)

    def _explain(self) -> str:
        """Return the note behind the fields."""
        raise NotImplementedError(type(self).__name__)

    def _follow(self) -> None:
        self._words.setText(self._explain())
        self.changed.emit()

    def _event(self, name: str, event: int, *, may_end: bool = False) -> QSpinBox:
        spin = event_spin(name, self.choices.count + may_end, self)
        spin.setValue(event)
        spin.valueChanged.connect(self._follow)
        return spin

    def _box(self, name: str, entries: Sequence[str]) -> QComboBox:
        box = QComboBox(self)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(16)
        for part in (box, box.view()):
            part.setAccessibleName(name)
        box.addItems(list(entries))
        return box

    def _add(self, *parts: QWidget | str) -> None:
        for part in parts:
            self._row.addWidget(QLabel(part, self) if isinstance(part, str) else part)

    def _description(self, event: int) -> str:
        return self.choices.describe(event) or self.tr("the end")


class SkipPage(ChangePage):
    """Skips one event, or all of a kind in a range."""

    @classmethod
    def title(cls) -> str:
        """Return the name of the change."""
        return QCoreApplication.translate("ChangePage", "Skip")

    @property
    def is_complete(self) -> bool:
        """Whether any event is skipped."""
        return bool(self._events())

    def edits(self) -> Edits:
        """Return the change."""
        return Edits(skip=self._events())

    def _fill(self, event: int) -> None:
        self.first = self._event(self.tr("First event to skip"), event)
        self.last = self._event(self.tr("Last event to skip"), event)
        self.kind = self._box(
            self.tr("Operations to skip"), [self.tr("all operations"), *self.choices.kinds]
        )
        self.kind.currentIndexChanged.connect(self._follow)
        self.first.valueChanged.connect(self.last.setMinimum)
        self.last.setMinimum(event)
        self._add(self.first, self.tr("to"), self.last, self.kind)

    def begin_at(self, event: int) -> None:
        """Set the first event that can be edited."""
        self.first.setMinimum(event)

    def _events(self) -> tuple[int, ...]:
        kind = self.kind.currentText() if self.kind.currentIndex() > 0 else ""
        return self.choices.find(self.first.value(), self.last.value(), kind)

    def _explain(self) -> str:
        found = self._events()
        if len(found) == 1:
            return self.choices.describe(found[0])
        return counted_text(len(found), self.tr("{0} event"), self.tr("{0} events"))


class InsertPage(ChangePage):
    """Inserts an operation before an event."""

    @classmethod
    def title(cls) -> str:
        """Return the name of the change."""
        return QCoreApplication.translate("ChangePage", "Insert")

    @property
    def is_complete(self) -> bool:
        """Whether an operation is selected."""
        return self.operation.currentIndex() >= 0

    def edits(self) -> Edits:
        """Return the change."""
        chosen = self.choices.operations[self.operation.currentIndex()][1]
        return Edits(insert=((self.before.value(), chosen),))

    def _fill(self, event: int) -> None:
        names = [name for name, _ in self.choices.operations]
        self.operation = self._box(self.tr("Operation to insert"), names)
        self.operation.currentIndexChanged.connect(self._follow)
        self.before = self._event(self.tr("Insert before event"), event, may_end=True)
        self._add(self.operation, self.tr("before"), self.before)

    def _explain(self) -> str:
        return self._description(self.before.value())


class MovePage(ChangePage):
    """Moves an event to another place."""

    @classmethod
    def title(cls) -> str:
        """Return the name of the change."""
        return QCoreApplication.translate("ChangePage", "Move")

    @property
    def is_complete(self) -> bool:
        """Whether it is moved to another place."""
        return self.before.value() not in {self.event_number.value(), self.event_number.value() + 1}

    def edits(self) -> Edits:
        """Return the change."""
        return Edits(move=((self.event_number.value(), self.before.value()),))

    def _fill(self, event: int) -> None:
        self.event_number = self._event(self.tr("Event to move"), event)
        self.before = self._event(self.tr("Move before event"), event, may_end=True)
        self._add(self.event_number, self.tr("before"), self.before)

    def _explain(self) -> str:
        one, other = self.event_number.value(), self.before.value()
        return self.tr("{one}, before {other}").format(
            one=self._description(one), other=self._description(other)
        )


class SetPage(ChangePage):
    """Sets a value before the first replayed event."""

    @classmethod
    def title(cls) -> str:
        """Return the name of the change."""
        return QCoreApplication.translate("ChangePage", "Set")

    @property
    def is_complete(self) -> bool:
        """Whether there are a name and a value."""
        return bool(self.name.currentText().strip() and self.value.currentText().strip())

    def edits(self) -> Edits:
        """Return the change."""
        return Edits(set={self.name.currentText().strip(): written(self.value.currentText())})

    def _fill(self, _event: int) -> None:
        self.name = self._box(self.tr("Name"), list(self.choices.values))
        self.name.setEditable(True)  # another kind of optimizer has other options
        self.value = self._box(self.tr("Value"), ())
        self.value.setEditable(True)
        self.value.setMinimumContentsLength(8)
        self.name.currentTextChanged.connect(self._offer)
        self.value.currentTextChanged.connect(self._follow)
        self._add(self.name, self.tr("to"), self.value)
        self._offer()

    def _offer(self) -> None:
        self.value.clear()
        self.value.addItems(list(self.choices.offers.get(self.name.currentText(), ())))
        self.value.setCurrentIndex(-1)
        self.value.clearEditText()
        self._follow()

    def _explain(self) -> str:
        now = self.choices.values.get(self.name.currentText(), "")
        return self.tr("currently {value}").format(value=now) if now else ""


PAGES: tuple[type[ChangePage], ...] = (SetPage, SkipPage, InsertPage, MovePage)
"""The kinds of changes, in the order of the menu."""
