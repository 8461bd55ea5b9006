"""Fields of one line: filters and values."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLineEdit, QWidget

from gradstep_gui.theme import DARK, LIGHT
from gradstep_gui.widgets.fields import FilterField, ValueField, matches, parse_value
from gradstep_gui.widgets.value_form import ValueForm


@pytest.mark.parametrize(
    ("wanted", "passes"),
    [("", True), ("weight", True), ("0 WEI", True), ("weight 0", True), ("bias", False)],
)
def test_every_word_must_occur(wanted, passes):
    assert matches("model.0.weight", wanted) is passes


def test_escape_clears(qtbot):
    field = FilterField("Filter")
    qtbot.addWidget(field)
    qtbot.keyClicks(field, "bias")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert field.accessibleName() == "Filter"


@pytest.mark.parametrize(
    ("text", "old", "value"),
    [
        ("0.5", 1.0, 0.5),
        (" 1e-8 ", 1, 1e-8),
        ("[0.9, 0.99]", (0.9, 0.999), [0.9, 0.99]),
        ("0.9,0.99", [0.9, 0.999], [0.9, 0.99]),
    ],
)
def test_numbers_and_lists_are_read_as_people_write_them(text, old, value):
    assert parse_value(text, old) == value


@pytest.mark.parametrize(("text", "old"), [("", 1.0), ("1 2", 1.0), ("inf", 1.0), ("1", (1, 2))])
def test_an_invalid_value_raises_an_error_with_a_message(text, old):
    with pytest.raises(ValueError, match=r"number"):
        parse_value(text, old)


def test_the_same_value_again_is_not_an_edit(qtbot):
    field = ValueField()
    qtbot.addWidget(field)
    field.show_value(0.01)
    entered = []
    field.entered.connect(entered.append)
    field.selectAll()
    qtbot.keyClicks(field, "1e-2\r")
    assert entered == []


def test_a_long_number_has_fewer_digits_without_room_until_it_is_edited(qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    field, other = ValueField(around), QLineEdit(around)
    field.setGeometry(0, 0, 80, 22)
    field.show_value(8.307674973655716e-05)
    assert field.text() == "8.308e-05"
    assert field.toolTip() == "8.307675e-05"
    with qtbot.waitActive(around):
        around.show()
        around.activateWindow()
    field.setFocus()
    assert field.text() == "8.307675e-05"
    other.setFocus()
    assert field.text() == "8.308e-05"
    field.resize(400, 22)
    assert field.text() == "8.307675e-05"


def test_leaving_a_number_that_was_shown_with_fewer_digits_is_not_an_edit(qtbot):
    field = ValueField()
    qtbot.addWidget(field)
    field.resize(80, 22)
    field.show_value(8.307674973655716e-05)
    entered = []
    field.entered.connect(entered.append)
    qtbot.keyClicks(field, "\r")
    assert entered == []


def test_a_form_keeps_its_fields_while_the_names_stay(qtbot):
    form = ValueForm()
    qtbot.addWidget(form)
    form.show_values({"lr": 0.1, "nesterov": False})
    field = form.field("lr")
    form.show_values({"lr": 0.2, "nesterov": True})
    assert form.field("lr") is field
    assert field.text() == "0.2"
    assert form.field("nesterov").isChecked()
    form.show_values({"eps": 1e-8})
    assert form.field("eps").text() == "1e-08"


def test_a_mark_takes_the_colour_of_the_theme(qtbot):
    form = ValueForm()
    qtbot.addWidget(form)
    form.show_values({"lr": 0.1}, {"lr": "set_hyperparameter"})

    def ground():
        return form.field("lr").palette().color(QPalette.ColorRole.Base).name()

    for theme in (DARK, LIGHT):
        palette = QPalette(form.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.window))
        palette.setColor(QPalette.ColorRole.Base, QColor(theme.base))
        form.setPalette(palette)
        assert ground() == theme.kind("edit").soft
    form.show_values({"lr": 0.1})
    assert ground() == LIGHT.base


def test_a_value_that_cannot_be_edited_is_not_drawn_as_a_field_to_fill_in(qtbot):
    field = ValueField()
    qtbot.addWidget(field)
    plain = field.palette().color(QPalette.ColorRole.Base)
    field.set_obstacle("The script has ended.")
    ground = field.palette().color(QPalette.ColorRole.Window)
    assert field.palette().color(QPalette.ColorRole.Base) == ground != plain
    field.set_mark("step")
    assert field.palette().color(QPalette.ColorRole.Base) not in (ground, plain)
    field.set_mark("")
    field.set_obstacle("")
    assert field.palette().color(QPalette.ColorRole.Base) == plain
