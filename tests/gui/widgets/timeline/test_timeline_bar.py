"""The time bar: where a moment is, how one gets there, and what is drawn however many there are."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QApplication

from gradstep_gui.theme import theme_of
from gradstep_gui.widgets.timeline import event_marks
from gradstep_gui.widgets.timeline.event_marks import LANES, EventMarks, Flag, nice_step, stretches
from gradstep_gui.widgets.timeline.timeline_bar import MARGIN, WIDEST, TimelineBar
from gradstep_gui.widgets.timeline.timeline_painter import LaneStrips

LEFT, RIGHT = Qt.Key.Key_Left, Qt.Key.Key_Right
CTRL = Qt.KeyboardModifier.ControlModifier


def filled(iterations):
    marks = EventMarks()
    for iteration in range(iterations):
        marks.extend([0, 1, 2, 3], [iteration] * 4, [False] * 4)
    return marks


@pytest.fixture
def bar(qtbot):
    bar = TimelineBar(lambda moment: f"event {moment}")
    qtbot.addWidget(bar)
    bar.resize(1000, bar.sizeHint().height())
    bar.marks.extend([0, 1, 2, 3] * 10, np.repeat(np.arange(10), 4), [False] * 40)
    bar.show_moment(40, ())
    bar.sought = []
    bar.moved.connect(bar.sought.append)
    return bar


def test_a_moment_is_found_where_it_is_drawn(bar):
    for moment in (0, 1, 17, 40):
        assert bar.moment_at(bar.place_of(moment)) == moment
    assert bar.moment_at(-5) == 0
    assert bar.moment_at(5000) == 40


def test_a_short_run_begins_at_the_left(bar):
    assert bar.cell == WIDEST
    assert bar.place_of(0) == MARGIN + WIDEST / 2


def test_a_click_seeks_the_event_below_it(bar, qtbot):
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.place_of(12)), 20))
    assert bar.sought == [12]
    assert bar.value() == 12


def test_a_drag_is_not_pulled_back_by_late_snapshots(bar, qtbot):
    places = {moment: QPoint(round(bar.place_of(moment)), 20) for moment in (12, 9, 3)}
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=places[12])
    qtbot.mouseMove(bar, places[9])
    bar.show_moment(12, ())
    assert bar.value() == 9
    qtbot.mouseMove(bar, places[3])
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=places[3])
    assert bar.sought == [12, 9, 3]
    bar.show_moment(3, ())
    assert bar.value() == 3


def test_keys_go_by_events_and_by_iterations(bar, qtbot):
    for key, modifier, expected in (
        (LEFT, Qt.KeyboardModifier.NoModifier, 39),
        (LEFT, CTRL, 36),
        (LEFT, CTRL, 32),
        (RIGHT, Qt.KeyboardModifier.NoModifier, 33),
        (RIGHT, CTRL, 36),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier, 0),
        (RIGHT, CTRL, 4),
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier, 40),
        (RIGHT, CTRL, 40),
    ):
        qtbot.keyClick(bar, key, modifier)
        assert bar.value() == expected


def wheel(bar, angle, modifier=Qt.KeyboardModifier.NoModifier):
    event = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(0, angle),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(bar, event)


def test_a_key_that_is_held_down_drags_until_it_is_let_go(bar):
    def key(kind, repeated):
        press = QKeyEvent(kind, LEFT, Qt.KeyboardModifier.NoModifier, "", repeated)
        QApplication.sendEvent(bar, press)
        return bar.isSliderDown()

    press, release = QEvent.Type.KeyPress, QEvent.Type.KeyRelease
    events = [(press, False), (release, True), (press, True), (release, True), (release, False)]
    assert [key(*event) for event in events] == [False, False, True, True, False]
    assert bar.value() == 38


def test_turning_the_wheel_down_moves_forward_and_small_turns_add_up(bar):
    wheel(bar, 240)
    assert bar.value() == 38
    wheel(bar, -60)
    assert bar.value() == 38
    wheel(bar, -60)
    assert bar.value() == 39
    wheel(bar, 120, CTRL)
    assert bar.value() == 36
    assert bar.sought == [38, 39, 36]


def test_hovering_shows_the_event_and_the_flags_near_it(bar):
    bar.show_moment(40, (Flag(np.array([12]), "error", "the gradient is passed"),))
    assert bar.text_at(12) == "event 12 · the gradient is passed"
    assert bar.text_at(20) == "event 20"


def test_each_kind_is_drawn_in_its_own_lane_and_colour(bar):
    theme = theme_of(bar.palette())
    picture = bar.grab().toImage()
    ratio = picture.devicePixelRatio()
    for index, lane in ((2, 1), (3, 2), (4, 3)):
        x, y = bar.place_of(index), 11 + 6 * lane + 3
        found = picture.pixelColor(round(x * ratio), round(y * ratio))
        assert found.name() == QColor(theme.kind(LANES[lane]).strong).name()


@pytest.mark.parametrize("events", [0, 1, 100, 100_000])
def test_any_number_of_events_can_be_drawn(qtbot, events):
    bar = TimelineBar(str)
    qtbot.addWidget(bar)
    bar.resize(800, 57)
    bar.marks.extend(np.arange(events) % 5, np.arange(events) // 5, np.arange(events) % 97 == 96)
    bar.show_moment(
        events // 2,
        (Flag(np.array([events // 3]), "warning", "w"), Flag(np.array([0]), "fork", "b")),
    )
    assert not bar.grab().isNull()


def test_a_rejected_event_is_visible_among_a_hundred_thousand_events(qtbot):
    bar = TimelineBar(str)
    qtbot.addWidget(bar)
    bar.resize(800, 57)
    bar.marks.extend(np.full(100_000, 1), np.arange(100_000), np.arange(100_000) == 50_000)
    bar.show_moment(100_000, ())
    picture = bar.grab().toImage()
    error = QColor(theme_of(bar.palette()).error)
    row = [picture.pixelColor(x, 11 + 6 + 3) for x in range(390, 410)]
    assert any(abs(colour.red() - error.red()) < 30 and colour.green() < 90 for colour in row)


def test_findings_in_every_iteration_of_a_long_run_are_one_bar_fainter_in_the_future(qtbot):
    bar = TimelineBar(str)
    qtbot.addWidget(bar)
    bar.resize(800, 57)
    bar.marks.extend(np.full(400_000, 1), np.arange(400_000) // 4, np.zeros(400_000, bool))
    found = Flag(np.arange(4, 400_001, 4), "error", "again and again")
    bar.show_moment(200_000, (found,))
    picture = bar.grab().toImage()
    here = round(bar.place_of(200_000))
    before, after = ([picture.pixelColor(x, 6) for x in xs] for xs in (
        range(20, here - 10), range(here + 10, 780),
    ))  # fmt: skip
    assert {colour.name() for colour in before} == {QColor(theme_of(bar.palette()).error).name()}
    assert len({colour.name() for colour in after}) == 1
    assert after[0].name() not in {before[0].name(), picture.pixelColor(4, 6).name()}
    assert bar.text_at(300_000) == "300000 · again and again"


def test_flags_that_do_not_touch_are_drawn_apart():
    assert stretches(np.array([0.0, 56.0, 112.0]), 7.0).tolist() == [[0, 0], [56, 56], [112, 112]]
    assert stretches(np.array([]), 7.0).shape == (0, 2)


def test_density_counts_every_event_once():
    marks = filled(1000)
    counts, failed = marks.density(333)
    assert counts.sum() == 4000
    assert counts.sum(axis=1).tolist() == [1000, 1000, 1000, 1000, 0]
    assert not failed.any()


def counted(lanes, failed, pixels):
    """Return the density as counted from all Events at once."""
    place = np.arange(len(lanes)) * pixels // max(1, len(lanes))
    cells = np.bincount(lanes * pixels + place, minlength=len(LANES) * pixels)
    return cells.reshape(len(LANES), pixels), np.bincount(place[failed], minlength=pixels) > 0


@pytest.mark.parametrize("events", [0, 1, 5, 64, 65, 1000])
@pytest.mark.parametrize("bins", [64, 2**16])
def test_the_density_is_that_of_all_events_however_long_the_run(monkeypatch, events, bins):
    monkeypatch.setattr(event_marks, "_MOST_BINS", bins)
    rng = np.random.default_rng(events)
    lanes, failed = rng.integers(0, 5, events), rng.random(events) < 0.02
    marks = EventMarks()
    for part in np.array_split(np.arange(events), 7):
        marks.extend(lanes[part], part // 4, failed[part])
    for pixels in (1, 7, 20):
        counts, errors = marks.density(pixels)
        expected, wrong = counted(lanes, failed, pixels)
        if events <= bins:
            assert counts.tolist() == expected.tolist()
            assert errors.tolist() == wrong.tolist()
        else:
            width = -(-events // bins) * 2
            assert counts.sum(axis=1) == pytest.approx(expected.sum(axis=1))
            assert np.abs(counts - expected).max() <= width
            assert errors[wrong].all()


def test_marks_of_a_long_run_are_found_in_the_temporary_file():
    marks = EventMarks()
    iterations = np.arange(200_000) // 4
    marks.extend(np.arange(200_000) % 4, iterations, np.arange(200_000) % 1000 == 7)
    found = marks.lanes()[100_002], marks.iteration(100_003), marks.failed()[100_007]
    assert found == (2, 25_000, True)
    assert marks.iteration_after(100_002) == 100_004
    assert marks.iteration_before(100_002) == 100_000
    assert marks.first_of(49_999) == 199_996


def test_steps_of_ticks_are_round():
    assert [nice_step(least) for least in (0.5, 1.5, 4, 7, 30, 200, 201)] == [
        1, 2, 5, 10, 50, 200, 500,
    ]  # fmt: skip


def long_run(bar, errors=()):
    """Have a bar show a run whose Events are too many for shapes."""
    bar.marks.clear()
    failed = np.zeros(8000, np.bool_)
    failed[list(errors)] = True
    bar.marks.extend([0, 1, 2, 3] * 2000, np.repeat(np.arange(2000), 4), failed)
    bar.show_moment(8000, ())


def drawn_anew(bar):
    """Return the picture of a bar that has drawn nothing before."""
    bar._strips = LaneStrips()
    return bar.grab().toImage()


def test_the_lanes_of_a_long_run_are_counted_once_for_many_moments(bar, monkeypatch):
    long_run(bar)
    expected = bar.grab().toImage()
    monkeypatch.setattr(EventMarks, "density", None)
    bar.show_moment(3, ())
    assert bar.grab().toImage() != expected
    bar.show_moment(8000, ())
    assert bar.grab().toImage() == expected


def test_the_lanes_are_drawn_anew_for_other_events_another_size_and_another_theme(bar):
    long_run(bar)
    seen = [bar.grab().toImage()]

    def check():
        seen.append(bar.grab().toImage())
        assert seen[-1] not in seen[:-1]
        assert drawn_anew(bar) == seen[-1]

    long_run(bar, errors=range(4000, 4400))
    check()
    bar.marks.extend([1] * 4000, [2000] * 4000, [False] * 4000)
    bar.show_moment(8000, ())
    check()
    bar.resize(700, bar.height())
    check()
    dark = bar.palette()
    dark.setColor(QPalette.ColorRole.Window, QColor("black"))
    bar.setPalette(dark)
    check()
