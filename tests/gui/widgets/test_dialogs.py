"""Questions about files: what a name that was typed becomes, and what it may replace."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox, QWidget

from gradstep_gui.widgets.dialogs import ask_new_path


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
