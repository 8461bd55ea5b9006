"""Tree rows: brought to a new shape without touching what stays."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QAbstractItemModel, QPersistentModelIndex, Qt

from gradstep_gui.widgets.tables.cells import Cell, Title
from gradstep_gui.widgets.tables.tree_rows import TreeRows


@dataclass(frozen=True)
class Plan:
    key: str
    children: tuple[Plan, ...] = ()


class KeyModel(TreeRows):
    titles = (Title("Key", "its name"), Title("Again"))

    def cell(self, plan, _column):
        return Cell(plan.key)


def plans(**children):
    return tuple(Plan(key, tuple(Plan(name) for name in names)) for key, names in children.items())


def shape(model: QAbstractItemModel):
    return tuple(
        Plan(
            model.index(row, 0).data(),
            tuple(
                Plan(model.index(child, 0, model.index(row, 0)).data())
                for child in range(model.rowCount(model.index(row, 0)))
            ),
        )
        for row in range(model.rowCount())
    )


def test_rows_follow_the_plans(qtmodeltester):
    model = KeyModel()
    model.follow(plans(a="xy", b="", c="z"))
    assert shape(model) == plans(a="xy", b="", c="z")
    qtmodeltester.check(model)


def test_rows_that_stay_are_the_same_rows():
    model = KeyModel()
    model.follow(plans(a="xy", b="z"))
    kept = QPersistentModelIndex(model.index(0, 0, model.index(1, 0)))
    model.follow(plans(new="", b="uz"))
    assert kept.isValid()
    assert (kept.row(), kept.data(), kept.parent().row()) == (1, "z", 1)


def test_removing_a_row_invalidates_its_indices():
    model = KeyModel()
    model.follow(plans(a="xy"))
    passed = QPersistentModelIndex(model.index(1, 0, model.index(0, 0)))
    model.follow(plans(a="x"))
    assert not passed.isValid()


def test_new_cells_of_the_same_rows_are_one_signal():
    model = KeyModel()
    model.follow(plans(a="xyz", b="xyz"))
    signals = []
    model.rowsInserted.connect(lambda *_: signals.append("inserted"))
    model.dataChanged.connect(lambda *_: signals.append("changed"))
    model.follow(plans(a="xyz", b="xyz"))
    assert signals == ["changed"]


@pytest.mark.usefixtures("qapp")
@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcd"), st.permutations("xyz").map(lambda k: k[:2])),
        max_size=4,
    )
)
def test_any_shape_follows_any_other(steps):
    model = KeyModel()
    for step in steps:
        wanted = plans(**step)
        model.follow(wanted)
        assert shape(model) == wanted


def test_titles_have_tooltips():
    model = KeyModel()
    header = [
        (
            model.headerData(column, Qt.Orientation.Horizontal),
            model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole),
        )
        for column in range(model.columnCount())
    ]
    assert header == [("Key", "its name"), ("Again", None)]
