"""A LessonRun follows what a learner does."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from gradstep.debugger import Debugger
from gradstep.errors import ArgumentError, OperationError, ProgramError
from gradstep.lessons.actions import parse_actions
from gradstep.lessons.lesson_run import LessonRun
from gradstep.lessons.walker import check_lesson

FORWARD = {"title": "Forward", "do": ["forward"]}
BACKWARD = {"title": "Backward", "do": ["backward"], "after": 'x.grad is {grad("x")}'}
HOW_MUCH = {"kind": "number", "ask": 'x is {data("x")}. How much?', "answer": "loss"}
WILL_IT = {"kind": "yes_no", "ask": "Will x move?", "answer": 'changed("x")'}


def press(run, *names):
    for name in names:
        getattr(run.debugger, name)()
        run.follow()


def test_steps_are_ticked_when_their_presses_are_done(begin):
    run = begin(FORWARD, BACKWARD, end="loss was {loss}")
    assert (run.record.step.press, run.record.step.press_title) == ("forward", "Forward")
    press(run, "forward")
    assert [step.is_done for step in run.record.steps] == [True, False]
    assert run.record.step.press == "backward"
    press(run, "backward")
    assert run.record.is_finished
    assert run.record.steps[1].after == "x.grad is [100, 100]"
    assert run.record.end == "loss was 300"


def test_a_text_is_filled_when_its_step_begins(begin):
    run = begin(FORWARD, {"text": "loss is {loss}", "do": ["step"]})
    assert run.record.steps[1].text == ""
    press(run, "forward")
    assert run.record.step.text == "loss is 300"


def test_a_wrong_press_is_answered_and_undone(begin):
    run = begin(FORWARD, {"do": ["backward"]})
    press(run, "forward", "step")
    assert run.record.problem == "That was Step; this step asks for Backward."
    assert run.current == 1
    run.undo()
    assert (run.record.problem, run.debugger.position) == ("", (1, None))
    assert (len(run.debugger.branches), len(run.debugger.events)) == (1, 1)
    press(run, "backward")
    assert run.record.is_finished


def test_a_step_that_shows_a_failure_may_ask_for_iterations(begin):
    run = begin({"do": ["iterate 2"], "fails": True})
    press(run, "step")
    assert run.record.problem == "That was Step; this step asks for 2 iterations."


def test_more_than_was_asked_for_is_a_wrong_press(begin):
    run = begin(FORWARD, BACKWARD)
    run.debugger.iterate(1)
    run.follow()
    assert run.record.problem == "That was Zero Grad; this step asks for Forward."


def test_an_operation_of_another_name_or_with_other_fields_is_named(begin):
    run = begin(FORWARD, {"do": [{"op": "backward", "retain_graph": True}]})
    press(run, "forward", "backward")
    assert run.record.problem == (
        "That was Backward with Retain Graph off; this step asks for Backward with Retain Graph on."
    )


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ({"op": "set_hyperparameter", "name": "lr", "value": 0.3}, "lr = 0.3"),
        ({"op": "zero_grad", "set_to_none": False}, "Zero Grad that writes zeros"),
        ({"op": "forward", "batch": "held"}, "Forward with Hold Batch on"),
        ({"op": "freeze", "pattern": "x"}, "Freeze x"),
        ({"op": "freeze", "pattern": "x", "frozen": False}, "Thaw x"),
        ({"op": "load_state", "event": 4}, "Load State of event 4"),
        (
            {"op": "load_state", "event": 4, "parts": ["modules"]},
            "Load State of event 4, only modules",
        ),
        ({"op": "set_batch_size", "data": "d", "size": None}, "Set Batch Size of d to all rows"),
        ({"op": "replace_optimizer", "kind": "Adam"}, "Replace Optimizer by Adam"),
        ("iterate 3", "3 iterations"),
        ("forward loss", "Forward of loss"),
    ],
)
def test_what_a_step_asks_for_is_called_as_in_the_window(asked, title):
    assert parse_actions([asked], "$")[0].title == title


def test_a_failure_is_no_tick_unless_it_is_asked_for(begin):
    run = begin({"do": ["backward"]})
    press(run, "backward")
    assert run.record.problem == "Backward failed; this step asks for Backward."
    run = begin({"do": ["backward"], "fails": True})
    press(run, "backward")
    assert run.record.is_finished


def test_an_answer_is_compared_with_what_the_program_did(begin):
    run = begin({**FORWARD, "question": HOW_MUCH})
    asked = run.record.step.question
    assert (asked.ask, asked.is_open, run.record.step.press) == ("x is [1, 2]. How much?", True, "")
    run.answer("300")
    assert run.record.step.press == "forward"
    press(run, "forward")
    question = run.record.steps[0].question
    assert (question.right, question.truth) == (True, "300")
    (prediction,) = run.predictions
    assert (prediction.lesson, prediction.step, prediction.answer) == ("a lesson", 1, "300")
    assert prediction.question == "x is [1, 2]. How much?"
    assert prediction.right is True


@pytest.mark.parametrize(("answer", "right"), [("yes", False), ("no", True)])
def test_yes_and_no_are_about_the_time_since_the_step_began(begin, answer, right):
    run = begin({**FORWARD, "question": WILL_IT})
    run.answer(answer)
    press(run, "forward")
    assert run.predictions[0].right is right
    assert run.record.steps[0].question.truth == "no"


def test_the_choice_that_holds_is_right_and_replies(begin):
    choices = [
        {"text": "None", "when": 'is_none(grad("x"))', "reply": 'it is {grad("x")}'},
        {"text": "Numbers", "when": 'not is_none(grad("x"))'},
    ]
    question = {"kind": "choice", "ask": "?", "choices": choices, "explanation": "So it is."}
    run = begin(FORWARD, {**BACKWARD, "question": question})
    press(run, "forward")
    run.answer("None")
    press(run, "backward")
    asked = run.record.steps[1].question
    assert (asked.right, asked.truth) == (False, "Numbers")
    assert asked.explanation == "it is [100, 100]\n\nSo it is."


def test_a_press_before_the_answer_is_undone_or_the_question_is_skipped(begin):
    run = begin({**FORWARD, "question": HOW_MUCH})
    press(run, "forward")
    assert run.record.problem.startswith("Answer first")
    run.undo()
    assert run.record.problem == ""
    assert run.debugger.position[0] == 0
    press(run, "forward")
    run.skip_question()
    assert run.record.is_finished
    assert run.record.steps[0].question.right is None
    assert run.predictions == ()


def test_nothing_can_be_predicted_once_it_has_happened(begin):
    run = begin({**FORWARD, "question": HOW_MUCH}, BACKWARD)
    press(run, "forward")
    with pytest.raises(OperationError, match="undo what you did, then answer"):
        run.answer("300")
    run.undo()
    run.answer("300")
    press(run, "forward")
    assert [item.right for item in run.predictions] == [True]


def test_nothing_can_be_predicted_that_a_skipped_question_has_shown(begin, tmp_path):
    run = begin({**FORWARD, "question": HOW_MUCH}, BACKWARD)
    run.skip_question()
    press(run, "forward", "back")
    for again in (run, resumed(run, tmp_path)):
        assert again.current == 0
        with pytest.raises(OperationError, match="no open question"):
            again.answer("300")
        press(again, "forward")
        assert again.predictions == ()
        assert again.record.steps[0].question.right is None


def test_a_session_keeps_what_was_pressed_wrongly(begin, tmp_path):
    run = begin({**FORWARD, "question": HOW_MUCH}, BACKWARD)
    press(run, "forward")
    again = resumed(run, tmp_path)
    assert again.record.problem == run.record.problem != ""


def test_numbers_have_four_digits_and_counts_have_separators(begin):
    text = "{3.14159} {2345678.9} {12345 * 1}"
    run = begin({"text": text, **FORWARD})
    assert run.record.step.text == "3.142 2.346e6 12,345"


def test_what_is_no_answer_is_not_taken(begin):
    run = begin({**FORWARD, "question": HOW_MUCH})
    with pytest.raises(ArgumentError, match="'many' is not a number; write one"):
        run.answer("many")
    run.answer("None")
    with pytest.raises(OperationError, match="no open question"):
        run.answer("2")


def test_a_condition_lets_the_learner_do_anything(begin):
    run = begin({"done": "iteration >= 2", "do": ["iterate 2"]}, FORWARD)
    press(run, "forward", "step")
    assert run.record.problem == ""
    run.debugger.iterate(2)
    run.follow()
    assert run.current == 1


def test_a_condition_that_holds_at_once_needs_something_to_be_done(begin):
    run = begin({"done": "iteration >= 0"}, FORWARD)
    run.follow()
    assert run.current == 0
    press(run, "forward")
    assert run.current == 1


def test_going_back_in_time_goes_back_in_the_lesson_and_keeps_the_answer(begin):
    run = begin({**FORWARD, "question": HOW_MUCH}, BACKWARD, {"do": ["step"]})
    run.answer("7")
    press(run, "forward", "backward", "back", "back")
    assert run.current == 0
    assert run.record.step.question.given == "7"
    assert run.record.steps[1].is_done is False
    press(run, "forward")
    assert run.current == 1
    assert [item.right for item in run.predictions] == [False]


def test_going_back_from_the_end_reopens_the_last_step(begin):
    run = begin(FORWARD, BACKWARD)
    press(run, "forward", "backward", "back")
    assert (run.current, run.record.end) == (1, "")
    press(run, "backward")
    assert run.record.is_finished


def test_step_into_and_step_back_are_steps_too(begin):
    run = begin(FORWARD, {"do": ["into 2"]}, {"do": ["out"]}, {"do": ["back"]})
    press(run, "forward", "step_into")
    assert (run.current, run.record.step.press) == (1, "into")
    press(run, "step_into")
    assert (run.current, run.record.step.press) == (2, "out")
    press(run, "step_out")
    assert (run.current, run.debugger.position) == (3, (2, None))
    press(run, "back", "back")
    assert run.record.is_finished


def test_a_text_is_left_with_proceed(begin):
    run = begin({"text": "Read this."}, FORWARD)
    assert run.record.step.can_proceed
    run.proceed()
    with pytest.raises(OperationError, match="this step asks for something"):
        run.proceed()


def test_a_press_leaves_a_text_and_counts_for_the_next_step(begin):
    run = begin({"text": "Read this."}, FORWARD)
    press(run, "forward")
    assert run.record.is_finished
    run = begin(
        {"text": "Read this."}, {**FORWARD, "text": 'began at {began}: {data("x")}'}, BACKWARD
    )
    press(run, "step")
    assert run.record.step.text == "began at 0: [1, 2]"
    assert run.record.problem == "That was Step; this step asks for Forward."
    run.undo()
    assert (run.record.problem, run.debugger.position) == ("", (0, None))
    run = begin({"text": "Read this."}, {**FORWARD, "question": HOW_MUCH})
    press(run, "forward")
    assert run.record.problem.startswith("Answer first")
    assert run.debugger.position == (1, None)


def test_a_press_before_the_answer_to_a_question_alone_is_undone(begin):
    run = begin({"question": {"kind": "number", "ask": "x[0]?", "answer": 'data("x")[0]'}})
    press(run, "forward")
    assert run.record.problem.startswith("Answer first")
    run.undo()
    run.answer("1")
    assert run.predictions[0].right is True


def test_a_question_alone_is_answered_at_once(begin):
    run = begin({"question": {"kind": "number", "ask": "x[0]?", "answer": 'data("x")[0]'}})
    run.answer("1")
    assert run.record.is_finished
    assert run.predictions[0].right is True


def test_a_what_if_and_its_loss_can_be_asked_for(begin):
    what_if = {"what_if": {"set": {"optimizer.lr": 0.002}, "at": 1}}
    run = begin(
        {"do": ["iterate 3"]},
        {
            "do": [
                what_if,
            ],
            "after": "{loss} and {branch_loss}",
        },
    )
    run.debugger.iterate(3)
    run.follow()
    run.debugger.what_if(at=1, set={"optimizer.lr": 0.002})
    run.follow()
    assert run.record.steps[1].after == "260 and 220"


def test_a_lesson_whose_steps_cannot_be_done_does_not_pass(lesson_of):
    for steps, message in (
        ([{"do": ["backward"]}], "Backward failed"),
        ([{"do": ["forward"], "done": "loss < 0"}], r"\$.steps\[0\]: it is not done when"),
        ([{"done": "loss < 0"}], "has `done` and no `do`"),
        ([{"do": ["forward"], "after": 'x is {state("x", "exp_avg")[0]}'}], None),
    ):
        lesson = lesson_of(*steps)
        if message is None:
            check_lesson(lesson, None)
            continue
        with pytest.raises(ProgramError, match=message):
            check_lesson(lesson, None)


def test_a_choice_without_a_right_answer_does_not_pass(lesson_of):
    choices = [{"text": "a", "when": "loss < 0"}, {"text": "b", "when": "raised"}]
    question = {"kind": "choice", "ask": "?", "choices": choices}
    with pytest.raises(ProgramError, match=r"question.choices: none of them is right"):
        check_lesson(lesson_of({**FORWARD, "question": question}), None)
    choices = [{"text": "a", "when": "ok"}, {"text": "b", "when": "loss > 0"}]
    with pytest.raises(ProgramError, match="'b' counts as right; exactly one answer is right"):
        check_lesson(lesson_of({**FORWARD, "question": {**question, "choices": choices}}), None)


def resumed(run, tmp_path):
    """Save a lesson's session, open it, and continue the lesson."""
    run.debugger.lesson = run.state
    run.debugger.save(tmp_path / "lesson.gradstep")
    return LessonRun.resume(Debugger.open(tmp_path / "lesson.gradstep"))


