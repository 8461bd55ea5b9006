"""The page of lessons, and the editor in which one is written."""

from __future__ import annotations

import json
import math

import pytest

from gradstep.debugger import Debugger
from gradstep.lessons.codec import read
from gradstep.lessons.gallery import lessons
from gradstep_gui.widgets.dialogs import questions as dialogs

TIMEOUT_S = 60


@pytest.fixture
def window(make_window):
    return make_window(Debugger.open)


def settle(window):
    assert window.controller.wait_idle(TIMEOUT_S)


def do(window, action):
    assert window.actions_by_id[action].isEnabled()
    window.actions_by_id[action].trigger()
    settle(window)


def checked(window, text=None):
    """Check the document in the editor now."""
    dialog = window.lessons.dialog
    if text is not None:
        dialog.editor.setPlainText(text)
    dialog.ask_check()
    settle(window)
    return dialog


def verdict(window):
    return window.lessons.dialog._verdict_label.text()


def preview(window):
    return window.lessons._preview.toPlainText()


def test_the_page_offers_all_lessons_and_opens_one(window):
    do(window, "lessons.all")
    page = window.lessons.page
    assert sorted(page.list.titles) == sorted(entry.title for entry in lessons())
    page.list.select(lessons()[1].id)
    page.list.choose_current()
    settle(window)
    assert window.controller.lessons.record.id == lessons()[1].id
    assert window.lessons.page is None


def test_pictures_are_made_of_the_programs(window):
    do(window, "lessons.all")
    settle(window)
    curves = window.lessons.page.list._curves
    assert set(curves) == {entry.id for entry in lessons()}
    falling = [value for value in curves[lessons()[0].id][0] if math.isfinite(value)]
    assert falling[0] > falling[-1]
    window.lessons.page.reject()


def test_a_lesson_is_written_with_a_preview_and_opened(window, tmp_path, monkeypatch):
    do(window, "lessons.write")
    checked(window)
    assert verdict(window) == "Valid lesson: 2 steps, 2 questions."
    assert "x is [1, 2]. Press Forward." in preview(window)
    assert "It is 5, and x is still [1, 2]." in preview(window)
    text = window.lessons.dialog.text.replace("Press **Forward**", "Go **Forward**")
    checked(window, text)
    assert "Go Forward." in preview(window)
    monkeypatch.setattr(dialogs, "ask_new_lesson_path", lambda *_: tmp_path / "mine.json")
    window.lessons.dialog.save_button.click()
    assert read(tmp_path / "mine.lesson.json").title == "My lesson"
    checked(window)
    window.lessons.dialog.open_button.click()
    settle(window)
    assert window.lessons.dialog is None
    assert window.controller.lessons.record.id == "mine"


def test_an_error_is_shown_at_its_line(window):
    do(window, "lessons.write")
    checked(window, window.lessons.dialog.text.replace('"answer": "loss"', '"answer": "los"'))
    assert "there is no 'los'" in verdict(window)
    assert verdict(window).startswith("Line ")
    checked(window, "{")
    assert "Line 1" in verdict(window)


def test_the_lesson_that_is_open_is_changed(window):
    window.documents.open_lesson(lessons()[0].path)
    settle(window)
    do(window, "lessons.write")
    assert window.lessons.dialog.text == lessons()[0].path.read_text("utf-8")
    checked(window)
    assert verdict(window).startswith("Valid lesson")


def test_what_was_done_becomes_a_lesson_to_fill_in(window):
    window.controller.open(lessons()[0].path.with_name("02_linear_regression.json"), as_copy=True)
    settle(window)
    for name in ("debug.zero_grad", "debug.forward", "debug.backward", "debug.step"):
        do(window, name)
    window.controller.iterate(3)
    settle(window)
    do(window, "lessons.export")
    text = window.lessons.dialog.text
    assert '"do": ["zero_grad"]' in text, "short lines"
    assert text.index('"steps"') < text.index('"program"'), "what is to be filled in comes first"
    document = json.loads(text)
    asked = [step["do"] for step in document["steps"]]
    assert asked == [["zero_grad"], ["forward"], ["backward"], ["step"], ["iterate 3"]]
    checked(window)
    assert verdict(window) == "Valid lesson: 5 steps, 3 questions."
