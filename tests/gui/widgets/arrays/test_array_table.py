"""The table of numbers."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QColor, QGuiApplication

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.arrays.array_table import ArrayTable, ArrayTableModel


@pytest.fixture
def table(qtbot):
    widget = ArrayTable()
    qtbot.addWidget(widget)
    return widget


def test_the_model_keeps_to_the_rules_of_models(qtmodeltester):
    model = ArrayTableModel()
    model.show_matrix(np.eye(3))
    qtmodeltester.check(model)


def test_a_million_rows_cost_no_more_than_those_on_the_screen(table):
    class Counting(ArrayTableModel):
        asked = 0

        def data(self, index, role=Qt.ItemDataRole.DisplayRole):
            Counting.asked += role == Qt.ItemDataRole.DisplayRole
            return super().data(index, role)

    model = Counting(table)
    table.setModel(model)
    model.show_matrix(np.zeros((1_000_000, 3), np.float32))
    table.resize(400, 300)
    table.grab()
    assert 0 < Counting.asked < 200


def test_non_finite_values_have_the_colour_of_errors(table):
    table.show_matrix(np.array([[np.nan, 1.0]]))
    error = QColor(theme_of(QGuiApplication.palette()).error)
    colours = [table.model().index(0, c).data(Qt.ItemDataRole.ForegroundRole) for c in (0, 1)]
    assert colours == [error, None]


def test_hovering_shows_every_digit(table):
    table.show_matrix(np.array([[1 / 3]], np.float32))
    assert table.model().index(0, 0).data() == "0.3333"
    assert table.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == "[0, 0]  0.33333334"


def test_a_selection_is_copied_with_every_digit(table, qtbot):
    table.show_matrix(np.array([[1 / 3, 2, 3], [4, 5, 6]], np.float32))
    model = table.model()
    table.selectionModel().select(
        QItemSelection(model.index(0, 0), model.index(1, 1)),
        QItemSelectionModel.SelectionFlag.ClearAndSelect,
    )
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "0.33333334\t2.0\n4.0\t5.0"


def test_no_column_is_cut_at_the_edge(qtbot):
    table = ArrayTable()
    qtbot.addWidget(table)
    table.show_matrix(np.zeros((3, 50)))
    table.show()
    table.resize(400, 200)
    width, room = table.columnWidth(0), table.viewport().width()
    assert room - width * (room // width) < room // width


def test_titles_and_the_shape_of_a_tensor_name_columns_and_rows(table):
    table.show_matrix(np.zeros((6, 2)), ("change", "momentum\nmemory"), (2, 3))
    model = table.model()
    assert model.headerData(1, Qt.Orientation.Horizontal) == "momentum\nmemory"
    assert model.headerData(4, Qt.Orientation.Vertical) == "[1, 1]"
    hint = model.index(4, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert hint == "momentum memory [1, 1]  0.0"
    table.show_matrix(np.zeros((6, 2)))
    assert model.headerData(4, Qt.Orientation.Vertical) == "4"


def test_the_current_element_stays_in_sight_when_the_table_shrinks(table, qtbot):
    table.show_matrix(np.zeros((50, 30)))
    table.resize(900, 400)
    table.show()
    table.go_to(20, 7)
    table.resize(200, 120)
    index = table.model().index(20, 7)
    assert table.viewport().rect().contains(table.visualRect(index))