def test_a_session_keeps_the_lesson(begin, tmp_path):
    steps = (
        {**FORWARD, "text": 'x is {data("x")}', "question": HOW_MUCH},
        {**BACKWARD, "text": "loss is {loss}"},
        {"do": ["step"], "question": WILL_IT},
    )
    run = begin(*steps, end="{loss}")
    run.answer("1")
    again = resumed(run, tmp_path)
    assert again.record == run.record
    press(again, "forward", "backward")
    again.answer("yes")
    assert resumed(again, tmp_path).record == again.record
    assert resumed(again, tmp_path).predictions == again.predictions
    press(again, "step")
    assert [item.right for item in again.predictions] == [False, True]
    assert resumed(again, tmp_path).record == again.record
    assert again.record.is_finished
    last = resumed(again, tmp_path)
    press(last, "back")
    assert last.current == 2


def test_a_program_without_a_lesson_continues_none(begin):
    assert LessonRun.resume(begin(FORWARD).debugger) is None


def test_a_lesson_of_another_program_is_rejected_with_its_place(begin, tmp_path):
    run = begin({"text": 'x is {data("x")}', **FORWARD})
    document = run.state.document.replace('data(\\"x\\")', 'data(\\"y\\")')
    run.debugger.lesson = replace(run.state, document=document)
    with pytest.raises(ProgramError, match=r"\$.steps\[0\].text: in the log text"):
        LessonRun.resume(run.debugger)


