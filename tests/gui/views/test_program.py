"""The program dock: the script, and where in it the moment stands."""

import dataclasses

import pytest
from PySide6.QtGui import QGuiApplication

from gradstep.history.records.event import Event
from gradstep.program.listing import LineSpan, Listing
from gradstep.program.operation import (
    Backward,
    Forward,
    SetBatchSize,
    SetValue,
    Skip,
    Step,
    ZeroGrad,
)
from gradstep_gui.records import Document, Recording
from gradstep_gui.views.program import ProgramView, coming_span, done_span
from gradstep_gui.widgets.text.code_view import LineRange
from tests.gui.factory import RememberingController, events, failed, layered

LISTING = Listing(
    "Tiny",
    "Press **Forward**.\n\n![](file:///etc/hostname) <b>no</b>",
    "for i in range(1, 3):\n    zero()\n    rows()\n    forward()\n    backward()\n    step()\n",
    (
        LineSpan(ZeroGrad(), 2, 2),
        LineSpan(Forward(), 3, 4),
        LineSpan(Backward(), 5, 5),
        LineSpan(Step(), 6, 6),
    ),
)


class ReadingController(RememberingController):
    def __init__(self, first=None, listing=None):
        super().__init__(first)
        self.listing = listing
        self.nexts = 0

    def apply_next(self):
        self.nexts += 1


def moment(event=None, next_line=0):
    return dataclasses.replace(layered(2, 3, event=event), next_line=next_line)


@pytest.fixture
def controller():
    return ReadingController(moment(), LISTING)


@pytest.fixture
def view(qtbot, controller):
    made = ProgramView(controller)
    qtbot.addWidget(made)
    made.resize(420, 500)
    made.show()
    return made


def test_without_a_program_a_placeholder_describes_the_dock(qtbot):
    view = ProgramView(ReadingController())
    qtbot.addWidget(view)
    view.show()
    assert not view.place.shows_content
    assert view.place.sentence.startswith("Open a program")


def test_it_shows_the_script(view):
    assert view.code.toPlainText() == LISTING.code.rstrip("\n")


def test_the_arrow_is_at_the_next_line_and_the_band_on_the_line_that_just_ran(view, controller):
    assert (view.code.coming, view.code.done) == (LineRange(2, 2), None)
    controller.show(moment(events(2)[-1], next_line=2))
    assert (view.code.coming, view.code.done) == (LineRange(5, 5), LineRange(3, 4))


def test_the_band_lies_on_the_line_that_acts_on_the_same_thing():
    operations = [SetBatchSize(name, 2) for name in "ab"]
    operations += [SetValue(name, 0.0) for name in "xy"]
    spans = tuple(LineSpan(operation, at, at) for at, operation in enumerate(operations, 1))
    listing = Listing("", "", "", spans)
    for span in spans:
        event = Event(index=1, iteration=0, operation=span.operation)
        assert done_span(listing, moment(event, next_line=3)) is span
    skipped = Event(index=1, iteration=0, operation=Skip(operations[0]))
    assert done_span(listing, moment(skipped, next_line=1)) is None


SCRIPT = Listing(
    "train.py",
    "",
    "from engine import fit\n\nfit()\noptimizer.step()\n",
    (
        LineSpan(Step(at="train.py:4"), 4, 4, file="train.py"),
        LineSpan(Backward(at="engine.py:2"), 2, 2, file="engine.py"),
    ),
    files={
        "train.py": "from engine import fit\n\nfit()\noptimizer.step()\n",
        "engine.py": "def fit():\n    loss.backward()\n",
    },
)


def open_script(controller, listing):
    controller.listing = listing
    controller.listing_changed.emit(listing)


def test_a_persons_own_file_has_the_whole_height_and_its_name_as_heading(view, controller):
    assert view.title.text() == "PyTorch Script"
    one = dataclasses.replace(SCRIPT, files={"train.py": SCRIPT.code})
    open_script(controller, one)
    assert not view.files.isVisible()
    assert view.title.text() == "train.py"
    assert view.code.toPlainText() == one.code.rstrip("\n")
    assert view.code.kinds == {4: "step"}
    open_script(controller, LISTING)
    assert view.code.kinds == {}


