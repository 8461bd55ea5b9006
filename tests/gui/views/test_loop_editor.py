"""The lines of a program's loop are edited in its script, each edit as one EditLoop."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from gradstep.history.records.breakpoints import BreakpointSpec
from gradstep.program.abilities import Abilities
from gradstep.program.listing import LineSpan, Listing
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    Forward,
    LoopLine,
    ReplaceOptimizer,
    SetBatchSize,
    Step,
    ZeroGrad,
)
from gradstep_gui.records import Document
from gradstep_gui.views.program import ProgramView
from gradstep_gui.views.program.loop_editor import palette_of
from tests.gui.factory import RememberingController, layered

CLIP = ClipGradNorm(max_norm=1.0)
LOOP = tuple(LoopLine(operation) for operation in (ZeroGrad(), Forward(), Backward(), CLIP, Step()))
CODE = "for i in range(3):\n    zero()\n    forward()\n    backward()\n    clip()\n    step()\n"
OTHERS = (
    CLIP,
    SetBatchSize("train", 1),
    SetBatchSize("train", None),
    ReplaceOptimizer("Adam"),
    ReplaceOptimizer("SGD", rebind=True),
)


def listing_of(lines, code=CODE):
    spans = tuple(
        LineSpan(line.operation, at, at, line.every, line=line) for at, line in enumerate(lines, 2)
    )
    return Listing("Tiny", "", code, spans, OTHERS)


DOCUMENT = Document("Tiny", losses=("loss", "val"), optimizers=("optimizer",))


class EditedController(RememberingController):
    def __init__(self):
        super().__init__(dataclasses.replace(layered(2, 3), next_line=2))
        self.listing = listing_of(LOOP)
        self.document = DOCUMENT

    def follow(self, lines):
        """Show another loop, as the worker does after an edit."""
        self.listing = listing_of(lines)
        self.loop_edited.emit(self.listing)


@pytest.fixture
def controller():
    return EditedController()


@pytest.fixture
def view(qtbot, controller):
    made = ProgramView(controller)
    qtbot.addWidget(made)
    made.resize(420, 600)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def press(qtbot, view):
    """Press keys on a line of the loop."""

    def press(line, key, modifiers=Qt.KeyboardModifier.NoModifier):
        view.activateWindow()
        view.code.setFocus()
        qtbot.waitUntil(view.code.hasFocus)
        view.editor.lines.select(line)
        qtbot.keyClick(view.code, key, modifiers)

    return press


def order(edit):
    return tuple(LOOP.index(line) for line in edit.lines)


ALT = Qt.KeyboardModifier.AltModifier


def test_alt_and_an_arrow_move_the_line_with_the_cursor(press, controller):
    press(4, Qt.Key.Key_Up, ALT)
    press(0, Qt.Key.Key_Down, ALT)
    press(0, Qt.Key.Key_Up, ALT)  # it is the first
    assert [order(edit) for edit in controller.applied] == [(0, 1, 2, 4, 3), (1, 0, 2, 3, 4)]
    assert [edit.following for edit in controller.applied] == [2, 2]


def test_keys_switch_off_duplicate_and_delete_a_line(press, controller):
    press(0, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    press(2, Qt.Key.Key_Down, ALT | Qt.KeyboardModifier.ShiftModifier)
    press(4, Qt.Key.Key_Delete)
    off, twice, without = controller.applied
    assert [line.enabled for line in off.lines] == [False, True, True, True, True]
    assert order(twice) == (0, 1, 2, 2, 3, 4)
    assert order(without) == (0, 1, 2, 3)


def test_the_cursor_stays_on_the_line_that_was_moved(press, view, controller):
    press(4, Qt.Key.Key_Up, ALT)
    controller.follow(controller.applied[0].lines)
    assert view.editor.lines.current == 3


def test_a_dragged_line_is_moved(view, controller):
    view.editor.lines.moved.emit(4, 0)
    assert [order(edit) for edit in controller.applied] == [(4, 0, 1, 2, 3)]


def entries(menu):
    """Return the entries of a menu by their texts, with those of its menus."""
    found = {}
    for action in menu.actions():
        if action.menu() is not None:
            action.menu().aboutToShow.emit()
            inner = entries(action.menu())
            found |= {f"{action.text()} > {text}": entry for text, entry in inner.items()}
        elif not action.isSeparator():
            found[action.text()] = action
    return found


def menu_of(view, line):
    menu = QMenu(view)
    view.code.menu_opening.emit(menu, view.editor._listing.spans[line].first)
    return entries(menu)


def test_the_context_menu_of_a_line_offers_all_edits(view, controller):
    found = menu_of(view, 2)
    assert list(found)[:5] == [
        "Move Line Up",
        "Move Line Down",
        "Switch Line Off",
        "Duplicate Line",
        "Delete Line",
    ]
    found["Delete Line"].trigger()
    found["Retain Graph"].trigger()
    found["Runs > In Every Second Iteration"].trigger()
    without, kept, rarely = controller.applied
    assert order(without) == (0, 1, 3, 4)
    assert kept.lines[2] == LoopLine(Backward(retain_graph=True))
    assert rarely.lines[2] == LoopLine(Backward(), every=2)


def test_a_line_that_is_switched_off_can_be_switched_on(view, controller):
    controller.follow((LoopLine(ZeroGrad(), enabled=False), *LOOP[1:]))
    assert view.code.off == {2}
    menu_of(view, 0)["Switch Line On"].trigger()
    assert controller.applied[0].lines == LOOP
    controller.follow(LOOP)
    assert view.code.off == frozenset()


def test_other_lines_of_the_script_have_no_edits(view):
    menu = QMenu(view)
    view.code.menu_opening.emit(menu, 1)
    assert menu.actions() == []


def test_the_palette_inserts_a_line_below_the_one_with_the_cursor(view, controller):
    view.editor.lines.select(2)
    menu = view.insert.menu()
    menu.aboutToShow.emit()
    found = entries(menu)
    assert {"Zero Grad optimizer", "Forward > loss", "Forward > val", "Step optimizer"} <= set(
        found
    )
    found["Forward > val"].trigger()
    edit = controller.applied[0]
    assert edit.lines == (*LOOP[:3], LoopLine(Forward("val")), *LOOP[3:])
    assert edit.following == 2


def test_without_a_cursor_in_the_loop_the_palette_inserts_at_its_end(view, controller):
    view.code.select_line(1)
    view.insert.menu().aboutToShow.emit()
    entries(view.insert.menu())["Step optimizer"].trigger()
    assert controller.applied[0].lines == (*LOOP, LoopLine(Step()))


def test_the_palette_has_each_kind_once():
    groups = palette_of(DOCUMENT, listing_of(LOOP))
    assert [group.title for group in groups] == [
        *("Zero Grad", "Forward", "Backward", "Step"),
        *("Clip Grad Norm", "Set Batch Size", "Replace Optimizer"),
    ]


def test_the_limit_of_a_clipping_is_asked_for(qtbot, view, controller):
    menu_of(view, 3)["Maximum Norm…"].trigger()
    dialog = view.editor.dialog
    assert dialog.field.text() == "1"
    dialog.field.setText("-1")
    dialog.accept()
    assert dialog.problem.text() == "-1 is not a number above 0."
    dialog.field.setText("0.25")
    dialog.accept()
    assert controller.applied[0].lines[3] == LoopLine(ClipGradNorm(max_norm=0.25))


def test_forward_offers_the_batch_size_and_step_another_optimizer(view, controller):
    menu_of(view, 1)["Set Batch Size > train: 1"].trigger()
    found = menu_of(view, 4)
    found["Replace Optimizer optimizer with Adam"].trigger()
    assert controller.applied == [SetBatchSize("train", 1), ReplaceOptimizer("Adam")]
    own = [text for text in found if not text.startswith("Insert Line Below")]
    assert not any("current tensors" in text for text in own)


def test_any_batch_size_is_asked_for(view, controller):
    for text in ("0", "12", "all"):
        menu_of(view, 1)["Batch Size of train…"].trigger()
        dialog = view.editor.dialog
        dialog.field.setText(text)
        dialog.accept()
        if text == "0":
            assert dialog.problem.text() == '0 is not a whole number from 1, or "all".'
            dialog.reject()
    assert controller.applied == [SetBatchSize("train", 12), SetBatchSize("train", None)]


def test_a_line_runs_at_the_end_of_an_epoch(view, controller):
    menu_of(view, 4)["Runs > At the End of an Epoch"].trigger()
    assert controller.applied[0].lines[4] == LoopLine(Step(), every="epoch")


def test_nothing_is_edited_during_a_run(press, view, controller):
    controller.be("running")
    press(4, Qt.Key.Key_Up, ALT)
    assert not view.insert.menu().isEnabled()
    assert not view.editor.move_up.isEnabled()
    assert controller.applied == []


def test_a_script_has_no_line_to_be_edited(view, controller):
    script = Listing(
        "train.py",
        "",
        "optimizer.step()",
        (LineSpan(Step(at="train.py:1"), 1, 1, file="train.py"),),
        files={"train.py": "optimizer.step()"},
    )
    controller.listing = script
    controller.listing_changed.emit(script)
    assert not view.insert.isVisible()
    assert (view.editor.loop, view.editor.move_up.isEnabled()) == ((), False)


def test_the_lines_of_the_loop_have_breakpoints(view, controller):
    specs = []
    controller.breakpoints.set_breakpoint = specs.append
    view.code.stop_toggled.emit(4)
    assert specs == [BreakpointSpec.at_line("backward loss")]
    assert view.code.stops == {}


def test_an_edit_keeps_the_place_of_the_scroll_bar(view, controller):
    view.resize(420, 120)
    bar = view.code.verticalScrollBar()
    bar.setValue(3)
    controller.follow(LOOP[1:])
    assert bar.value() == min(3, bar.maximum())


def test_an_edit_needs_a_program_that_can_be_edited(view, controller):
    controller.state.abilities = Abilities(edit="Not here.")
    controller.state_changed.emit(controller.state)
    view.editor.lines.moved.emit(0, 1)
    assert controller.applied == []
