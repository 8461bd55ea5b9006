"""The optimizer inspector: settings that can be edited, state per tensor, and what is amiss."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gradstep.history.records.event import Event
from gradstep.history.records.finding import Finding
from gradstep.history.records.snapshot import GroupRecord, OptimizerRecord
from gradstep.program.abilities import Abilities
from gradstep.program.listing import Listing
from gradstep.program.operation import Forward, ReplaceOptimizer, SetHyperparameter, Step
from gradstep_gui.views.optimizer_inspector import OptimizerInspectorView
from gradstep_gui.views.optimizer_inspector.state_tree import StateColumn
from gradstep_gui.widgets.tables.cells import CELL_ROLE
from tests.gui.factory import (
    RememberingController,
    failed,
    layered,
    optimizer,
    parameter,
    snapshot,
)


@pytest.fixture
def open_view(qtbot):
    def opened(moment=None):
        controller = RememberingController(moment)
        view = OptimizerInspectorView(controller)
        qtbot.addWidget(view)
        view.resize(420, 700)
        view.show()
        return view, controller

    return opened


def adam(steps=0, **state):
    held = parameter("w", [1.0, 2.0], buffers={"optimizer": state} if state else None)
    record = optimizer("w", kind="Adam", steps=steps, betas=(0.9, 0.999), amsgrad=False)
    return snapshot(held, optimizers={"optimizer": record})


def type_into(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def cell(view, address, column, role=Qt.ItemDataRole.DisplayRole):
    return view.model.index_of_buffer(address).siblingAtColumn(column).data(role)


def look(view, address, column):
    return cell(view, address, column, CELL_ROLE)


def top_rows(view, role=Qt.ItemDataRole.DisplayRole):
    return [view.model.index(row, 0).data(role) for row in range(view.model.rowCount())]


def test_a_number_typed_becomes_a_set_hyperparameter(open_view, qtbot):
    view, controller = open_view(adam())
    type_into(qtbot, view.settings.form.field("lr"), "1e-3")
    assert controller.applied == [SetHyperparameter("lr", 0.001, "optimizer", 0)]


def test_a_list_of_numbers_and_a_switch_can_be_edited(open_view, qtbot):
    view, controller = open_view(adam())
    type_into(qtbot, view.settings.form.field("betas"), "0.8, 0.99")
    view.settings.form.field("amsgrad").click()
    assert controller.applied == [
        SetHyperparameter("betas", [0.8, 0.99], "optimizer", 0),
        SetHyperparameter("amsgrad", True, "optimizer", 0),
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("lr", "fast", "✖ lr: “fast” is not a number; enter one such as 0.01 or 1e-3"),
        ("lr", "nan", "✖ lr: “nan” is not a finite number"),
        ("betas", "0.9", "✖ betas: enter 2 numbers, such as 0.9, 0.999"),
    ],
)
def test_an_invalid_value_is_rejected_beside_the_form(open_view, qtbot, name, text, message):
    view, controller = open_view(adam())
    type_into(qtbot, view.settings.form.field(name), text)
    assert controller.applied == []
    assert view.settings.problem.text() == message
    assert view.settings.problem.isVisible()


def test_a_value_that_the_optimizer_rejects_is_reported_with_its_remedy(open_view):
    view, controller = open_view(adam())
    event = failed(1, SetHyperparameter("lr", -1.0), "lr is -1", "lr must be at least 0")
    controller.show(dataclasses.replace(adam(), event=event, event_index=1))
    assert view.settings.problem.text() == "✖ lr: lr is -1; lr must be at least 0"
    assert view.settings.form.field("lr").text() == "0.01"


def test_text_being_typed_is_not_overwritten(open_view, qtbot):
    view, controller = open_view(adam())
    field = view.settings.form.field("lr")
    field.selectAll()
    qtbot.keyClicks(field, "0.5")
    controller.show(adam(steps=1))
    assert field.text() == "0.5"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "0.01"


def test_a_changed_hyperparameter_is_marked(open_view):
    event = Event(1, 0, SetHyperparameter("lr", 0.01), writes=("optimizer/lr",))
    moment = dataclasses.replace(adam(), event=event, changed=frozenset(event.writes))
    view, _ = open_view(moment)
    assert view.settings.form.field("lr").mark == "set_hyperparameter"
    assert view.settings.form.field("betas").mark == ""


def test_a_change_in_another_group_is_not_marked(open_view):
    groups = (GroupRecord(("w",), {"lr": 0.1}), GroupRecord((), {"lr": 0.2}))
    event = Event(1, 0, SetHyperparameter("lr", 0.2, group=1), writes=("optimizer/lr",))
    record = OptimizerRecord("optimizer", "SGD", groups)
    moment = snapshot(parameter("w", [1]), optimizers={"optimizer": record}, event=event)
    view, _ = open_view(moment)
    assert view.settings.form.field("lr").mark == ""
    view.settings.group_tabs.setCurrentIndex(1)
    assert view.settings.form.field("lr").mark == "set_hyperparameter"


def test_every_buffer_is_listed_under_its_tensor(open_view):
    state = {"exp_avg": [0.1, 0.2], "exp_avg_sq": np.full(2, 0.5), "step": 3.0}
    view, _ = open_view(adam(steps=3, **state))
    assert top_rows(view) == ["w"]
    assert cell(view, "optimizer/w/exp_avg", StateColumn.VALUE) == "[0.1, 0.2]"
    assert cell(view, "optimizer/w/exp_avg", StateColumn.MINIMUM) == "0.1"
    assert cell(view, "optimizer/w/step", StateColumn.VALUE) == "3"
    assert view.settings.steps.text() == "3 steps"


def test_an_array_is_selected_before_a_counter(open_view):
    view, _ = open_view(adam(steps=3, step=3.0, exp_avg=[0.1, 0.2]))
    assert view.address == "optimizer/w/exp_avg"
    view.select("optimizer/w/step")
    assert view.array_place.sentence == "step = 3"


def test_of_the_selected_tensor_an_array_is_shown_before_a_counter(open_view):
    view, controller = open_view(adam())
    controller.selected = "w"
    controller.show(adam(steps=3, step=3.0, exp_avg=[0.1, 0.2]))
    assert view.address == "optimizer/w/exp_avg"


def test_large_type_needs_no_more_height_than_a_window_has(open_view):
    view, _ = open_view(adam(steps=3, step=3.0, exp_avg=[0.1, 0.2]))
    for points in (9, 18):
        font = view.font()
        font.setPointSizeF(points)
        view.setFont(font)
        needed = view.minimumSizeHint().height()
        assert needed <= 8 * view.fontMetrics().height()
    view.resize(view.minimumSizeHint().width(), 800)
    assert view.settings.form.width() > 0


def test_a_step_marks_the_buffers_it_wrote(open_view):
    writes = ("optimizer/model.0.weight/momentum_buffer",)
    view, _ = open_view(layered(2, 3, event=Event(4, 0, Step(), writes=writes), momentum=True))
    assert look(view, writes[0], StateColumn.VALUE).mark == "step"
    bias = "optimizer/model.0.bias/momentum_buffer"
    assert look(view, bias, StateColumn.VALUE).mark == ""


def test_the_placeholder_explains_that_the_first_step_creates_state(open_view):
    view, _ = open_view(adam())
    assert [cell.after for cell in top_rows(view, CELL_ROLE)] == ["no state yet"]
    assert view.array_place.sentence == "No state yet: Adam creates it in the first Step."


def test_the_placeholder_explains_why_there_is_no_state_after_steps(open_view):
    record = optimizer("w", steps=2, momentum=0.0)
    view, controller = open_view(snapshot(parameter("w", [1]), optimizers={"optimizer": record}))
    sentence = "SGD keeps no state for these tensors while momentum is 0."
    assert view.array_place.sentence == sentence
    controller.show(adam(steps=2))
    sentence = "Adam has no state for these tensors: no Step found a gradient."
    assert view.array_place.sentence == sentence


def test_sgd_without_momentum_never_promises_state(open_view):
    record = optimizer("w", steps=0, momentum=0.0)
    view, _ = open_view(snapshot(parameter("w", [1]), optimizers={"optimizer": record}))
    sentence = "SGD keeps no state for these tensors while momentum is 0."
    assert view.array_place.sentence == sentence
    assert [cell.after for cell in top_rows(view, CELL_ROLE)] == ["no state"]


def test_options_without_effect_are_shown_only_with_all_options(open_view):
    record = optimizer("w", foreach=None, capturable=False, decoupled_weight_decay=False)
    view, _ = open_view(snapshot(parameter("w", [1]), optimizers={"optimizer": record}))
    settings = view.settings
    assert not settings.unset.isVisible()
    assert settings.every.toolTip() == (
        "Also show decoupled_weight_decay = False, foreach = None, capturable = False"
    )
    with pytest.raises(KeyError):
        settings.form.field("decoupled_weight_decay")
    settings.every.click()
    assert settings.unset.text() == "foreach = None, capturable = False"
    assert settings.unset.isVisible()
    assert not settings.form.field("decoupled_weight_decay").isChecked()


def test_a_rare_option_that_is_on_is_shown(open_view):
    record = optimizer("w", decoupled_weight_decay=True)
    view, _ = open_view(snapshot(parameter("w", [1]), optimizers={"optimizer": record}))
    assert view.settings.form.field("decoupled_weight_decay").isChecked()
    assert not view.settings.every.isVisible()


def test_a_note_lists_the_state_that_zero_grad_does_not_clear(open_view):
    view, controller = open_view(adam())
    assert view.settings.note.text() == ("Zero Grad clears .grad only, not optimizer state.")
    controller.show(adam(steps=1, exp_avg=[0.0, 0.1], step=1.0))
    assert view.settings.note.text() == ("Zero Grad clears .grad only, not exp_avg, step.")


def test_stale_and_foreign_tensors_are_marked_with_the_evidence(open_view):
    finding = Finding("optimizer-foreign", "fact", "not reached", "", "remove it", subjects=("b",))
    moment = snapshot(
        parameter("a", [1]),
        parameter("b", [2]),
        optimizers={"optimizer": optimizer("a", "b", "a (stale)", kind="Adam")},
        findings=(finding,),
    )
    view, _ = open_view(moment)
    assert top_rows(view) == ["a", "b", "a"]
    assert [cell.after for cell in top_rows(view, CELL_ROLE)] == [
        "no state yet",
        "⚠ foreign: no loss depends on it",
        "⚠ stale: the module has another tensor now",
    ]
    assert top_rows(view, Qt.ItemDataRole.ToolTipRole)[1] == "not reached\nremove it"


def test_another_optimizer_or_group_can_be_selected(open_view, qtbot):
    groups = (GroupRecord(("a",), {"lr": 0.1}), GroupRecord(("b",), {"lr": 0.2}))
    moment = snapshot(
        parameter("a", [1], held_by=("first", "second")),
        parameter("b", [2], held_by=("second",)),
        optimizers={
            "first": optimizer("a", name="first"),
            "second": OptimizerRecord("second", "SGD", groups),
        },
    )
    view, controller = open_view(moment)
    assert not view.settings.group_tabs.isVisible()
    view.settings.optimizer_tabs.setCurrentIndex(1)
    view.settings.group_tabs.setCurrentIndex(1)
    assert top_rows(view) == ["b"]
    type_into(qtbot, view.settings.form.field("lr"), "0.3")
    assert controller.applied == [SetHyperparameter("lr", 0.3, "second", 1)]
    controller.show(moment)
    assert view.settings.optimizer_tabs.currentIndex() == 1
    assert top_rows(view) == ["b"]


def test_the_selected_buffer_is_requested_and_shown(open_view):
    view, controller = open_view(layered(4, 3, momentum=True, keep=False))
    address = "optimizer/model.0.weight/momentum_buffer"
    assert view.address == address
    assert address in controller.wanted["optimizer_inspector"]
    assert view.array_place.sentence == f"Loading {address}…"
    controller.show(layered(4, 3, momentum=True))
    assert view.array_view.heat_map.matrix_shape == (3, 4)
    view.select("optimizer/model.0.bias/momentum_buffer")
    assert view.array_view.heat_map.matrix_shape == (1, 3)


def test_a_program_without_optimizer_shows_a_placeholder(open_view):
    view, _ = open_view(snapshot(parameter("x", [1])))
    assert view.place.sentence.startswith("This program has no optimizer")


def test_a_script_that_is_held_before_its_optimizer_shows_that_there_is_none_yet(open_view):
    script = snapshot(parameter("x", [1]))
    view, _ = open_view(dataclasses.replace(script, abilities=Abilities(has_lines=True)))
    assert view.place.sentence == "The script has not used an optimizer yet."


def test_a_tensor_selected_in_another_view_is_shown_with_the_same_kind_of_buffer(open_view):
    view, controller = open_view(layered(2, 3, 1, momentum=True))
    assert view.address == "optimizer/model.0.weight/momentum_buffer"
    controller.select("model.1.bias")
    assert view.address == "optimizer/model.1.bias/momentum_buffer"
    controller.select("not.held")
    assert view.address == "optimizer/model.1.bias/momentum_buffer"


def test_a_view_opened_later_begins_at_the_chosen_tensor(open_view):
    view, controller = open_view()
    controller.select("model.1.weight")
    controller.show(layered(2, 3, 1, momentum=True))
    assert view.address == "optimizer/model.1.weight/momentum_buffer"
    assert controller.selected == "model.1.weight"


def test_a_buffer_chosen_here_chooses_its_tensor_everywhere(open_view, qtbot):
    view, controller = open_view(layered(2, 3, 1, momentum=True))
    assert controller.selected == ""
    view.activateWindow()
    view.tree.setFocus()
    qtbot.waitUntil(view.tree.hasFocus)
    view.select("optimizer/model.1.weight/momentum_buffer")
    assert controller.selected == "model.1.weight"


def test_lbfgs_state_is_shown_at_the_first_tensor_and_referred_to_at_the_others(open_view):
    state = {"n_iter": 3.0, "old_dirs": np.ones((2, 3))}
    record = optimizer("w", "v", kind="LBFGS", steps=1, max_iter=5)
    view, _ = open_view(
        snapshot(
            parameter("w", [1.0, 2.0], buffers={"optimizer": state}),
            parameter("v", [3.0]),
            optimizers={"optimizer": record},
        )
    )
    rows = [view.model.index(place, StateColumn.NAME) for place in range(2)]
    assert [row.data() for row in rows] == ["w", "v"]
    assert rows[1].data(CELL_ROLE).after == "state kept with the first tensor"
    assert cell(view, "optimizer/w/old_dirs", StateColumn.VALUE).startswith("norm")


def test_in_a_narrow_dock_the_name_of_the_optimizer_comes_before_its_count_of_steps(open_view):
    view, _ = open_view(adam(steps=39))
    assert view.settings.steps.isVisible()
    view.resize(180, 700)
    assert not view.settings.steps.isVisible()
    view.resize(420, 700)
    assert view.settings.steps.isVisible()


def test_a_step_count_is_shown_with_all_its_digits(open_view):
    view, _ = open_view(adam(338_820, step=338_820.0, exp_avg=np.zeros(2)))
    address = next(each.address for each in view.model.buffers if each.key == "step")
    assert cell(view, address, StateColumn.VALUE) == "338,820"


LISTING = Listing(
    "",
    "",
    "",
    (),
    (ReplaceOptimizer("SGD"), ReplaceOptimizer("AdamW"), ReplaceOptimizer("SGD", "b")),
)


def test_an_optimizer_is_replaced_by_one_of_another_kind(qtbot):
    controller = RememberingController(adam())
    controller.listing = LISTING
    view = OptimizerInspectorView(controller)
    qtbot.addWidget(view)
    view.show()
    kind = view.settings.kind
    assert [kind.itemText(place) for place in range(kind.count())] == ["Adam", "SGD", "AdamW"]
    kind.textActivated.emit("Adam")
    kind.textActivated.emit("AdamW")
    assert controller.applied == [ReplaceOptimizer("AdamW")]
    replaced = dataclasses.replace(adam().optimizers["optimizer"], kind="AdamW")
    controller.show(dataclasses.replace(adam(), optimizers={"optimizer": replaced}))
    assert kind.currentText() == "AdamW"


def test_the_optimizer_of_a_script_cannot_be_replaced(open_view):
    script = dataclasses.replace(adam(), abilities=Abilities(diverge="Only its own code does."))
    view, controller = open_view(script)
    controller.listing = LISTING
    controller.show(dataclasses.replace(script, iteration=1))
    assert not view.settings.kind.isVisible()


def test_names_and_norms_of_the_state_are_whole_before_other_columns_appear(open_view):
    view, _ = open_view(layered(2, 3, 1, grads=True, momentum=True))
    header = view.tree.header()
    for width in (300, 380, 420, 460, 520):
        view.resize(width, 700)
        QApplication.processEvents()
        name, value = header.sectionSize(0), header.sectionSize(1)
        assert (name >= 160, value >= 100) == (True, True)
    assert not header.isSectionHidden(2)


def test_a_moment_with_the_same_state_leaves_the_tree_as_it_is(open_view, monkeypatch):
    first = adam(1, exp_avg=np.array([0.5, 0.25]))
    view, controller = open_view(first)
    shown = []
    monkeypatch.setattr(view.model, "show", lambda *moment: shown.append(moment))
    held = first.parameters["w"]
    arrived = dataclasses.replace(held, gradient=parameter("w", [3.0, 4.0]).value)
    controller.show(dataclasses.replace(first, parameters={"w": arrived}))  # as in a Backward
    assert shown == []
    stepped = adam(1, exp_avg=np.array([0.5, 0.75]))
    controller.show(stepped)
    assert len(shown) == 1


def test_an_event_that_writes_no_state_leaves_the_settings_as_they_are(open_view, monkeypatch):
    view, controller = open_view(adam(1, exp_avg=np.array([0.5, 0.25])))
    shown = []
    monkeypatch.setattr(view.settings, "show_moment", shown.append)
    before = controller.snapshot
    forward = dataclasses.replace(before, event=Event(3, 1, Forward()), changed={"loss"})
    controller.show(forward)
    assert shown == []
    refused = failed(4, SetHyperparameter("lr", -1.0), "lr must not be negative")
    controller.show(dataclasses.replace(forward, event=refused, changed=frozenset()))
    assert len(shown) == 1
