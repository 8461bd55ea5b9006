"""The script's arrow and band, its colours, and pressing the arrow."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPaintEvent
from PySide6.QtWidgets import QToolTip

from gradstep_gui.theme import DARK, LIGHT, blend, contrast
from gradstep_gui.widgets.text.code_view import CodeView, LineRange, _Gutter, shortened_value
from gradstep_gui.widgets.text.highlighters import _python_formats, colored_spans

CODE = "\n".join(f"line_{number} = {number}" for number in range(1, 101))


@pytest.fixture
def view(qtbot):
    made = CodeView()
    qtbot.addWidget(made)
    made.resize(400, 240)
    made.show_code(CODE)
    made.show()
    return made


def in_sight(view, line):
    block = view.document().findBlockByNumber(line - 1)
    rect = view.blockBoundingGeometry(block).translated(view.contentOffset())
    return rect.top() >= 0 and rect.bottom() <= view.viewport().height()


def test_the_next_line_is_scrolled_into_view(view):
    view.mark(coming=LineRange(60, 60))
    assert in_sight(view, 60)
    view.mark(coming=LineRange(3, 4))
    assert in_sight(view, 3)
    assert in_sight(view, 4)


def test_the_lines_after_the_next_one_come_into_sight_with_it(view):
    view.mark(coming=LineRange(60, 60))
    assert in_sight(view, 64)


def test_the_last_line_is_as_high_as_the_others(view):
    view.verticalScrollBar().setValue(100)
    assert view.line_rect(100).height() == view.line_rect(99).height()


def test_the_loop_stays_in_sight_with_its_next_line_where_it_fits(view):
    view.keep_in_sight(LineRange(30, 38))
    view.mark(coming=LineRange(30, 30))
    assert all(in_sight(view, line) for line in range(30, 39))
    view.verticalScrollBar().setValue(35)
    view.mark(coming=LineRange(38, 38))
    assert all(in_sight(view, line) for line in range(30, 39))


def test_of_a_loop_longer_than_the_view_the_next_line_is_in_sight(view):
    view.keep_in_sight(LineRange(10, 90))
    for line in (10, 50, 90, 10):
        view.mark(coming=LineRange(line, line))
        assert in_sight(view, line)


def test_another_script_begins_at_its_left_edge(view, qtbot):
    view.show_code(f"{CODE}\n{'x' * 400}")
    bar = view.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    view.show_code(f"{CODE}\n{'y' * 500}")
    assert bar.value() == 0


def test_the_line_that_just_ran_is_visible_too_where_both_fit(view):
    view.mark(coming=LineRange(60, 60), done=LineRange(54, 55), kind="forward")
    assert all(in_sight(view, line) for line in (54, 55, 60))


def test_the_band_lies_on_each_line_that_ran_in_the_colour_of_its_kind(view):
    view.mark(coming=LineRange(4, 4), done=LineRange(2, 3), kind="forward")
    selections = view.extraSelections()
    assert [part.cursor.blockNumber() for part in selections] == [1, 2]
    assert {part.format.background().color().name() for part in selections} == {
        LIGHT.kind("forward").soft
    }


def test_a_line_that_does_an_operation_has_a_dot_in_its_colour(view):
    view.show_code(CODE, {2: "backward", 3: "step"})
    view.mark(coming=LineRange(3, 3))
    picture = view.grab().toImage()
    height = view.fontMetrics().lineSpacing()

    def colors(line):
        top = view.contentsRect().top() + int(view.contentOffset().y()) + (line - 1) * height
        rows = range(top + 2, top + height - 2)
        return {picture.pixelColor(x, y).name() for x in range(4, 16) for y in rows}

    dot = LIGHT.kind("backward").strong
    assert dot in colors(2)
    assert LIGHT.kind("step").strong not in colors(3)  # the arrow stands there
    assert LIGHT.accent in colors(3)
    view.show_code(CODE)
    assert view.kinds == {}


def test_the_arrow_and_the_breakpoint_of_its_line_are_both_seen(view):
    view.show_stops({3: True})
    view.mark(coming=LineRange(3, 3))
    picture, row = view.grab().toImage(), view.line_rect(3)
    top = view.contentsRect().top()
    rows = range(top + round(row.top()) + 1, top + round(row.bottom()))
    shown = {picture.pixelColor(x, y).name() for x in range(4, 18) for y in rows}
    assert {LIGHT.error, LIGHT.base} <= shown


def test_a_failed_line_is_described_in_words(view):
    view.mark(coming=LineRange(4, 4), done=LineRange(3, 3), kind="backward", failed=True)
    assert view.accessibleDescription() == "Line 3 failed. Line 4 is next."


def test_only_pressing_the_arrow_requests_the_next_line(view, qtbot):
    view.mark(coming=LineRange(3, 3))
    height = view.fontMetrics().lineSpacing()
    pressed = []
    view.coming_pressed.connect(lambda: pressed.append(1))
    gutter = view._gutter
    qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=QPoint(5, height // 2))
    assert pressed == []
    with qtbot.waitSignal(view.coming_pressed):
        row = round(2.5 * height) + round(view.contentOffset().y())
        qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=QPoint(5, row))


def test_a_double_click_on_the_line_asks_for_it_too(view, qtbot):
    view.mark(coming=LineRange(1, 1))
    with qtbot.waitSignal(view.coming_pressed):
        qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 8))


def test_text_can_be_selected_but_not_written(view):
    view.selectAll()
    assert view.textCursor().selectedText().startswith("line_1 = 1")
    assert view.isReadOnly()


def test_numbers_strings_and_keywords_have_places_of_their_own():
    assert [piece.ink for piece in colored_spans('return "a", 1  # why')[0]] == [
        "keyword",
        *["string"] * 3,
        "number",
        "comment",
    ]


def test_a_very_long_script_is_left_uncoloured():
    assert colored_spans("x = 1\n" * 20_000) == ()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_colour_can_be_read_on_every_band(theme):
    grounds = [theme.base, *(colors.soft for colors in theme.kinds.values())]
    for form in _python_formats(theme).values():
        for ground in grounds:
            assert contrast(form.foreground().color().name(), ground) >= 4.5
    assert contrast(theme.text, blend(theme.error, theme.base, 0.14)) >= 4.5


def test_another_theme_recolours_the_text(view):
    palette = view.palette()
    palette.setColor(palette.ColorRole.Window, QColor(DARK.window))
    view.mark(coming=LineRange(4, 4), done=LineRange(2, 2), kind="step")
    view.setPalette(palette)
    assert view.extraSelections()[0].format.background().color().name() == DARK.kind("step").soft


def test_a_screen_reader_hears_the_value_of_the_line_that_just_ran_and_what_is_off(view):
    view.show_code("forward()\n# backward()\nstep()")
    view.mark(coming=LineRange(3, 3), done=LineRange(1, 1), kind="forward")
    view.show_values({1: "loss = 0.5", 3: "x = 1"})
    view.show_off([2])
    assert view.accessibleDescription() == (
        "Line 1 just ran. loss = 0.5. Line 3 is next. Switched off: 2."
    )
    view.show_code("forward()")
    assert (view.values, view.off) == ({}, ())


def test_values_are_drawn_after_their_lines_where_there_is_room(view):
    view.resize(300, 200)
    view.show_code("forward()\nstep()  # " + "a long line " * 20)
    before = view.viewport().grab().toImage()
    view.show_values({2: "x = 1"})
    assert view.viewport().grab().toImage() == before
    view.show_values({1: "loss = 0.5"})
    after = view.viewport().grab().toImage()
    row = view.line_rect(1)
    changed = [
        (x, y)
        for x in range(after.width())
        for y in range(after.height())
        if after.pixel(x, y) != before.pixel(x, y)
    ]
    assert changed
    assert all(row.contains(x, y) for x, y in changed)


def test_a_value_that_is_not_drawn_whole_is_shown_whole_by_a_tooltip(view, monkeypatch):
    view.resize(300, 200)
    view.show_code("forward()\nbackward()\nstep()  # " + "a long line " * 20)
    values = {1: "loss = 0.5", 2: "x.grad = [100, 100], " * 10, 3: "x < 1"}
    view.show_values(values)
    hints = [view.hint_at(view.line_rect(line).center().y()) for line in values]
    assert hints == ["", values[2], "x < 1"]
    place = view.line_rect(2).center()
    event = QHelpEvent(QEvent.Type.ToolTip, place, view.viewport().mapToGlobal(place))
    shown = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _widget: shown.append(text))
    QCoreApplication.sendEvent(view.viewport(), event)
    assert shown == [f"<p>{values[2]}</p>"]


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [
        ("loss = 2.3144", 13, "loss = 2.3144"),
        ("loss = 2.3144", 12, "2.3144"),
        ("loss = 2.3144", 5, "loss = 2.3144"),
        ("head.grad = [1, 2], x = 3", 24, "head.grad = [1, 2], …"),
        ("head.grad = [1, 2], x = 3", 17, "…grad = [1, 2], …"),
        ("|model.conv1.weight| = 1.6144", 17, "…weight| = 1.6144"),
        ("head.weight: 3 NaN", 12, "…ight: 3 NaN"),
        ("model.head.weight = [[1, 2], [3, 4]]", 9, "…weight = [[1, 2], [3, 4]]"),
        ("no value here", 5, "no value here"),
    ],
)
def test_of_a_value_with_too_little_room_the_number_is_shown_before_its_name(text, room, shown):
    assert shortened_value(text, room, len) == shown


def test_of_a_line_that_has_done_nothing_yet_it_says_when_a_breakpoint_stops(view):
    view.show_code("total = 0\nstep()", {2: "step"})
    view.show_stops({})
    first, second = (
        QPointF(view.gutter_width() - 2, view.line_rect(line).center().y()) for line in (1, 2)
    )
    assert "if it does an operation" in view.offer_at(first)
    assert view.offer_at(second) == "Stop before this line"


def test_only_some_lines_can_have_a_breakpoint(view, qtbot):
    view.show_code("import torch\nstep()")
    view.show_stops({}, {2})
    places = [
        QPointF(view.gutter_width() - 2, view.line_rect(line).center().y()) for line in (1, 2)
    ]
    assert [view.offer_at(place) for place in places] == ["", "Stop before this line"]
    with qtbot.assertNotEmitted(view.stop_toggled):
        view.press_gutter(places[0])
    with qtbot.waitSignal(view.stop_toggled) as asked:
        view.press_gutter(places[1])
    assert asked.args == [2]


def test_a_line_that_is_switched_off_is_struck_through(view):
    view.show_code("    # step()")
    view.show_off([1])
    selection = view.extraSelections()[0]
    assert selection.format.fontStrikeOut()
    assert selection.cursor.selectedText() == "# step()"


def test_the_next_line_stays_in_sight_where_the_view_gets_lower(view):
    view.mark(coming=LineRange(60, 60))
    view.mark(coming=LineRange(66, 66), done=LineRange(65, 65))
    view.resize(400, 120)
    assert in_sight(view, 66)
    view.verticalScrollBar().setValue(0)  # the user looks at something else
    view.resize(400, 100)
    assert view.verticalScrollBar().value() == 0


class Painted(QObject):
    """Adds up the heights that are painted of a widget, and compares its pixels on the screen."""

    def __init__(self, widget):
        super().__init__(widget)
        self.height = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched, event):
        if isinstance(event, QPaintEvent):
            self.height += event.rect().height()
        return False


def on_screen(widget):
    """Return what has been painted of a window, without painting it again."""
    return widget.screen().grabWindow(widget.winId()).toImage()


def test_only_the_lines_whose_marks_or_values_change_are_painted_again(view, qtbot):
    view.mark(coming=LineRange(3, 3), done=LineRange(2, 2), kind="forward")
    view.show_values({2: "loss = 0.5", 5: "w = 1"})
    qtbot.waitExposed(view)
    QCoreApplication.processEvents()
    code, gutter = Painted(view.viewport()), Painted(view.findChild(_Gutter))
    view.mark(coming=LineRange(4, 4), done=LineRange(3, 3), kind="backward")
    view.show_values({3: "loss = 0.5", 5: "w = 1"})
    QCoreApplication.processEvents()
    line = view.line_rect(1).height()
    assert 0 < code.height <= 4 * line
    assert 0 < gutter.height <= 4 * line
    assert on_screen(view) == view.grab().toImage()


def test_lines_that_come_into_sight_are_painted_with_their_marks(view, qtbot):
    view.mark(coming=LineRange(3, 3), done=LineRange(2, 2), kind="forward")
    qtbot.waitExposed(view)
    QCoreApplication.processEvents()
    view.mark(coming=LineRange(60, 60), done=LineRange(59, 59), kind="step")
    view.show_values({59: "lr = 0.1"})
    QCoreApplication.processEvents()
    assert on_screen(view) == view.grab().toImage()
