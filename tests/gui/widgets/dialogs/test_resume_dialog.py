"""The resume check's dialog: where to break off, how far it has got, and the report."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from gradstep_gui.widgets.dialogs.resume_dialog import ResumeDialog
from tests.core.debugger.conftest import NETWORK, open_program


@pytest.fixture(scope="module")
def found():
    network = open_program(NETWORK)
    network.iterate(6)
    return network.resume_check()


@pytest.fixture
def make(qtbot):
    def open_dialog(event=None, count=24):
        dialog = ResumeDialog(event, lambda index: f"what {index} did")
        qtbot.addWidget(dialog)
        dialog.offer_events(count)
        dialog.show()
        dialog.reported = []
        dialog.asked.connect(lambda event: dialog.reported.append(("asked", event)))
        dialog.cancelled.connect(lambda: dialog.reported.append(("cancelled",)))
        dialog.event_requested.connect(lambda event: dialog.reported.append(("go", event)))
        return dialog

    return open_dialog


def test_the_default_break_is_half_way(make, qtbot):
    dialog = make()
    assert dialog.start.text() == "half-way"
    assert dialog._what.text() == "the iteration half-way through the run"
    qtbot.mouseClick(dialog.check, Qt.MouseButton.LeftButton)
    assert dialog.reported == [("asked", None)]


def test_a_chosen_event_is_described_and_requested(make):
    dialog = make(7)
    assert (dialog.start.value(), dialog._what.text()) == (7, "what 7 did")
    dialog.check.click()
    assert dialog.reported == [("asked", 7)]


def test_there_is_something_after_the_break(make):
    dialog = make(7)
    dialog.offer_events(5)
    assert (dialog.start.value(), dialog.start.maximum()) == (4, 4)


def test_while_it_is_checked_it_shows_how_far_that_is_and_can_be_cancelled(make):
    dialog = make()
    dialog.check.click()
    dialog.show_progress(30, 120)
    assert (dialog.progress.value(), dialog.progress.maximum()) == (30, 120)
    assert dialog.progress.isVisible()
    assert not dialog.check.isEnabled()
    dialog.cancel.click()
    assert dialog.reported == [("asked", None), ("cancelled",)]
    dialog.stop_waiting()
    assert dialog.check.isEnabled()
    assert not dialog.progress.isVisible()


def test_closing_it_while_it_is_checked_cancels(make):
    dialog = make()
    dialog.check.click()
    dialog.reject()
    assert dialog.reported == [("asked", None), ("cancelled",)]


def test_closing_it_later_cancels_nothing(make, found):
    dialog = make()
    dialog.check.click()
    dialog.show_result(found)
    dialog.reject()
    assert dialog.reported == [("asked", None)]


def test_the_report_is_that_of_the_check(make, found):
    dialog = make()
    assert (dialog.report, dialog.copy.isEnabled()) == ("", False)
    dialog.show_result(found)
    assert dialog.heading.text() == found.heading
    assert dialog.sentence.text() == found.sentence
    assert [row[0] for row in dialog.resumptions.row_texts] == [
        "everything",
        "all but the optimizer state",
        "all but the scheduler state",
        "all but the generator",
        "all but the data order",
        "the weights alone",
    ]
    assert dialog.resumptions.row_texts[0] == ("everything", "none", "")
    assert dialog.resumptions.row_texts[-1][1] == found.weights_only.place
    assert [row[0] for row in dialog.losses.row_texts] == [f"{row[0]}" for row in found.rows()]


def test_the_report_is_copied_as_text(make, found):
    dialog = make()
    dialog.show_result(found)
    dialog.copy.click()
    text = QGuiApplication.clipboard().text()
    assert text == dialog.report
    heading, sentence, resumptions, losses = text.rstrip().split("\n\n")
    assert (heading, sentence) == (found.heading, found.sentence)
    assert resumptions.splitlines()[1].split() == ["everything", "none"]
    assert len(losses.splitlines()) == 1 + len(list(found.rows()))


def test_a_double_click_seeks_the_event_that_differs(make, found):
    dialog = make()
    dialog.show_result(found)
    dialog.resumptions.opened.emit(0)
    dialog.resumptions.opened.emit(5)
    assert dialog.reported == [("go", found.weights_only.first_event)]


def test_after_a_check_that_was_cancelled_the_last_result_stays(make, found):
    dialog = make()
    dialog.show_result(found)
    dialog.check.click()
    dialog.stop_waiting()
    assert dialog.sentence.isVisible()
