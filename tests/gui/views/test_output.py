"""The output dock: what a script prints, and what it is given to read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication

from gradstep_gui.records import Document, Recording
from gradstep_gui.views.output import OutputView
from tests.gui.factory import RememberingController, layered

RUNNING = Document("train.py", recording=Recording("train.py", is_running=True))


@pytest.fixture
def controller():
    return RememberingController(layered(2, 3))


@pytest.fixture
def view(qtbot, controller):
    made = OutputView(controller)
    qtbot.addWidget(made)
    made.resize(700, 200)
    made.show()
    return made


def drawn(qtbot, view, last):
    qtbot.waitUntil(lambda: view.text.lines[-1:] == [last], timeout=10_000)
    return [text for _, text in view.text.lines]


def test_without_output_it_says_what_it_is_for(view, controller):
    controller.show(layered(2, 4))
    assert view.place.sentence.startswith("What a script prints is shown here")
    controller.document = RUNNING
    controller.show(layered(2, 5))
    assert "the terminal of gradstep debug" in view.place.sentence
    controller.document = Document("train.py", recording=Recording("train.py"))
    controller.show(layered(2, 6))
    assert "is not part of its session" in view.place.sentence
    assert not view.place.shows_content


def test_of_a_script_that_printed_elsewhere_the_traceback_is_shown(view, controller):
    text = "Traceback (most recent call last):\n  File 'train.py'\nValueError: no"
    ended = Recording("train.py", status=1, error="ValueError: no", traceback=text)
    controller.document = Document("train.py", recording=ended)
    controller.show(layered(2, 4))
    assert view.place.shows_content
    (kind, note), *lines = view.text.lines
    assert (kind, "is not here" in note) == ("note", True)
    assert lines == [("err", line) for line in text.splitlines()]
    assert not view.scripts.isVisible()
    controller.document = RUNNING
    controller.show(layered(2, 5))
    assert not view.place.shows_content


def test_lines_arrive_and_progress_bars_are_rewritten(qtbot, view, controller):
    log = controller.output.add().log
    log.write("out", "epoch 1\n")
    log.write("err", "\r 50%")
    assert drawn(qtbot, view, ("err", " 50%")) == ["epoch 1", " 50%"]
    log.write("err", "\r100%\n")
    assert drawn(qtbot, view, ("err", "100%")) == ["epoch 1", "100%"]
    assert view.place.shows_content
    assert not view.scripts.isVisible()


def test_what_is_printed_while_it_is_hidden_is_shown_afterwards(qtbot, view, controller):
    log = controller.output.add().log
    view.hide()
    log.write("out", "meanwhile\n")
    view.show()
    assert drawn(qtbot, view, ("out", "meanwhile")) == ["meanwhile"]


def test_what_a_script_asks_before_its_first_operation_is_shown_with_the_dock(qtbot, controller):
    controller.snapshot = None
    view = OutputView(controller)
    qtbot.addWidget(view)
    controller.output.add().log.write("out", "name? ")
    QCoreApplication.processEvents()
    view.show()
    assert drawn(qtbot, view, ("out", "name? ")) == ["name? "]
    assert view.input.isVisible()
    assert view.input.isEnabled()


def test_of_two_scripts_one_is_chosen(qtbot, view, controller):
    first = controller.output.add()
    first.log.write("out", "first\n")
    drawn(qtbot, view, ("out", "first"))
    second = controller.output.add("other.py", is_recorded=True)
    second.log.write("out", "second\n")
    assert drawn(qtbot, view, ("out", "second")) == ["second"]
    names = [view.scripts.itemText(row) for row in range(view.scripts.count())]
    assert (names, view.scripts.isVisible()) == (["train.py", "other.py (recorded)"], True)
    view.scripts.setCurrentIndex(0)
    assert drawn(qtbot, view, ("out", "first")) == ["first"]
    first.log.write("out", "more\n")
    assert drawn(qtbot, view, ("out", "more")) == ["first", "more"]


def test_all_of_it_or_the_selection_is_copied_and_it_can_be_cleared(qtbot, view, controller):
    log = controller.output.add().log
    log.write("out", "one\ntwo\n")
    drawn(qtbot, view, ("out", "two"))
    view.copy.click()
    assert QGuiApplication.clipboard().text() == "one\ntwo"
    view.text.find_text("one", backwards=True)
    view.copy.click()
    assert QGuiApplication.clipboard().text() == "one"
    view.clear.click()
    qtbot.waitUntil(lambda: view.text.toPlainText() == "", timeout=10_000)
    log.write("err", "three\n")
    assert drawn(qtbot, view, ("err", "three")) == ["three"]


def test_a_text_is_found_with_the_keyboard(qtbot, view, controller):
    controller.output.add().log.write("out", "loss 1\nother\nloss 2\n")
    drawn(qtbot, view, ("out", "loss 2"))
    with qtbot.waitActive(view):
        view.activateWindow()
    view.text.setFocus()
    qtbot.keyClick(view.text, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.find_bar.isVisible()
    qtbot.keyClicks(view.wanted, "loss")
    first = view.text.textCursor().blockNumber()
    qtbot.keyClick(view.wanted, Qt.Key.Key_Return)
    assert {first, view.text.textCursor().blockNumber()} == {0, 2}
    qtbot.keyClicks(view.wanted, "y")
    assert view.found.text() == "not found"
    view._end_find()
    assert not view.find_bar.isVisible()


def test_lines_are_typed_and_the_input_is_ended(qtbot, view, controller):
    controller.document = RUNNING
    source = controller.output.add()
    qtbot.waitUntil(view.input.isEnabled, timeout=10_000)
    qtbot.keyClicks(view.input, "yes")
    qtbot.keyClick(view.input, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view.input, Qt.Key.Key_Return)
    qtbot.keyClick(view.input, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert source.typed == ["yes", None]
    assert view.input.text() == ""


def test_a_script_that_waits_for_a_line_calls_for_its_dock(qtbot, view, controller):
    source = controller.output.add()
    qtbot.waitUntil(view.input.isEnabled, timeout=10_000)
    source.awaits_input = True
    with qtbot.waitSignal(view.awaited, timeout=10_000):
        controller.output.awaited_changed.emit()
    assert view.input.placeholderText().startswith("The script waits for a line")


def test_a_script_that_has_ended_is_given_nothing_unless_a_branch_goes_on(qtbot, view, controller):
    source = controller.output.add()
    source.has_ended = True
    source.log.note("The script has ended with status 0.")
    drawn(qtbot, view, ("note", "The script has ended with status 0."))
    assert not view.input.isEnabled()
    assert view.input.placeholderText() == "The script has ended"
    controller.document = RUNNING
    controller.document_changed.emit(RUNNING)
    assert view.input.isEnabled()
