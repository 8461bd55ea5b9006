"""The pages of the Help menu, in one window beside the main window."""

import re

import pytest
from PySide6.QtGui import QAction

from gradstep.lessons.gallery import lessons
from gradstep_gui.actions import ACTIONS
from gradstep_gui.dialog_controllers.help import page_of
from tests.conformance import misuse_graph, misuse_learners


@pytest.fixture
def open_page(make_window, open_fake):
    window = make_window(open_fake)

    def ask(name):
        window.findChild(QAction, f"help.{name}").trigger()
        return window.help.shown

    return ask


def test_first_steps_show_the_four_calls_in_their_colours(open_page):
    shown = open_page("first_steps")
    assert shown.windowTitle() == "First steps"
    assert "loss.backward()" in shown.page.toPlainText()
    assert shown.isVisible()
    assert not shown.isModal()


def test_one_window_shows_all_pages(open_page):
    first = open_page("first_steps")
    assert open_page("programs") is first
    text = first.page.toPlainText()
    assert first.windowTitle() == "Programs of your own"
    assert "CrossEntropyLoss" in text
    assert "kernel_size" in text


def test_every_shortcut_is_listed_with_its_action(open_page):
    text = open_page("shortcuts").page.toPlainText()
    for action in ACTIONS:
        if action.shortcut:
            title = re.sub("[&…]", "", action.title)
            assert title in text, action.id
            keys = filter(None, (action.shortcut, action.second_shortcut))
            assert ", ".join(keys) in text, action.id


def test_first_steps_name_actions_as_the_menus_and_buttons_do(open_page):
    text = open_page("first_steps").page.toPlainText()
    titles = {
        action.shortcut: re.sub("[&…]", "", action.label or action.title) for action in ACTIONS
    }
    named = re.findall(r"([A-Z][\w ]+?)…? \(((?:Ctrl\+|Shift\+)*(?:F\d+|I))\)", text)
    assert len(named) >= 6
    for words, keys in named:
        assert words.endswith(titles[keys]), (words, keys)


def test_questions_point_at_every_lesson_that_ships():
    titles = {entry.title for entry in lessons()}
    text = " ".join(page_of("questions").split())
    named = [
        name
        for line in re.findall(r"→ ((?:\*[^*]+\*(?:, )?)+)", text)
        for name in re.findall(r"\*([^*]+)\*", line)
    ]
    assert set(named) == titles


def test_quoted_errors_match_the_real_messages():
    quoted = re.findall(r'^## "(.+)"$', page_of("questions"), re.MULTILINE)
    message = [case.phrase for case in (*misuse_graph.CASES, *misuse_learners.CASES)]
    assert len(quoted) >= 4
    for words in quoted:
        assert any(words in phrase for phrase in message), words


def test_questions_are_a_page_of_the_help_menu(open_page):
    shown = open_page("questions")
    assert shown.windowTitle() == "Questions and error messages"
    assert "retain_graph=True" in shown.page.toPlainText()
