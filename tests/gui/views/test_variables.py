"""The variables dock: the stack of a held script, and what its names stand for."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

from gradstep.history.records.variables import (
    FrameRecord,
    HeldVariables,
    TensorValues,
    VariableRecord,
)
from gradstep.history.summary import summarise
from gradstep_gui.views.variables import VariablesView
from tests.gui.factory import RememberingController, layered

FRAMES = (
    FrameRecord("step", "/home/ada/train.py", 7),
    FrameRecord("<module>", "/home/ada/main.py", 12),
)
X = VariableRecord(
    "x", "Tensor", "float32", "@0/x", (2, 3), requires_grad=True, has_grad=True, path="x"
)
LOSS = VariableRecord(
    "loss",
    "Tensor",
    "float32",
    "@0/loss",
    value=summarise(np.array(2.5, np.float32), whole=True),
    path="loss",
)
NET = VariableRecord("net", "Net", "", can_open=True, path="net")
ROWS = (VariableRecord("i", "int", "3", path="i"), NET, X, LOSS)
LAYERS = VariableRecord(".layers", "list", "1 item", depth=1, can_open=True, path="net.layers")
WEIGHT = VariableRecord(
    "[0]", "Parameter", "float32", "@0/net.layers[0]", (2,), depth=2, path="net.layers[0]"
)
OPENED = (*ROWS[:2], LAYERS, WEIGHT, *ROWS[2:])
HELD = HeldVariables(FRAMES, 0, ROWS)


@pytest.fixture
def controller():
    return RememberingController(layered(2, 3))


@pytest.fixture
def view(qtbot, controller):
    made = VariablesView(controller)
    qtbot.addWidget(made)
    made.resize(400, 500)
    made.show()
    return made


def values(address, array, shape=None):
    array = np.asarray(array, np.float32)
    return TensorValues(address, summarise(array, whole=True), shape or array.shape)


def test_variables_are_listed_with_values_or_shapes(view, controller):
    assert controller.variables.asked == [(0,)]
    controller.variables.answered.emit(HELD)
    assert view.tree.titles == ("Name", "Value", "Type")
    assert view.tree.row_texts == [
        ("i", "3", "int"),
        ("net", "", "Net"),
        ("x", "2 × 3 float32", "Tensor, grad"),
        ("loss", "2.5", "Tensor"),
    ]
    assert [view.frames.itemText(row) for row in range(2)] == [
        "step, train.py:7",
        "<module>, main.py:12",
    ]
    hint = view.tree.model().index(2, 1).data(3)
    assert hint == "2 × 3 float32\nrequires grad\nhas grad"


def test_a_frame_that_is_chosen_shows_its_line_and_variables(qtbot, view, controller):
    controller.variables.answered.emit(HELD)
    with qtbot.waitSignal(view.frame_chosen) as chosen:
        view.frames.activated.emit(1)
    assert chosen.args == ["/home/ada/main.py", 12]
    assert controller.variables.asked == [(0,), (1,)]
    controller.variables.answered.emit(HeldVariables(FRAMES, 1, ROWS[:1]))
    assert (view.frames.currentIndex(), len(view.tree.row_texts)) == (1, 1)
    controller.show(layered(2, 4))
    assert controller.variables.asked == [(0,), (1,), (1,)]  # the same frame of the same calls
    other = (FrameRecord("evaluate", "/home/ada/train.py", 20), FRAMES[1])
    controller.variables.answered.emit(HeldVariables(other, 1, ()))
    assert controller.variables.asked == [(0,), (1,), (1,), (0,)]


def test_the_values_of_a_tensor_are_fetched_and_again_after_an_event(view, controller):
    controller.variables.answered.emit(HELD)
    view.tree.select("x")
    assert controller.variables.values == [("@0/x", (2, 3))]
    controller.variables.values_answered.emit(values("@0/x", [[1, 2, 3], [4, 5, 6]]))
    assert view.details.place.shows_content
    assert view.details.array_view.heat_map.matrix_shape == (2, 3)
    view.details.tabs.setCurrentIndex(1)
    assert controller.variables.values[-1] == ("@0/x.grad", (2, 3))
    controller.variables.values_answered.emit(values("@0/x", np.zeros((2, 3))))  # too late
    assert view.details.place.sentence == "Loading x…"
    controller.variables.answered.emit(HELD)
    assert view.details.address == "@0/x.grad"
    assert len(controller.variables.values) == 3


def test_of_a_large_tensor_it_says_how_much_is_shown(view, controller):
    controller.variables.answered.emit(HELD)
    view.tree.select("x")
    controller.variables.values_answered.emit(values("@0/x", np.ones(4), (2, 3)))
    caption = view.details.array_view._caption
    assert caption.startswith("first 4 of 6 elements: norm 2, mean 1")
    controller.variables.values_answered.emit(TensorValues("@0/x", None, (2, 3)))
    assert view.details.place.sentence == "It has no values in memory."


def test_a_plain_value_is_shown_whole_and_an_object_by_its_type(view, controller):
    controller.variables.answered.emit(HELD)
    view.tree.select("i")
    assert view.details.place.sentence == "3"
    view.tree.select("net")
    assert "No code of the script is run" in view.details.place.sentence
    assert not view.details.tabs.isVisible()
    assert controller.variables.values == []


def test_where_they_are_not_known_it_says_why(view, controller):
    controller.variables.answered.emit(HeldVariables(obstacle="The script has ended."))
    assert view.place.sentence == "The script has ended."
    controller.be("running")
    controller.show(layered(2, 4))
    assert view.place.sentence == "The script runs. Its variables are shown where it is held."
    controller.be("paused")
    assert controller.variables.asked == [(0,), (0,)]


def test_nothing_is_asked_while_it_is_hidden(view, controller):
    view.hide()
    controller.show(layered(2, 4))
    assert controller.variables.asked == [(0,)]


def press(qtbot, view, *keys):
    for key in keys:
        qtbot.keyClick(view.tree, key)


def test_what_a_variable_holds_is_asked_for_when_it_is_opened_by_keyboard(qtbot, view, controller):
    controller.variables.answered.emit(HELD)
    view.tree.select("net")
    press(qtbot, view, Qt.Key.Key_Right)
    assert controller.variables.asked[1:] == [(0, "net")]
    controller.variables.answered.emit(HeldVariables(FRAMES, 0, (*ROWS[:2], LAYERS, *ROWS[2:])))
    press(qtbot, view, Qt.Key.Key_Right, Qt.Key.Key_Right)
    assert controller.variables.asked[2:] == [(0, "net", "net.layers")]
    controller.variables.answered.emit(HeldVariables(FRAMES, 0, OPENED))
    assert view.tree.row_texts[1:4] == [
        ("net", "", "Net"),
        (".layers", "1 item", "list"),
        ("[0]", "(2,) float32", "Parameter"),
    ]
    press(qtbot, view, Qt.Key.Key_Down)
    assert controller.variables.values == [("@0/net.layers[0]", (2,))]
    assert view.details.title.text() == "net.layers[0]"
    press(qtbot, view, Qt.Key.Key_Left, Qt.Key.Key_Left)
    controller.show(layered(2, 4))
    assert controller.variables.asked[3:] == [(0, "net")]


def test_what_is_open_stays_open_and_the_selected_part_selected(view, controller):
    controller.variables.answered.emit(HELD)
    view.tree.open_paths |= {"net", "net.layers"}
    controller.variables.answered.emit(HeldVariables(FRAMES, 0, OPENED))
    view.tree.select("net.layers[0]")
    assert view.tree.isExpanded(view.tree.index_of_path("net.layers"))
    controller.variables.answered.emit(HeldVariables(FRAMES, 0, ROWS[:1]))  # of another function
    assert view.tree.row_texts == [("i", "3", "int")]
    controller.variables.answered.emit(HeldVariables(FRAMES, 0, OPENED))
    assert view.tree.isExpanded(view.tree.index_of_path("net.layers"))
    assert view.details.title.text() == "net.layers[0]"
    assert len(controller.variables.asked) == 1  # it was all there


def test_an_object_says_that_it_can_be_opened(view, controller):
    controller.variables.answered.emit(HELD)
    view.tree.select("net")
    assert view.details.place.sentence.endswith("Open it to see what it holds.")


def test_parts_of_one_name_are_all_listed(view, controller):
    twice = [VariableRecord(name, "int", "3", depth=1, path=f"net{name}") for name in ("…", "…")]
    controller.variables.answered.emit(HeldVariables(FRAMES, 0, (NET, *twice)))
    assert [row[0] for row in view.tree.row_texts] == ["net", "…", "…"]
