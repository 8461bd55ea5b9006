"""The bar with the sentence of what just happened."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QToolButton, QWidget

from gradstep.program.micro_step import MicroStep
from gradstep.program.operation import Backward, Step
from gradstep_gui.theme import LIGHT, apply
from gradstep_gui.views.sentence_bar import SentenceBar
from tests.gui.factory import Event, RememberingController, failed, parameter, snapshot

WROTE = "Backward wrote x.grad = [100, 100]. x did not move."
EVENT = Event(2, 0, Backward(), reads=("loss.graph",), writes=("x.grad", "loss.graph"))


@pytest.fixture
def controller():
    x = parameter("x", [1.0, 2.0], [100.0, 100.0])
    return RememberingController(snapshot(x, event=EVENT, sentence=WROTE))


@pytest.fixture
def bar(qtbot, qapp, controller):
    apply(qapp, "light")
    made = SentenceBar(controller)
    qtbot.addWidget(made)
    made.resize(900, made.sizeHint().height())
    made.show()
    return made


def link(bar):
    return bar.findChild(QToolButton, "sentence.effects")


def test_it_shows_the_sentence_of_the_snapshot(bar, controller):
    assert bar.sentence == WROTE
    controller.show(snapshot(event=EVENT, sentence="Step moved x."))
    assert bar.sentence == "Step moved x."


def test_screen_readers_hear_a_new_sentence_but_not_during_a_run(bar, controller, monkeypatch):
    said = []
    monkeypatch.setattr(
        "gradstep_gui.views.sentence_bar.announce", lambda _widget, text: said.append(text)
    )
    controller.show(snapshot(event=EVENT, sentence="one"))
    controller.show(snapshot(event=EVENT, sentence="one", iteration=5))
    controller.be("running")
    controller.show(snapshot(event=EVENT, sentence="two"))
    assert said == ["one"]
    name = QAccessible.queryAccessibleInterface(bar.label).text(QAccessible.Text.Name)
    assert name == "two"


def test_one_click_lists_what_the_operation_read_wrote_and_left_alone(bar, qtbot):
    qtbot.mouseClick(link(bar), Qt.MouseButton.LeftButton)
    assert bar.popup.isVisible()
    assert bar.popup.text == (
        "Backward loss, event 2. Reads: the graph of loss. "
        "Writes: x.grad, the graph of loss: its saved values are freed. Leaves alone: x."
    )
    bar.popup.close()


def test_the_keyboard_opens_the_list_too(bar, qtbot):
    link(bar).setFocus()
    qtbot.keyClick(link(bar), Qt.Key.Key_Space)
    assert bar.popup.isVisible()
    bar.popup.close()


def test_at_the_start_and_inside_an_operation_there_is_nothing_to_list(bar, controller):
    controller.show(snapshot(sentence="This is the start."))
    assert not link(bar).isVisible()
    step = MicroStep("parameter", "x")
    controller.show(snapshot(event=EVENT, sentence="Inside", inside=Step(), micro_step=step))
    assert not link(bar).isVisible()
    controller.show(snapshot(event=EVENT, sentence=WROTE))
    assert link(bar).isVisible()


def strip(bar):
    return bar.grab().toImage().pixelColor(1, bar.height() // 2).name()


def test_a_strip_has_the_colour_of_the_operation_or_of_an_error(bar, controller):
    assert strip(bar) == LIGHT.kind("backward").strong
    controller.show(snapshot(event=failed(3, Backward(), "freed"), sentence="Backward failed."))
    assert strip(bar) == LIGHT.error
    step = MicroStep("parameter", "x")
    controller.show(snapshot(event=EVENT, sentence="Inside", inside=Step(), micro_step=step))
    assert strip(bar) == LIGHT.kind("step").strong


LONG = "Backward failed: trying to backward through the graph a second time. " * 2


def test_a_long_sentence_gets_a_second_line_which_stays_for_short_ones(bar, controller):
    one = bar.sizeHint().height()
    bar.resize(700, one)
    controller.show(snapshot(event=EVENT, sentence=LONG))
    two = bar.sizeHint().height()
    assert two == one + bar.fontMetrics().lineSpacing()
    assert bar.label.most_lines == 2
    controller.show(snapshot(event=EVENT, sentence="Step moved x."))
    assert bar.sizeHint().height() == two  # nothing jumps
    bar.resize(1400, two)
    assert bar.sizeHint().height() == one


def test_what_is_too_long_even_for_two_lines_is_in_the_tooltip(bar, controller):
    controller.show(snapshot(event=EVENT, sentence=LONG * 4))
    assert bar.label.toolTip() == LONG * 4
    assert bar.label.most_lines == 2


def test_the_list_of_effects_leaves_what_is_below_the_bar_in_sight(qtbot, controller):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 500)
    made = SentenceBar(controller, window)
    made.setGeometry(0, 200, 900, made.sizeHint().height())
    with qtbot.waitExposed(window):
        window.show()
    made.show_effects()
    assert made.popup.geometry().bottom() < 200
