"""What can be done otherwise in a what-if: leave out, do, move, set; a page of fields for each."""

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
    """What there is to choose from.

    Attributes:
        count: How many events there are.
        describe: Says what an event did.
        find: Returns the events from one to another that are of a kind, or of any when it is empty.
        kinds: The kinds of operations among the events, as they are called.
        operations: What can be done before an event, each with its name.
        values: What can be set, each with its present value.
        offers: Of some of them, the values that there are.
    """

    count: int
    describe: Callable[[int], str]
    find: Callable[[int, int, str], tuple[int, ...]]
    kinds: Sequence[str] = ()
    operations: Sequence[tuple[str, Operation]] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    offers: Mapping[str, Sequence[str]] = field(default_factory=dict)


def written(text: str) -> Any:  # noqa: ANN401 - a number, a text, a list, a truth value, None
    """Read a value as a person writes it: Adam needs no quotation marks, betas no brackets.

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
    """The fields of one edit.

    Args:
        choices: What there is to choose from.
        event: The event that is proposed.
    """

    changed = Signal()
    """The fields say something else."""

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
        """Return what is done, in a word or two."""
        raise NotImplementedError(cls.__name__)

    @property
    def is_complete(self) -> bool:
        """Whether the fields say what is to be done."""
        return True

    def edits(self) -> Edits:
        """Return what is to be done."""
        raise NotImplementedError(type(self).__name__)

    def begin_at(self, event: int) -> None:
        """Let no event before this one be edited."""
        for spin in self.findChildren(QSpinBox):
            spin.setMinimum(event)

    def _fill(self, event: int) -> None:
        """Put the fields in the row."""
        raise NotImplementedError(type(self).__name__)

    def _explain(self) -> str:
        """Return what stands behind the fields."""
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

    def _told(self, event: int) -> str:
        return self.choices.describe(event) or self.tr("the end")


class SkipPage(ChangePage):
    """Leaves events out: one, or all of a kind from one to another."""

    @classmethod
    def title(cls) -> str:
        """Return what is done, in a word or two."""
        return QCoreApplication.translate("ChangePage", "Leave out")

    @property
    def is_complete(self) -> bool:
        """Whether any event is left out."""
        return bool(self._events())

    def edits(self) -> Edits:
        """Return what is to be done."""
        return Edits(skip=self._events())

    def _fill(self, event: int) -> None:
        self.first = self._event(self.tr("The first event that is left out"), event)
        self.last = self._event(self.tr("The last event that is left out"), event)
        self.kind = self._box(
            self.tr("Which of them are left out"), [self.tr("every operation"), *self.choices.kinds]
        )
        self.kind.currentIndexChanged.connect(self._follow)
        self.first.valueChanged.connect(self.last.setMinimum)
        self.last.setMinimum(event)
        self._add(self.first, self.tr("to"), self.last, self.kind)

    def begin_at(self, event: int) -> None:
        """Let no event before this one be edited."""
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
    """Does something before an event."""

    @classmethod
    def title(cls) -> str:
        """Return what is done, in a word or two."""
        return QCoreApplication.translate("ChangePage", "Do")

    @property
    def is_complete(self) -> bool:
        """Whether there is anything to do."""
        return self.operation.currentIndex() >= 0

    def edits(self) -> Edits:
        """Return what is to be done."""
        chosen = self.choices.operations[self.operation.currentIndex()][1]
        return Edits(insert=((self.before.value(), chosen),))

    def _fill(self, event: int) -> None:
        names = [name for name, _ in self.choices.operations]
        self.operation = self._box(self.tr("What to do"), names)
        self.operation.currentIndexChanged.connect(self._follow)
        self.before = self._event(self.tr("Before which event to do it"), event, may_end=True)
        self._add(self.operation, self.tr("before"), self.before)

    def _explain(self) -> str:
        return self._told(self.before.value())


class MovePage(ChangePage):
    """Does an event earlier or later than it was done."""

    @classmethod
    def title(cls) -> str:
        """Return what is done, in a word or two."""
        return QCoreApplication.translate("ChangePage", "Move")

    @property
    def is_complete(self) -> bool:
        """Whether it is moved to another place."""
        return self.before.value() not in {self.event_number.value(), self.event_number.value() + 1}

    def edits(self) -> Edits:
        """Return what is to be done."""
        return Edits(move=((self.event_number.value(), self.before.value()),))

    def _fill(self, event: int) -> None:
        self.event_number = self._event(self.tr("Which event is moved"), event)
        self.before = self._event(self.tr("Before which event it is moved"), event, may_end=True)
        self._add(self.event_number, self.tr("before"), self.before)

    def _explain(self) -> str:
        words = self.tr("{one}, before {other}")
        return words.format(
            one=self._told(self.event_number.value()), other=self._told(self.before.value())
        )


class SetPage(ChangePage):
    """Sets a value before the first event that is done again."""

    @classmethod
    def title(cls) -> str:
        """Return what is done, in a word or two."""
        return QCoreApplication.translate("ChangePage", "Set")

    @property
    def is_complete(self) -> bool:
        """Whether a value was written."""
        return bool(self.name.currentText().strip() and self.value.currentText().strip())

    def edits(self) -> Edits:
        """Return what is to be done."""
        return Edits(set={self.name.currentText().strip(): written(self.value.currentText())})

    def _fill(self, _event: int) -> None:
        self.name = self._box(self.tr("What to set"), list(self.choices.values))
        self.name.setEditable(True)  # another kind of optimizer has other options
        self.value = self._box(self.tr("The value to set"), ())
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
        return self.tr("now {value}").format(value=now) if now else ""


PAGES: tuple[type[ChangePage], ...] = (SetPage, SkipPage, InsertPage, MovePage)
"""The kinds of edits, in the order in which they are offered."""
