"""The window starts a script, waits for it on the worker's thread, and ends it."""

from __future__ import annotations

import sys
from time import monotonic

import pytest

from gradstep.program.gallery import scenarios
from gradstep.script.command import ScriptCommand


@pytest.fixture
def controller(real_window):
    return real_window.controller


@pytest.fixture
def script(tmp_path):
    def write(text, *arguments):
        path = tmp_path / "train.py"
        path.write_text(text)
        return ScriptCommand(str(path), arguments, sys.executable)

    return write


def test_a_script_without_torch_opens_with_its_code_and_its_status(controller, script):
    command = script("import sys\nsys.exit(3)\n")
    controller.debug(command)
    assert controller.wait_idle(60)
    assert controller.listing.code == "import sys\nsys.exit(3)\n"
    assert controller.document.recording.status == 3
    assert not controller.document.recording.is_running
    assert controller.events_count() == 0


def test_closing_the_window_ends_a_script_that_is_waited_for(controller, script, qtbot):
    started = monotonic()
    controller.debug(script("import time\ntime.sleep(600)\n"))
    qtbot.waitUntil(lambda: controller._host._process is not None, timeout=20_000)
    process = controller._host._process
    controller.close()
    assert process.status == -15
    assert monotonic() - started < 60


def test_opening_something_else_ends_the_script(controller, script):
    controller.debug(script("import time\n"))
    assert controller.wait_idle(60)
    controller.open(scenarios()[0].path, as_copy=True)
    assert controller.wait_idle(60)
    assert controller.document.recording is None


def test_a_python_that_does_not_exist_leaves_what_is_open(controller, script, real_window):
    name = controller.document.name
    controller.debug(ScriptCommand(script("").script, (), "/nowhere/python"))
    assert controller.wait_idle(60)
    (message,) = real_window.messages.history
    assert "/nowhere/python cannot be started" in message.text
    assert controller.document.name == name
