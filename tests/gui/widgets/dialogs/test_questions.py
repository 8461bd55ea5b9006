"""Questions about files: what a name that was typed becomes, and what it may replace."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QMessageBox,
    QStyle,
    QWidget,
)

from gradstep_gui.widgets.buttons import remove_button_icons
from gradstep_gui.widgets.dialogs.questions import (
    MOST_ITERATIONS,
    ask_about_changes,
    ask_count,
    ask_iteration,
    ask_memory,
    ask_new_path,
    ask_to_replace,
)


@pytest.fixture
def ask(qtbot, tmp_path):
    """Ask for a file, type a name, and answer No when a file is to be replaced."""
    window = QWidget()
    qtbot.addWidget(window)
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    warned = []

    def decline() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        warned.append(box.text())
        QTimer.singleShot(0, window.findChild(QFileDialog).reject)
        box.button(QMessageBox.StandardButton.No).click()

    def answer(name: str) -> None:
        dialog = window.findChild(QFileDialog)
        dialog.findChild(QLineEdit).setText(name)
        if any(tmp_path.iterdir()):
            QTimer.singleShot(0, decline)
        dialog.accept()

    def asked(name):
        QTimer.singleShot(0, lambda: answer(name))
        found = ask_new_path(window, "Save", tmp_path / "run.gradstep", "Sessions (*.gradstep)")
        return found, warned

    yield asked
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, on=False)


@pytest.mark.parametrize(
    ("typed", "name"), [("mine", "mine.gradstep"), ("a.gradstep", "a.gradstep"), ("a.b", "a.b")]
)
def test_a_name_without_an_ending_gets_one(ask, tmp_path, typed, name):
    assert ask(typed) == (tmp_path / name, [])


def test_the_file_that_a_name_becomes_is_not_replaced_unasked(ask, tmp_path):
    (tmp_path / "mine.gradstep").write_text("old")
    found, warned = ask("mine")
    assert found is None
    assert len(warned) == 1
    assert "mine.gradstep already exists" in warned[0]


def test_no_button_bears_a_picture_that_vanishes_on_a_dark_ground(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    ask_about_changes(window, "iris", lambda _answer: None)
    (box,) = window.findChildren(QMessageBox)
    buttons = box.buttons()
    bare = buttons[0].icon().isNull()
    for button in buttons:
        button.setIcon(QApplication.style().standardIcon(QStyle.StandardPixmap.SP_DialogOkButton))
    remove_button_icons(box)
    assert bare
    assert [button.icon().isNull() for button in buttons] == [True] * 3
    box.reject()


def test_of_a_script_that_still_runs_it_is_said_that_it_will_be_stopped(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    for is_running in (False, True):
        ask_about_changes(window, "train.py", lambda _answer: None, is_running=is_running)
    asked, warned = (box.informativeText() for box in window.findChildren(QMessageBox))
    assert asked == "Save it as a session with all its events?"
    assert warned == f"The script still runs, and will be stopped. {asked}"


@pytest.mark.parametrize(("button", "replaced"), [("Save", [1]), ("Cancel", [])])
def test_files_are_replaced_only_if_that_is_chosen(qtbot, tmp_path, button, replaced):
    window, done = QWidget(), []
    qtbot.addWidget(window)
    ask_to_replace(window, [tmp_path / "run.rank1.gradstep"], lambda: done.append(1))
    (box,) = window.findChildren(QMessageBox)
    assert box.informativeText() == "These files are there already: run.rank1.gradstep."
    box.button(getattr(QMessageBox.StandardButton, button)).click()
    assert done == replaced


def test_a_requested_number_stays_in_its_bounds(qtbot):
    window = QWidget()
    qtbot.addWidget(window)

    def answer(number):
        dialog = window.findChild(QInputDialog)
        dialog.setIntValue(number)
        (box,) = dialog.findChildren(QDialogButtonBox)
        box.button(QDialogButtonBox.StandardButton.Ok).click()

    QTimer.singleShot(0, lambda: answer(10**9))
    assert ask_count(window, 5) == MOST_ITERATIONS
    QTimer.singleShot(0, lambda: answer(7))
    assert ask_memory(window, 256, range(64, 1024)) == 64
    QTimer.singleShot(0, lambda: window.findChild(QInputDialog).reject())
    assert ask_count(window, 5) is None
    QTimer.singleShot(0, lambda: answer(3))
    assert ask_iteration(window, 50, 20) == 21
