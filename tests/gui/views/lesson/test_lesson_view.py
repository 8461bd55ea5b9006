"""The lesson dock: steps, questions, verdicts, and what is pressed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget

from gradstep.history.records.lesson import LessonRecord, QuestionRecord, StepRecord
from gradstep.program.listing import Listing
from gradstep_gui.theme import LIGHT
from gradstep_gui.views.lesson import LessonStepsView
from gradstep_gui.views.lesson.question_box import Verdict
from gradstep_gui.views.lesson.step_card import StepLine
from gradstep_gui.widgets.text.lesson_view import LessonView
from tests.gui.factory import RememberingLessons

NUMBER = QuestionRecord("number", "How much?")
STEPS = (
    StepRecord(1, "Read", "Read this.", can_proceed=True),
    StepRecord(2, "Forward", "Press **Forward**.", question=NUMBER),
    StepRecord(3, "Last"),
)
RECORD = LessonRecord("01", "A lesson", STEPS)


class Model(QObject):
    snapshot_changed = Signal(object)
    state_changed = Signal(object)
    listing_changed = Signal(object)

    def __init__(self):
        super().__init__()
        self.lessons = RememberingLessons()
        self.listing = Listing("A program", "What it is about.", "code", ())
        self.snapshot = None

    def set_wanted(self, *_):
        pass


@pytest.fixture
def model():
    return Model()


@pytest.fixture
def view(model, qtbot):
    made = LessonStepsView(model)
    qtbot.addWidget(made)
    made.resize(340, 600)
    made.show()
    return made


def at(number, **changes):
    """Return the lesson at a step, which differs in this."""
    steps = tuple(
        replace(step, is_done=place < number, **(changes if place == number else {}))
        for place, step in enumerate(STEPS)
    )
    return replace(RECORD, steps=steps, current=number)


def labels(view):
    return [label.text() for label in view.steps.findChildren(QLabel) if label.isVisible()]


def click(qtbot, button):
    QCoreApplication.processEvents()  # which lay out what was just made
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_without_a_lesson_the_program_says_what_it_is_about(view, model):
    assert view.place.shows_content
    assert "What it is about." in view.text.toPlainText()
    model.lessons.show(RECORD)
    assert not view.text.isVisible()
    model.lessons.show(None)
    assert view.text.isVisible()


def about(view, model, text):
    """Open a program that says this about itself."""
    model.listing = Listing("A program", text, "code", ())
    model.listing_changed.emit(model.listing)
    return view.text


def test_what_a_program_says_has_its_name_as_title_unless_it_has_one(view, model):
    assert about(view, model, "Text.").toPlainText() == "A program\nText."
    assert about(view, model, "# Other\n\nText.").toPlainText() == "Other\nText."


def test_a_long_text_is_shown_from_its_top(view, model, qapp):
    text = about(view, model, "\n\n".join(["A line."] * 80))
    qapp.processEvents()
    assert text.verticalScrollBar().maximum() > 0
    assert text.verticalScrollBar().value() == 0


def test_a_long_line_of_code_is_wrapped(view, model, qapp):
    text = about(view, model, "```\n" + "word " * 60 + "\n```")
    qapp.processEvents()
    assert text.document().idealWidth() <= text.viewport().width() + 1


def test_the_names_of_buttons_have_the_colours_of_the_buttons(view, model):
    found = about(view, model, "Press **Forward**.").document().find("Forward")
    assert found.charFormat().foreground().color().name() == LIGHT.kind("forward").strong


def test_a_text_loads_no_file_and_takes_no_html(view, model):
    text = about(view, model, "<b>no</b>")
    assert "<b>no</b>" in text.toPlainText()
    assert text.loadResource(2, "file:///etc/hostname") is None


def test_the_current_step_is_a_card_and_the_others_are_lines(view, model):
    model.lessons.show(at(1))
    assert view.title.text() == "A lesson"
    assert view.count.text() == "1 of 3"
    assert view.bar.value() == 1
    lines = view.steps.widget().findChildren(StepLine)
    assert [line.title.text() for line in lines] == ["✓  Read", "○  Last"]
    assert "2.  Forward" in labels(view)


def test_a_step_to_read_is_left_with_its_button(view, model, qtbot):
    model.lessons.show(at(0))
    click(qtbot, view.card.press)
    assert model.lessons.done == [("proceed",)]


def test_a_number_is_answered_with_the_keyboard_and_kept_while_it_is_typed(view, model, qtbot):
    model.lessons.show(at(1))
    assert view.card.press is None
    qtbot.keyClicks(view.card.question.field, "30")
    model.lessons.show(replace(at(1), problem="That was Step; this step asks for Forward."))
    assert view.card.question.field.text() == "30"
    model.lessons.show(at(1))
    qtbot.keyClicks(view.card.question.field, "0")
    qtbot.keyClick(view.card.question.field, Qt.Key.Key_Return)
    click(qtbot, view.card.question.buttons[1])
    click(qtbot, view.card.question.skip)
    assert model.lessons.done == [("answer", "300"), ("answer", "None"), ("skip_question",)]


@pytest.mark.parametrize("kind", ["number", "yes_no", "choice"])
def test_in_a_narrow_dock_nothing_of_a_question_is_cut(view, model, qapp, kind):
    view.resize(200, 300)
    asked = QuestionRecord(kind, "How much will it be?", choices=("The same as before", "More"))
    model.lessons.show(at(2, question=asked))
    qapp.processEvents()
    assert view.steps.verticalScrollBar().isVisible()
    assert view.steps.widget().width() == view.steps.viewport().width()


def test_an_empty_field_is_no_answer(view, model, qtbot):
    model.lessons.show(at(1))
    qtbot.keyClick(view.card.question.field, Qt.Key.Key_Return)
    assert model.lessons.done == []


def test_yes_or_no_is_one_click(view, model, qtbot):
    model.lessons.show(at(1, question=QuestionRecord("yes_no", "Will it move?")))
    for button in view.card.question.buttons:
        click(qtbot, button)
    assert model.lessons.done == [("answer", "yes"), ("answer", "no")]


def test_a_choice_is_made_and_then_given(view, model, qtbot):
    model.lessons.show(at(1, question=QuestionRecord("choice", "Which?", ("One", "Two"))))
    box = view.card.question
    assert not box.buttons[0].isEnabled()
    label = next(label for label in box.findChildren(QLabel) if label.text() == "Two")
    click(qtbot, label)
    assert box.choices[1].isChecked()
    click(qtbot, box.buttons[0])
    assert model.lessons.done == [("answer", "Two")]


def test_the_choice_that_has_the_keyboard_has_a_ring(view, model, qtbot, qapp):
    model.lessons.show(at(1, question=QuestionRecord("choice", "Which?", ("One", "Two"))))
    first, second = view.card.question.choices
    pictures = []
    for focused in (first, second):
        focused.setFocus()
        qtbot.waitUntil(focused.hasFocus)
        pictures.append([choice.grab().toImage() for choice in (first, second)])
    (first_with, second_without), (first_without, second_with) = pictures
    assert first_with != first_without
    assert second_with != second_without


def test_an_answered_question_shows_what_to_press(view, model, qtbot):
    answered = replace(NUMBER, given="7")
    model.lessons.show(at(1, question=answered, press="forward", press_title="Forward"))
    assert view.card.question is None
    assert view.card.press.text() == "Press Forward"
    click(qtbot, view.card.press)
    assert model.lessons.done == [("do_next",)]


def test_enter_leads_through_a_lesson_without_the_mouse(view, model, qtbot):
    model.lessons.show(at(0))
    qtbot.keyClick(view.card.press, Qt.Key.Key_Return)
    model.lessons.show(at(1, question=QuestionRecord("choice", "Which?", ("One", "Two"))))
    first, second = view.card.question.choices
    qtbot.keyClick(first, Qt.Key.Key_Return)
    assert first.isChecked()
    qtbot.keyClick(first, Qt.Key.Key_Down)
    qtbot.keyClick(second, Qt.Key.Key_Return)
    model.lessons.show(at(1, question=QuestionRecord("yes_no", "Will it move?")))
    qtbot.keyClick(view.card.question.buttons[0], Qt.Key.Key_Tab)
    qtbot.keyClick(view.card.question.buttons[1], Qt.Key.Key_Return)
    model.lessons.show(at(1, press="forward", press_title="Forward", question=None))
    qtbot.keyClick(view.card.press, Qt.Key.Key_Return)
    assert model.lessons.done == [
        ("proceed",),
        ("answer", "Two"),
        ("answer", "no"),
        ("do_next",),
    ]


def test_a_lesson_that_opens_before_it_is_shown_has_the_keyboard_then(model, qtbot):
    holder = QWidget()
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    other = QPushButton("other", holder)
    column.addWidget(other)
    made = LessonStepsView(model)
    column.addWidget(made)
    made.hide()
    holder.show()
    qtbot.waitActive(holder)
    other.setFocus()
    model.lessons.show(at(0))
    QApplication.processEvents()
    assert other.hasFocus()
    made.show()
    qtbot.waitUntil(made.card.press.hasFocus)


def test_a_problem_is_undone_with_one_click(view, model, qtbot):
    model.lessons.show(replace(at(1), problem="That was Step; this step asks for Forward."))
    assert "That was Step; this step asks for Forward." in labels(view)
    click(qtbot, view.card.undo)
    assert model.lessons.done == [("undo",)]


def test_a_question_takes_no_answer_once_it_has_happened_but_can_be_skipped(view, model, qtbot):
    model.lessons.show(replace(at(1), problem="Answer first."))
    box = view.card.question
    assert not box.field.isEnabled()
    assert not any(button.isEnabled() for button in box.buttons)
    click(qtbot, box.skip)
    assert model.lessons.done == [("skip_question",)]


@pytest.mark.parametrize(
    ("press", "title", "label"),
    [
        ("forward", "Forward", "Press Forward"),
        ("iterate", "One Iteration", "Press One Iteration"),
        ("set_hyperparameter", "lr = 0.3", "Set lr = 0.3"),
        ("freeze", "Freeze trunk.*", "Freeze trunk.*"),
        ("what_if", "a What If", "Try the What If"),
        ("checkout", "the new branch", "Go to the new branch"),
    ],
)
def test_the_button_says_what_it_does_as_an_imperative(view, model, press, title, label):
    model.lessons.show(at(1, press=press, press_title=title, question=None))
    assert view.card.press.text() == label


def test_the_button_says_how_many_iterations_it_runs(view, model):
    several = {"press": "iterate", "press_title": "1,048 iterations", "press_times": 1048}
    model.lessons.show(at(1, question=None, **several))
    assert view.card.press.text() == "Run 1,048 iterations"


def test_a_step_that_was_read_can_be_read_again(view, model, qtbot):
    model.lessons.show(at(2))
    read = view.steps.widget().findChildren(StepLine)[0]
    text = read.findChild(LessonView)
    assert not text.isVisible()
    click(qtbot, read.title)
    assert text.isVisible()
    assert text.toPlainText() == "Read this."


@pytest.mark.parametrize(
    ("right", "given", "words"),
    [
        (True, "300", "✓ Right: 300"),
        (False, "7", "✗ You answered 7. Right: 300"),
        (None, None, "It is: 300"),
    ],
)
def test_what_a_question_reveals_is_shown_and_hidden(view, model, qtbot, right, given, words):
    revealed = replace(
        NUMBER,
        given=given,
        is_revealed=True,
        right=right,
        truth="300",
        explanation="100 * 1 + 100 * 2",
    )
    steps = (STEPS[0], replace(STEPS[1], is_done=True, question=revealed), STEPS[2])
    model.lessons.show(replace(RECORD, steps=steps, current=2))
    (verdict,) = view.steps.widget().findChildren(Verdict)
    assert verdict.headline.text() == words
    assert verdict.findChild(LessonView).toPlainText() == "100 * 1 + 100 * 2"
    forward = view.steps.widget().findChildren(StepLine)[1].title
    assert verdict.isVisible()
    click(qtbot, forward)
    assert not verdict.isVisible()


def test_the_end_counts_what_was_predicted_rightly_and_names_the_next_lesson(view, model, qtbot):
    revealed = replace(NUMBER, given="7", is_revealed=True, right=False, truth="300")
    steps = tuple(replace(step, is_done=True) for step in STEPS)
    steps = (steps[0], replace(steps[1], question=revealed), steps[2])
    view.name_next("Linear regression")
    asked = []
    view.next_requested.connect(lambda: asked.append(True))
    model.lessons.show(replace(RECORD, steps=steps, current=3, end="That is all."))
    assert "Done: 0 of 1 predictions right" in labels(view)
    assert view.next_button.text() == "Next: Linear regression"
    click(qtbot, view.next_button)
    assert asked == [True]
    assert view.card is None


def test_enter_leads_from_the_end_of_a_lesson_to_the_next_one(view, model, qtbot):
    qtbot.waitActive(view)
    view.name_next("Linear regression")
    model.lessons.show(at(2, press="step", press_title="Step"))
    assert view.card.press.hasFocus()
    asked = []
    view.next_requested.connect(lambda: asked.append(True))
    model.lessons.show(at(3))
    assert view.next_button.hasFocus()
    qtbot.keyClick(view.next_button, Qt.Key.Key_Return)
    assert asked == [True]


def test_the_buttons_below_restart_and_lead_to_other_lessons(view, model, qtbot):
    pages = []
    view.page_requested.connect(lambda: pages.append("all"))
    view.next_requested.connect(lambda: pages.append("next"))
    model.lessons.show(RECORD)
    view.name_next("Linear regression")
    for button in (view.restart, view.all, view.next):
        click(qtbot, button)
    view.name_next("")
    assert not view.next.isEnabled()
    assert model.lessons.done == [("restart",)]
    assert pages == ["all", "next"]


def test_a_step_that_was_current_is_a_line_again_after_going_back(view, model, qapp):
    for number in (0, 1, 2, 0, 1):
        model.lessons.show(at(number))
        qapp.processEvents()
    lines = view.steps.widget().findChildren(StepLine)
    shown = sorted(line.title.text() for line in lines if line.isVisible())
    assert shown == ["○  Last", "✓  Read"]
    assert "2.  Forward" in labels(view)
