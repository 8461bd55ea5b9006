"""The application as a whole, on the programs that ship."""

import gc
import os
import shutil
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QApplication, QMessageBox, QToolButton

from gradstep.debugger import Debugger
from gradstep.errors import GradStepError
from gradstep.program.gallery import scenarios
from gradstep.session.lock import lock_path
from gradstep_gui import app, screenshot
from gradstep_gui.main_window import MainWindow
from gradstep_gui.settings import RECENT, Settings

TIMEOUT_S = 60.0
PATHS = {scenario.id: scenario.path for scenario in scenarios()}


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def window(qtbot, settings):
    _, window = app.build(["gradstep", str(PATHS["01_who_does_what"])], settings)
    crashes = []
    window.controller.crashed.connect(crashes.append)
    window.show()
    assert window.controller.wait_idle(TIMEOUT_S)
    yield window
    assert crashes == []
    window.discard()


def press(window, *names):
    for name in names:
        action = window.findChild(QAction, name)
        assert action.isEnabled(), name
        action.trigger()
        assert window.controller.wait_idle(TIMEOUT_S)


def test_an_unwritable_home_is_reported_and_the_application_still_starts(
    qtbot, window, tmp_path, monkeypatch
):
    def run_events():
        qtbot.waitUntil(lambda: bool(window.messages.history), timeout=60_000)
        return 0

    logs = tmp_path / "home" / "logs"
    logs.parent.write_text("a file, in which no folder can be made")
    monkeypatch.setattr("gradstep_gui.crash.log_folder", lambda: logs)
    application = QApplication.instance()
    monkeypatch.setattr(app, "begin", lambda *_, **__: (application, window))
    monkeypatch.setattr(application, "exec", run_events, raising=False)
    assert app.run(["gradstep"]) == 0
    message = window.messages.history[-1]
    assert "The error log cannot be written" in message.text
    assert str(logs) in message.text
    assert message.remedy


def test_cycles_are_collected_on_the_thread_of_the_window_alone(qtbot, window, monkeypatch):
    threads = set()

    class Cycle:
        def __init__(self):
            self.itself = self

        def __del__(self):
            threads.add(threading.current_thread())

    def make_cycles():
        for _ in range(2 * gc.get_threshold()[0]):
            Cycle()

    def run_events():
        qtbot.waitUntil(lambda: not gc.isenabled())
        worker = threading.Thread(target=make_cycles)
        worker.start()
        worker.join()
        assert threads == set()
        qtbot.waitUntil(lambda: threads == {threading.current_thread()})
        return 0

    application = QApplication.instance()
    monkeypatch.setattr(app, "begin", lambda *_, **__: (application, window))
    monkeypatch.setattr(application, "exec", run_events, raising=False)
    gc.enable()
    assert app.run(["gradstep"]) == 0
    assert len(threads) == 1


def test_the_smallest_program_runs_with_the_four_buttons(window):
    assert window.controller.snapshot.parameters["x"].gradient is None
    press(window, "debug.zero_grad", "debug.forward", "debug.backward")
    dbg = window.controller.debugger
    assert dbg.snapshot.parameters["x"].grad.tolist() == [100.0, 100.0]
    press(window, "debug.step")
    assert dbg.snapshot.parameters["x"].data == pytest.approx([0.9, 1.9])
    assert window.status_line.text("iteration") == "Iteration 1"


def test_gradients_add_up_when_backward_is_pressed_without_zero_grad(window):
    press(window, "debug.forward", "debug.backward", "debug.forward", "debug.backward")
    dbg = window.controller.debugger
    assert dbg.snapshot.parameters["x"].grad.tolist() == [200.0, 200.0]


def test_a_second_backward_fails_and_the_message_has_a_remedy(window):
    press(window, "debug.forward", "debug.backward", "debug.backward")
    assert window.message_bar.isVisible()
    assert "second time" in window.message_bar.message.text
    dbg = window.controller.debugger
    assert dbg.snapshot.parameters["x"].grad.tolist() == [100.0, 100.0]


def test_a_program_that_ships_opens_as_a_new_one_that_no_list_remembers(window, settings):
    assert window.controller.document.path is None
    assert settings.get(RECENT) == ()
    assert window.windowTitle() == "Who does what[*] — GradStep"


