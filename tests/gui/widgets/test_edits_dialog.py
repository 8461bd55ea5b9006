"""The dialog that asks what a what-if shall do otherwise."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QDialogButtonBox

from gradstep.history.edits import Edits
from gradstep.program.operation import Step, ZeroGrad
from gradstep_gui.widgets.edits_dialog import EditsDialog


@pytest.fixture
def dialog(qtbot):
    dialog = EditsDialog(
        3,
        12,
        describe=lambda index: f"Event {index}!",
        operations=[("Zero Grad", ZeroGrad()), ("Step", Step())],
        values={"optimizer.lr": "0.1", "optimizer.kind": "SGD"},
    )
    qtbot.addWidget(dialog)
    return dialog


def replay(dialog):
    roles = QDialogButtonBox.ButtonRole
    buttons = dialog.buttons.buttons()
    return next(one for one in buttons if dialog.buttons.buttonRole(one) == roles.AcceptRole)


def test_nothing_can_be_replayed_before_something_is_edited(dialog):
    assert not replay(dialog).isEnabled()
    dialog.skip.setChecked(True)
    assert replay(dialog).isEnabled()
    assert dialog.edits() == Edits(3, skip=(3,))


def test_a_value_that_is_to_be_set_has_to_be_written(dialog):
    dialog.skip.setChecked(True)
    dialog.change.setChecked(True)
    assert not replay(dialog).isEnabled()
    dialog.value.setText("0.5")
    assert replay(dialog).isEnabled()
    assert dialog.edits() == Edits(3, skip=(3,), set={"optimizer.lr": 0.5})


def test_texts_need_no_quotation_marks(dialog):
    dialog.change.setChecked(True)
    dialog.name.setCurrentText("optimizer.kind")
    dialog.value.setText("Adam")
    assert dialog.edits().set == {"optimizer.kind": "Adam"}


def test_replay_asks_for_the_edits_once(dialog, qtbot):
    dialog.start.setValue(5)
    dialog.insert.setChecked(True)
    dialog.operation.setCurrentIndex(1)
    with qtbot.waitSignal(dialog.asked, timeout=1000) as asked:
        replay(dialog).click()
    assert asked.args == [Edits(5, insert=((5, Step()),))]


def test_everything_has_a_name(dialog):
    fields = (dialog.start, dialog.operation, dialog.name, dialog.value)
    assert all(field.accessibleName() for field in fields)
