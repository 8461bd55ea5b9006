"""Named values to read and edit: numbers, lists of numbers, and switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from gradstep_gui.widgets.fonts import digits_font
from gradstep_gui.widgets.number_format import value_text
from gradstep_gui.widgets.value_field import ValueField

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ValueForm"]

_IN_A_ROW = 2


class ValueForm(QWidget):
    """Labelled fields, then switches; a value that no field can edit is shown as text.

    `edited(name, value)` tells what a person wants; the form goes on showing what is, until
    `show_values` says otherwise. `refused(name, message)` tells that what was typed is no value.

    Example:
        >>> from PySide6.QtWidgets import QApplication
        >>> app = QApplication.instance() or QApplication([])
        >>> form = ValueForm()
        >>> form.show_values({"lr": 0.01, "nesterov": False, "foreach": None})
        >>> [type(form.field(name)).__name__ for name in ("lr", "nesterov", "foreach")]
        ['ValueField', 'QCheckBox', 'QLabel']
    """

    edited = Signal(str, object)
    refused = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fields: dict[str, ValueField | QCheckBox | QLabel] = {}
        self._labels: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        for place in range(_IN_A_ROW):
            self._grid.setColumnStretch(2 * place + 1, 1)

    def field(self, name: str) -> ValueField | QCheckBox | QLabel:
        """Return the widget that shows a value."""
        return self._fields[name]

    def follow_in_tab_order(self, before: QWidget) -> None:
        """Let the Tab key come to the fields after another widget."""
        for field in self._fields.values():
            if field.focusPolicy() != Qt.FocusPolicy.NoFocus:
                QWidget.setTabOrder(before, field)
                before = field

    def show_values(
        self, values: Mapping[str, Any], marks: Mapping[str, str] | None = None
    ) -> None:
        """Show values by name; `marks` tells which kind of Operation just changed some of them."""
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

    def _rebuild(self, kinds: Mapping[str, type[ValueField | QCheckBox | QLabel]]) -> None:
        for widget in (*self._fields.values(), *self._labels):
            self._grid.removeWidget(widget)
            widget.deleteLater()
        self._fields, self._labels = {}, []
        written = [name for name in kinds if kinds[name] is not QCheckBox]
        switches = [name for name in kinds if kinds[name] is QCheckBox]
        for place, name in enumerate(written):
            field, label = kinds[name](self), QLabel(name, self)
            label.setBuddy(field)
            row, column = divmod(place, _IN_A_ROW)
            self._grid.addWidget(label, row, 2 * column)
            self._grid.addWidget(field, row, 2 * column + 1)
            self._labels.append(label)
            self._keep(name, field)
        rows = -(-len(written) // _IN_A_ROW)
        for place, name in enumerate(switches):
            switch = QCheckBox(name, self)
            row, column = divmod(place, _IN_A_ROW)
            self._grid.addWidget(switch, rows + row, 2 * column, 1, 2)
            self._keep(name, switch)

    def _keep(self, name: str, field: ValueField | QCheckBox | QLabel) -> None:
        self._fields[name] = field
        field.setAccessibleName(name)
        self._connect(name, field)

    def _connect(self, name: str, field: ValueField | QCheckBox | QLabel) -> None:
        if isinstance(field, ValueField):
            field.entered.connect(lambda value: self.edited.emit(name, value))
            field.refused.connect(lambda message: self.refused.emit(name, message))
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
