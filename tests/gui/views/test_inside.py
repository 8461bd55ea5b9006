"""The inside dock: a micro-step's rule and its numbers."""

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal

from gradstep.formula import Formula
from gradstep.history.snapshot import Snapshot
from gradstep.program.micro_step import MicroStep, kept
from gradstep.program.operation import Backward, Step
from gradstep_gui.delivery import State
from gradstep_gui.views.inside import InsideView

MANY = np.arange(6.0).reshape(2, 3)
ACCUMULATE = MicroStep(
    "accumulate",
    "x.grad",
    ("loss",),
    Formula("before + added", makes="after"),
    kept([("before", [1.0, 2.0]), ("added", [10.0, 20.0])]),
    kept([("after", [11.0, 22.0])]),
)
TERM = MicroStep(
    "term",
    "update",
    ("optimizer", "group 0", "<w>"),
    Formula("lr * grad", makes="update"),
    kept([("lr", 0.1), ("grad", MANY), ("nesterov", False)]),
    kept([("update", 0.1 * MANY)]),
)
GROUP = MicroStep("group", "group 0", ("optimizer",), inputs=kept([("lr", 0.1)]))


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
    view = InsideView(model)
    qtbot.addWidget(view)
    view.show()
    return view


def tabs(view):
    return [view.tabs.tabText(place) for place in range(view.tabs.count())]


def test_outside_of_an_operation_it_says_how_to_go_inside(view, model):
    model.show(None)
    assert view.text == ""
    assert view.place.sentence == "Press Step Into (F11) to go inside the next operation."


def test_a_gradient_that_arrives_is_shown_as_before_and_added_and_after(view, model):
    model.show(ACCUMULATE, Backward(), 3)
    for words in ("x.grad", "micro-step 3", "Backward > loss", "after = before + added"):
        assert words in view.text
    assert tabs(view) == ["before", "added", "→ after"]
    for numbers in ("[1, 2]", "[10, 20]", "[11, 22]"):
        assert numbers in view.text


def test_a_term_is_named_before_its_rule_and_its_symbols_have_their_numbers(view, model):
    model.show(TERM, Step())
    assert "update = lr * grad" in view.text
    assert "optimizer > group 0 > <w>" in view.text
    for numbers in ("0.1", "False", "norm 7.4162", "2 × 3"):
        assert numbers in view.text


def test_what_was_made_is_chosen_first_and_what_was_read_can_be(view, model):
    model.show(TERM, Step())
    assert tabs(view) == ["grad", "→ update"]
    assert view.array_view.heat_map.matrix_shape == (2, 3)
    assert view.tabs.currentIndex() == 1
    view.tabs.setCurrentIndex(0)
    model.show(TERM, Step())
    assert view.tabs.currentIndex() == 0


def test_a_step_of_plain_numbers_has_no_picture(view, model):
    model.show(GROUP, Step())
    assert tabs(view) == []
    assert not view.array_view.isVisible()
    assert "0.1" in view.text


def test_leaving_the_operation_empties_it(view, model):
    model.show(TERM, Step())
    model.show(None)
    assert view.text == ""
