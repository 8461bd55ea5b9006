"""The breakpoints dock: rows of fields, exceptions to tick, lines that were noted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QTextBrowser

from gradstep.debugger.conditions.condition import Condition
from gradstep.debugger.conditions.evaluation_context import EvaluationContext
from gradstep.history.records.breakpoints import (
    CONDITION_TERMS,
    BreakpointRecord,
    BreakpointSpec,
    Breaks,
    LogLine,
)
from gradstep_gui.views.breakpoints import BreakpointsView
from gradstep_gui.views.breakpoints.view import EXAMPLES, ConditionHelpDialog
from tests.core.debugger.conftest import NETWORK, open_program
from tests.gui.factory import RememberingController, layered

LOSS = BreakpointRecord(1, BreakpointSpec("loss > 10"), count=3)
WRONG = BreakpointRecord(
    2, BreakpointSpec("los > 1", before=("step", "backward")), error="there is no 'los'", column=1
)
TICKED = BreakpointRecord(3, BreakpointSpec("non_finite"))


@pytest.fixture
def controller():
    return RememberingController(layered(2, 3))


@pytest.fixture
def view(qtbot, controller):
    made = BreakpointsView(controller)
    qtbot.addWidget(made)
    made.resize(900, 220)
    made.show()
    return made


def test_a_row_shows_the_state_of_its_breakpoint(view, controller):
    controller.breakpoints.show(Breaks((LOSS, WRONG, TICKED), hit=1))
    first, second = view.rows
    assert (first.expression.text(), first.when.currentText()) == ("loss > 10", "automatic")
    assert (first.count.text(), first.problem.isVisible()) == ("● 3 hits", False)
    assert second.when.currentText() == "before Step, Backward"
    assert (second.problem.text(), second.count.text()) == ("▲ there is no 'los'", "0 hits")
    ticked = {name for name, box in view.exceptions.items() if box.isChecked()}
    assert ticked == {"non_finite"}


def test_automatic_evaluation_points_are_explained_for_each_condition(view, controller):
    record = BreakpointRecord(1, BreakpointSpec("isnan(loss)"), after=("forward",))
    controller.breakpoints.show(Breaks((record, WRONG)))
    assert view.rows[0].when.toolTip().endswith("Here: after Forward.")
    assert "This one" not in view.rows[1].when.toolTip()


def test_an_error_is_shown_below_its_column(view, controller):
    record = BreakpointRecord(1, BreakpointSpec("loss > lr(1)"), error="why", column=8)
    controller.breakpoints.show(Breaks((record,)))
    assert view.rows[0].problem.text().index("▲") == 7


def test_a_condition_is_added_by_writing_it(qtbot, view, controller):
    qtbot.keyClicks(view.fresh, "loss > 10")
    qtbot.keyClick(view.fresh, Qt.Key.Key_Return)
    assert controller.breakpoints.asked == [("set_breakpoint", BreakpointSpec("loss > 10"), None)]
    assert view.fresh.text() == ""


def test_a_condition_is_edited_in_its_place(qtbot, view, controller):
    controller.breakpoints.show(Breaks((LOSS,)))
    field = view.rows[0].expression
    field.selectAll()
    qtbot.keyClicks(field, "loss > 99")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert controller.breakpoints.asked == [("set_breakpoint", BreakpointSpec("loss > 99"), 1)]


def test_escape_puts_the_condition_back(qtbot, view, controller):
    controller.breakpoints.show(Breaks((LOSS,)))
    field = view.rows[0].expression
    qtbot.keyClicks(field, "!!")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert (field.text(), controller.breakpoints.asked) == ("loss > 10", [])


def test_text_being_typed_is_not_overwritten(qtbot, view, controller):
    controller.breakpoints.show(Breaks((LOSS,)))
    view.activateWindow()
    view.rows[0].expression.setFocus()
    qtbot.waitUntil(view.rows[0].expression.hasFocus)
    qtbot.keyClick(view.rows[0].expression, Qt.Key.Key_End)
    qtbot.keyClicks(view.rows[0].expression, "0")
    controller.breakpoints.show(Breaks((BreakpointRecord(1, LOSS.spec, count=4),)))
    assert view.rows[0].expression.text() == "loss > 100"
    assert view.rows[0].count.text() == "4 hits"


def test_each_field_changes_its_part(qtbot, view, controller):
    controller.breakpoints.show(Breaks((LOSS,)))
    row = view.rows[0]
    row.enabled.click()
    row.when.setCurrentText("before Backward")
    row.when.activated.emit(row.when.currentIndex())
    row.hits.setValue(5)
    row.hits.editingFinished.emit()
    qtbot.keyClicks(row.log, "{loss}")
    qtbot.keyClick(row.log, Qt.Key.Key_Return)
    row.remove.click()
    changes = [asked[1] for asked in controller.breakpoints.asked if asked[0] == "set_breakpoint"]
    assert changes[-3:] == [
        BreakpointSpec("loss > 10", before=("backward",)),
        BreakpointSpec("loss > 10", hits=5),
        BreakpointSpec("loss > 10", log="{loss}"),
    ]
    assert BreakpointSpec("loss > 10", enabled=False) in changes
    assert controller.breakpoints.asked[-1] == ("remove_breakpoint", 1)


def test_an_exception_is_ticked_and_unticked(view, controller):
    view.exceptions["raised"].click()
    controller.breakpoints.show(Breaks((TICKED,)))
    view.exceptions["non_finite"].click()
    assert controller.breakpoints.asked == [
        ("set_breakpoint", BreakpointSpec("raised"), None),
        ("remove_breakpoint", 3),
    ]


def test_a_noted_line_leads_to_its_event(view, controller):
    lines = (LogLine(4, 1, "1: 0.5"), LogLine(8, 1, "2: 0.4"))
    controller.breakpoints.show(Breaks((LOSS,), lines=lines))
    assert view.lines.isVisible()
    view.lines.chosen.emit(1)
    assert controller.sought == [8]


def test_a_hidden_view_catches_up_when_it_is_shown(view, controller):
    view.hide()
    controller.breakpoints.show(Breaks((LOSS,)))
    assert view.rows == ()
    view.show()
    assert len(view.rows) == 1


def test_the_help_has_the_whole_language(qtbot):
    context = EvaluationContext(open_program(NETWORK).program)
    assert all(Condition(text, context)() is False for text in EXAMPLES)
    dialog = ConditionHelpDialog()
    qtbot.addWidget(dialog)
    cells = dialog.findChild(QTextBrowser).toPlainText().splitlines()
    assert [cell for row in CONDITION_TERMS for cell in row if cell not in cells] == []
    assert dialog.windowTitle() == "Syntax of Conditions and Watches"


def test_the_new_condition_takes_the_focus_when_it_is_wanted(qtbot, view, controller):
    view.activateWindow()
    controller.breakpoints.breakpoint_requested.emit()
    qtbot.waitUntil(view.fresh.hasFocus)


def test_the_wheel_passes_over_fields_without_changing_them(view, controller):
    controller.breakpoints.show(Breaks((LOSS,)))
    row = view.rows[0]
    for field in (row.when, row.hits):
        place = QPointF(field.rect().center())
        turned = QWheelEvent(
            place, QPointF(field.mapToGlobal(place)), QPoint(), QPoint(0, -120),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(field, turned)
    assert (row.when.currentText(), row.hits.value()) == ("automatic", 1)
    assert controller.breakpoints.asked == []
