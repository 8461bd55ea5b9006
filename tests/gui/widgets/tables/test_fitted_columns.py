"""Columns that fit: none is cut at the edge, and those that matter most stay."""

import pytest
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QTreeView

from gradstep_gui.widgets.tables.fitted_columns import FittedColumns, widths_that_fit


@pytest.fixture
def tree(qtbot):
    tree = QTreeView()
    qtbot.addWidget(tree)
    tree.setModel(QStandardItemModel(3, 4, tree))
    FittedColumns(tree, tree.header(), ({0: 100, 1: 80}, {2: 60}, {3: 60}))
    return tree


def shown(tree):
    return [c for c in range(4) if not tree.header().isSectionHidden(c)]


@pytest.mark.parametrize(
    ("room", "columns"), [(190, [0, 1]), (250, [0, 1, 2]), (320, [0, 1, 2, 3])]
)
def test_as_many_columns_are_shown_as_there_is_room_for(tree, qtbot, room, columns):
    tree.show()
    tree.resize(room, 200)
    assert shown(tree) == columns
    assert tree.header().length() <= tree.viewport().width()
    assert not tree.horizontalScrollBar().isVisible()


def test_a_width_chosen_by_hand_is_kept(tree):
    tree.show()
    tree.resize(320, 200)
    tree.header().resizeSection(0, 150)
    tree.resize(310, 200)
    assert shown(tree) == [0, 1, 2]
    assert tree.header().sectionSize(0) >= 150


def test_a_column_gets_the_room_that_its_text_needs(qtbot):
    tree = QTreeView()
    qtbot.addWidget(tree)
    tree.setModel(QStandardItemModel(3, 3, tree))
    columns = FittedColumns(tree, tree.header(), ({0: 100, 1: 80}, {2: 60}), growing=(1,))
    tree.show()
    tree.resize(400, 200)
    columns.make_room(0, 130)
    assert 130 <= tree.header().sectionSize(0) <= 132
    columns.make_room(0, 90)
    assert tree.header().sectionSize(0) >= 130


def test_a_column_grows_to_what_it_wants_before_others_do(qtbot):
    tree = QTreeView()
    qtbot.addWidget(tree)
    tree.setModel(QStandardItemModel(3, 3, tree))
    columns = FittedColumns(tree, tree.header(), ({0: 100, 1: 60}, {2: 60}), growing=(2,))
    tree.show()
    tree.resize(300, 200)
    before = tree.header().sectionSize(2)
    columns.want(1, 80)
    assert 80 <= tree.header().sectionSize(1) <= 82
    assert tree.header().sectionSize(2) < before
    columns.want(1, 70)
    assert tree.header().sectionSize(1) >= 80


def test_a_group_can_have_other_columns_later(qtbot):
    tree = QTreeView()
    qtbot.addWidget(tree)
    tree.setModel(QStandardItemModel(3, 3, tree))
    columns = FittedColumns(tree, tree.header(), ({0: 100}, {}, {2: 60}))
    tree.show()
    tree.resize(300, 200)
    assert [tree.header().isSectionHidden(c) for c in range(3)] == [False, True, False]
    columns.set_group(1, {1: 90})
    assert [tree.header().isSectionHidden(c) for c in range(3)] == [False, False, False]
    columns.set_group(1, {})
    assert [tree.header().isSectionHidden(c) for c in range(3)] == [False, True, False]


def test_with_a_larger_font_fewer_columns_are_shown_and_each_has_its_room(tree):
    font = tree.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    tree.setFont(font)
    tree.show()
    tree.resize(440, 200)
    assert shown(tree) == [0, 1]
    assert tree.header().sectionSize(0) > 150
    tree.resize(190, 200)
    assert shown(tree) == [0, 1]
    assert tree.header().length() <= tree.viewport().width()


def test_only_growing_columns_share_the_remaining_width():
    assert widths_that_fit([{0: 50, 1: 100}, {2: 100}], 450, {1, 2}) == {0: 50, 1: 200, 2: 200}


def test_where_there_is_no_room_the_first_group_stays():
    assert widths_that_fit([{0: 50, 1: 100}, {2: 1}], 20, {0, 1}) == {0: 50, 1: 100}


def test_without_a_growing_column_all_share_the_remaining_width():
    assert widths_that_fit([{0: 50, 1: 100}, {2: 100}], 225, {2}) == {0: 75, 1: 150}
