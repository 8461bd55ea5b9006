from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradstep_gui.widgets.text.code_view import LineRange
from gradstep_gui.widgets.text.document_editor import DocumentEditor, with_commas


@pytest.fixture
def editor(qtbot):
    editor = DocumentEditor()
    qtbot.addWidget(editor)
    return editor


def test_enter_begins_a_line_below_the_beginning_of_the_last_and_deeper_after_a_bracket(
    qtbot, editor
):
    for keys in ("{", Qt.Key.Key_Return, '"a": [', Qt.Key.Key_Return, "1", Qt.Key.Key_Return, "2"):
        (qtbot.keyClicks if isinstance(keys, str) else qtbot.keyClick)(editor, keys)
    assert editor.toPlainText() == '{\n  "a": [\n    1\n    2'


def test_a_place_is_counted_in_characters_even_behind_those_that_qt_counts_twice(editor):
    text = '{"name": "\N{SNOWMAN}\N{ROCKET}",\n "seed": -1}'
    editor.setPlainText(text)
    start = text.index('"seed"')
    assert editor.mark_error((start, start + 10)) == 2
    assert editor.done == LineRange(2, 2)
    editor.go_to((start, start + 10))
    assert editor.textCursor().selectedText() == '"seed": -1'
    assert editor.mark_error(None) is None
    assert editor.done is None


def test_an_insertion_replaces_the_selection_and_adds_commas(editor):
    editor.setPlainText('["\N{ROCKET}", 1, 3]')
    editor.go_to((6, 7))
    editor.insert_member("2")
    assert editor.toPlainText() == '["\N{ROCKET}", 2, 3]'


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("[", "]", "x"),
        ("[1", "]", ", x"),
        ("[1, ", "]", "x"),
        ("[1\n", "]", ",x"),
        ('{"a": ', "}", "x"),
        ("[", "1]", "x, "),
        ("[1", ", 2]", ", x"),
        ("", "", "x"),
    ],
)
def test_commas_separate_an_insertion_from_its_neighbours(before, after, expected):
    assert with_commas(before, "x", after) == expected


def test_another_text_in_its_place_can_be_undone(editor):
    editor.setPlainText("one")
    editor.replace_all("two")
    assert editor.toPlainText() == "two"
    editor.undo()
    assert editor.toPlainText() == "one"
