"""A form of named values: numbers, lists of numbers, and check boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from gradstep_gui.widgets.fields import ValueField
from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.number_format import value_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QResizeEvent

__all__ = ["ValueForm"]

_IN_A_ROW = 2
_GAP = 6


class ValueForm(QWidget):
    """Labelled fields, then check boxes; a value that no field can edit is shown as text.

    They are in two columns if there is room.

    It emits `edited(name, value)`, and keeps showing the old value until
    `show_values`; and `rejected(name, message)` when the text is not a value.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> form = ValueForm()
        >>> form.show_values({"lr": 0.01, "nesterov": False, "foreach": None})
        >>> [type(form.field(name)).__name__ for name in ("lr", "nesterov", "foreach")]
        ['ValueField', 'QCheckBox', 'QLabel']
    """

    edited = Signal(str, object)
    rejected = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fields: dict[str, ValueField | QCheckBox | QLabel] = {}
        self._labels: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(_GAP)
        self._grid.setVerticalSpacing(4)
        self._in_a_row = _IN_A_ROW
        self._obstacle = ""

    def field(self, name: str) -> ValueField | QCheckBox | QLabel:
        """Return the widget that shows a value."""
        return self._fields[name]

    def follow_in_tab_order(self, before: QWidget) -> None:
        """Put the fields after another widget in the tab order."""
        for field in self._fields.values():
            if field.focusPolicy() != Qt.FocusPolicy.NoFocus:
                QWidget.setTabOrder(before, field)
                before = field

    def show_values(
        self, values: Mapping[str, Any], marks: Mapping[str, str] | None = None
    ) -> None:
        """Show values by name, with the kind of Operation that just changed some of them."""
        kinds = {name: _widget_class(value) for name, value in values.items()}
        if kinds != {name: type(field) for name, field in self._fields.items()}:
            self._rebuild(kinds)
        for name, value in values.items():
            field, kind = self._fields[name], (marks or {}).get(name, "")
            if isinstance(field, ValueField):
                field.show_value(value)
                field.set_mark(kind)
            elif isinstance(field, QCheckBox):
                field.setChecked(bool(value))
                field.setText(f"● {name}" if kind else name)
            else:
                field.setText(value_text(value))

    def set_obstacle(self, obstacle: str) -> None:
        """Set why the values cannot be edited; empty if they can be."""
        self._obstacle = obstacle
        for field in self._fields.values():
            self._hinder(field)

    def _hinder(self, field: ValueField | QCheckBox | QLabel) -> None:
        if isinstance(field, ValueField):
            field.set_obstacle(self._obstacle)
        elif isinstance(field, QCheckBox):
            field.setEnabled(not self._obstacle)
            field.setToolTip(self._obstacle)

    def minimumSizeHint(self) -> QSize:
        """Return the width of one field with its label."""
        return QSize(min(self._wide(1), self._wide(_IN_A_ROW)), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use as many columns as fit."""
        super().resizeEvent(event)
        fitting = _IN_A_ROW if event.size().width() >= self._wide(_IN_A_ROW) else 1
        if fitting != self._in_a_row:
            self._place(fitting)

    def _wide(self, in_a_row: int) -> int:
        """Return the smallest width with a number of columns."""
        written = [field for field in self._fields.values() if not isinstance(field, QCheckBox)]
        switches = [field for field in self._fields.values() if isinstance(field, QCheckBox)]
        wide = 0
        for place in range(in_a_row):
            labels = [label.sizeHint().width() for label in self._labels[place::in_a_row]]
            fields = [
                max(field.minimumSizeHint().width(), field.minimumWidth())
                for field in written[place::in_a_row]
            ]
            boxes = [switch.minimumSizeHint().width() for switch in switches[place::in_a_row]]
            pair = max(labels, default=0) + _GAP + max(fields, default=0)
            wide += max(pair, max(boxes, default=0)) + (_GAP if place else 0)
        return wide

    def _rebuild(self, kinds: Mapping[str, type[ValueField | QCheckBox | QLabel]]) -> None:
        for widget in (*self._fields.values(), *self._labels):
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self._fields, self._labels = {}, []
        written = [name for name in kinds if kinds[name] is not QCheckBox]
        switches = [name for name in kinds if kinds[name] is QCheckBox]
        for name in written:
            field, label = kinds[name](self), QLabel(name, self)
            label.setBuddy(field)
            self._labels.append(label)
            self._keep(name, field)
        for name in switches:
            self._keep(name, QCheckBox(name, self))
        self._place(_IN_A_ROW if self.width() >= self._wide(_IN_A_ROW) else 1)

    def _place(self, in_a_row: int) -> None:
        """Put the widgets into the grid with a number of columns."""
        self._in_a_row = in_a_row
        for column in range(_IN_A_ROW):
            self._grid.setColumnStretch(2 * column + 1, 1 if column < in_a_row else 0)
        fields = list(self._fields.values())
        for place, (label, field) in enumerate(zip(self._labels, fields, strict=False)):
            row, column = divmod(place, in_a_row)
            self._grid.addWidget(label, row, 2 * column)
            self._grid.addWidget(field, row, 2 * column + 1)
        rows = -(-len(self._labels) // in_a_row)
        for place, switch in enumerate(fields[len(self._labels) :]):
            row, column = divmod(place, in_a_row)
            self._grid.addWidget(switch, rows + row, 2 * column, 1, 2)
        self.updateGeometry()

    def _keep(self, name: str, field: ValueField | QCheckBox | QLabel) -> None:
        self._fields[name] = field
        field.setAccessibleName(name)
        self._connect(name, field)
        self._hinder(field)

    def _connect(self, name: str, field: ValueField | QCheckBox | QLabel) -> None:
        if isinstance(field, ValueField):
            field.entered.connect(lambda value: self.edited.emit(name, value))
            field.rejected.connect(lambda message: self.rejected.emit(name, message))
        elif isinstance(field, QCheckBox):
            field.clicked.connect(lambda on: self.edited.emit(name, on))
        else:
            field.setFont(digits_font(self.font()))
            field.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


def _widget_class(value: object) -> type[ValueField | QCheckBox | QLabel]:
    if isinstance(value, bool):
        return QCheckBox
    if isinstance(value, int | float):
        return ValueField
    if isinstance(value, list | tuple) and all(isinstance(item, int | float) for item in value):
        return ValueField
    return QLabel
