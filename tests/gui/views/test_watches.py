"""The watches dock: expressions, values, and what the last event did to them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradstep.history.records.breakpoints import Breaks, WatchRecord
from gradstep.program.operation import Step
from gradstep_gui.views.watches import WatchesView
from gradstep_gui.widgets.tables.cells import CELL_ROLE
from tests.gui.factory import Event, RememberingController, layered, tensor

WATCHES = (
    WatchRecord(1, "loss", 0.5, 0.75, changed=True),
    WatchRecord(2, 'grad("x")', None, None),
    WatchRecord(3, 'data("x")', tensor([1.0, 2.0]), tensor([1.0, 3.0]), changed=True, moved=1.0),
    WatchRecord(4, "los", error="column 1: there is no 'los'", column=1),
    WatchRecord(5, "iteration == 4", True),
)


@pytest.fixture
def controller():
    return RememberingController(layered(2, 3, event=Event(1, 0, Step())))


@pytest.fixture
def view(qtbot, controller):
    made = WatchesView(controller)
    qtbot.addWidget(made)
    made.resize(900, 220)
    made.show()
    return made


def cells(view):
    model = view.table.model()
    return [
        [model.index(row, column).data(CELL_ROLE) for column in range(3)]
        for row in range(model.rowCount())
    ]


def test_values_and_changes_are_shown(view, controller):
    controller.breakpoints.show(Breaks(watches=WATCHES))
    reported = [[cell.text for cell in row] for row in cells(view)]
    assert reported == [
        ["loss", "0.5", "-0.25"],
        ['grad("x")', "None", "no change"],
        ['data("x")', "[1, 2]", "changed by norm 1"],
        ["los", "column 1: there is no 'los'", ""],
        ["iteration == 4", "True", ""],
    ]
    assert [row[1].mark for row in cells(view)] == ["step", "", "step", "", ""]
    assert cells(view)[0][2].after == "from 0.75"
    assert [row[1].tone for row in cells(view)] == ["", "none", "", "error", ""]


def test_without_watches_the_placeholder_explains_them(view):
    assert not view.place.shows_content
    assert view.place.sentence.startswith("A watch shows the current value of an expression")


def test_a_watch_is_added_by_writing_it(qtbot, view, controller):
    qtbot.keyClicks(view.field, "loss")
    qtbot.keyClick(view.field, Qt.Key.Key_Return)
    assert controller.breakpoints.asked == [("set_watch", "loss", None)]
    assert view.field.text() == ""


def test_a_watch_is_changed_in_the_field(qtbot, view, controller):
    controller.breakpoints.show(Breaks(watches=WATCHES))
    view.table.setCurrentIndex(view.table.model().index(3, 0))
    view.change.trigger()
    assert view.field.text() == "los"
    qtbot.keyClicks(view.field, "loss")
    qtbot.keyClick(view.field, Qt.Key.Key_Return)
    assert controller.breakpoints.asked == [("set_watch", "loss", 4)]


def test_the_chosen_watch_is_removed(view, controller):
    controller.breakpoints.show(Breaks(watches=WATCHES))
    view.table.setCurrentIndex(view.table.model().index(1, 0))
    view.remove.trigger()
    assert controller.breakpoints.asked == [("remove_watch", 2)]


def test_a_new_watch_takes_the_focus_when_it_is_wanted(qtbot, view, controller):
    view.activateWindow()
    controller.breakpoints.watch_requested.emit()
    qtbot.waitUntil(view.field.hasFocus)
