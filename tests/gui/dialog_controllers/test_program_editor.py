"""A program of one's own: written, checked meanwhile, mended, saved and opened."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep_gui import app
from gradstep_gui.settings import Settings
from gradstep_gui.widgets.dialogs import questions as dialogs
from gradstep_gui.widgets.dialogs.text_dialogs import HelpWindow
from tests.core.debugger.conftest import LINE

TIMEOUT_S = 60.0


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def window(qtbot, settings):
    window = app.build(["gradstep"], settings)[1]
    qtbot.addWidget(window)
    window.show()
    yield window
    if window.program_editor.dialog is not None:
        window.program_editor.dialog.keep(window.program_editor.dialog.text)
    window.discard()


def do(window, action):
    assert window.actions_by_id[action].isEnabled()
    window.actions_by_id[action].trigger()
    assert window.controller.wait_idle(TIMEOUT_S)


def checked(window, text=None):
    """Let a text be checked, and return the dialog."""
    dialog = window.program_editor.dialog
    if text is not None:
        dialog.editor.setPlainText(text)
    dialog.ask_check()
    assert window.controller.wait_idle(TIMEOUT_S)
    return dialog


def verdict(dialog):
    return dialog._verdict_label.text()


def open_it(window):
    window.program_editor.dialog.open_button.click()
    assert window.controller.wait_idle(TIMEOUT_S)


def boxes(window):
    return [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def test_the_initial_program_is_valid_and_learns(window):
    do(window, "file.new_own")
    assert (
        verdict(checked(window)) == "Valid program: 4 tensors of 82 numbers, 1 loss, 1 optimizer."
    )
    open_it(window)
    assert window.program_editor.dialog is None
    assert window.controller.document.name == "a program of my own"
    assert window.controller.document.modified
    window.controller.iterate(200)
    assert window.controller.wait_idle(TIMEOUT_S)
    losses = [e.loss for e in window.controller.debugger.events if e.loss is not None]
    assert losses[-1] < 0.3 * losses[0]
    assert window.controller.debugger.findings == ()


def test_an_error_is_shown_with_its_line_and_a_button_to_go_there(window):
    do(window, "file.new_own")
    dialog = checked(window, window.program_editor.dialog.text.replace('"lr": 0.1', '"lr": "fast"'))
    assert (
        verdict(dialog)
        == 'Line 19: $.optimizers.optimizer.lr: "fast" is not a number; write a number'
    )
    assert dialog.editor.done == (19, 19)
    dialog._show.click()
    assert dialog.editor.textCursor().selectedText() == '"lr": "fast"'


def test_invalid_json_is_reported_with_its_line_once(window):
    do(window, "file.new_own")
    dialog = checked(window, '{"gradstep": 1,\n "seed" 2}')
    assert verdict(dialog) == "Line 2: Expecting ':' delimiter; write valid JSON"


def test_a_wrong_document_is_not_opened_but_shown(window):
    do(window, "file.new_own")
    dialog = window.program_editor.dialog
    dialog.editor.setPlainText('{"gradstep": 2}')
    open_it(window)
    assert window.program_editor.dialog is dialog
    assert dialog.editor.textCursor().selectedText() == '"gradstep": 2'
    assert window.controller.document is None


def test_the_open_program_is_edited_and_opened_as_another_after_the_guard(window, tmp_path):
    window.controller.open(window.documents.cards[5].path, as_copy=True)
    assert window.controller.wait_idle(TIMEOUT_S)
    window.controller.iterate(2)
    assert window.controller.wait_idle(TIMEOUT_S)
    do(window, "file.edit")
    text = window.program_editor.dialog.text
    assert '"kind": "iris"' in text
    checked(
        window,
        text.replace('"out_features": 16', '"out_features": 8').replace(
            '"in_features": 16', '"in_features": 8'
        ),
    )
    open_it(window)
    (box,) = boxes(window)
    assert window.program_editor.dialog is not None
    box.button(QMessageBox.StandardButton.Discard).click()
    assert window.controller.wait_idle(TIMEOUT_S)
    assert window.program_editor.dialog is None
    assert window.controller.debugger.program.tensors["model.0.weight"].shape == (8, 4)
    assert len(window.controller.debugger.events) == 0


def test_an_invalid_file_is_edited_at_its_error(window, tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({**LINE, "sede": 1}))
    assert not window.actions_by_id["file.mend"].isEnabled()
    window.documents.open(path)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert window.message_bar.message.action == "file.mend"
    do(window, "file.mend")
    dialog = window.program_editor.dialog
    assert dialog.windowTitle() == "Edit mine.json"
    checked(window, dialog.text.replace("sede", "seed"))
    monkeypatch.setattr(dialogs, "ask_program_path", lambda _window, proposed: proposed)
    dialog.save_button.click()
    assert json.loads(path.read_text())["seed"] == 1
    checked(window)
    open_it(window)
    assert window.controller.document.path == path
    assert not window.controller.document.modified
    assert not window.actions_by_id["file.mend"].isEnabled()


def test_a_file_that_fails_before_the_window_looks_can_be_edited(window, tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({**LINE, "sede": 1}))
    monkeypatch.setattr(window.controller, "open", lambda *_args, **_named: None)
    window.documents.open(path)
    assert window.actions_by_id["file.mend"].isEnabled()


@pytest.mark.parametrize("content", [b"\x89PNG\r\n", b'{"gradstep": 1, "name": "\xff"}'])
def test_a_file_that_is_not_text_is_not_offered_for_editing(window, tmp_path, content):
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    window.documents.open(path)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert "is not UTF-8 text" in window.message_bar.message.text
    assert window.message_bar.message.action == ""


def test_data_is_looked_for_beside_the_file_once_there_is_one(window, tmp_path, monkeypatch):
    (tmp_path / "points.csv").write_text("u,y\n1,2\n2,4\n3,6\n")
    do(window, "file.new_own")
    data = {"points": {"kind": "csv", "path": "points.csv", "inputs": ["u"], "target": "y"}}
    modules = {"model": [{"kind": "Linear", "in_features": 1, "out_features": 1}]}
    losses = {"loss": {"data": "points", "chain": ["model"], "criterion": {"kind": "MSELoss"}}}
    text = json.dumps({"gradstep": 1, "data": data, "modules": modules, "losses": losses})
    dialog = checked(window, text)
    assert "'points.csv' cannot be found; save it in the folder of the file" in verdict(dialog)
    path = tmp_path / "mine.json"
    monkeypatch.setattr(dialogs, "ask_program_path", lambda *_: path)
    dialog.save_button.click()
    assert window.controller.wait_idle(TIMEOUT_S)
    assert verdict(dialog).startswith("Valid program")
    open_it(window)
    assert window.controller.document.path == path


def test_the_files_that_a_session_carries_are_saved_beside_its_program_and_nowhere_else(
    window, tmp_path, monkeypatch
):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "points.csv").write_text("u,y\n1,2\n2,4\n3,6\n")
    data = {"points": {"kind": "csv", "path": "points.csv", "inputs": ["u"], "target": "y"}}
    (tmp_path / "a" / "mine.json").write_text(json.dumps({"gradstep": 1, "data": data}))
    Debugger.open(tmp_path / "a" / "mine.json").save(tmp_path / "mine.gradstep")
    window.documents.open(tmp_path / "mine.gradstep")
    assert window.controller.wait_idle(TIMEOUT_S)
    do(window, "file.edit")
    draft = window.program_editor._draft
    window.program_editor._draft = type(draft)(draft.text, None, {**draft.files, "../evil": b"x"})
    (tmp_path / "b").mkdir()
    path = tmp_path / "b" / "mine.json"
    monkeypatch.setattr(dialogs, "ask_program_path", lambda *_: path)
    window.program_editor.dialog.save_button.click()
    assert window.controller.wait_idle(TIMEOUT_S)
    assert sorted(item.name for item in path.parent.iterdir()) == ["mine.json", "points.csv"]
    assert not (tmp_path / "evil").exists()
    assert Debugger.open(path).program.spec.name == ""


def test_closing_keeps_the_written_text(qtbot, window):
    do(window, "file.new_own")
    dialog = window.program_editor.dialog
    dialog.editor.replace_all("{}")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    (box,) = boxes(window)
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert dialog.isVisible()
    assert dialog.text == "{}"
    dialog.close()
    boxes(window)[0].button(QMessageBox.StandardButton.Discard).click()
    assert window.program_editor.dialog is None


def test_a_failed_save_is_reported_and_keeps_the_text(window, tmp_path, monkeypatch):
    do(window, "file.new_own")
    dialog = window.program_editor.dialog
    dialog.editor.replace_all("{}")
    monkeypatch.setattr(dialogs, "ask_program_path", lambda *_: tmp_path / "nowhere" / "a.json")
    dialog.save_button.click()
    assert "cannot be written" in window.messages.history[-1].text
    assert dialog.is_changed


def test_programs_that_ship_and_every_kind_are_offered(window):
    do(window, "file.new_own")
    dialog = window.program_editor.dialog
    titles = [action.text() for action in dialog.begin_with.menu().actions()]
    assert titles == [scenario.title for scenario in scenarios()]
    dialog.begin_with.menu().actions()[0].trigger()
    assert dialog.text == scenarios()[0].path.read_text()
    layers = next(a for a in dialog.insert.menu().actions() if a.text() == "Layer").menu()
    linear = next(action for action in layers.actions() if action.text() == "Linear")
    added = {"kind": "Linear", "in_features": 1, "out_features": 1}
    dialog.editor.setPlainText('{"name": "\N{ROCKET}", "modules": {"model": [{"kind": "ReLU"}]}}')
    linear.trigger()
    assert json.loads(dialog.text)["modules"]["model"] == [{"kind": "ReLU"}, added]
    assert json.loads(dialog.editor.textCursor().selectedText()) == added
    dialog.editor.setPlainText('[{"kind": "ReLU"}]')
    dialog.editor.go_to((17, 17))
    linear.trigger()
    assert json.loads(dialog.text) == [{"kind": "ReLU"}, added]


def test_help_opens_beside_the_editor(window):
    do(window, "file.new_own")
    dialog = window.program_editor.dialog
    dialog.help_requested.emit()
    (page,) = dialog.findChildren(HelpWindow)
    assert page.windowTitle() == "Programs of your own"


def test_nothing_is_kept_of_a_document_that_is_edited_no_more(window):
    do(window, "file.new_own")
    dialog = checked(window)
    drafts = window.controller._host.drafts
    assert drafts._valid is not None
    dialog.reject()
    assert window.controller.wait_idle(TIMEOUT_S)
    assert drafts._valid is None
