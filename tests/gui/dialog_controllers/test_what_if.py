"""Asking what would have been, on a real program."""

from __future__ import annotations

import pytest

from gradstep.program.operation import ClipGradNorm
from gradstep_gui.dialog_controllers.what_if import WhatIfDialogController
from gradstep_gui.widgets.dialogs.what_if_pages import InsertPage, SkipPage


@pytest.fixture
def dialogs(parent, controller):
    return WhatIfDialogController(parent, controller, controller._messages)


def entries(box):
    return [box.itemText(row) for row in range(box.count())]


def test_every_setting_and_operation_is_offered(dialogs):
    dialogs.ask(9)
    page = dialogs.dialog.rows[0].page
    assert {
        "optimizer.lr",
        "optimizer.betas",
        "optimizer.amsgrad",
        "optimizer.kind",
        "a.batch_size",
    } <= set(entries(page.name))
    page.name.setCurrentText("optimizer.kind")
    assert {"SGD", "AdamW", "RMSprop"} <= set(entries(page.value))
    page.name.setCurrentText("optimizer.amsgrad")
    assert entries(page.value) == ["True", "False"]
    dialogs.dialog.rows[0].choose(InsertPage)
    offered = set(entries(dialogs.dialog.rows[0].page.operation))
    assert {
        "Step optimizer",
        "Forward loss, same batch",
        "Clip Grad Norm optimizer to norm 1",
    } <= offered


def test_skipped_steps_and_a_new_value_are_replayed_together(dialogs, controller):
    dialogs.ask(9)
    dialogs.dialog.rows[0].page.value.setCurrentText("0.2")
    row = dialogs.dialog.add_row()
    row.choose(SkipPage)
    row.page.last.setValue(20)
    row.page.kind.setCurrentText("Step")
    dialogs.dialog.name.setText("fewer steps")
    dialogs.dialog.accept()
    assert controller.wait_idle(60)
    branch = controller.debugger.branches[1]
    reported = [type(event.operation).__name__ for event in branch.history.events]
    assert (branch.name, branch.forked_at) == ("fewer steps", 8)
    assert reported.count("Skip") == 3
    assert reported[8] == "SetHyperparameter"
    assert dialogs.dialog is None


def test_the_batch_size_and_the_kind_of_optimizer_are_set(dialogs, controller):
    dialogs.ask(9)
    page = dialogs.dialog.rows[0].page
    page.name.setCurrentText("a.batch_size")
    page.value.setCurrentText("None")
    other = dialogs.dialog.add_row().page
    other.name.setCurrentText("optimizer.kind")
    other.value.setCurrentText("SGD")
    dialogs.dialog.accept()
    assert controller.wait_idle(60)
    controller.branches.checkout(1)
    assert controller.wait_idle(60)
    assert controller.snapshot.optimizers["optimizer"].kind == "SGD"
    assert controller.debugger.program.iteration == 6


def test_the_limit_of_a_recorded_clipping_is_set(dialogs, controller):
    controller.apply(ClipGradNorm(2.5))
    assert controller.wait_idle(60)
    dialogs.ask(9)
    page = dialogs.dialog.rows[0].page
    page.name.setCurrentText("optimizer.max_norm")
    assert page._explain() == "currently 2.5"
    page.value.setCurrentText("0.1")
    dialogs.dialog.accept()
    assert controller.wait_idle(60)
    assert controller.debugger.branches[1].history.events[-1].operation == ClipGradNorm(0.1)


def test_a_failed_replay_shows_the_dialog_again_with_the_reason(dialogs, controller):
    dialogs.ask(9)
    page = dialogs.dialog.rows[0].page
    page.value.setCurrentText("-1")
    dialogs.dialog.accept()
    assert controller.wait_idle(60)
    assert dialogs.dialog.isVisible()
    assert "Could not replay the what-if" in dialogs.dialog.problem.text()
    assert page.value.currentText() == "-1"
    assert len(controller.debugger.branches) == 1
    page.value.setCurrentText("0.1")
    dialogs.dialog.accept()
    assert controller.wait_idle(60)
    assert (len(controller.debugger.branches), dialogs.dialog) == (2, None)


def test_a_cancelled_dialog_is_discarded(dialogs):
    dialogs.ask()
    dialogs.dialog.reject()
    assert dialogs.dialog is None