@pytest.mark.parametrize("name", [name for name in PATHS if name != "03_two_layer_network"])
def test_every_program_that_ships_opens_and_runs(window, name):
    window.controller.open(PATHS[name])
    window.controller.iterate(2)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert window.controller.snapshot.iteration == 2


@pytest.mark.parametrize(("dock", "widest"), [(None, 1000), ("plots", 999), ("event_log", 999)])
def test_a_picture_is_drawn_without_a_display(qapp, tmp_path, dock, widest):
    out = tmp_path / "window.png"
    screenshot.screenshot(
        out, PATHS["02_linear_regression"], dock=dock, size=(1000, 700), iterations=3
    )
    picture = QImage(str(out))
    assert 100 < picture.width() <= widest
    rows = range(0, picture.height(), 10)
    colors = {picture.pixel(x, y) for x in range(picture.width()) for y in rows}
    assert len(colors) > 2


def test_a_screenshot_of_an_unknown_dock_lists_the_docks(qapp, tmp_path):
    with pytest.raises(
        GradStepError, match="use one of: plots, graph, landscape, data, lesson, program"
    ):
        screenshot.screenshot(tmp_path / "out.png", dock="plotz")


def test_a_picture_replaces_no_program_that_a_link_leads_to(qapp, tmp_path):
    program = tmp_path / "program.json"
    program.write_text('{"gradstep": 1}')
    link = tmp_path / "link.png"
    link.symlink_to(program)
    with pytest.raises(GradStepError, match="is a program, not a picture"):
        screenshot.screenshot(link, program)
    assert program.read_text() == '{"gradstep": 1}'


@pytest.mark.parametrize("name", ["program.json", "a.gradstep", "noending"])
def test_a_picture_replaces_nothing_that_is_not_named_as_one(qapp, tmp_path, name):
    file = tmp_path / name
    file.write_text("precious")
    with pytest.raises(GradStepError, match="not named as an image"):
        screenshot.screenshot(file, PATHS["02_linear_regression"])
    assert file.read_text() == "precious"


def test_a_picture_is_drawn_of_where_actions_have_led(qapp, tmp_path):
    for name, steps in (("at_rest.png", []), ("inside.png", ["debug.step_into"])):
        screenshot.screenshot(
            tmp_path / name,
            PATHS["02_linear_regression"],
            dock="inside",
            press=["debug.forward", *steps],
        )
    assert QImage(str(tmp_path / "at_rest.png")) != QImage(str(tmp_path / "inside.png"))


def test_a_picture_can_show_another_dock_in_front(qapp, tmp_path):
    for name, press in (("log.png", []), ("findings.png", ["view.findings"])):
        screenshot.screenshot(tmp_path / name, PATHS["02_linear_regression"], press=press)
    assert QImage(str(tmp_path / "log.png")) != QImage(str(tmp_path / "findings.png"))


@pytest.mark.slow
def test_a_picture_waits_until_its_formulas_are_typeset(qapp, tmp_path, monkeypatch):
    monkeypatch.setattr("gradstep_gui.widgets.text.typesetter.LOOK_MS", 300)
    for name, timeout in (("text.png", 0.0), ("typeset.png", screenshot.FORMULA_TIMEOUT_S)):
        monkeypatch.setattr(screenshot, "FORMULA_TIMEOUT_S", timeout)
        screenshot.screenshot(
            tmp_path / name,
            PATHS["02_linear_regression"],
            dock="inside",
            press=["debug.forward", "debug.backward", *["debug.step_into"] * 4],
        )
    assert QImage(str(tmp_path / "text.png")) != QImage(str(tmp_path / "typeset.png"))


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("debug.jump", "there is no action 'debug.jump' to press; use debug.zero_grad, "),
        ("file.open", "there is no action 'file.open' to press"),
        ("debug.step_out", "debug.step_out is disabled at that point"),
        ("debug.iterate_many", "debug.iterate_many asks for something first"),
    ],
)
def test_an_action_that_cannot_be_pressed_for_a_picture_is_named(qapp, tmp_path, action, words):
    with pytest.raises(GradStepError, match=words):
        screenshot.screenshot(tmp_path / "a.png", PATHS["02_linear_regression"], press=[action])


def test_a_screenshot_of_an_invalid_file_reports_the_error(qapp, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"gradstep": 1, "optimizers": {"optimizer": {"kind": "SGD", "lr": "x"}}}')
    with pytest.raises(GradStepError, match=r"\$"):
        screenshot.screenshot(tmp_path / "out.png", bad)


