"""The loop as code: edited, stopped at and read in the script of the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradstep.program.operation import (
    Backward,
    EditLoop,
    Forward,
    Step,
    ZeroGrad,
)


@pytest.fixture
def open_script(driver):
    """Open a program; return its script dock."""

    def open_script(name="01_who_does_what"):
        driver.open_scenario(name)
        driver.window.show_view("program")
        driver.settle()
        return driver.window.docks["program"].widget()

    return open_script


def lines_of_loop(view):
    """Return the code of each line of the loop."""
    code = view.code.toPlainText().splitlines()
    return [code[span.first - 1].strip() for span in view.editor._listing.spans]


def operations(driver):
    return [event.operation for event in driver.debugger.events]


def test_a_line_is_moved_by_keyboard_and_going_back_undoes_it(driver, open_script, qtbot):
    view = open_script()
    driver.iterate(1)
    view.code.setFocus()
    qtbot.waitUntil(view.code.hasFocus)
    view.editor.lines.select(0)
    qtbot.keyClick(view.code, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    driver.settle()
    moved = [
        "loss = torch.sum(100 * x)",
        "optimizer.zero_grad()",
        "loss.backward()",
        "optimizer.step()",
    ]
    assert lines_of_loop(view) == moved
    assert view.editor.lines.current == 1
    driver.iterate(1)
    assert operations(driver)[5:] == [Forward(), ZeroGrad(), Backward(), Step()]
    for _ in range(5):
        driver.press("debug.back")
    assert lines_of_loop(view)[0] == "optimizer.zero_grad()"
    driver.trigger("debug.end")
    driver.settle()
    assert lines_of_loop(view) == moved


def test_an_edit_in_the_past_makes_a_branch_and_the_other_keeps_its_loop(driver, open_script):
    view = open_script()
    driver.iterate(3)
    driver.window.controller.seek(4)
    driver.settle()
    view.editor.lines.select(0)
    view.editor.switch.trigger()
    driver.settle()
    assert [branch.name for branch in driver.debugger.branches] == ["main", "edited loop from #5"]
    assert view.code.toPlainText().splitlines()[9] == "    # optimizer.zero_grad()"
    assert view.code.off == {10}
    driver.window.controller.branches.checkout(0)
    driver.settle()
    assert lines_of_loop(view)[0] == "optimizer.zero_grad()"
    assert view.code.off == frozenset()


def test_a_loop_that_cannot_be_is_refused_with_a_sentence(driver, open_script):
    view = open_script()
    driver.iterate(1)
    for line in range(4):
        view.editor.lines.select(line)
        view.editor.switch.trigger()
        driver.settle()
    assert "every line is switched off" in driver.message
    assert [line.enabled for line in view.editor.loop] == [False, False, False, True]
    assert len(driver.debugger.events) == 7


def test_an_edited_session_is_saved_and_opened(driver, open_script, tmp_path):
    view = open_script()
    view.editor.lines.select(3)
    view.editor.repeat.trigger()
    driver.settle()
    driver.iterate(2)
    shown = view.code.toPlainText()
    path = tmp_path / "edited.gradstep"
    driver.window.controller.save(path)
    driver.settle()
    open_script("02_linear_regression")
    driver.open(path)
    assert view.code.toPlainText() == shown
    assert isinstance(driver.debugger.events[0].operation, EditLoop)
    driver.iterate(1)
    assert operations(driver)[-3:] == [Backward(), Step(), Step()]


def test_a_breakpoint_in_the_gutter_stops_before_its_line(driver, open_script):
    view = open_script()
    backward = view.editor._listing.spans[2].first
    view.code.stop_toggled.emit(backward)
    driver.settle()
    assert view.code.stops == {backward: True}
    driver.trigger("debug.run")
    driver.settle()
    assert driver.debugger.next_operation == Backward()
    assert driver.snapshot.event_index == 2
    view.code.stop_toggled.emit(backward)
    driver.settle()
    assert view.code.stops == {}
    view.code.run_to_requested.emit(view.editor._listing.spans[0].first)
    driver.settle()
    assert driver.debugger.next_operation == ZeroGrad()


def test_values_stand_after_the_lines_that_wrote_them_also_in_the_past(driver, open_script):
    view = open_script()
    assert view.code.values == {}
    driver.iterate(1)
    first = view.editor._listing.spans[0].first
    assert view.code.values == {
        first + 1: "loss = 300",
        first + 2: "x.grad = [100, 100]",
        first + 3: "x = [0.9, 1.9]",
    }
    driver.press("debug.zero_grad")
    assert view.code.values[first] == "x.grad = None"
    assert first + 2 not in view.code.values
    driver.window.controller.seek(2)
    driver.settle()
    # There was no gradient, so Zero Grad wrote none.
    assert view.code.values == {first + 1: "loss = 300"}


def test_the_kind_of_the_optimizer_is_changed_and_going_back_undoes_it(driver, open_script):
    open_script()
    driver.iterate(1)
    driver.window.show_view("optimizer")
    driver.settle()
    settings = driver.window.docks["optimizer"].widget().settings
    settings.kind.textActivated.emit("Adam")
    driver.settle()
    assert driver.snapshot.optimizers["optimizer"].kind == settings.kind.currentText() == "Adam"
    driver.iterate(1)
    driver.press("debug.back", "debug.back", "debug.back", "debug.back", "debug.back")
    assert driver.snapshot.optimizers["optimizer"].kind == settings.kind.currentText() == "SGD"
