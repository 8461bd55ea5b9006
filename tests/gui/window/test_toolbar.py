"""The toolbar, in the narrowest window and with every choice that there is."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMainWindow

from gradstep.history.records.snapshot import Snapshot
from gradstep.program.operation import Forward
from gradstep_gui.action_ids import ActionId
from gradstep_gui.actions import ACTIONS
from gradstep_gui.main_window import SMALLEST
from gradstep_gui.records import Document
from gradstep_gui.targets import Targets
from gradstep_gui.widgets.buttons import ActionButton
from gradstep_gui.window.toolbar import MOVEMENTS, DebugToolbar

TWO = Document("two heads", losses=("loss_a", "loss_b"), optimizers=("optimizer_a", "optimizer_b"))


@pytest.fixture
def toolbar(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = {action.id: QAction(action.button_text(), window) for action in ACTIONS}
    targets = Targets(window)
    targets.follow_document(TWO)
    toolbar = DebugToolbar(actions, targets, window)
    window.addToolBar(toolbar)
    window.resize(*SMALLEST)
    with qtbot.waitExposed(window):
        window.show()
    yield toolbar
    window.close()


def test_in_the_narrowest_window_every_button_and_choice_is_in_sight(toolbar):
    parts = [*toolbar.findChildren(ActionButton), *toolbar.findChildren(QComboBox)]
    assert len(parts) == 13
    assert [part.accessibleName() for part in parts if not part.isVisible()] == []
    right = max(part.mapTo(toolbar, part.rect().topRight()).x() for part in parts)
    assert right < toolbar.width()


def test_a_label_is_never_cut_and_gets_air_where_there_is_room(toolbar, qtbot):
    for button in toolbar.findChildren(ActionButton):
        words = button.fontMetrics().horizontalAdvance(button.text().replace("&", ""))
        assert button.width() >= words
    narrow = [button.width() for button in toolbar.findChildren(ActionButton)]
    toolbar.window().resize(1600, 600)
    qtbot.waitUntil(
        lambda: all(
            button.width() == button.sizeHint().width()
            for button in toolbar.findChildren(ActionButton)
        )
    )
    wide = [button.width() for button in toolbar.findChildren(ActionButton)]
    assert sum(wide) > sum(narrow)


def test_an_elided_choice_is_shown_in_full_in_its_tooltip(toolbar):
    tips = [box.toolTip() for box in toolbar.findChildren(QComboBox)]
    assert tips == ["From Loop: loss_a", "From Loop: optimizer_a"]


def test_a_choice_is_shown_whole_where_there_is_room(toolbar, qtbot):
    boxes = toolbar.findChildren(QComboBox)
    toolbar.window().resize(1600, 600)
    expected = ["From Loop: loss_a", "From Loop: optimizer_a"]
    qtbot.waitUntil(lambda: [box.shown_text() for box in boxes] == expected)


def test_a_choice_that_is_too_long_ends_with_its_last_letters(toolbar):
    box = toolbar.findChildren(QComboBox)[0]
    box.setItemText(0, "From Loop: the_reconstruction_loss_of_training")
    box.setMaximumWidth(140)
    box.resize(140, box.height())
    assert box.shown_text().endswith("ning")
    room = box.fontMetrics().horizontalAdvance(box.shown_text())
    assert 60 < room < 140


def await_buttons(qtbot, toolbar, names):
    """Wait until exactly these small buttons are visible: Qt lays a toolbar out later."""

    def visible():
        return {name for name, button in toolbar.small_buttons.items() if button.isVisible()}

    qtbot.waitUntil(lambda: visible() == set(names))


def test_a_layout_lists_its_small_buttons_and_one_that_is_needed_stays(toolbar, qtbot):
    few = [ActionId.STEP_BACK, ActionId.ITERATE, ActionId.RUN]
    toolbar.list_buttons(few)
    await_buttons(qtbot, toolbar, few)
    toolbar.reveal([ActionId.HOLD_BATCH])
    await_buttons(qtbot, toolbar, [*few, ActionId.HOLD_BATCH])
    toolbar.list_buttons(few)
    await_buttons(qtbot, toolbar, [*few, ActionId.HOLD_BATCH])


def test_inside_an_operation_the_buttons_that_move_there_appear(toolbar, qtbot):
    toolbar.list_buttons([ActionId.STEP_BACK])
    outside = Snapshot(None, 0, 0, 0, None)
    toolbar.show_snapshot(outside)
    await_buttons(qtbot, toolbar, [ActionId.STEP_BACK])
    toolbar.show_snapshot(dataclasses.replace(outside, inside=Forward()))
    movements = [name for row in MOVEMENTS for name in row]
    await_buttons(qtbot, toolbar, movements)


def test_the_movements_have_short_names_and_the_menu_says_what_they_move_over():
    titles = {action.id: (action.button_text(), action.text()) for action in ACTIONS}
    assert titles[ActionId.STEP_OVER] == ("Over", "&Over the Next Operation")
    assert titles[ActionId.STEP_INTO] == ("Into", "&Into the Next Operation")
    assert titles[ActionId.STEP_OUT] == ("Out", "O&ut of the Operation")
    assert titles[ActionId.STEP_BACK] == ("Back", "Bac&k One Event")
    steps = [name for name, (_, text) in titles.items() if "Step" in text.replace("&", "").split()]
    assert steps == [ActionId.STEP, ActionId.INTO_STEP]  # the word is optimizer.step()'s
