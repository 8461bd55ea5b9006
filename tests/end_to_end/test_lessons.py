"""Every bundled lesson, in the window: by its own buttons and fields, rightly and wrongly."""

import re

import pytest
from PySide6.QtCore import Qt

from gradstep.lessons.codec import read
from gradstep.lessons.gallery import lessons
from gradstep.lessons.walker import check_lesson, wrong_answer
from gradstep_gui.action_ids import LayoutId, ViewId
from tests.end_to_end.driver import TIMEOUT_S

PRESSES = 400


def steps_of(driver):
    return driver.window.docks[ViewId.LESSON].widget()


def click(driver, button):
    assert button.isVisible()
    assert button.isEnabled()
    driver.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert driver.controller.wait_idle(TIMEOUT_S)
    driver.settle()


def answer(driver, question, text):
    """Answer with the mouse or the keyboard, as the kind of question wants it."""
    box = steps_of(driver).card.question
    if question.kind == "number":
        driver.qtbot.keyClicks(box.field, text)
        driver.qtbot.keyClick(box.field, Qt.Key.Key_Return)
        assert driver.controller.wait_idle(TIMEOUT_S)
        driver.settle()
    elif question.kind == "yes_no":
        click(driver, box.buttons[0 if text == "yes" else 1])
    else:
        click(driver, box.choices[question.choices.index(text)])
        click(driver, box.buttons[0])


def walk(driver, entry, *, rightly):
    """Go through a lesson by what its card offers."""
    right, _ = check_lesson(read(entry.path), entry.path.parent, entry.id)
    driver.window.documents.open_lesson(entry.path)
    driver.settle()
    lessons_of = driver.controller.lessons
    for _ in range(PRESSES):
        record = lessons_of.record
        if record.is_finished:
            return record
        card, known = steps_of(driver).card, right.steps[record.current].question
        if card.question is not None:
            answer(driver, known, known.truth if rightly else wrong_answer(known))
        else:
            click(driver, card.press)
        assert lessons_of.record.problem == ""
    raise AssertionError(record)


@pytest.mark.slow
@pytest.mark.parametrize("rightly", [True, False], ids=["rightly", "wrongly"])
@pytest.mark.parametrize("entry", lessons(), ids=lambda entry: entry.id)
def test_a_lesson_is_gone_through_by_what_its_card_offers(driver, entry, rightly):
    driver.window.layouts.choose(LayoutId.LEARN)
    record = walk(driver, entry, rightly=rightly)
    asked = [step.question for step in record.steps if step.question is not None]
    assert {question.right for question in asked} == {rightly}
    assert driver.window.documents.finished_lessons == {entry.id}
    assert not driver.controller.document.modified


def test_the_first_lesson_is_gone_through_with_the_toolbar(driver):
    driver.window.layouts.choose(LayoutId.LEARN)
    driver.window.documents.open_lesson(lessons()[0].path)
    driver.settle()
    click(driver, steps_of(driver).card.press)
    driver.qtbot.keyClicks(steps_of(driver).card.question.field, "300")
    driver.qtbot.keyClick(steps_of(driver).card.question.field, Qt.Key.Key_Return)
    driver.settle()
    assert driver.window.lesson_guide.pointed == ("debug.forward",)
    (ring,) = driver.window.lesson_guide.rings
    assert ring.parent() is driver.button("debug.forward")
    driver.press("debug.step")
    assert "That was Step; this step asks for Forward." in driver.controller.lessons.record.problem
    click(driver, steps_of(driver).card.undo)
    assert driver.controller.lessons.record.problem == ""
    assert len(driver.debugger.branches) == 1
    driver.press("debug.forward")
    assert driver.controller.lessons.record.current == 2
    assert driver.controller.lessons.record.steps[1].question.right is True


def test_answers_are_handed_in_with_the_session(driver, tmp_path):
    driver.window.documents.open_lesson(lessons()[0].path)
    driver.settle()
    click(driver, steps_of(driver).card.press)
    driver.controller.lessons.answer("7")
    driver.settle()
    driver.press("debug.forward")
    driver.controller.save(tmp_path / "mine.gradstep")
    assert driver.controller.wait_idle(TIMEOUT_S)
    before = driver.controller.lessons.record
    driver.open(lessons()[1].path)
    driver.open(tmp_path / "mine.gradstep")
    assert driver.controller.lessons.record == before
    (prediction,) = driver.debugger.lesson.predictions
    assert (prediction.answer, prediction.right) == ("7", False)


MENU_PATH = re.compile(r"\*([A-Z][\w ]+ > (?:[^*\\]|\\\*)+)\*")


def entry_at(menu, path):
    """Return the entry at a path of a menu, without its mnemonic and its dots."""
    found = next(
        (
            action
            for action in menu.actions()
            if re.sub(r"&|…|\.\.\.", "", action.text()) == path[0]
        ),
        None,
    )
    if found is None or len(path) == 1:
        return found
    return entry_at(found.menu(), path[1:])


@pytest.mark.parametrize(
    "entry",
    [entry for entry in lessons() if MENU_PATH.search(entry.path.read_text("utf-8"))],
    ids=lambda entry: entry.id,
)
def test_the_menus_that_a_lesson_names_are_there(driver, entry):
    driver.window.documents.open_lesson(entry.path)
    driver.settle()
    for step in read(entry.path).steps:
        for path in MENU_PATH.findall(step.text):
            names = path.replace("\\*", "*").split(" > ")
            menu = driver.window.menuBar()
            assert entry_at(menu, names) is not None, path