def test_a_leftover_recording_is_offered_and_opened_as_unsaved(qtbot, tmp_path, settings):
    recordings = tmp_path / "recordings"
    _, first = app.build(["gradstep", str(PATHS["01_who_does_what"])], settings, recordings)
    qtbot.addWidget(first)
    first.controller.wait_idle(TIMEOUT_S)
    press(first, "debug.forward", "debug.backward", "debug.step")
    first.controller.debugger.history.recorder.flush()
    left = tmp_path / "left"
    shutil.copytree(recordings, left)

    _, second = app.build(["gradstep"], settings, left)
    qtbot.addWidget(second)
    second.show()
    assert "unexpectedly" in second.message_bar.message.text
    press(second, "file.recover")
    assert second.controller.snapshot.event_count == 3
    assert second.controller.document.modified
    assert second.controller.document.path is None
    assert not second.findChild(QAction, "file.recover").isEnabled()
    for window in (first, second):
        window.discard()
    assert list(recordings.iterdir()) == []
    assert list(left.iterdir()) == []


@pytest.fixture
def with_leftovers(qtbot, tmp_path, settings):
    """A window that finds three recordings, and their folder."""
    left = tmp_path / "left"
    left.mkdir()
    for age, name in enumerate(sorted(PATHS)[:3]):
        path = left / f"{age}.gradstep"
        Debugger.open(PATHS[name]).save(path)
        lock_path(path).touch()
        os.utime(path, (1.7e9 - age, 1.7e9 - age))
    _, window = app.build(["gradstep"], settings, left)
    qtbot.addWidget(window, before_close_func=MainWindow.discard)
    window.show()
    yield window, left
    window.discard()


def test_several_leftover_recordings_are_listed_and_one_is_recovered(with_leftovers):
    window, left = with_leftovers
    press(window, "file.recover")
    dialog = window.recovery.dialog
    names = ["Who does what", "Linear regression", "A two-layer network"]
    assert [row[0] for row in dialog.table.row_texts] == names
    dialog.table.selectRow(1)
    dialog.recover_button.click()
    assert window.controller.wait_idle(TIMEOUT_S)
    assert window.controller.document.name == "Linear regression"
    assert window.recovery.dialog is None
    assert not (left / "1.gradstep").exists()
    press(window, "file.recover")
    assert [row[0] for row in window.recovery.dialog.table.row_texts] == [names[0], names[2]]


def test_leftover_recordings_are_deleted_after_a_question(with_leftovers, monkeypatch):
    window, left = with_leftovers
    press(window, "file.recover")
    dialog = window.recovery.dialog
    buttons = QMessageBox.StandardButton
    dialog.table.selectAll()
    monkeypatch.setattr(QMessageBox, "question", lambda *_: buttons.Cancel)
    dialog.delete_button.click()
    assert len(dialog.table.row_texts) == 3
    monkeypatch.setattr(QMessageBox, "question", lambda *_: buttons.Yes)
    dialog.delete_button.click()
    assert dialog.table.row_texts == []
    assert not dialog.recover_button.isEnabled()
    assert not window.findChild(QAction, "file.recover").isEnabled()
    assert list(left.glob("[012].*")) == []


def test_a_session_is_saved_opened_and_continued(qtbot, window, tmp_path):
    press(window, "debug.zero_grad", "debug.forward", "debug.backward", "debug.step")
    file = tmp_path / "run.gradstep"
    window.controller.save(file)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert not window.isWindowModified()
    before = window.controller.debugger.snapshot.parameters["x"].data.tolist()
    window.controller.open(file)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert window.controller.events_count() == 4
    assert window.controller.debugger.snapshot.parameters["x"].data.tolist() == before
    press(window, "debug.zero_grad", "debug.forward", "debug.backward", "debug.step")
    assert window.controller.debugger.snapshot.parameters["x"].data == pytest.approx([0.8, 1.8])


def test_a_wrong_program_is_found_out_and_the_status_bar_leads_to_the_findings(qtbot, window):
    window.controller.open(PATHS["08_wrong_model"])
    window.controller.iterate(1)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert "mistakes found" in window.status_line.findings_text
    button = window.findChild(QToolButton, "status.findings")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.docks["findings"].widget().isVisible(), timeout=60_000)
    assert "no loss uses" in window.docks["findings"].widget().text