def test_the_file_of_the_next_line_is_shown_with_its_marks(view, controller):
    open_script(controller, SCRIPT)
    controller.show(moment(next_line=1))
    assert view.files.currentText() == "engine.py"
    assert view.code.toPlainText() == "def fit():\n    loss.backward()"
    assert (view.code.coming, view.code.kinds) == (LineRange(2, 2), {2: "backward"})
    backward = Event(index=1, iteration=0, operation=Backward(at="engine.py:2"))
    controller.show(moment(backward, next_line=0))
    assert view.files.currentText() == "train.py"
    assert (view.code.coming, view.code.done) == (LineRange(4, 4), None)
    view.files.setCurrentText("engine.py")
    assert (view.code.coming, view.code.done) == (None, LineRange(2, 2))
    view.copy.click()
    assert QGuiApplication.clipboard().text() == SCRIPT.files["engine.py"]


def test_the_last_line_of_a_recording_is_marked_though_none_is_next(view, controller):
    open_script(controller, SCRIPT)
    step = Event(index=1, iteration=0, operation=Step(at="train.py:4"))
    controller.show(moment(step, next_line=None))
    assert (view.code.coming, view.code.done) == (None, LineRange(4, 4))


def test_the_line_whose_error_ended_a_script_is_marked_at_its_end(view, controller):
    open_script(controller, SCRIPT)
    step = Event(index=2, iteration=0, operation=Step(at="train.py:4"))
    end = moment(step, next_line=None)
    controller.show(end)
    recording = Recording("train.py", error="ValueError: no batch (engine.py:1)", is_running=True)
    controller.document = Document("train", recording=recording)
    controller.document_changed.emit(controller.document)
    assert (view.files.currentText(), view.code.done) == ("train.py", LineRange(4, 4))
    ended = dataclasses.replace(recording, is_running=False)
    controller.document = Document("train", recording=ended)
    controller.document_changed.emit(controller.document)
    assert (view.files.currentText(), view.code.done) == ("engine.py", LineRange(1, 1))
    assert view.code.values == {1: "ValueError: no batch"}
    assert view.code.accessibleDescription() == "Line 1 failed. ValueError: no batch."
    controller.show(dataclasses.replace(end, event_index=end.event_index - 1))
    assert (view.files.currentText(), view.code.done) == ("train.py", LineRange(4, 4))
    assert "failed" not in view.code.accessibleDescription()


def test_a_rejected_operation_is_marked_as_rejected(view, controller):
    controller.show(moment(failed(1, Backward(), "no graph"), next_line=3))
    assert view.code.accessibleDescription() == "Line 5 failed. Line 6 is next."


def test_pressing_the_arrow_applies_the_next_line_but_not_during_a_run(view, controller):
    view.code.coming_pressed.emit()
    assert controller.nexts == 1
    controller.be("running")
    view.code.coming_pressed.emit()
    assert controller.nexts == 1


def test_copy_takes_the_whole_script(view):
    view.copy.click()
    assert QGuiApplication.clipboard().text() == LISTING.code


def test_of_lines_that_do_the_same_the_last_before_the_next_one_ran():
    twice = dataclasses.replace(LISTING, spans=(*LISTING.spans[:2], LineSpan(ZeroGrad(), 5, 5)))
    zeroed = events(1)[0]
    assert done_span(twice, moment(zeroed, next_line=1)).first == 2
    assert done_span(twice, moment(zeroed, next_line=0)).first == 5


def test_an_operation_outside_the_script_marks_no_line():
    other = failed(1, Step("another"), "no")
    assert done_span(LISTING, moment(other, next_line=1)) is None
    assert coming_span(LISTING, moment(next_line=None)) is None


def test_the_whole_loop_is_in_sight_at_first(qtbot):
    head = [f"x_{line} = {line}" for line in range(1, 41)]
    spans = (LineSpan(ZeroGrad(), 42, 42), LineSpan(Forward(), 43, 45), LineSpan(Step(), 46, 46))
    code = "\n".join([*head, "while True:", *["    pass"] * 5, *["y = 1"] * 40])
    start = moment(next_line=0)
    controller = ReadingController(start, Listing("Long", "", code, spans))
    view = ProgramView(controller)
    qtbot.addWidget(view)
    view.resize(420, 400)
    view.show()
    controller.listing_changed.emit(controller.listing)
    rows = [view.code.line_rect(line) for line in (42, 46)]
    assert all(row.top() >= 0 and row.bottom() <= view.code.viewport().height() for row in rows)
