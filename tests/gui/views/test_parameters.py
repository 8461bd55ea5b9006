"""The parameters dock: what it shows of each tensor, marks and requests."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from gradstep.history.records.event import Event
from gradstep.program.operation import Backward, Freeze, SetMode, SetValue, Step
from gradstep_gui.views.parameters import ParametersView
from gradstep_gui.views.parameters.cells import ParameterColumn
from gradstep_gui.widgets.tables.cells import CELL_ROLE
from tests.gui.factory import RememberingController, layered, linear_modules, parameter, snapshot


@pytest.fixture
def open_view(qtbot):
    def opened(moment=None):
        controller = RememberingController(moment)
        view = ParametersView(controller)
        qtbot.addWidget(view)
        view.resize(500, 700)
        view.show()
        return view, controller

    return opened


def cell(view, tensor, column, role=Qt.ItemDataRole.DisplayRole):
    index = view.model.index_of_tensor(tensor)
    return index.siblingAtColumn(column).data(role)


def look(view, tensor, column):
    return cell(view, tensor, column, CELL_ROLE)


def test_none_is_shown_as_none_and_zeros_as_zero(open_view):
    view, _ = open_view(snapshot(parameter("x", [1, 2]), parameter("y", [3, 4], [0, 0])))
    assert cell(view, "x", ParameterColumn.GRAD) == "None"
    assert look(view, "x", ParameterColumn.GRAD).tone == "none"
    assert cell(view, "y", ParameterColumn.GRAD) == "[0, 0]"
    assert look(view, "y", ParameterColumn.GRAD).tone == ""


def test_a_small_tensor_is_shown_by_values_and_a_large_one_by_its_norm(open_view):
    view, _ = open_view(snapshot(parameter("x", [0.9, 1.9]), parameter("w", np.full((4, 4), 2.0))))
    assert cell(view, "x", ParameterColumn.DATA) == "[0.9, 1.9]"
    assert cell(view, "w", ParameterColumn.DATA) == "norm 8"
    assert cell(view, "w", ParameterColumn.SHAPE) == "4 × 4"


def test_a_scalar_is_known_from_its_summary_alone(open_view):
    view, _ = open_view(snapshot(parameter("x", 2.5, keep=False), parameter("b", [7], keep=False)))
    assert cell(view, "x", ParameterColumn.DATA) == "2.5"
    assert cell(view, "b", ParameterColumn.DATA) == "[7]"


def test_nan_and_infinity_are_counted_in_words(open_view):
    view, _ = open_view(snapshot(parameter("w", [1, np.nan, np.inf, -np.inf, 1])))
    assert cell(view, "w", ParameterColumn.DATA) == "1 NaN, 2 Inf, norm 1.4142"
    assert look(view, "w", ParameterColumn.DATA).tone == "error"


def test_values_changed_by_the_last_event_are_marked_with_its_kind(open_view):
    event = Event(3, 0, Backward(), writes=("model.0.weight.grad",))
    view, _ = open_view(layered(2, 3, event=event, grads=True))
    assert look(view, "model.0.weight", ParameterColumn.GRAD).mark == "backward"
    assert look(view, "model.0.bias", ParameterColumn.GRAD).mark == ""
    assert look(view, "model.0.weight", ParameterColumn.DATA).mark == ""
    hint = cell(view, "model.0.weight", ParameterColumn.GRAD, Qt.ItemDataRole.ToolTipRole)
    assert hint.endswith("Just changed by Backward")


def test_a_step_marks_data_version_and_the_optimizer_whose_state_it_wrote(open_view):
    writes = ("model.0.weight", "optimizer/model.0.weight/momentum_buffer")
    view, _ = open_view(layered(2, 3, event=Event(4, 0, Step(), writes=writes), momentum=True))
    marked = [c for c in ParameterColumn if look(view, "model.0.weight", c).mark == "step"]
    assert marked == [ParameterColumn.DATA, ParameterColumn.VERSION, ParameterColumn.HELD_BY]


def test_a_freeze_marks_requires_grad_and_not_the_values(open_view):
    event = Event(4, 0, Freeze("w"), writes=("w",))
    view, _ = open_view(snapshot(parameter("w", [1], requires_grad=False), event=event))
    marked = [column for column in ParameterColumn if look(view, "w", column).mark]
    assert marked == [ParameterColumn.REQUIRES_GRAD]


def test_a_module_in_evaluation_mode_is_labelled_and_a_change_of_mode_is_marked(open_view):
    view, controller = open_view(layered(2, 3))
    module = view.model.index(0, 0)
    assert module.data(CELL_ROLE).after == "Sequential"
    inner = view.model.index(0, 0, module)
    modules = (dataclasses.replace(linear_modules(2, 3)[0], training=False),)
    event = Event(1, 0, SetMode(training=False), writes=("model",))
    controller.show(layered(2, 3, modules=modules, event=event))
    assert (module.data(CELL_ROLE).after, module.data(CELL_ROLE).mark) == (
        "Sequential, eval",
        "set_mode",
    )
    assert view.model.index(0, 0, module) == inner


def test_a_tensor_without_optimizer_is_warned_of(open_view):
    view, _ = open_view(
        snapshot(
            parameter("w", [1], held_by=()),
            parameter("c", [1], held_by=(), requires_grad=False),
            parameter("m", [1], held_by=(), requires_grad=False, is_buffer=True),
        )
    )
    assert cell(view, "w", ParameterColumn.HELD_BY) == "⚠ no optimizer"
    assert look(view, "w", ParameterColumn.HELD_BY).tone == "warning"
    assert cell(view, "c", ParameterColumn.HELD_BY) == "–"
    assert cell(view, "c", ParameterColumn.REQUIRES_GRAD) == "False (frozen)"
    assert cell(view, "m", ParameterColumn.HELD_BY) == "buffer"


def test_a_new_moment_keeps_selection_expansion_and_rows(open_view):
    view, controller = open_view(layered(2, 3, 1))
    view.select("model.1.bias")
    module = view.model.index(0, 0)
    view.tree.collapse(view.model.index(0, 0, module))
    resets, inserted = [], []
    view.model.modelReset.connect(lambda: resets.append(1))
    view.model.rowsInserted.connect(lambda *_: inserted.append(1))
    controller.show(layered(2, 3, 1, grads=True, seed=1))
    assert (resets, inserted) == ([], [])
    assert view.selected == "model.1.bias"
    assert not view.tree.isExpanded(view.model.index(0, 0, module))
    assert view.tree.isExpanded(view.model.index(1, 0, module))


def test_another_program_replaces_the_rows(open_view):
    view, controller = open_view(layered(2, 3, 1))
    controller.show(snapshot(parameter("x", [1, 2])))
    assert view.model.rowCount() == 1
    assert view.selected == "x"
    assert cell(view, "x", ParameterColumn.NAME) == "x"


def test_the_filter_narrows_to_matching_tensors_and_their_modules(open_view):
    view, _ = open_view(layered(2, 3, 1))
    view.filter.setText("1 BIAS")
    names = [row.plan.tensor for row in view.model.every_row() if row.plan.tensor]
    assert names == ["model.1.bias"]
    view.filter.clear()
    assert len([row for row in view.model.every_row() if row.plan.tensor]) == 4


def test_arrays_of_the_selected_tensor_and_of_tiny_ones_are_requested(open_view):
    view, controller = open_view(layered(4, 3, 1, grads=True, keep=False))
    view.select("model.0.weight")
    assert controller.wanted["parameters"] == {
        "model.0.weight",
        *("model.0.bias", "model.0.bias.grad"),
        *("model.1.weight", "model.1.weight.grad"),
        *("model.1.bias", "model.1.bias.grad"),
    }
    view.details.tabs.setCurrentIndex(1)
    assert "model.0.weight.grad" in controller.wanted["parameters"]
    assert "model.0.weight" not in controller.wanted["parameters"]


def test_a_hidden_view_asks_for_nothing_and_catches_up_when_shown(open_view):
    view, controller = open_view(layered(4, 3))
    view.hide()
    assert controller.wanted["parameters"] == set()
    controller.show(snapshot(parameter("x", [1, 2])))
    assert view.selected == "model.0.weight"
    view.show()
    assert view.selected == "x"


def test_details_show_the_chosen_array_and_keep_the_choice(open_view):
    view, _controller = open_view(layered(2, 3, grads=True, momentum=True))
    view.select("model.0.weight")
    assert [view.details.tabs.tabText(i) for i in range(3)] == ["data", "grad", "momentum_buffer"]
    view.details.tabs.setCurrentIndex(2)
    assert view.details.address == "optimizer/model.0.weight/momentum_buffer"
    assert view.details.array_view.heat_map.matrix_shape == (3, 2)
    view.select("model.0.bias")
    assert view.details.address == "optimizer/model.0.bias/momentum_buffer"


def test_details_explain_that_a_missing_gradient_is_not_zero(open_view):
    view, _ = open_view(snapshot(parameter("x", [1, 2])))
    view.details.tabs.setCurrentIndex(1)
    assert not view.details.place.shows_content
    assert view.details.place.sentence.startswith("x.grad is None, which is not zero")


def test_details_show_a_notice_while_values_are_loading(open_view):
    view, controller = open_view(snapshot(parameter("w", np.ones((3, 3)), keep=False)))
    assert view.details.place.sentence == "Loading w…"
    controller.show(snapshot(parameter("w", np.ones((3, 3)))))
    assert view.details.place.shows_content


def test_without_a_program_a_placeholder_describes_the_dock(open_view):
    view, _ = open_view()
    assert not view.place.shows_content
    assert view.place.sentence == "Open a program to see its parameters here."


def test_a_tensor_chosen_here_or_elsewhere_is_chosen_in_every_view(open_view):
    view, controller = open_view(layered(2, 3, 1))
    assert controller.selected == "model.0.weight"
    view.select("model.1.bias")
    assert controller.selected == "model.1.bias"
    controller.select("model.0.bias")
    assert view.selected == "model.0.bias"


def test_a_view_that_was_hidden_catches_up_with_the_choice(open_view):
    view, controller = open_view(layered(2, 3, 1))
    view.hide()
    controller.select("model.1.weight")
    controller.show(layered(2, 3, 1, seed=1))
    view.show()
    assert view.selected == "model.1.weight"


def test_a_long_name_does_not_widen_it(open_view):
    usual, _ = open_view(snapshot(parameter("x", (1,))))
    long, _ = open_view(snapshot(parameter("a_module_with_a_name_of_many_words" * 3, (1,))))
    assert long.minimumSizeHint().width() == usual.minimumSizeHint().width()


def test_a_number_of_the_data_can_be_typed_over_and_one_of_the_gradient_cannot(open_view, qtbot):
    view, controller = open_view()
    view.render(snapshot(parameter("w", [[1, 2], [3, 4]], [[5, 6], [7, 8]])))
    table = view.details.array_view.table
    place = table.model().index(1, 0)
    table.setCurrentIndex(place)
    table.edit(place)
    field = table.findChild(QLineEdit)
    field.selectAll()
    qtbot.keyClicks(field, "2.5e-1x")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: controller.applied == [SetValue("w", 0.25, (1, 0))])
    assert "Double-click" in place.data(Qt.ItemDataRole.ToolTipRole)
    view.details.tabs.setCurrentIndex(1)
    assert not table.model().index(1, 0).flags() & Qt.ItemFlag.ItemIsEditable


def test_values_typed_during_a_run_are_not_written(open_view):
    view, controller = open_view()
    view.render(snapshot(parameter("w", 1.0)))
    controller.be("running")
    model = view.details.array_view.table.model()
    assert model.setData(model.index(0, 0), "2")
    assert controller.applied == []
    controller.be("paused")
    assert not model.setData(model.index(0, 0), "1")
    model.setData(model.index(0, 0), "2")
    assert controller.applied == [SetValue("w", 2.0)]


def test_rows_of_the_previous_program_have_no_cells_while_they_are_removed(open_view):
    view, _ = open_view(snapshot(parameter("w", [1, 2]), parameter("x", [3])))
    message = []
    view.model.rowsAboutToBeRemoved.connect(
        lambda parent, first, _last: message.append(view.model.index(first, 0, parent).data())
    )
    view.model.show(snapshot(parameter("y", [4])), "")
    assert message == [None, None]
    assert cell(view, "y", ParameterColumn.DATA) == "[4]"


@pytest.fixture
def menus(open_view, qtbot):
    """A view, and the tensors that a right click requested a menu of."""
    view, _ = open_view(layered(3, 2, 1))
    qtbot.waitUntil(lambda: view.model.rowCount() > 0)
    requested = []
    view.tensor_menu_requested.connect(lambda _: requested.append(view.selected))
    return view, requested


def right_click(view, index):
    view.tree.customContextMenuRequested.emit(view.tree.visualRect(index).center())


def test_a_right_click_on_a_tensor_selects_it_and_requests_its_menu(menus):
    view, requested = menus
    right_click(view, view.model.index_of_tensor("model.1.weight"))
    assert requested == ["model.1.weight"]


def test_a_right_click_on_a_layer_or_below_the_rows_requests_no_menu(menus):
    view, requested = menus
    right_click(view, view.model.index(0, 0))
    view.tree.customContextMenuRequested.emit(view.tree.viewport().rect().bottomLeft())
    assert view.model.tensor_name(view.model.index(0, 0)) == ""
    assert requested == []
