"""The table of cells: what it shows, how high it is, and how a row is chosen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from gradstep_gui.widgets.tables.cells import Cell, Title
from gradstep_gui.widgets.tables.table import CellTable, CellTableModel

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


def test_rows_under_the_same_titles_keep_the_selection_and_under_others_lose_it(table):
    table.selectRow(1)
    for count in (3, 5, 2):
        table.show_rows(TITLES, rows(count))
        assert table.currentIndex().row() == 1
    table.show_rows(("tensor", "mean"), rows(2))
    assert not table.currentIndex().isValid()


def test_only_rows_that_differ_are_reported_as_changed(table, qtbot):
    changed = []
    table.model().dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    table.show_rows(TITLES, rows(3))
    assert changed == []
    table.show_rows(TITLES, [*rows(2), (Cell("y"), Cell("7", number=True))])
    assert changed == [(2, 2)]
    assert table.texts == [TITLES, ("x0", "0"), ("x1", "1"), ("y", "7")]


def test_a_row_is_opened_by_a_double_click_and_by_the_enter_key(table, qtbot):
    place = table.visualRect(table.model().index(1, 0)).center()
    with qtbot.waitSignal(table.opened) as clicked:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked.args == [1]
    table.setFocus()
    table.selectRow(2)
    with qtbot.waitSignals([table.opened, table.chosen]):
        qtbot.keyClick(table, Qt.Key.Key_Return)


def test_a_new_name_is_reported_and_not_written(table, qtbot):
    assert not table.model().flags(table.model().index(0, 0)) & Qt.ItemFlag.ItemIsEditable
    table.rename_row(1)
    field = table.findChild(QLineEdit)
    field.setText(" z ")
    with qtbot.waitSignal(table.renamed) as renamed:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert renamed.args == [1, "z"]
    assert table.row_texts[1] == ("x1", "1")


def test_a_title_has_a_tooltip(table):
    table.show_rows((Title("tensor", "its name"), "norm"), rows(1))
    role = Qt.ItemDataRole.ToolTipRole
    hints = [table.model().headerData(at, Qt.Orientation.Horizontal, role) for at in (0, 1)]
    assert hints == ["its name", None]


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


def test_titles_of_number_columns_are_right_aligned(table):
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
