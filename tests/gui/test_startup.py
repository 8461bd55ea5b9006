"""The first picture comes before everything that it does not show."""

import json
import os
import subprocess
import sys

import pytest

from gradstep_gui import app
from gradstep_gui.action_ids import ActionId
from gradstep_gui.records import State
from gradstep_gui.settings import Settings
from gradstep_gui.startup import Startup

TIMEOUT_MS = 60_000
LATER = (
    "contourpy",
    "gradstep.autograd",
    "gradstep.debugger",
    "gradstep_gui.controller",
    "gradstep_gui.dialog_controllers",
    "gradstep_gui.views",
    "numpy",
    "pygments",
    "pyqtgraph",
    "sqlite3",
    "ziamath",
)
"""What takes long to be imported, and is not on the first page."""

FIRST_PICTURE = f"""
import json, os, sys
from gradstep_gui import cli, main_window
appear = main_window.MainWindow.appear
def watched(window):
    appear(window)
    window.grab()
    print(json.dumps([name for name in {LATER!r} if name in sys.modules]), flush=True)
    os._exit(0)
main_window.MainWindow.appear = watched
sys.exit(cli.main([]))
"""


@pytest.fixture
def window(qtbot, tmp_path):
    """A window with its first page alone."""
    _, window = app.begin(["gradstep"], Settings(tmp_path / "settings.ini"), tmp_path / "left")
    qtbot.addWidget(window)
    yield window
    window.discard()


def test_nothing_is_imported_before_the_first_picture_that_it_does_not_show(tmp_path):
    own = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"), str(tmp_path))
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", **own}
    command = [sys.executable, "-c", FIRST_PICTURE]
    found = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert json.loads(found.stdout.splitlines()[0]) == [], found.stderr


def test_a_window_that_was_painted_completes_itself(qtbot, window):
    done = []
    Startup(window, lambda: done.append(window.is_complete)).begin()
    window.show()
    qtbot.waitUntil(lambda: bool(done), timeout=TIMEOUT_MS)
    assert done == [True]


def test_an_action_that_is_triggered_at_once_completes_the_window_first(qtbot, window):
    window.show()
    window.actions_by_id[ActionId.LAYOUT_DEBUG].trigger()
    assert window.is_complete
    assert window.layouts.current.id == "debug"


def test_an_action_that_needs_a_program_does_nothing_in_an_incomplete_window(window):
    window.show()
    window.actions_by_id[ActionId.FORWARD].trigger()
    assert window.is_complete
    assert window.controller.wait_idle(60)
    assert not window.messages.history


def test_a_lesson_that_is_chosen_at_once_is_opened(window):
    window.show()
    card = window._welcome.lessons._cards[0]
    window._welcome.chosen.emit(card)
    assert window.controller.wait_idle(60)
    assert window.controller.lessons.record.title == card.title


def test_a_window_that_is_closed_at_once_is_closed(qtbot, window):
    window.show()
    window.complete_next()
    window.complete_next()
    window.close()
    assert not window.isVisible()


def test_the_first_page_is_the_same_before_and_after(qtbot, window):
    window.resize(1280, 800)
    window.show()
    page = window._pages
    before, place = page.grab().toImage(), page.geometry()
    window.complete()
    qtbot.wait(1)
    assert page.geometry() == place
    pictures = window._welcome.lessons  # they come when the core has drawn them
    assert pictures.isVisible()
    assert page.grab().toImage().size() == before.size()


def test_while_a_file_is_awaited_its_name_is_shown_and_no_lesson(window):
    window.await_opening("Opening a.json…")
    window.show()
    window.complete()
    assert window._first_page.sentence == "Opening a.json…"
    assert not window._welcome.isVisible()
    window.documents.open_card(window.documents._cards[0])
    window.follow_opening()
    assert not window._welcome.isVisible()
    assert window.controller.wait_idle(60)
    assert window.is_open


def test_the_lessons_come_back_when_nothing_was_opened(window, tmp_path):
    window.await_opening("Opening missing.gradstep…")
    window.show()
    window.complete()
    window.documents.open(tmp_path / "missing.gradstep")
    window.follow_opening()
    assert window.controller.wait_idle(60)
    assert window._welcome.isVisible()
    assert [message.kind for message in window.messages.history] == ["error"]


def test_the_lessons_come_back_where_nothing_is_opened_at_all(window):
    window.await_opening("Opening train.py…")  # whether it runs is asked first
    window.show()
    window.complete()
    assert not window._welcome.isVisible()
    window.follow_opening()
    assert window._welcome.isVisible()


def test_what_takes_long_to_open_is_told(qtbot, window):
    window.show()
    window.complete()
    window._show_first_page(State("loading"))
    assert window._welcome.isVisible()
    qtbot.waitUntil(lambda: window._first_page.sentence == "Opening…", timeout=TIMEOUT_MS)
    assert not window._welcome.isVisible()
    window._show_first_page(State("empty"))
    assert window._welcome.isVisible()
