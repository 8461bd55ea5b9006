"""The explain dock asks while it is visible and shows the answer in words, bars and numbers."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

from gradstep.formula import Formula
from gradstep.history.records.explanation import (
    Binding,
    Contribution,
    Explanation,
    Factor,
    MomentumPart,
    Term,
)
from gradstep.history.records.snapshot import BatchRecord
from gradstep.program.operation import Step
from gradstep_gui.records import ExplainAnswer
from gradstep_gui.views.explain import ExplainView
from gradstep_gui.views.explain.cells import share_cell
from gradstep_gui.views.explain.view import MOST_ELEMENTS
from gradstep_gui.widgets.text.typesetter import Typesetter
from tests.gui.factory import RememberingController, events, optimizer, parameter, snapshot

SENTENCE = "x moved by 0.5 (norm) in Event 4: 150 % gradient, -50 % clipping."
BATCH = BatchRecord("points", (3, 1), 1, 2, 5)


def term(name, value, share, *rules):
    return Term(name, rules, np.array(value), share)


def explanation(*terms, name="x", sentence=SENTENCE, total=(0.0, 0.5), factors=()):
    total = np.array(total)
    before = np.ones(total.shape)
    return Explanation(name, 4, Step(), "SGD", before, total, terms, factors, sentence)


CLIPPED = explanation(
    term("gradient", (0.0, 0.75), 1.5, Formula("lr * grad", makes="update"), Formula("words")),
    term("clipping", (0.0, -0.25), -0.5, Formula("more words")),
    factors=(Factor("clipping", "norm / norm", 0.6666667),),
)
PARTS = (
    Contribution(2, "backward", "loss_a", np.array([3.0, 4.0]), BATCH, 1.05),
    Contribution(3, "clip", "", np.array([-0.5, 0.0])),
)
BOUND = (
    Binding("x", "optimizer", 0, "held"),
    Binding("y", "", None, "orphan"),
    Binding("x (stale)", "optimizer", 0, "stale"),
)


def why(reported=CLIPPED, parts=PARTS, bound=BOUND):
    return ExplainAnswer(4, reported, parts, bound)


def moment(**fields):
    fields.setdefault("optimizers", {"optimizer": optimizer("x")})
    tensors = (parameter("x", (1, 1), (3, 4)), parameter("y", (1,)))
    return snapshot(*tensors, event=events(4)[-1], **fields)


def written(table):
    model = table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def titles(table):
    model = table.model()
    across = Qt.Orientation.Horizontal
    return [model.headerData(at, across) for at in range(model.columnCount())]


@pytest.fixture
def view(qtbot):
    view = ExplainView(RememberingController(), Typesetter())
    qtbot.addWidget(view)
    view.resize(400, 700)
    view.show()
    view.controller.show(moment())
    return view


@pytest.fixture
def answered(view):
    view.controller.explain_requests.answered.emit(why())
    return view


@pytest.fixture
def asks(view, qtbot):
    """Wait until exactly these questions were asked."""

    def wait(*names):
        qtbot.waitUntil(
            lambda: view.controller.explain_requests.asked == list(names), timeout=60_000
        )

    return wait


def test_it_asks_about_the_first_tensor_until_another_is_selected(view, asks):
    assert view.controller.explain_requests.asked == ["x"]
    view.controller.select("y")
    asks("x", "y")
    assert view.tensors.currentText() == "y"


def test_a_long_name_does_not_widen_it(view):
    name = "a_module_with_a_name_of_many_words" * 3 + ".0.weight"
    usual = view.minimumSizeHint().width()
    reported = explanation(name=name, sentence=f"{name} moved by 0.5 (norm) in Event 4.")
    view.controller.explain_requests.answered.emit(why(reported))
    assert view.minimumSizeHint().width() == usual


@pytest.mark.parametrize("width", [200, 250, 300, 345, 500])
def test_share_and_norm_of_each_part_are_shown_at_any_width(view, width):
    view.controller.explain_requests.answered.emit(why())
    table = view.change.table
    view.change.resize(width, 400)
    header = table.horizontalHeader()
    shown = [at for at in range(header.count()) if not header.isSectionHidden(at)]
    assert shown in ([0, 2, 3], [0, 1, 2, 3])
    assert header.length() <= max(table.viewport().width(), 180)
    for column, text in ((2, "150 %"), (3, "1.23e-05")):
        assert table.fontMetrics().horizontalAdvance(text) < header.sectionSize(column)


def test_each_symbol_of_the_formulas_is_defined_once(view):
    update = term("gradient", (0.0, 1.0), 1.0, Formula("lr * grad", makes="update"))
    decay = term("weight decay", (0.0, 1.0), 0.0, Formula("weight_decay * param", makes="decay"))
    view.controller.explain_requests.answered.emit(why(explanation(update, decay)))
    assert view.rules.symbols.texts == [
        "update: what the step subtracts from the parameter",
        "lr: the learning rate",
        "grad: the parameter's .grad",
    ]
    view.change.table.selectRow(1)
    assert view.rules.symbols.texts[0] == "decay: what weight decay adds: weight_decay * param"
    words = term("clipping", (0.0, 1.0), 1.0, Formula("in words only"))
    view.controller.explain_requests.answered.emit(why(explanation(words)))
    assert view.rules.symbols.isHidden()


def test_it_asks_once_a_moment(view, asks):
    view.controller.be("paused")
    assert view.controller.explain_requests.asked == ["x"]
    view.controller.show(moment())
    asks("x", "x")


def test_of_moments_that_rush_by_it_asks_about_the_last(view, asks):
    for _ in range(20):
        view.controller.show(moment())
    view.controller.select("y")
    assert view.controller.explain_requests.asked == ["x"]
    asks("x", "y")


def test_hidden_it_asks_nothing_and_catches_up_when_shown(view, asks):
    view.hide()
    view.controller.show(moment())
    view.controller.select("y")
    assert view.controller.explain_requests.asked == ["x"]
    view.show()
    asks("x", "y")


def test_during_a_run_it_waits_for_its_end(view, asks):
    view.controller.be("running")
    view.controller.show(moment())
    assert view.controller.explain_requests.asked == ["x"]
    assert view.moment.text() == "paused during the run"
    view.controller.be("paused")
    asks("x", "x")


def test_the_sentence_leads_to_its_event(answered):
    assert answered.place.shows_content
    assert answered.change.sentence.accessibleDescription() == SENTENCE
    answered.change.sentence.linkActivated.emit("4")
    assert answered.controller.sought == [4]


def test_the_parts_are_listed_with_shares_and_norms_above_the_total(answered):
    table = answered.change.table
    assert titles(table) == ["Part", "", "Share", "Norm"]
    assert written(table) == [
        ["gradient", "", "150 %", "0.75"],
        ["clipping", "", "−50 %", "0.25"],
        ["total change", "", "100 %", "0.5"],
    ]
    assert answered.change.factors.text() == "clipping × 0.667"


def test_the_selected_part_shows_its_formulas(answered):
    def shown():
        return [label.text for label in answered.rules.labels if not label.isHidden()]

    assert shown() == ["update = lr * grad", "words"]
    answered.change.table.selectRow(1)
    assert shown() == ["more words"]


def test_elements_are_listed_by_their_index(answered):
    answered.tabs.setCurrentIndex(1)
    table = answered.elements
    assert titles(table) == ["change", "gradient", "clipping", "before"]
    assert written(table) == [["0", "0", "0", "1"], ["0.5", "0.75", "-0.25", "1"]]
    assert table.model().headerData(1, Qt.Orientation.Vertical) == "[1]"


def test_of_a_large_tensor_the_first_elements_are_listed(view):
    size = MOST_ELEMENTS + 1
    large = explanation(term("gradient", np.ones(size), 1.0), total=np.ones(size))
    view.controller.explain_requests.answered.emit(why(large))
    view.tabs.setCurrentIndex(1)
    assert view.elements.model().rowCount() == MOST_ELEMENTS


def test_a_sentence_leads_to_an_event_of_many_digits(view):
    reported = explanation(sentence="x moved by 0.5 in Event 12,345, after nothing.")
    view.controller.explain_requests.answered.emit(why(reported))
    assert "<a href='12345'" in view.change.sentence.text()
    assert ">Event 12,345</a>, after" in view.change.sentence.text()


def test_the_gradients_origin_leads_to_its_events(answered):
    answered.tabs.setCurrentIndex(2)
    assert written(answered.gradient) == [
        ["#2", "loss_a", "2/5", "105 %", "5"],
        ["#3", "clipping", "", "", "0.5"],
    ]
    answered.gradient.chosen.emit(0)
    assert answered.controller.sought == [2]


def test_the_binding_matrix_has_a_row_for_each_tensor_and_a_column_for_each_group(answered):
    answered.tabs.setCurrentIndex(4)
    assert titles(answered.bindings) == ["Tensor", "optimizer"]
    assert written(answered.bindings) == [
        ["x", "✓ held"],
        ["y", "–"],
        ["x (stale)", "⚠ stale"],
    ]
    answered.bindings.chosen.emit(1)
    assert answered.controller.selected == "y"


def test_a_tensor_that_did_not_move_has_a_sentence_and_no_bars(view):
    still = explanation(sentence="x did not move in Event 4: .grad was None.", total=(0.0, 0.0))
    view.controller.explain_requests.answered.emit(why(still, ()))
    assert view.pages.currentWidget().sentence == "No formula changed this tensor."
    view.tabs.setCurrentIndex(1)
    assert view.change.table.isHidden()
    assert view.change.sentence.accessibleDescription() == still.sentence
    assert view.pages.currentWidget().sentence == ("There is no change to show.")


@pytest.mark.parametrize(
    ("grad", "words"),
    [
        (None, "x.grad is None: no Backward has written it since it was cleared."),
        ((0, 0), "x.grad is zero: Zero Grad set it to zeros, and no Backward has run since."),
    ],
)
def test_without_an_origin_the_page_distinguishes_none_from_zeros(view, grad, words):
    view.controller.show(snapshot(parameter("x", (1, 1), grad)))
    view.controller.explain_requests.answered.emit(why(parts=()))
    view.tabs.setCurrentIndex(2)
    assert view.pages.currentWidget().sentence == words


def test_a_program_without_optimizer_has_no_matrix(view):
    view.controller.show(moment(optimizers={}))
    view.controller.explain_requests.answered.emit(why())
    view.tabs.setCurrentIndex(4)
    assert view.pages.currentWidget().sentence == ("This program has no optimizer.")


def test_an_answer_about_another_tensor_is_let_go(view):
    view.controller.select("y")
    view.controller.explain_requests.answered.emit(why())
    assert not view.place.shows_content


def test_a_program_without_tensors_shows_a_placeholder(view):
    view.controller.show(snapshot())
    assert view.place.sentence == "This program has no tensors."


def test_momentum_is_listed_by_the_gradients_that_it_comes_from(view):
    memory = Term(
        "momentum memory",
        (),
        np.array([0.0, 0.5]),
        1.0,
        (
            MomentumPart("gradient", 9, 8, "loss_a", BATCH, np.array([0.0, 0.4]), 0.8),
            MomentumPart("weight decay", 9, value=np.array([0.0, -0.1]), share=-0.2),
            MomentumPart("earlier", value=np.array([0.0, 0.2]), share=0.4),
        ),
    )
    view.controller.explain_requests.answered.emit(why(explanation(memory)))
    view.tabs.setCurrentIndex(3)
    assert written(view.momentum) == [
        ["#9", "loss_a", "2/5", "80 %", "0.4"],
        ["#9", "weight decay", "", "−20 %", "0.1"],
        ["", "earlier steps", "", "40 %", "0.2"],
    ]
    for row in range(3):
        view.momentum.chosen.emit(row)
    assert view.controller.sought == [8, 9]


def test_a_change_without_momentum_has_a_sentence_instead_of_a_table(answered):
    answered.tabs.setCurrentIndex(3)
    page = answered.pages.currentWidget()
    assert page.sentence == "No momentum of earlier steps took part in this change."


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.25, "25 %"), (-9.0, "−900 %"), (372.055, "372 ×"), (-372.055, "−372 ×"), (10.0, "10 ×")],
)
def test_shares_of_many_times_the_change_are_shown_as_factors(share, text):
    assert share_cell(share).text == text


def test_the_tooltip_of_a_factor_explains_that_the_parts_cancel():
    assert share_cell(372.055).hint == ("372 times the whole: the parts nearly cancel each other")


def test_a_number_and_its_percent_sign_stay_on_one_line(view):
    view.controller.explain_requests.answered.emit(why())
    assert "150\N{NO-BREAK SPACE}% gradient" in view.change.sentence.text()
