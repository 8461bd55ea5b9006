"""Lines of a script are dragged by the grips before them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from gradstep_gui.widgets.text.code_view import CodeView, LineRange
from gradstep_gui.widgets.text.line_editor import LineEditor

CODE = (
    "for i in range(3):\n    zero()\n    rows()\n    forward()\n    backward()\n    step()\nprint()"
)
RANGES = [LineRange(2, 2), LineRange(3, 4), LineRange(5, 5), LineRange(6, 6)]


class Mouse:
    """Presses, moves and releases the left button on the text."""

    def __init__(self, code):
        self._viewport = code.viewport()

    def _send(self, kind, place, button, buttons):
        at = QPointF(place)
        event = QMouseEvent(
            kind,
            at,
            self._viewport.mapToGlobal(at),
            button,
            buttons,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(self._viewport, event)

    def press(self, place):
        left = Qt.MouseButton.LeftButton
        self._send(QEvent.Type.MouseButtonPress, place, left, left)

    def move(self, place):
        none, left = Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton
        self._send(QEvent.Type.MouseMove, place, none, left)

    def hover(self, place):
        none = Qt.MouseButton.NoButton
        self._send(QEvent.Type.MouseMove, place, none, none)

    def release(self, place):
        left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
        self._send(QEvent.Type.MouseButtonRelease, place, left, none)


@pytest.fixture
def code(qtbot):
    made = CodeView()
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show_code(CODE)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def editor(code):
    made = LineEditor(code)
    made.show_lines(RANGES)
    made.set_enabled(True)
    return made


@pytest.fixture
def moves(editor):
    found = []
    editor.moved.connect(lambda at, to: found.append((at, to)))
    return found


def test_a_line_is_dragged_below_others(code, editor, moves):
    mouse, start = Mouse(code), editor.grip(0).center()
    mouse.press(start)
    assert editor.target is None
    below = QPoint(start.x(), editor.grip(2).bottom() - 1)
    mouse.move(below)
    assert editor.target == 2
    mouse.release(below)
    assert (moves, editor.target) == ([(0, 2)], None)


def test_a_line_of_several_lines_of_code_is_dragged_as_one(code, editor, moves):
    mouse = Mouse(code)
    mouse.press(editor.grip(1).bottomLeft() + QPoint(4, -2))
    above = QPoint(4, editor.grip(0).top() + 1)
    mouse.move(above)
    mouse.release(above)
    assert moves == [(1, 0)]


def test_a_drop_where_it_came_from_moves_nothing(code, editor, moves):
    mouse, start = Mouse(code), editor.grip(2).center()
    mouse.press(start)
    mouse.move(start + QPoint(60, 0))
    assert editor.target == 2
    mouse.release(start + QPoint(60, 0))
    assert moves == []


def test_escape_cancels_a_drag(qtbot, code, editor, moves):
    mouse, start = Mouse(code), editor.grip(3).center()
    mouse.press(start)
    mouse.move(QPoint(start.x(), 0))
    assert editor.target == 0
    qtbot.keyClick(code, Qt.Key.Key_Escape)
    assert editor.target is None
    mouse.release(QPoint(start.x(), 0))
    assert moves == []


def test_a_press_on_the_text_selects_text_and_drags_nothing(code, editor, moves):
    mouse = Mouse(code)
    start = QPoint(editor.grip(0).right() + 20, editor.grip(0).center().y())
    mouse.press(start)
    mouse.move(QPoint(start.x(), editor.grip(3).bottom()))
    mouse.release(QPoint(start.x(), editor.grip(3).bottom()))
    assert (moves, code.textCursor().hasSelection()) == ([], True)


def test_nothing_can_be_dragged_while_it_is_disabled(code, editor, moves):
    mouse, start = Mouse(code), editor.grip(0).center()
    editor.set_enabled(False)
    mouse.press(start)
    mouse.move(QPoint(start.x(), editor.grip(3).bottom()))
    assert editor.target is None
    mouse.release(start)
    assert moves == []


def test_another_script_during_a_drag_ends_it(code, editor, moves):
    mouse, start = Mouse(code), editor.grip(0).center()
    mouse.press(start)
    mouse.move(QPoint(start.x(), editor.grip(3).bottom()))
    editor.show_lines(RANGES[:2])
    mouse.release(QPoint(start.x(), editor.grip(1).bottom()))
    assert moves == []


def test_the_mouse_over_a_grip_says_what_it_does(code, editor):
    mouse = Mouse(code)
    mouse.hover(editor.grip(1).center())
    assert code.viewport().toolTip() == "Drag to move this line"
    assert code.viewport().cursor().shape() == Qt.CursorShape.OpenHandCursor
    mouse.hover(QPoint(5, 1))
    assert code.viewport().toolTip() == ""
    assert code.viewport().cursor().shape() == Qt.CursorShape.IBeamCursor


def test_the_line_with_the_text_cursor_is_current(code, editor):
    editor.select(1)
    assert (editor.current, code.textCursor().block().text()) == (1, "    rows()")
    code.select_line(1)
    assert editor.current is None
    assert [editor.index_of(line) for line in (1, 2, 4, 7)] == [None, 0, 1, None]


def test_it_paints_the_dragged_line_pale_and_where_it_goes(code, editor):
    mouse, start = Mouse(code), editor.grip(3).center()
    before = code.grab().toImage()
    mouse.press(start)
    mouse.move(QPoint(start.x(), editor.grip(1).top() + 1))
    during = code.grab().toImage()
    assert during != before
    y = editor.grip(1).top() + code.viewport().y()
    colors = {during.pixelColor(x, y).name() for x in range(150, 350)}
    assert len(colors) == 1
    assert colors != {before.pixelColor(340, y).name()}
    mouse.release(start)