def test_events_that_are_missing_are_no_reason_to_fail(begin):
    run = begin(FORWARD, BACKWARD)
    press(run, "forward")
    run.debugger.lesson = replace(run.state, began=(0, 10**9))
    assert LessonRun.resume(run.debugger).current == 1


def own_findings(run):
    return [item.id for item in run.debugger.findings if not run.record.shows(item)]


def test_a_finding_that_a_step_asked_for_is_shown_by_the_lesson(begin):
    again = {"title": "Again", "do": ["backward"], "fails": True}
    run = begin(FORWARD, BACKWARD, again, {"title": "Read this"})
    press(run, "forward", "backward", "backward")
    assert [item.id for item in run.debugger.findings] == ["graph-freed"]
    assert own_findings(run) == []


def test_a_finding_of_a_wrong_press_is_the_learners_own_until_it_is_undone(begin):
    run = begin(FORWARD, BACKWARD, {"title": "Step", "do": ["step"]})
    press(run, "forward", "step")
    assert run.record.problem
    assert own_findings(run) == ["step-without-grad"]
    run.undo()
    assert run.debugger.findings == ()
    press(run, "backward", "step")
    assert run.record.is_finished
    press(run, "step")
    assert own_findings(run) == ["grad-reused"]


def test_what_is_pressed_before_an_answer_is_the_learners_own(begin):
    run = begin({"title": "Step", "do": ["step"], "question": WILL_IT})
    press(run, "step")
    assert own_findings(run) == ["step-without-grad"]
    run.skip_question()
    assert own_findings(run) == []
