"""A user's own script in the window: nothing runs before the user says so."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDropEvent

from gradstep.debugger import Debugger
from gradstep.program.gallery import scenarios
from gradstep_gui.action_ids import ActionId
from gradstep_gui.worker import script_recorder
from tests.core.script.sent_frames import descent, take
from tests.gui.triggering import TIMEOUT_S, trigger

TEXT = "import torch\n\nw = ...\n"


class PlayedProcess:
    """Instead of a process: what it would have sent."""

    started = ()

    def __init__(self, command, **_):
        PlayedProcess.started += (command,)
        self.tape = take(descent(3).stream)

    def run(self, look):
        look()
        return 0


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(TEXT)
    return path


@pytest.fixture
def window(make_window, monkeypatch):
    """A window in which no real process can be started."""

    def refuse(*_, **__):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(PlayedProcess, "started", ())
    monkeypatch.setattr(script_recorder, "ScriptProcess", PlayedProcess)
    return make_window(Debugger.open)


def drop(window, path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, button, keys))


def texts(window):
    return [message.text for message in window.messages.history]


def record(qtbot, window, script, python=sys.executable):
    """Press Run and Record, and wait for the recording."""
    window.documents.open(script)
    dialog = window.script_run.dialog
    dialog.python.setText(python)
    with qtbot.waitSignal(window.controller.script_recorded, timeout=60_000):
        dialog.record.click()
    assert window.controller.wait_idle(TIMEOUT_S)
    return PlayedProcess.started[-1]


@pytest.mark.parametrize("name", ["train.py", "train.ipynb"])
@pytest.mark.parametrize("how", ["open", "drop"])
def test_a_script_that_is_opened_or_dropped_asks_and_starts_nothing(window, script, how, name):
    script = script.rename(script.with_name(name))
    if how == "open":
        window.documents.open(script)
    else:
        drop(window, script)
    dialog = window.script_run.dialog
    assert dialog.isVisible()
    assert dialog._warning.text() == (
        "This runs the file with your rights. GradStep cannot make a stranger's script safe."
    )
    assert dialog.folder.text() == str(script.parent)
    assert dialog.look.isDefault()
    dialog.reject()
    assert PlayedProcess.started == ()
    assert window.script_run.dialog is None
    assert texts(window) == []


def test_looking_at_it_shows_the_source_and_runs_nothing(window, script):
    window.documents.open(script)
    window.script_run.dialog.look.click()
    shown = window.script_run.source
    assert shown.code.toPlainText() == TEXT.rstrip("\n")
    assert shown.code.isReadOnly()
    assert not shown.save.isVisible()
    shown.close()
    assert PlayedProcess.started == ()


def test_a_recording_opens_as_something_unsaved(qtbot, window, script):
    window.documents.open(script)
    window.script_run.dialog.arguments.setText("--epochs 3 'a b'")
    window.script_run.dialog.python.setText(sys.executable)
    with qtbot.waitSignal(window.controller.script_recorded, timeout=60_000):
        window.script_run.dialog.record.click()
    assert window.controller.wait_idle(TIMEOUT_S)
    (command,) = PlayedProcess.started
    assert (command.script, command.arguments) == (str(script), ("--epochs", "3", "a b"))
    assert (command.python, command.folder) == (sys.executable, str(script.parent))
    document = window.controller.document
    assert (document.name, document.modified, document.path) == ("train.py", True, None)
    assert window.controller.snapshot.event_index == 12
    assert texts(window) == ["Recorded 12 events of train.py"]


def test_debugging_asks_about_unsaved_events_first(window, script, monkeypatch):
    started, asked = [], []
    monkeypatch.setattr(window.controller, "debug_here", started.append)
    monkeypatch.setattr(window.documents, "guard", asked.append)
    window.documents.open(script)
    window.script_run.dialog.python.setText(sys.executable)
    window.script_run.dialog.debug.click()
    assert (len(asked), started) == (1, [])
    asked[0]()
    assert [command.script for command in started] == [str(script)]
    assert window.script_run.dialog is None


def test_consent_is_remembered_for_the_content_of_the_file(qtbot, window, script):
    record(qtbot, window, script)
    window.documents.open(script)
    assert window.script_run.dialog.note.text() == "You have run this version of the file before."
    assert window.script_run.dialog.record.isDefault()
    script.write_text(TEXT + "import os\n")
    window.documents.open(script)
    assert window.script_run.dialog.note.text().startswith("You have not run this version")
    assert window.script_run.dialog.look.isDefault()


def test_a_file_that_changed_while_the_dialog_was_open_does_not_run(window, script):
    window.documents.open(script)
    script.write_text(TEXT + "import os\n")
    dialog = window.script_run.dialog
    dialog.record.click()
    assert dialog.problem.text() == "✖ The file has changed since this dialog was opened."
    assert dialog.isVisible()
    assert PlayedProcess.started == ()


@pytest.mark.parametrize(
    ("field", "text", "problem"),
    [
        ("python", "/nowhere/python", "✖ There is no Python at /nowhere/python"),
        ("python", "", "✖ There is no Python at …"),
        ("folder", "/nowhere", "✖ There is no folder /nowhere"),
        ("arguments", "'a b", "✖ The arguments cannot be read: No closing quotation"),
    ],
)
def test_what_cannot_be_run_is_said_in_the_dialog(window, script, field, text, problem):
    window.documents.open(script)
    dialog = window.script_run.dialog
    dialog.python.setText(sys.executable)
    getattr(dialog, field).setText(text)
    dialog.record.click()
    assert dialog.problem.text() == problem
    assert PlayedProcess.started == ()


def test_beside_something_unsaved_a_recording_waits_until_it_is_opened(qtbot, window, script):
    window.controller.open(scenarios()[0].path, as_copy=True)
    assert window.controller.wait_idle(TIMEOUT_S)
    trigger(window, ActionId.ITERATE)
    record(qtbot, window, script)
    assert window.controller.document.recording is None
    assert texts(window)[-1] == "Recorded 12 events of train.py"
    assert window.messages.history[-1].action == ActionId.OPEN_RECORDED
    waiting = window.findChild(QAction, ActionId.OPEN_RECORDED)
    assert waiting.isEnabled()
    window.controller.open_recorded()
    assert window.controller.wait_idle(TIMEOUT_S)
    assert window.controller.document.recording.script == "train.py"
    assert not waiting.isEnabled()


def test_a_script_that_is_not_there_is_an_error(window, tmp_path):
    window.documents.open(tmp_path / "missing.py")
    assert window.script_run.dialog is None
    assert texts(window) == [f"{tmp_path / 'missing.py'} cannot be read: No such file or directory"]


def run_for_real(window, script, text):
    script.write_text(text)
    window.documents.open(script)
    window.script_run.dialog.python.setText(sys.executable)
    window.script_run.dialog.record.click()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("print('hello')", "no training was seen: train.py did not import torch"),
        (
            "raise ValueError('no data')",
            "train.py ended with an error before any training: ValueError: no data (train.py:1)",
        ),
    ],
)
def test_a_script_without_training_is_told_so(qtbot, make_window, script, text, message):
    window = make_window(Debugger.open)
    run_for_real(window, script, text)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert texts(window) == [f"Could not record train.py: {message}"]
    assert window.controller.document is None


def test_a_recording_can_be_stopped_while_the_open_program_is_used(qtbot, make_window, script):
    window = make_window(Debugger.open)
    window.controller.open(scenarios()[0].path, as_copy=True)
    assert window.controller.wait_idle(TIMEOUT_S)
    run_for_real(window, script, "import time\nwhile True:\n    time.sleep(0.01)\n")
    stop = window.findChild(QAction, ActionId.STOP_RECORDING)
    qtbot.waitUntil(stop.isEnabled, timeout=60_000)
    window.controller.apply_next()
    qtbot.waitUntil(lambda: window.controller.events_count() == 1, timeout=60_000)
    assert window.controller.state.recording
    stop.trigger()
    qtbot.waitUntil(lambda: not window.controller.state.recording, timeout=60_000)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert texts(window)[-1].startswith("Could not record train.py: no training was seen")
