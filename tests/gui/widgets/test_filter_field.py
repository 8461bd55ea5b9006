"""The filter field and what it lets pass."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradstep_gui.widgets.filter_field import FilterField, matches


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
