"""The dialog that shows what a remedy changes before it is carried out, on a real program."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from gradstep_gui.dialog_controllers.remedy import RemedyDialogController
from tests.core.debugger.conftest import NETWORK
from tests.core.diagnostics.trial.planted import PLANTED


class Unguarded:
    """Documents without unsaved changes."""

    def guard(self, proceed):
        proceed()


@pytest.fixture
def offered(qtbot, opened):
    """Open a program, run it, and show the remedy of a finding."""

    def offer(document, iterations, id_):
        controller = opened(document, iterations)
        window = QWidget()
        qtbot.addWidget(window)
        dialogs = RemedyDialogController(window, controller, Unguarded())
        dialogs.setParent(window)
        (finding,) = (item for item in controller.snapshot.findings if item.id == id_)
        controller.branches.show_remedies(finding)
        assert controller.wait_idle(60)
        qtbot.waitUntil(lambda: dialogs.dialog is not None, timeout=60_000)
        dialogs.kept = window
        return controller, dialogs

    return offer


def test_the_changed_operations_are_shown_before_they_are_replayed(offered):
    loop = [{"op": "forward"}, {"op": "backward"}, {"op": "step"}]
    controller, dialogs = offered({**NETWORK, "loop": loop}, 3, "grad-accumulated")
    shown = dialogs.dialog.changes.toPlainText().splitlines()
    assert shown == [
        "Insert Zero Grad optimizer before #5",
        "Insert Zero Grad optimizer before #8",
    ]
    assert len(controller.debugger.branches) == 1
    dialogs.dialog.accept()
    assert controller.wait_idle(60)
    branch = controller.debugger.branches[1]
    assert branch.name == "with the gradients zeroed at the start of each iteration"


def test_the_changed_lines_of_the_document_are_shown_before_it_is_opened(offered):
    optimizer = {**NETWORK["optimizers"]["optimizer"], "params": ["model.0.*"]}
    document = {**NETWORK, "optimizers": {"optimizer": optimizer}}
    controller, dialogs = offered(document, 2, "optimizer-orphan")
    shown = dialogs.dialog.changes.toPlainText()
    assert '-    "optimizer"' in shown
    assert '+    "optimizer"' in shown
    before = controller.debugger
    dialogs.dialog.accept()
    assert controller.wait_idle(60)
    assert controller.debugger is not before
    assert controller.debugger.position == before.position
    assert "optimizer-orphan" not in {item.id for item in controller.debugger.findings}


def test_cancelling_changes_nothing(offered):
    loop = [{"op": "forward"}, {"op": "backward"}, {"op": "step"}]
    controller, dialogs = offered({**NETWORK, "loop": loop}, 3, "grad-accumulated")
    dialogs.dialog.reject()
    assert controller.wait_idle(60)
    assert len(controller.debugger.branches) == 1
    assert dialogs.dialog is None


def test_the_outcome_of_the_trial_is_shown(offered):
    loop = [{"op": "forward"}, {"op": "backward"}, {"op": "step"}]
    _, dialogs = offered({**NETWORK, "loop": loop}, 3, "grad-accumulated")
    words = "Tried: it clears the finding, and nothing else is found."
    assert dialogs.dialog.outcome.text() == words


def test_a_second_remedy_declares_the_intent(offered):
    loop = [{"op": "forward"}, {"op": "backward"}, {"op": "step"}]
    controller, dialogs = offered({**NETWORK, "loop": loop}, 3, "grad-accumulated")
    dialog = dialogs.dialog
    titles = [radio.text() for radio in dialog.radios]
    assert titles == [
        "... with the gradients zeroed at the start of each iteration?",
        "... with the intent declared: gradient_accumulation?",
    ]
    dialog.radios[1].click()
    assert '+    "gradient_accumulation"' in dialog.changes.toPlainText()
    before = [event.loss for event in controller.debugger.events]
    dialog.accept()
    assert controller.wait_idle(60)
    assert "grad-accumulated" not in {item.id for item in controller.debugger.findings}
    assert [event.loss for event in controller.debugger.events] == before


def test_a_finding_that_no_remedy_clears_says_what_was_tried(qtbot, opened):
    document = {
        "gradstep": 1,
        "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
        "losses": {"loss": {"expression": "sum(log(x - 10))"}},
        "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
    }
    controller = opened(document, 2)
    posted = []
    controller._messages.posted.connect(posted.append)
    (finding,) = controller.snapshot.findings
    controller.branches.show_remedies(finding)
    assert controller.wait_idle(60)
    qtbot.waitUntil(lambda: bool(posted), timeout=60_000)
    assert "no remedy clears non-finite in this run" in posted[0].text


def test_many_skipped_events_are_listed_as_a_range(offered):
    planted = PLANTED["a network that learns its few rows by heart"]
    _, dialogs = offered(planted.document, 120, "overfitting")
    assert dialogs.dialog.changes.toPlainText() == "Skip #6 to #600, 595 events"


def test_a_value_is_shown_with_the_event_before_which_it_is_set(offered):
    planted = PLANTED["a learning rate that is ten times too high for the rows"]
    _, dialogs = offered(planted.document, 60, "learning-rate")
    assert dialogs.dialog.changes.toPlainText() == "Set optimizer[0].lr to 0.3 before #1"
