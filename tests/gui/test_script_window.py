"""A recorded script in the window: what can be done with it, and what is grey with its reason."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QDockWidget, QMenu

from gradstep.debugger import Debugger
from gradstep.history.records.what_if import Edits
from gradstep.program.gallery import scenarios
from gradstep.program.operation import SetHyperparameter
from gradstep.script.command import ScriptCommand
from gradstep.script.frames import Source, Variable, Variables
from gradstep.script.mirror import Mirror
from gradstep_gui.action_ids import ActionId, ViewId
from gradstep_gui.actions import ACTIONS
from gradstep_gui.messages import MessageKind
from gradstep_gui.views.event_log.details import EventDetails
from gradstep_gui.views.plots.curve_choice import texts_of
from gradstep_gui.widgets.dialogs import questions
from gradstep_gui.worker import debugger_host
from tests.core.diagnostics.facts.test_script_sums import BEHIND, accumulate
from tests.core.script.held_script import HeldScript, answer
from tests.core.script.sent_frames import SQUARES, Sent, descent, take
from tests.core.script.test_unrecorded import thinned
from tests.gui.triggering import TIMEOUT_S, trigger

FOUR = [ActionId.ZERO_GRAD, ActionId.FORWARD, ActionId.BACKWARD, ActionId.STEP]
INTO = [
    ActionId.INTO_ZERO_GRAD,
    ActionId.INTO_FORWARD,
    ActionId.INTO_BACKWARD,
    ActionId.INTO_STEP,
]
RUNS = [
    ActionId.STEP_OVER,
    ActionId.STEP_INTO,
    ActionId.ITERATE,
    ActionId.ITERATE_MANY,
    ActionId.RUN_UNTIL_ITERATION,
    ActionId.RUN,
]
NEVER = [
    ActionId.HOLD_BATCH,
    ActionId.RETAIN_GRAPH,
    ActionId.WRITE_ZEROS,
    ActionId.WHAT_IF,
    ActionId.RESUME_CHECK,
    ActionId.RUN_SEEDS,
    ActionId.EDIT_PROGRAM,
    ActionId.EXPORT_SCRIPT,
    ActionId.EXPORT_TEST,
]
ABILITIES = Mirror(take(descent(1).stream)).abilities
ITS_OWN_CODE, ENDS = ABILITIES.diverge, ABILITIES.go_on


@pytest.fixture
def open_script(make_window, tmp_path):
    """Open the window on a recorded script, at its end: `open_script(sent)`."""

    def opened(sent):
        debugger = Debugger(Mirror(take(sent.stream)))
        debugger.follow()
        window = make_window(lambda _: debugger)
        window.controller.open(tmp_path / "train.gradstep")
        assert window.controller.wait_idle(TIMEOUT_S)
        return window

    return opened


def go_to(window, event):
    window.controller.seek(event)
    assert window.controller.wait_idle(TIMEOUT_S)


def action(window, name):
    return window.findChild(QAction, name)


def enabled(window, names):
    return [name for name in names if action(window, name).isEnabled()]


def test_an_answer_changes_the_findings_and_the_session_is_unsaved_by_it(open_script):
    controller = open_script(accumulate(BEHIND)).controller
    for said, severity in ((True, "info"), (False, "fact"), (None, "question")):
        controller.answer("gradient_accumulation", said)
        assert controller.wait_idle(TIMEOUT_S)
        (finding,) = controller.snapshot.findings
        assert (finding.severity, finding.question.answer) == (severity, said)
        assert controller.document.modified == (said is not None)


def test_a_recording_is_opened_at_its_end_and_says_so(open_script):
    window = open_script(descent(3))
    assert window.status_line.text("work") == "At the end"
    go_to(window, 4)
    assert window.status_line.text("work") == "Paused"


@pytest.mark.parametrize(("event", "possible"), [*enumerate(FOUR)])
def test_of_the_four_operations_only_the_next_one_is_enabled(open_script, event, possible):
    window = open_script(descent(3))
    go_to(window, 4 + event)
    assert enabled(window, FOUR) == [possible]
    for other in set(FOUR) - {possible}:
        assert ITS_OWN_CODE in action(window, other).toolTip()
    assert ITS_OWN_CODE not in action(window, possible).toolTip()
    trigger(window, possible)
    assert window.controller.snapshot.event_index == 5 + event
    assert window.controller.events_count() == 12
    assert len(window.controller.branches.records) == 1


@pytest.mark.parametrize(
    ("event", "possible", "reason"),
    [
        (4, [ActionId.INTO_ZERO_GRAD], ""),
        (5, [], ABILITIES.inside_forward),
        (6, [], ABILITIES.inside_backward),
        (7, [ActionId.INTO_STEP], ""),
    ],
)
def test_only_what_gradstep_computes_itself_can_be_stepped_into(
    open_script, event, possible, reason
):
    window = open_script(descent(3))
    go_to(window, event)
    assert enabled(window, INTO) == possible
    step_into = action(window, ActionId.STEP_INTO)
    assert step_into.isEnabled() is bool(possible)
    assert reason in step_into.toolTip()
    if possible:
        trigger(window, ActionId.STEP_INTO)
        assert window.controller.snapshot.inside is not None
        trigger(window, ActionId.STEP_OUT)
        assert window.controller.snapshot.event_index == event + 1


def test_at_the_end_of_the_recording_nothing_runs_and_the_tooltips_say_why(open_script):
    window = open_script(descent(3))
    assert enabled(window, [*FOUR, *INTO, *RUNS, *NEVER]) == []
    for name in (*FOUR, *INTO, *RUNS):
        assert ENDS in action(window, name).toolTip()
    trigger(window, ActionId.STEP_BACK)
    assert ENDS not in action(window, ActionId.RUN).toolTip()
    assert enabled(window, RUNS) == RUNS


def test_what_needs_a_document_or_another_course_is_never_enabled(open_script):
    window = open_script(descent(3))
    for event in range(12):
        go_to(window, event)
        assert enabled(window, NEVER) == []
    for name in NEVER:
        tooltip = action(window, name).toolTip()
        reasons = ITS_OWN_CODE, ABILITIES.document, ABILITIES.skip
        assert any(reason in tooltip for reason in reasons)
    assert not window.other_operations.isEnabled()
    assert window.other_operations.menuAction().toolTip() == ABILITIES.edit


def test_a_run_goes_along_the_recording_to_its_end_and_says_so(open_script, qtbot):
    window = open_script(descent(3))
    trigger(window, ActionId.GO_TO_START, ActionId.STEP_OVER, ActionId.ITERATE)
    assert window.controller.snapshot.event_index == 4
    trigger(window, ActionId.RUN)
    assert window.controller.snapshot.event_index == 12
    assert window.status_line.text("stop") == "■ the recording of the script ends here"
    assert window.messages.history == ()
    assert len(window.controller.branches.records) == 1


def test_the_arrow_in_the_script_goes_along_the_recording(open_script):
    window = open_script(descent(3))
    go_to(window, 6)
    window.docks[ViewId.PROGRAM].widget().code.coming_pressed.emit()
    assert window.controller.wait_idle(TIMEOUT_S)
    assert window.controller.snapshot.event_index == 7


def test_a_call_that_raised_an_error_comes_next_before_it_is_gone_along(open_script):
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.graph("loss", *SQUARES)
    sent.event("backward", "loss", 7, {"w.grad": [2.0]}, loss=1.0)
    sent.event("backward", "loss", 8, {}, detail={"again": True}, error="RuntimeError: freed")
    sent.bye(1, "RuntimeError: freed")
    window = open_script(sent)
    assert window.status_line.recording_text == (
        "Recording of train.py, torch 2.13.0: the script ended with status 1: RuntimeError: freed"
    )
    trigger(window, ActionId.STEP_BACK)
    assert window.status_line.text("next") == "Next: Backward loss"
    assert enabled(window, FOUR) == [ActionId.BACKWARD]
    trigger(window, ActionId.BACKWARD)
    assert window.controller.snapshot.event_index == 3
    assert enabled(window, RUNS) == []


def test_an_error_that_ended_the_script_is_a_message_and_once(open_script):
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.event("backward", "loss", 7, {"w.grad": [2.0]}, loss=1.0)
    sent.bye(1, "ValueError: no batch (train.py:3)")
    window = open_script(sent)
    (message,) = window.messages.history
    assert message.text == "train.py ended at line 3: ValueError: no batch"
    assert message.kind is MessageKind.ERROR
    assert "traceback" in message.remedy
    trigger(window, ActionId.STEP_BACK)
    assert window.messages.history == (message,)


def test_a_long_error_of_a_script_is_shortened_in_the_message(open_script):
    sent = Sent()
    sent.tensor("w", [1.0])
    error = "RuntimeError: " + "Trying to backward through the graph a second time. " * 9
    sent.event("backward", "loss", 7, {}, loss=1.0, error=error.strip())
    sent.bye(1, f"{error.strip()} (train.py:7)")
    window = open_script(sent)
    (message,) = window.messages.history
    assert message.text == (
        "train.py ended at line 7: RuntimeError: Trying to backward through the graph a second "
        "time. Trying to backward…"
    )
    details = window.findChild(EventDetails).toPlainText()
    assert "✖ RuntimeError: Trying to backward" in details


@pytest.mark.parametrize("traceback", ["", "Traceback\nValueError: no batch"])
def test_the_output_of_a_session_is_there_where_it_has_a_traceback_to_show(open_script, traceback):
    sent = Sent()
    sent.bye(1, "ValueError: no batch (train.py:3)", traceback)
    window = open_script(sent)
    output = window.findChild(QDockWidget, "dock.output")
    assert output.isHidden() is not bool(traceback)


def test_an_error_in_another_file_is_named_with_that_file(open_script):
    sent = Sent()
    sent.bye(1, "ValueError: no such column. (data.py:12)")
    (message,) = open_script(sent).messages.history
    assert message.text == "train.py ended at data.py:12: ValueError: no such column"


def test_without_pytorch_the_message_says_how_to_choose_another_python(open_script):
    sent = Sent()
    sent.bye(1, "ModuleNotFoundError: No module named 'torch' (train.py:1)")
    window = open_script(sent)
    (message,) = window.messages.history
    assert message.text == "train.py: its Python has no PyTorch"
    assert message.remedy == "choose another (--python), or use --stand-in"


def test_a_script_that_has_done_nothing_yet_is_nothing_to_save(make_window, tmp_path):
    window = make_window(lambda _: Debugger(Mirror(take(Sent().stream))))
    window.controller.open_recorded()
    window.controller.open(tmp_path / "train.gradstep")
    assert window.controller.wait_idle(TIMEOUT_S)
    assert not window.isWindowModified()


def test_hyperparameters_are_read_only_and_say_why(open_script):
    window = open_script(descent(3, momentum=0.5))
    window.show_view(ViewId.OPTIMIZER)
    form = window.docks[ViewId.OPTIMIZER].widget().settings.form
    assert form.field("lr").isReadOnly()
    assert form.field("lr").toolTip() == f"0.25\n{ABILITIES.edit}"
    box = form.field("nesterov")
    assert isinstance(box, QCheckBox)
    assert not box.isEnabled()
    assert box.toolTip() == ABILITIES.edit


def test_values_cannot_be_edited_and_say_why(open_script):
    window = open_script(descent(3))
    window.show_view(ViewId.PARAMETERS)
    assert window.controller.wait_idle(TIMEOUT_S)
    table = window.docks[ViewId.PARAMETERS].widget().details.array_view.table
    model = table.model()
    place = model.index(0, 0)
    assert not model.flags(place) & model.flags(place).ItemIsEditable
    assert model.data(place, 3).endswith(ABILITIES.edit)


def test_the_menu_of_an_event_offers_to_go_there_and_nothing_that_changes_it(open_script):
    window = open_script(descent(3))
    log = window.docks[ViewId.EVENT_LOG].widget()
    assert log.fill_menu(4)
    offered = {entry.text(): entry for entry in log.menu.actions() if entry.text()}
    assert [text for text, entry in offered.items() if entry.isEnabled()] == ["Go to Event 4"]
    assert offered["What If Skipped"].toolTip() == ABILITIES.document
    assert offered["Load Modules Only"].toolTip() == ITS_OWN_CODE


def test_a_remedy_cannot_be_tried_but_a_finding_leads_to_its_events(open_script):
    window = open_script(descent(3, clears=False))
    window.show_view(ViewId.FINDINGS)
    view, snapshot = window.docks[ViewId.FINDINGS].widget(), window.controller.snapshot
    offered = msgspec.structs.replace(snapshot.findings[0], trial="with a smaller learning rate")
    view.render(dataclasses.replace(snapshot, findings=(offered,)))
    assert "What if it ran with a smaller learning rate?" in view.text
    page = view._page
    assert "try:" not in page.toHtml()
    assert "event:5" in page.toHtml()
    assert page.find("What if it ran")
    assert page.textCursor().charFormat().toolTip() == ABILITIES.document


def test_the_branches_dock_says_why_there_is_one_branch(open_script):
    window = open_script(descent(1))
    window.show_view(ViewId.BRANCHES)
    view = window.docks[ViewId.BRANCHES].widget()
    assert view.place.sentence == f"There is only one branch.\n\n{ITS_OWN_CODE}"


def test_choices_and_options_of_another_program_do_not_reach_the_script(open_script):
    window = open_script(descent(2))
    window.targets.set_options(zeros=True, retain_graph=True)
    window.targets.choose_loss("elsewhere")
    go_to(window, 0)
    trigger(window, *FOUR)
    assert window.controller.snapshot.event_index == 4
    trigger(window, ActionId.STEP_OVER, ActionId.RUN)
    assert window.controller.snapshot.event_index == 8


def test_an_optimizer_class_that_gradstep_does_not_have_is_shown(open_script):
    sent = Sent()
    sent.tensor("w", [1.0])
    sent.optimizer("lion", "Lion", ["w"], module="train", lr=0.5, beta=0.9)
    sent.event("step", "lion", 4, {"w": [0.5]})
    window = open_script(sent)
    inspector = window.docks[ViewId.OPTIMIZER].widget()
    assert inspector.array_place.sentence == "Lion has no state for these tensors."
    trigger(window, ActionId.STEP_BACK)
    assert enabled(window, [*FOUR, ActionId.STEP_INTO]) == [ActionId.STEP]
    assert "a Step of Lion, which GradStep does not have" in (
        action(window, ActionId.STEP_INTO).toolTip()
    )
    trigger(window, ActionId.STEP)


@pytest.mark.parametrize("event", [0, 5, 6, 7, 12])
def test_every_action_that_is_enabled_can_be_done(open_script, event):
    window = open_script(descent(3, momentum=0.5))
    dialogs = {item.id for item in ACTIONS if item.title.endswith("…")}
    left_out = dialogs | {
        *(ActionId.QUIT, ActionId.ABOUT, ActionId.COMMAND_PALETTE),
        *(ActionId.SAVE, ActionId.SAVE_AS, ActionId.SHOW_MESSAGES),
        # Each says that it takes effect at the next start:
        *(ActionId.LANGUAGE_SYSTEM, ActionId.LANGUAGE_ENGLISH, ActionId.LANGUAGE_GERMAN),
    }
    for item in ACTIONS:
        go_to(window, event)
        if item.id not in left_out and not item.id.startswith("help."):
            made = action(window, item.id)
            if made.isEnabled():
                made.trigger()
                assert window.controller.wait_idle(TIMEOUT_S), item.id
                assert window.messages.history == (), item.id
    assert len(window.controller.branches.records) == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda controller: controller.apply(SetHyperparameter("lr", 0.1)),
        lambda controller: controller.branches.what_if(Edits(skip=(1,))),
        lambda controller: controller.branches.write_script(test=False),
        lambda controller: controller.branches.run_seeds(),
        lambda controller: controller.branches.resume_check(None),
        lambda controller: controller.drafts.edit_program(),
    ],
)
def test_what_is_asked_all_the_same_ends_with_a_message(open_script, ask):
    window = open_script(descent(2))
    go_to(window, 4)
    ask(window.controller)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert len(window.messages.history) == 1
    assert window.controller.events_count() == 8
    assert len(window.controller.branches.records) == 1


@pytest.fixture
def debug_script(make_window, monkeypatch):
    """Open the window on a running script, after its first iteration: `debug_script(script)`."""

    def debugged(script):
        monkeypatch.setattr(debugger_host, "ScriptProcess", lambda *_, **__: script)
        window = make_window(lambda _: None)
        window.controller.debug(ScriptCommand("train.py"))
        window.controller.iterate(1)
        assert window.controller.wait_idle(TIMEOUT_S)
        return window

    return debugged


def test_in_a_script_that_is_held_options_elements_and_modes_can_be_edited(debug_script):
    sent = [("event", "set_option", "optimizer", 5, {"detail": {"aside": True}})]
    options = ("optimizer", "optimizer", "SGD", ["w"], {"lr": 0.5, "momentum": 0.0})
    window = debug_script(HeldScript(descent(3), answers=[answer("set_option", options, *sent)]))
    inspector = window.docks[ViewId.OPTIMIZER].widget()
    assert inspector.settings.form.isEnabled()
    inspector.settings._edit("lr", 0.5)
    assert window.controller.wait_idle(TIMEOUT_S)
    operation = window.controller.snapshot.event.operation
    assert operation == SetHyperparameter("lr", 0.5, at="train.py:5", out_of_loop=True)
    assert enabled(window, FOUR) == [ActionId.ZERO_GRAD, ActionId.STEP]
    assert action(window, ActionId.SKIP).isEnabled()
    assert not window.other_operations.isEmpty()
    go_to(window, 2)
    here = "A running script can be changed only at its latest event: go there first."
    assert here in action(window, ActionId.SKIP).toolTip()
    assert enabled(window, FOUR) == [ActionId.BACKWARD]


def test_at_the_end_of_a_script_all_that_it_would_have_to_do_is_grey(debug_script):
    window = debug_script(HeldScript(descent(2)))
    trigger(window, ActionId.RUN)
    names = [*FOUR, *INTO, *RUNS, ActionId.SKIP, *NEVER]
    assert enabled(window, names) == []
    for name in (*FOUR, *INTO, *RUNS, ActionId.SKIP):
        assert action(window, name).toolTip().endswith("<i>The script has ended.</i></p>")
    for name in NEVER:
        assert "script" in action(window, name).toolTip().rpartition("<i>")[2], name
    assert not window.other_operations.isEnabled()
    assert enabled(window, [ActionId.STEP_BACK, ActionId.GO_TO_START, ActionId.SAVE])


def code_of(window):
    return window.docks[ViewId.PROGRAM].widget().code


def click_gutter(window, qtbot, line, *, on_number=True):
    code = code_of(window)
    block = code.document().findBlockByNumber(line - 1)
    y = code._top(block) + code.blockBoundingRect(block).height() / 2
    x = code.gutter_width() - 4 if on_number else 6
    place = QPoint(x, int(y))
    qtbot.mouseClick(code._gutter, Qt.MouseButton.LeftButton, pos=place)
    assert window.controller.wait_idle(TIMEOUT_S)


def scripted():
    """Return a script whose lines are those of its Operations."""
    script = HeldScript(descent(3))
    text = (
        b"import torch\n\nw = ...\nfor i in range(3):\n    zero()\n\n    backward()\n    step()\n"
    )
    script._frames = [
        (frame, text if isinstance(frame, Source) else body) for frame, body in script._frames
    ]
    return script


def test_a_click_on_the_gutter_sets_a_breakpoint_and_the_next_removes_it(debug_script, qtbot):
    window = debug_script(scripted())
    for name in (ViewId.PROGRAM, ViewId.BREAKPOINTS):
        window.show_view(name)
    window.show()
    click_gutter(window, qtbot, 8)
    assert code_of(window).stops == {8: True}
    assert "Breakpoints at 8." in code_of(window).accessibleDescription()
    trigger(window, ActionId.RUN)
    assert window.controller.snapshot.next_operation.at == "train.py:8"
    assert window.status_line.text("stop") == "■ train.py:8, before step optimizer, after Event 7"
    (row,) = window.docks[ViewId.BREAKPOINTS].widget().rows
    assert row.when.currentText() == "before train.py:8"
    click_gutter(window, qtbot, 8)
    assert code_of(window).stops == {}
    click_gutter(window, qtbot, 8, on_number=False)  # the arrow
    assert window.controller.snapshot.event_index == 8


def test_a_frame_that_is_chosen_is_shown_in_the_script(debug_script):
    script = scripted()
    script.held_variables = {
        number: Variables(
            frame=number,
            frames=[("step", "/home/ada/train.py", 7), ("<module>", "/home/ada/train.py", 4)],
            variables=[Variable("i", "int", str(number))],
        )
        for number in (0, 1)
    }
    window = debug_script(script)
    window.show_view(ViewId.VARIABLES)
    assert window.controller.wait_idle(TIMEOUT_S)
    view = window.docks[ViewId.VARIABLES].widget()
    assert view.tree.row_texts == [("i", "0", "int")]
    window.show_view(ViewId.PARAMETERS)
    view.frames.activated.emit(1)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert view.tree.row_texts == [("i", "1", "int")]
    assert code_of(window).textCursor().selectedText() == "for i in range(3):"
    assert window.docks[ViewId.PROGRAM].widget().is_seen
    go_to(window, 2)
    assert "only where the script is held" in view.place.sentence


def growing(iterations=6, *, grows_at=3):
    """Return a script that has another optimizer from one iteration on."""
    sent, w = Sent(), 1.0
    sent.tensor("w", [w])
    sent.optimizer("optimizer", "SGD", ["w"], lr=0.25)
    for iteration in range(iterations):
        sent.iteration = iteration
        sent.event("zero_grad", "optimizer", 5, {"w.grad": None} if iteration else {})
        if not iteration:
            sent.graph("loss", *SQUARES)
        sent.event("backward", "loss", 7, {"w.grad": [2 * w]}, loss=w * w)
        if iteration >= grows_at:
            if iteration == grows_at:
                sent.optimizer("late", "SGD", ["w"], lr=0.0)
            sent.event("step", "late", 8)
        w *= 0.5
        sent.event("step", "optimizer", 9, {"w": [w]})
    sent.bye()
    return HeldScript(sent)


def test_a_run_of_some_iterations_counts_those_before_something_new(debug_script):
    window = debug_script(growing())
    window.controller.iterate(4)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert set(window.controller.snapshot.optimizers) == {"optimizer", "late"}
    assert window.controller.snapshot.iteration == 5


def test_a_script_runs_until_an_iteration(debug_script, monkeypatch):
    window = debug_script(growing())
    asked = []

    def answered(_parent, proposed, done):
        asked.append((proposed, done))
        return 5

    monkeypatch.setattr(questions, "ask_iteration", answered)
    trigger(window, ActionId.RUN_UNTIL_ITERATION)
    assert window.controller.snapshot.iteration == 5
    assert window.controller.breakpoints.current.sentence == "iteration 5 is done"
    window.controller.seek(1)
    assert window.controller.wait_idle(TIMEOUT_S)
    trigger(window, ActionId.RUN_UNTIL_ITERATION)  # what was typed is proposed again
    assert window.controller.snapshot.iteration == 5
    assert asked == [(101, 1), (5, 0)]


def test_an_iteration_that_is_done_already_is_not_run_to(debug_script):
    window = debug_script(growing())
    window.controller.run_until_iteration(1)
    assert window.controller.wait_idle(TIMEOUT_S)
    message = window.messages.history[-1]
    assert message.text.endswith("1 iteration done already, and 1 asked for")
    assert window.controller.snapshot.iteration == 1


def test_a_script_runs_to_a_line_and_leaves_no_breakpoint(debug_script):
    window = debug_script(scripted())
    window.docks[ViewId.PROGRAM].widget()._run_to(7)
    assert window.controller.wait_idle(TIMEOUT_S)
    assert window.controller.snapshot.next_operation.at == "train.py:7"
    assert code_of(window).stops == {}


def test_the_menu_of_a_line_offers_to_run_to_it_and_to_break_there(debug_script, qtbot):
    window = debug_script(scripted())
    code, menu = code_of(window), QMenu()
    qtbot.addWidget(menu)
    code.offer_line(menu, 7)
    run_to, toggle = [entry for entry in menu.actions() if not entry.isSeparator()]
    assert (run_to.text(), toggle.text()) == ("Run to Line 7", "Break at Line 7")
    toggle.trigger()
    assert window.controller.wait_idle(TIMEOUT_S)
    assert code.stops == {7: True}


def test_a_program_has_breakpoints_at_the_lines_of_its_loop_only(make_window):
    window = make_window(Debugger.open)
    window.controller.open(scenarios()[0].path, as_copy=True)
    assert window.controller.wait_idle(TIMEOUT_S)
    code = code_of(window)
    assert code.stops == {}
    text = code.toPlainText().splitlines()
    offered = {
        text[line - 1].strip()
        for line in range(1, len(text) + 1)
        if code.offer_at(QPointF(code.gutter_width() - 2, code.line_rect(line).center().y()))
    }
    assert {"optimizer.zero_grad()", "optimizer.step()"} <= offered
    assert not any(line.startswith(("import", "for")) for line in offered)


def test_where_values_were_not_recorded_the_window_says_so(open_script):
    window = open_script(thinned())
    for name in (ViewId.PARAMETERS, ViewId.OPTIMIZER):
        window.show_view(name)
    window.show()
    go_to(window, 8)
    parameters = window.docks[ViewId.PARAMETERS].widget()
    cells = [parameters.model.index(0, column) for column in range(1, 3)]
    assert [cell.data() for cell in cells] == ["not recorded here"] * 2
    assert parameters.details.place.sentence.startswith("w was not recorded here")
    texts = texts_of(window.controller.snapshot, ["norm/w", "element/w[0]", "norm/w.grad"])
    assert set(texts.values()) == {"not recorded here"}
    go_to(window, 12)
    assert all(cell.data() != "not recorded here" for cell in cells)


def test_what_a_scripts_lists_hold_is_watched_and_breaks_a_run_from_the_menus(open_script):
    sent = Sent()
    names = ("weights[0]", 'nets["a.b"].weight')
    for name in names:
        sent.tensor(name, [1.0, 2.0])
    sent.optimizer("opts[0]", "SGD", list(names), lr=0.5)
    sent.event("backward", "loss", 7, {f"{name}.grad": [2.0, 4.0] for name in names}, loss=5.0)
    sent.event("step", "opts[0]", 8, {name: [0.0, 0.0] for name in names})
    window = open_script(sent)
    for place in (*names, "weights[0][1]", 'nets["a.b"].weight.grad[0]', "opts[0]/lr"):
        window.controller.breakpoints.watch_place(place)
        window.controller.breakpoints.break_on_change(place)
    assert window.controller.wait_idle(TIMEOUT_S)
    breaks = window.controller.breakpoints.current
    assert [record.error for record in (*breaks.breakpoints, *breaks.watches)] == [""] * 10
    assert breaks.watches[1].expression == "data('nets[\"a.b\"].weight')"
    assert [watch.value for watch in breaks.watches[2:]] == [0.0, 2.0, 0.5]
