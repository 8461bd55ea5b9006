"""The table of cells: what it shows, how high it is, and how a row is chosen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradstep_gui.widgets.tables.cell_table import CellTable, CellTableModel
from gradstep_gui.widgets.tables.cells import Cell

TITLES = ("tensor", "norm")


def rows(count):
    return [(Cell(f"x{at}"), Cell(str(at), number=True)) for at in range(count)]


@pytest.fixture
def table(qtbot):
    table = CellTable("Tensors")
    qtbot.addWidget(table)
    table.show_rows(TITLES, rows(3))
    table.show()
    return table


def test_the_model_keeps_to_the_rules_of_models(qtmodeltester):
    model = CellTableModel()
    model.show_rows(TITLES, rows(3))
    qtmodeltester.check(model)


def test_as_many_rows_under_the_same_titles_keep_the_selection(table):
    table.selectRow(1)
    table.show_rows(TITLES, rows(3))
    assert table.currentIndex().row() == 1
    table.show_rows(TITLES, rows(2))
    assert not table.currentIndex().isValid()


def test_a_click_and_the_enter_key_choose_a_row(table, qtbot):
    place = table.visualRect(table.model().index(1, 0)).center()
    with qtbot.waitSignal(table.chosen) as clicked:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked.args == [1]
    table.selectRow(2)
    table.setFocus()
    with qtbot.waitSignal(table.chosen) as entered:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert entered.args == [2]


def test_a_title_stands_over_numbers_at_the_right(table):
    sides = [
        table.model().headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        for at in (0, 1)
    ]
    assert [bool(side & Qt.AlignmentFlag.AlignRight.value) for side in sides] == [False, True]


def test_it_can_be_as_high_as_its_rows(table):
    table.keep_all_rows()
    before = table.sizeHint().height()
    table.show_rows(TITLES, rows(5))
    row = table.verticalHeader().defaultSectionSize()
    assert table.sizeHint().height() - before == 2 * row
