"""The inside dock: a micro-step's rule and its numbers."""

import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSplitter

from gradstep.formula import Formula
from gradstep.history.records.snapshot import Snapshot
from gradstep.program.micro_step import MicroStep, array_copies
from gradstep.program.operation import Backward, Step, ZeroGrad
from gradstep_gui.records import State
from gradstep_gui.views.inside import InsideView
from gradstep_gui.widgets.text.typesetter import Typesetter

MANY = np.arange(6.0).reshape(2, 3)
ACCUMULATE = MicroStep(
    "accumulate",
    "x.grad",
    ("loss",),
    Formula("before + added", makes="after"),
    array_copies([("before", [1.0, 2.0]), ("added", [10.0, 20.0])]),
    array_copies([("after", [11.0, 22.0])]),
)
TERM = MicroStep(
    "term",
    "update",
    ("optimizer", "group 0", "<w>"),
    Formula("lr * grad", makes="update"),
    array_copies([("lr", 0.1), ("grad", MANY), ("nesterov", False)]),
    array_copies([("update", 0.1 * MANY)]),
)
NODE = MicroStep(
    "node",
    "MulBackward0",
    ("loss",),
    Formula("input: grad * other; other: grad * input"),
    array_copies([("incoming", [2.0, 3.0]), ("x", [5.0, 7.0]), ("other", 10.0)]),
    array_copies([("x", [20.0, 30.0]), ("AddBackward0 #1", 31.0)]),
    0,
    rules={
        "x": Formula("grad * other", r"\bar{x} = g \cdot y"),
        "AddBackward0 #1": Formula("grad * input", r"\bar{y} = g \cdot x"),
    },
    symbols={"grad": "incoming", "input": "x", "other": "other"},
)
REFUSED = MicroStep(
    "node", "ExpBackward0", ("loss",), Formula("grad * result"), error="it was freed"
)
GROUP = MicroStep("group", "group 0", ("optimizer",), inputs=array_copies([("lr", 0.1)]))


class Model(QObject):
    snapshot_changed = Signal(object)
    state_changed = Signal(object)

    def __init__(self):
        super().__init__()
        self.snapshot = None
        self.state = State(work="paused")

    def set_wanted(self, key, addresses):
        pass

    def show(self, step, operation=None, number=1):
        self.snapshot = Snapshot(
            None, 0, 0, 0, None, micro_step=step, inside=operation, micro_step_number=number
        )
        self.snapshot_changed.emit(self.snapshot)


@pytest.fixture
def model(qapp):
    return Model()


@pytest.fixture
def view(qtbot, model):
    view = InsideView(model, Typesetter())
    qtbot.addWidget(view)
    view.show()
    return view


def rows(view):
    items = [view.table.topLevelItem(row) for row in range(view.table.topLevelItemCount())]
    return [tuple(item.text(column) for column in range(1, 5)) for item in items]


def choose(view, row):
    view.table.setCurrentItem(view.table.topLevelItem(row))


def test_outside_of_an_operation_the_placeholder_explains_step_into(view, model):
    model.show(None)
    assert not view.place.shows_content
    assert view.place.sentence == ("Press Into (F11) to go inside the next operation.")


def test_the_formula_has_more_room_than_the_array(view, model):
    view.resize(900, 200)
    model.show(TERM, Step())
    reading, values = view.findChild(QSplitter).sizes()
    assert reading > values


def test_a_number_that_is_only_handed_on_is_not_written_twice(view, model):
    first = dataclasses.replace(ACCUMULATE, formula=Formula("added", makes="after"))
    made = {"after": np.array([10.0, 20.0])}
    model.show(dataclasses.replace(first, outputs=array_copies(list(made.items()))), Backward(), 3)
    assert view.formula.text == "after = added"
    assert view.numbers.text == ""


def test_a_gradient_that_arrives_is_shown_as_before_and_added_and_after(view, model):
    model.show(ACCUMULATE, Backward(), 3)
    assert view.path.toolTip() == "Backward > loss > x.grad\nmicro-step 3, a gradient accumulation"
    assert view.formula.text == "after = before + added"
    assert view.numbers.text == "2 + 20 = 22"
    assert rows(view) == [
        ("before", "2", "2.2361", "(2,)"),
        ("added", "20", "22.361", "(2,)"),
        ("→ after", "22", "24.597", "(2,)"),
    ]


def test_a_term_has_its_formula_and_the_numbers_of_its_symbols_at_the_largest_element(view, model):
    model.show(TERM, Step())
    assert view.path.toolTip().startswith("Step > optimizer > group 0 > <w> > update\n")
    assert view.formula.text == "update = lr * grad"
    assert view.numbers.text == "0.1 * 5 = 0.5"
    assert view.table.headerItem().text(2) == "[1, 2]"
    assert rows(view) == [
        ("lr", "0.1", "", ""),
        ("grad", "5", "7.4162", "2 × 3"),
        ("nesterov", "False", "", ""),
        ("→ update", "0.5", "0.74162", "2 × 3"),
    ]


