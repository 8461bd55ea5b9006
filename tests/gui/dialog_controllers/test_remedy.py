"""The dialog that shows what a remedy changes before it is carried out, on a real program."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from gradstep_gui.dialog_controllers.remedy import RemedyDialogController
from tests.core.debugger.conftest import NETWORK


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
        controller.branches.show_remedy(finding)
        assert controller.wait_idle(20)
        qtbot.waitUntil(lambda: dialogs.dialog is not None, timeout=5000)
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
    assert controller.wait_idle(20)
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
    assert controller.wait_idle(20)
    assert controller.debugger is not before
    assert controller.debugger.position == before.position
    assert "optimizer-orphan" not in {item.id for item in controller.debugger.findings}


def test_cancelling_changes_nothing(offered):
    loop = [{"op": "forward"}, {"op": "backward"}, {"op": "step"}]
    controller, dialogs = offered({**NETWORK, "loop": loop}, 3, "grad-accumulated")
    dialogs.dialog.reject()
    assert controller.wait_idle(20)
    assert len(controller.debugger.branches) == 1
    assert dialogs.dialog is None
