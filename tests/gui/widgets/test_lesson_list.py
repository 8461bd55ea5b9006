"""The list of lessons: groups, search, marks, pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from gradstep_gui.widgets.lesson_list import LessonCard, LessonList

CARDS = [
    LessonCard(
        "01", "Who does what", "Four calls.", "The Four Calls", Path("01.lesson.json"), True
    ),
    LessonCard("02", "Linear regression", "One line.", "The Four Calls", Path("02.lesson.json")),
    LessonCard("19", "Adam remembers", "Moments.", "State", Path("19.lesson.json")),
]


@pytest.fixture
def found(qtbot):
    made = LessonList(CARDS)
    qtbot.addWidget(made)
    made.resize(600, 400)
    return made


def test_the_first_lesson_that_is_not_done_is_selected(found):
    assert found.current_card.id == "02"


def test_groups_are_headings_that_cannot_be_chosen(found):
    texts = [found.items.item(row).text() for row in range(found.items.count())]
    assert texts == [
        "The Four Calls",
        "Who does what",
        "Linear regression",
        "State",
        "Adam remembers",
    ]
    assert not found.items.item(0).flags() & Qt.ItemFlag.ItemIsSelectable


def test_the_field_searches_titles_summaries_and_groups(found, qtbot):
    qtbot.keyClicks(found.field, "four line")
    assert found.titles == ["Linear regression"]
    found.field.setText("STATE")
    assert found.titles == ["Adam remembers"]
    found.field.setText("nothing of the kind")
    assert found.titles == []
    assert found.current_card is None


def test_enter_in_the_field_chooses_and_the_arrows_go_to_the_list(found, qtbot):
    chosen = []
    found.chosen.connect(chosen.append)
    qtbot.keyClick(found.field, Qt.Key.Key_Return)
    assert [card.id for card in chosen] == ["02"]
    found.show()
    qtbot.keyClick(found, Qt.Key.Key_Down)
    assert found.items.hasFocus() or found.focusWidget() is found.items


def test_a_click_chooses_a_lesson_and_not_a_heading(found, qtbot):
    chosen = []
    found.chosen.connect(chosen.append)
    with qtbot.waitExposed(found):
        found.show()
    for row in (3, 4):
        place = found.items.visualItemRect(found.items.item(row)).center()
        qtbot.mouseClick(found.items.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [card.id for card in chosen] == ["19"]


def test_pictures_are_asked_for_when_it_is_shown_and_drawn(found, qtbot):
    wanted = []
    found.picture_wanted.connect(lambda lesson, _path: wanted.append(lesson))
    found.show_picture("02", ((3.0, 2.0, 1.0), (1e-9, float("nan"), 1e9), (5.0,)))
    with qtbot.waitExposed(found):
        found.show()
    before = found.grab().toImage()
    assert wanted == ["01", "19"]
    found.show_picture("02", ())
    assert found.grab().toImage() != before


def test_a_mark_is_shown_for_what_is_done(found):
    row = found.items.item(1)
    assert row.data(Qt.ItemDataRole.AccessibleTextRole) == "Who does what, done"
    last = found.items.item(4)
    assert last.data(Qt.ItemDataRole.AccessibleTextRole) == "Adam remembers"
