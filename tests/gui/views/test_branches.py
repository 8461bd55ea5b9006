"""The branches dock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from gradstep.history.records.branch import BranchRecord
from gradstep_gui.plotting.style import branch_color
from gradstep_gui.theme import LIGHT
from gradstep_gui.views.branches import BranchesView
from gradstep_gui.widgets.tables.cells import CELL_ROLE
from tests.gui.factory import RememberingController, layered

MAIN = BranchRecord(0, "main", "", 0, 120, 30, 1.5, is_current=True)
ASKED = BranchRecord(1, "lr = 0.5 from 41", "main", 40, 1121, 30, None, is_current=False)


@pytest.fixture
def view(qtbot):
    view = BranchesView(RememberingController(layered(2, 3)))
    qtbot.addWidget(view)
    view.resize(600, 200)
    with qtbot.waitExposed(view):
        view.show()
    return view


def publish(view, *branches):
    view.controller.branches.publish(branches=branches)


def test_a_single_branch_is_described_in_a_sentence(view):
    publish(view, MAIN)
    assert not view.place.shows_content
    assert "There is only one branch." in view.place.sentence


def test_each_branch_shows_its_fork_and_its_length(view):
    publish(view, MAIN, ASKED)
    assert view.table.row_texts == [
        ("main", "", "120", "30", "1.5"),
        ("lr = 0.5 from 41", "main, after 40", "1,121", "30", "None"),
    ]


def test_each_branch_has_the_colour_of_its_curves(view):
    publish(view, MAIN, ASKED)
    model = view.table.model()
    swatches = [model.index(row, 0).data(CELL_ROLE).swatch for row in range(2)]
    assert swatches == [LIGHT.curves[0], branch_color(1, LIGHT)]
    publish(view, replace(MAIN, is_current=False), replace(ASKED, is_current=True))
    swatches = [model.index(row, 0).data(CELL_ROLE).swatch for row in range(2)]
    assert swatches == [branch_color(0, LIGHT), LIGHT.curves[0]]


def test_only_another_branch_can_be_opened_or_compared(view):
    publish(view, MAIN, ASKED)
    assert not view.show_button.isEnabled()
    for row, enabled in ((0, False), (1, True)):
        view.table.selectRow(row)
        assert (view.show_button.isEnabled(), view.compare_button.isEnabled()) == (enabled, enabled)


def test_the_buttons_ask_the_controller(view, qtbot):
    publish(view, MAIN, ASKED)
    view.table.selectRow(1)
    view.show_button.click()
    view.compare_button.click()
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    asked = view.controller.branches.asked
    assert asked == [("checkout", 1), ("compare", 1), ("checkout", 1)]


def test_branches_of_a_running_script_say_whether_their_process_is_held(view):
    publish(view, MAIN, ASKED)
    assert len(view.table.row_texts[0]) == 5
    publish(view, replace(MAIN, process="ended"), replace(ASKED, process="held"))
    assert [row[5] for row in view.table.row_texts] == ["Ended", "Held"]


def test_the_chosen_branch_is_renamed_in_its_row(view, qtbot):
    publish(view, MAIN, ASKED)
    view.table.selectRow(1)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_F2)
    field = view.table.findChild(QLineEdit)
    assert field.text() == "lr = 0.5 from 41"
    field.selectAll()
    qtbot.keyClicks(field, "half the lr")
    publish(view, BranchRecord(0, "main", "", 0, 124, 31, 1.25, is_current=True), ASKED)
    assert field.text() == "half the lr"  # what is being written stays when numbers change
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.table.findChild(QLineEdit) is None)
    assert view.controller.branches.asked == [("rename", 1, "half the lr")]
    assert view.table.row_texts[1][0] == "lr = 0.5 from 41"  # until it is so


@pytest.mark.parametrize(
    ("typed", "key"),
    [("", Qt.Key.Key_Return), (ASKED.name, Qt.Key.Key_Return), ("other", Qt.Key.Key_Escape)],
)
def test_no_name_the_same_name_and_escape_rename_nothing(view, qtbot, typed, key):
    publish(view, MAIN, ASKED)
    view.table.selectRow(1)
    view.rename_button.click()
    field = view.table.findChild(QLineEdit)
    field.setText(typed)
    qtbot.keyClick(field, key)
    qtbot.waitUntil(lambda: view.table.findChild(QLineEdit) is None)
    assert view.controller.branches.asked == []


def test_the_delete_key_removes_the_chosen_branch(view, qtbot):
    publish(view, MAIN, ASKED)
    view.table.selectRow(1)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Delete)
    assert view.controller.branches.asked == [("remove", 1)]
    publish(view, MAIN)
    assert not view.place.shows_content


def test_the_current_branch_can_be_renamed_but_not_removed(view, qtbot):
    publish(view, MAIN, ASKED)
    view.table.selectRow(0)
    assert (view.rename_button.isEnabled(), view.remove_button.isEnabled()) == (True, False)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Delete)
    assert view.controller.branches.asked == []


def test_nothing_is_done_with_branches_while_the_program_runs(view):
    publish(view, MAIN, ASKED)
    view.table.selectRow(1)
    menu = {action.text(): action for action in view.table.actions()}
    assert list(menu) == ["Switch To", "Compare", "Rename", "Remove"]
    view.controller.be("running")
    assert [action.isEnabled() for action in menu.values()] == [False] * 4
    view.controller.be("paused")
    assert [action.isEnabled() for action in menu.values()] == [True] * 4


def test_the_chosen_row_stays_chosen_when_the_numbers_change(view):
    publish(view, MAIN, ASKED)
    view.table.selectRow(1)
    publish(view, BranchRecord(0, "main", "", 0, 124, 31, 1.25, is_current=True), ASKED)
    assert view.table.currentIndex().row() == 1
    assert view.table.row_texts[0] == ("main", "", "124", "31", "1.25")
