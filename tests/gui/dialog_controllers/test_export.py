"""File > Export: what is recorded, shown as a script and written to a file."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from gradstep_gui.dialog_controllers.export import ExportDialogController
from gradstep_gui.documents import Documents
from gradstep_gui.settings import Settings
from gradstep_gui.widgets.dialogs import questions as dialogs
from tests.core.debugger.conftest import LINE, changed


@pytest.fixture
def controller(opened):
    return opened(changed(LINE, name="a line/2"))


@pytest.fixture
def dialog_controller(parent, controller, tmp_path):
    documents = Documents(controller, Settings(tmp_path / "settings.ini"), (), None, parent)
    dialog_controller = ExportDialogController(parent, controller, documents, controller._messages)
    dialog_controller.posted = []
    controller._messages.posted.connect(dialog_controller.posted.append)
    return dialog_controller


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What the question for a file proposed; it is answered with a file of the same name."""
    proposed = []

    def answer(_window, path):
        proposed.append(path)
        return tmp_path / "out" / path.name

    monkeypatch.setattr(dialogs, "ask_script_path", answer)
    return proposed


def export(controller, *, test):
    controller.branches.write_script(test=test)
    assert controller.wait_idle(60)


def test_the_exported_test_is_shown_and_saved(dialog_controller, controller, asked, tmp_path):
    controller.iterate(3)
    export(controller, test=True)
    text = controller.debugger.script(test=True)
    assert dialog_controller.dialog.code.toPlainText() == text.rstrip("\n")
    assert text.count('("loss", ') == 3
    (tmp_path / "out").mkdir()
    dialog_controller.dialog.save.click()
    assert asked == [tmp_path / "test_a_line_2.py"]
    assert (tmp_path / "out" / "test_a_line_2.py").read_text() == text
    assert (
        dialog_controller.posted[-1].text == f"Exported to {tmp_path / 'out' / 'test_a_line_2.py'}"
    )
    assert dialog_controller.dialog is None


def test_an_unwritable_file_is_reported_and_the_script_stays_open(
    dialog_controller, controller, asked
):
    export(controller, test=False)
    dialog_controller.dialog.save.click()
    assert (
        "a_line_2.py cannot be written: No such file or directory"
        in dialog_controller.posted[-1].text
    )
    assert dialog_controller.dialog.isVisible()


def test_without_a_record_the_script_is_the_loop(dialog_controller, controller):
    export(controller, test=False)
    assert "for iteration in range(" in dialog_controller.dialog.code.toPlainText()
    dialog_controller.dialog.copy.click()
    assert QGuiApplication.clipboard().text() == controller.debugger.script()


def test_a_test_without_a_loss_is_rejected_with_a_remedy(dialog_controller, controller):
    export(controller, test=True)
    assert dialog_controller.dialog is None
    assert dialog_controller.posted[-1].text == "Could not export: no loss was recorded"
    assert dialog_controller.posted[-1].remedy == "run an iteration before exporting a test"


def test_cancelling_the_file_dialog_writes_nothing(
    dialog_controller, controller, monkeypatch, qtbot
):
    monkeypatch.setattr(dialogs, "ask_script_path", lambda *_: None)
    export(controller, test=False)
    qtbot.keyClick(dialog_controller.dialog, Qt.Key.Key_Return)  # Save As is what Enter does
    assert dialog_controller.dialog.isVisible()
    qtbot.keyClick(dialog_controller.dialog, Qt.Key.Key_Escape)
    assert dialog_controller.dialog is None