def test_a_gradient_that_is_none_is_shown_as_none(view, model):
    first = MicroStep(
        "accumulate",
        "x.grad",
        ("loss",),
        Formula("added", makes="after"),
        array_copies([("added", [1.0])]),
        array_copies([("after", [1.0])]),
        none=(("before",), ()),
    )
    model.show(first, Backward())
    assert [row[:2] for row in rows(view)] == [
        ("before", "None"),
        ("added", "1"),
        ("→ after", "1"),
    ]
    cleared = MicroStep(
        "parameter", "x", inputs=array_copies([("grad", [3.0])]), none=((), ("grad",))
    )
    model.show(cleared, ZeroGrad())
    assert [row[:2] for row in rows(view)] == [("grad", "3"), ("→ grad", "None")]
    assert view.array_view.readout.text() == "[0] = 3.0"


def test_an_element_that_is_picked_puts_its_numbers_in_the_formula_and_stays_picked(view, model):
    model.show(TERM, Step())
    view.array_view.heat_map.picked.emit(0, 1)
    assert view.numbers.text == "0.1 * 1 = 0.1"
    assert view.table.headerItem().text(2) == "[0, 1]"
    following = MicroStep(
        "term",
        "param",
        TERM.path,
        Formula("param - update", makes="param"),
        array_copies([("param", MANY), ("update", 0.1 * MANY)]),
        array_copies([("param", 0.9 * MANY)]),
    )
    model.show(following, Step(), 2)
    assert view.numbers.text == "1 - 0.1 = 0.9"
    model.show(None)
    model.show(following, Step(), 2)
    assert view.numbers.text == "5 - 0.5 = 4.5"


def test_the_output_is_selected_first_and_an_input_can_be_selected(view, model):
    model.show(TERM, Step())
    assert view.table.currentIndex().row() == 3
    assert view.array_view.readout.text() == "[1, 2] = 0.5"
    choose(view, 1)
    assert view.array_view.readout.text() == "[1, 2] = 5.0"
    assert view.numbers.text == "0.1 * 5 = 0.5"
    model.show(TERM, Step())
    assert view.table.currentIndex().row() == 1


def test_each_gradient_of_a_node_has_its_own_formula_with_numbers(view, model):
    model.show(NODE, Backward())
    assert view.formula.text == "input: grad * other; other: grad * input"
    choose(view, 3)
    assert view.numbers.text == "3 * 10 = 30"


def test_a_formula_without_all_its_numbers_is_not_filled_in(view, model):
    model.show(NODE, Backward())
    assert not view.numbers.isVisible()  # of an array, and what it makes is one number


def test_a_failed_node_shows_its_error(view, model):
    model.show(REFUSED, Backward())
    assert "it was freed" in view.error.text()
    assert view.error.isVisible()
    assert not view.table.isVisible()
    model.show(NODE, Backward())
    assert not view.error.isVisible()


def test_a_step_of_plain_numbers_has_no_picture(view, model):
    model.show(GROUP, Step())
    assert not view.array_view.isVisible()
    assert rows(view) == [("lr", "0.1", "", "")]
    assert not view.formula.isVisible()


def test_leaving_the_operation_empties_it(view, model):
    model.show(TERM, Step())
    model.show(None)
    assert not view.place.shows_content


def test_a_setting_that_is_a_name_is_shown_unchanged(view, model):
    inputs = array_copies([("line_search_fn", "strong_wolfe"), ("lr", 1)])
    model.show(MicroStep("group", "group 0", ("optimizer",), inputs=inputs), Step())
    assert rows(view) == [("line_search_fn", "strong_wolfe", "", ""), ("lr", "1", "", "")]


def test_an_evaluation_inside_a_step_has_a_title(view, model):
    step = MicroStep(
        "evaluation",
        "evaluation 2",
        ("optimizer", "group 0", "iteration 1"),
        Formula("the loss at trial_length", r"\ell_\alpha = f(\theta_k + \alpha p_k)"),
        array_copies([("trial_length", 0.5)]),
        array_copies([("trial_loss", 2.25)]),
    )
    model.show(step, Step(), number=9)
    assert view.path.toolTip().endswith("micro-step 9, an evaluation of the loss")
    assert rows(view) == [("trial_length", "0.5", "", ""), ("→ trial_loss", "2.25", "", "")]


def test_a_step_of_another_shape_lists_its_symbols_once(view, model, monkeypatch):
    model.show(TERM, Step())
    listed = []
    monkeypatch.setattr(view.table, "show_symbols", lambda *symbols: listed.append(symbols))
    row = np.array([1.0, 2.0, 5.0, 3.0])
    following = MicroStep(
        "term",
        "param",
        TERM.path,
        Formula("param - update", makes="param"),
        array_copies([("param", row), ("update", 0.1 * row)]),
        array_copies([("param", 0.9 * row)]),
    )
    model.show(following, Step(), 2)
    assert view.numbers.text == "5 - 0.5 = 4.5"  # at the element that the table goes to
    assert len(listed) == 1
