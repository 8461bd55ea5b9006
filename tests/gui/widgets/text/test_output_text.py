"""The lines of a script's output: replaced from any line on, with the end in sight."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor

from gradstep.script.output_log import OutputLog
from gradstep_gui import theme
from gradstep_gui.widgets.text.output_text import OutputText


@pytest.fixture
def text(qtbot):
    made = OutputText()
    qtbot.addWidget(made)
    made.resize(500, 150)
    made.show()
    return made


def lines(count, start=0):
    return [("out", f"line {number}") for number in range(start, start + count)]


def test_lines_are_added_replaced_and_dropped(text):
    text.replace_from(0, 0, [("out", "one"), ("err", " 10%"), ("out", "two")])
    text.replace_from(0, 1, [("err", " 20%"), ("out", "two"), ("out", "")])
    assert text.lines == [("out", "one"), ("err", " 20%"), ("out", "two"), ("out", "")]
    text.replace_from(2, 4, [("note", "The script has ended with status 0.")])
    assert text.lines[-2:] == [("out", ""), ("note", "The script has ended with status 0.")]
    assert text.toPlainText() == "two\n\nThe script has ended with status 0."
    text.replace_from(9, 9, [])
    assert (text.lines, text.toPlainText()) == ([], "")
    text.replace_from(9, 9, [("err", "again")])
    assert text.lines == [("err", "again")]


def test_it_shows_what_a_log_has_after_any_changes(text):
    log = OutputLog()
    for step in range(300):
        log.write("err" if step % 3 else "out", ("\r", "x\n", "\x1b[A", "ab", "\n\n")[step % 5])
        log.write("out", f"step {step}\n" * (step % 4))
        if step % 7 == 0:
            text.replace_from(*log.take())
        if step == 200:
            log.clear()
    text.replace_from(*log.take())
    assert text.lines == [tuple(line) for line in log.lines]


def test_the_end_stays_in_sight_until_the_user_scrolls_up(text):
    text.replace_from(0, 0, lines(100))
    bar = text.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    text.replace_from(0, 100, lines(10, 100))
    assert bar.value() == bar.maximum()
    bar.setValue(40)
    text.replace_from(0, 110, lines(10, 110))
    assert bar.value() == 40
    text.replace_from(30, 120, lines(10, 120))  # the same lines stay where they are
    assert bar.value() == 10
    text.replace_from(100, 130, [])
    assert bar.value() == 0
    bar.setValue(bar.maximum())
    text.replace_from(100, 130, lines(5, 130))
    assert text.is_following


def test_a_window_that_shrinks_keeps_the_end_in_sight(text):
    text.replace_from(0, 0, lines(100))
    text.resize(500, 90)
    assert text.is_following


def test_places_are_found_forwards_backwards_and_around(text):
    text.replace_from(0, 0, [("out", "Loss 1"), ("out", "other"), ("out", "loss 2")])
    text.moveCursor(QTextCursor.MoveOperation.Start)
    places = []
    for backwards in (False, False, False, True):
        assert text.find_text("loss", backwards=backwards)
        places.append(text.textCursor().blockNumber())
    assert places == [0, 2, 0, 2]
    assert not text.find_text("nothing", backwards=False)
    assert not text.find_text("", backwards=True)


def test_standard_error_is_marked_by_a_bar_and_not_by_colour_alone(text):
    text.replace_from(0, 0, [("out", "one"), ("err", "two"), ("out", "three")])
    picture = text._gutter.grab().toImage()
    height = text.fontMetrics().lineSpacing()
    marked = [picture.pixelColor(1, round((row + 0.5) * height) + 4).name() for row in range(3)]
    palette = theme.theme_of(text.palette())
    assert marked == [palette.alternate, palette.warning, palette.alternate]
    assert "standard error" in text._gutter.toolTip()


def test_the_lines_survive_a_change_of_theme(text, qapp):
    known = [("out", "one"), ("err", "two"), ("note", "end")]
    text.replace_from(5, 5, known)
    try:
        theme.apply(qapp, "dark")
        assert text.lines == known
    finally:
        theme.apply(qapp, "light")
    text.replace_from(5, 7, [("note", "other")])
    assert text.lines == [*known[:2], ("note", "other")]
