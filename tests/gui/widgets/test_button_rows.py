"""Buttons that take another row rather than be cut."""

import pytest
from PySide6.QtWidgets import QPushButton

from gradstep_gui.widgets.button_rows import ButtonRows


@pytest.fixture
def rows(qtbot):
    made = ButtonRows([QPushButton(text) for text in ("Restart", "All Lessons", "Next Lesson")])
    qtbot.addWidget(made)
    return made


def widest(rows):
    return max(button.sizeHint().width() for button in rows.findChildren(QPushButton))


@pytest.mark.parametrize(("buttons_wide", "lines"), [(3.3, 1), (2.3, 2), (1.1, 3), (0.5, 3)])
def test_a_narrow_row_is_broken_before_a_text_is_cut(rows, buttons_wide, lines):
    width = round(buttons_wide * widest(rows))
    rows.resize(width, rows.heightForWidth(width))
    rows.show()
    buttons = rows.findChildren(QPushButton)
    assert rows.rows_in(width) == lines
    assert len({button.y() for button in buttons}) == lines
    assert max(button.geometry().right() for button in buttons) == width - 1
    assert max(button.geometry().bottom() for button in buttons) < rows.height()
    if buttons_wide > 1:
        assert all(button.width() >= button.sizeHint().width() for button in buttons)


def test_a_larger_font_breaks_the_row(rows, qtbot):
    width = 3 * widest(rows) + 20
    rows.resize(width, rows.heightForWidth(width))
    rows.show()
    assert rows.rows_in(width) == 1
    font = rows.font()
    font.setPointSizeF(1.6 * font.pointSizeF())
    rows.setFont(font)
    buttons = rows.findChildren(QPushButton)
    qtbot.waitUntil(lambda: len({button.y() for button in buttons}) == 2, timeout=60_000)
    assert rows.sizeHint().height() == rows.heightForWidth(width)
