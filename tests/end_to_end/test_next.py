"""What is shown as next is what F10 does: at the end, inside an Operation, and in the past."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradstep.program.operation import Backward, Forward, Step
from gradstep_gui.action_ids import ViewId
from gradstep_gui.theme import kind_of
from gradstep_gui.views.labels import operation_text
from gradstep_gui.window.toolbar import OPERATIONS


@pytest.fixture
def opened(driver):
    driver.open_scenario("04_two_heads_one_optimizer")
    return driver


def marked(driver):
    """The kinds of the buttons that are marked as next."""
    return [kind for kind, name in OPERATIONS.items() if driver.button(name).marked_next]


def arrow(driver):
    """The code at the arrow in the script."""
    driver.window.show_view(ViewId.PROGRAM)
    driver.settle()
    code = driver.window.docks[ViewId.PROGRAM].widget().code
    if code.coming is None:
        return ""
    lines = code.toPlainText().splitlines()
    return "\n".join(lines[code.coming.first - 1 : code.coming.last]).strip()


def press_f10(driver):
    """Press F10, and return the Operation of the Event that one gets to."""
    driver.qtbot.keyClick(driver.window, Qt.Key.Key_F10)
    driver.settle()
    return driver.snapshot.event.operation


def test_next_is_what_f10_does_at_every_moment_also_of_a_past_out_of_order(opened):
    opened.press("debug.step", "debug.backward", "debug.zero_grad", "debug.step", "debug.forward")
    opened.iterate(1)
    count = opened.snapshot.event_count
    opened.trigger("debug.start")
    while True:
        in_past = opened.snapshot.event_index < count
        shown, status = marked(opened), opened.window.status_line.text("next")
        done = press_f10(opened)
        assert status == f"Next: {operation_text(done)}"
        assert shown == [kind_of(done)] if kind_of(done) in OPERATIONS else shown == []
        if not in_past:
            break
        assert opened.snapshot.event_count == count  # no other branch


def test_the_arrow_is_at_the_line_that_was_run_next_or_nowhere(opened):
    opened.press("debug.step", "debug.zero_grad")
    opened.controller.apply(Forward("loss_b"))
    opened.settle()
    opened.trigger("debug.start")
    assert arrow(opened) == "optimizer.step()"
    assert press_f10(opened) == Step()
    assert arrow(opened) == "optimizer.zero_grad()"
    press_f10(opened)
    assert "loss_b = " in arrow(opened)
    assert press_f10(opened) == Forward("loss_b")


def test_pressing_the_arrow_in_the_past_goes_along_what_is_recorded(opened):
    opened.press("debug.step")
    opened.trigger("debug.back")
    opened.window.docks[ViewId.PROGRAM].widget().code.coming_pressed.emit()
    opened.settle()
    assert opened.snapshot.event.operation == Step()
    assert len(opened.debugger.branches) == 1


def test_inside_an_operation_that_one_is_next(opened):
    opened.press("debug.forward")
    opened.trigger("debug.into_backward")
    assert marked(opened) == ["backward"]
    assert opened.window.status_line.text("next") == "Next: Backward loss_a"
    while opened.snapshot.inside is not None:
        press_f10(opened)
    assert opened.snapshot.event.operation == Backward("loss_a")


def test_a_chosen_target_is_next_for_f10_as_well(opened):
    opened.press("debug.zero_grad")
    opened.choose("Loss", "loss_b")
    assert opened.window.status_line.text("next") == "Next: Forward loss_b"
    assert press_f10(opened) == Forward("loss_b")
