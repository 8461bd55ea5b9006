"""Typesetting formulas, and the label that shows them."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QImage, QPainter

from gradstep import optim
from gradstep_gui.theme import DARK, apply
from gradstep_gui.widgets.text import typesetter as module
from gradstep_gui.widgets.text.formula_label import FormulaLabel
from gradstep_gui.widgets.text.typesetter import Typesetter

TIMEOUT_MS = 20_000


@pytest.fixture
def typesetter(qapp):
    return Typesetter()


def picture(qtbot, typesetter, latex, color="#ff0000", size=20.0):
    qtbot.waitUntil(lambda: typesetter.picture(latex, color, size) is not None, timeout=TIMEOUT_MS)
    return typesetter.picture(latex, color, size)


def painted(draw, width=200, height=60):
    image = QImage(width, height, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    try:
        draw(painter)
    finally:
        painter.end()
    pixels = (image.pixelColor(x, y) for x in range(width) for y in range(height))
    return {pixel.name() for pixel in pixels if pixel.alpha() > 250}


def test_a_formula_is_drawn_in_its_colour(qtbot, typesetter):
    found = picture(qtbot, typesetter, r"\frac{m_t}{1 - \beta_1^t}")
    assert not found.failed
    assert 10 < found.size.width() < 200
    assert painted(lambda painter: found.paint(painter, QRectF(0, 0, 200, 60))) == {"#ff0000"}


def test_a_picture_is_rendered_once(qtbot, typesetter):
    first = picture(qtbot, typesetter, "x")
    assert typesetter.picture("x", "#ff0000", 20.0) is first
    assert picture(qtbot, typesetter, "x", color="#00ff00") is not first


def test_the_oldest_pictures_are_let_go_of(qtbot, typesetter, monkeypatch):
    monkeypatch.setattr(module, "MOST_KEPT", 2)
    first = picture(qtbot, typesetter, "a")
    for latex in ("b", "a", "c", "d"):
        picture(qtbot, typesetter, latex)
    assert picture(qtbot, typesetter, "a") is not first


def test_a_formula_that_cannot_be_typeset_is_not_tried_again(qtbot, typesetter, monkeypatch):
    assert picture(qtbot, typesetter, r"\frac{a").failed
    assert picture(qtbot, typesetter, r"\frac{a").failed


@pytest.fixture
def label(qtbot, typesetter):
    label = FormulaLabel(typesetter)
    qtbot.addWidget(label)
    label.resize(300, 40)
    label.show()
    return label


def colors(label):
    return painted(lambda painter: label.render(painter, QPoint()), label.width(), label.height())


def test_a_label_shows_the_picture_and_has_the_text_as_accessible_name(qtbot, label):
    label.show_formula("x + y", "x + y")
    qtbot.waitUntil(lambda: label.is_typeset, timeout=TIMEOUT_MS)
    assert label.accessibleName() == "x + y"
    assert len(colors(label)) > 1


def test_a_label_shows_the_text_where_a_formula_cannot_be_typeset(qtbot, label, typesetter):
    label.show_formula(r"\frac{a", "a / b")
    with qtbot.waitSignal(typesetter.ready, timeout=TIMEOUT_MS):
        label.repaint()
    assert not label.is_typeset
    assert len(colors(label)) > 1


def test_a_label_shows_the_text_where_the_picture_would_be_too_small(qtbot, label):
    label.show_formula("+".join("abcdefgh" * 20), "a + b + ...")
    qtbot.waitUntil(lambda: label._picture() is not None, timeout=TIMEOUT_MS)
    assert not label.is_typeset


def test_words_are_shown_at_once(label):
    label.show_formula("", "grad at the chosen places")
    assert not label.is_typeset
    assert len(colors(label)) > 1


def test_a_label_takes_the_colours_of_another_theme(qtbot, qapp, label):
    label.show_formula("x", "x")
    qtbot.waitUntil(lambda: label.is_typeset, timeout=TIMEOUT_MS)
    before = colors(label)
    try:
        apply(qapp, "dark")
        qtbot.waitUntil(lambda: DARK.text in colors(label), timeout=TIMEOUT_MS)
        assert DARK.text not in before
    finally:
        apply(qapp, "light")


def test_the_start_of_the_window_imports_no_typesetter():
    code = (
        "import sys; from gradstep_gui.app import build; window = build(['gradstep'])[1];"
        "window.show(); print('ziamath' in sys.modules); window.discard()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split()[-1] == "False"


@pytest.mark.slow
def test_every_term_of_every_optimizer_can_be_typeset(qtbot, typesetter):
    kinds = [kind for kind in vars(optim).values() if isinstance(kind, type)]
    formulas = {
        formula
        for kind in kinds
        if issubclass(kind, optim.Optimizer)
        for formula in kind.TERMS.values()
        if formula.latex  # some are words
    }
    assert len(formulas) > 100
    for formula in formulas:
        assert not picture(qtbot, typesetter, formula.latex).failed, formula.latex


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def paced(qapp, clock, monkeypatch):
    """A typesetter that goes by the clock of the test, and notes what it is to render."""
    monkeypatch.setattr(module, "_typeset", lambda request: order.append(request.latex) or b"")
    order = []
    typesetter = Typesetter(clock=clock)
    typesetter.rendered = order
    return typesetter


def ask(typesetter, clock, formulas, step_s):
    for latex in formulas:
        clock.now += step_s
        typesetter.picture(latex, "#ff0000", 20.0)


def test_the_formulas_of_one_moment_are_rendered_at_once(qtbot, paced, clock):
    ask(paced, clock, "abc", 0.01)
    qtbot.waitUntil(lambda: not paced.is_busy, timeout=TIMEOUT_MS)
    assert paced.rendered == ["a", "b", "c"]


def test_of_formulas_that_are_soon_replaced_the_first_and_the_last_are_rendered(
    qtbot, paced, clock
):
    ask(paced, clock, "abcdefg", 0.03)
    qtbot.waitUntil(lambda: not paced.is_busy, timeout=TIMEOUT_MS)
    assert paced.rendered == ["a", "b", "g"]


def test_the_formula_after_a_rest_is_rendered_at_once(qtbot, paced, clock):
    ask(paced, clock, "abc", 0.5)
    qtbot.waitUntil(lambda: not paced.is_busy, timeout=TIMEOUT_MS)
    assert paced.rendered == ["a", "b", "c"]


def test_a_formula_that_was_skipped_is_rendered_when_it_is_shown_again(qtbot, paced, clock):
    ask(paced, clock, "abcdefg", 0.03)
    qtbot.waitUntil(lambda: not paced.is_busy, timeout=TIMEOUT_MS)
    clock.now += 1.0
    assert picture(qtbot, paced, "c").failed
    assert paced.rendered == ["a", "b", "g", "c"]


def test_a_label_whose_formula_was_skipped_shows_it_all_the_same(qtbot, clock):
    typesetter = Typesetter(clock=clock)
    label = FormulaLabel(typesetter)
    qtbot.addWidget(label)
    label.resize(300, 40)
    ask(typesetter, clock, "ab", 0.03)
    clock.now += 0.03
    label.show_formula("x + y", "x + y")
    label.show()
    qtbot.waitUntil(lambda: bool(typesetter._waiting), timeout=TIMEOUT_MS)
    ask(typesetter, clock, "cd", 0.05)
    assert [request.latex for request in typesetter._waiting] == ["d"]
    clock.now += 1.0
    qtbot.waitUntil(lambda: label.is_typeset, timeout=TIMEOUT_MS)
