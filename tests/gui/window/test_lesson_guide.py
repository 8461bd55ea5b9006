"""What a lesson asks for is pointed at, and what it needs is brought up."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from gradstep.debugger import Debugger
from gradstep.lessons.gallery import lessons
from gradstep_gui.action_ids import ActionId, LayoutId, ViewId
from gradstep_gui.theme import apply, theme_of

PROGRAM = {
    "gradstep": 1,
    "tensors": {"x": {"value": [1, 2], "requires_grad": True}},
    "losses": {"loss": {"expression": "sum(100 * x)"}},
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["x"], "lr": 0.001}},
}


@pytest.fixture
def window(make_window):
    made = make_window(Debugger.open)
    made.layouts.choose(LayoutId.LEARN)
    return made


@pytest.fixture
def begin(window, tmp_path):
    """Open a lesson with these steps."""

    def begin(*steps):
        document = {"gradstep_lesson": 1, "title": "T", "program": PROGRAM, "steps": steps}
        path = tmp_path / "mine.lesson.json"
        path.write_text(json.dumps(document))
        window.documents.open(path)
        settle(window)
        return window.controller.lessons

    return begin


def settle(window):
    assert window.controller.wait_idle(60)


def test_the_button_to_press_has_a_ring(window, begin):
    begin({"do": ["forward", "backward"]})
    assert window.lesson_guide.pointed == (ActionId.FORWARD,)
    window.actions_by_id["debug.forward"].trigger()
    settle(window)
    assert window.lesson_guide.pointed == (ActionId.BACKWARD,)
    assert window.actions_by_id["debug.backward"].font().bold()
    assert not window.actions_by_id["debug.forward"].font().bold()
    (ring,) = window.lesson_guide.rings
    assert ring.size() == ring.parent().size()
    assert ring.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


def test_an_entry_of_a_menu_has_a_ring_around_its_menu(window, begin):
    begin({"do": ["backward"], "show": ["debug.retain_graph"], "fails": True})
    assert ActionId.RETAIN_GRAPH in window.lesson_guide.pointed
    rings = [ring.parent() for ring in window.lesson_guide.rings]
    assert window.menuBar() in rings


def test_a_button_that_the_layout_leaves_out_appears(window, begin):
    assert not window.toolbar.small_buttons[ActionId.STEP_INTO].isVisible()
    begin({"do": ["into"]})
    assert window.toolbar.small_buttons[ActionId.STEP_INTO].isVisible()


def test_a_dock_that_a_step_needs_appears_with_a_mark(window, begin):
    opened = begin({"text": "Read."}, {"do": ["forward"], "show": ["findings", "no.such"]})
    assert window.docks[ViewId.FINDINGS].isHidden()
    opened.proceed()
    settle(window)
    assert not window.docks[ViewId.FINDINGS].isHidden()
    assert window.docks[ViewId.FINDINGS].windowTitle().startswith("●")


def test_after_the_last_step_nothing_is_pointed_at(window, begin):
    begin({"do": ["forward"]})
    window.actions_by_id["debug.forward"].trigger()
    settle(window)
    assert window.lesson_guide.pointed == ()
    assert window.lesson_guide.rings == ()


def test_opening_resets_every_switch(window):
    window.controller.open(lessons()[0].path.with_name("06_iris.json"), as_copy=True)
    settle(window)
    for name in ("debug.hold_batch", "debug.retain_graph", "debug.zeros"):
        window.actions_by_id[name].trigger()
    panel = window.plots.stack.panels["loss"]
    panel.set_log(log=True)
    window.show_view(ViewId.GRAPH)
    window.documents.open_lesson(lessons()[1].path)
    settle(window)
    options = window.targets.options
    assert (options.hold, options.retain_graph, options.zeros) == (False, False, False)
    assert not panel.is_log
    assert window.plots.isVisible()


def test_a_lesson_is_left_without_a_question_about_changes(window, begin):
    begin({"do": ["forward"]})
    window.actions_by_id["debug.forward"].trigger()
    settle(window)
    assert not window.controller.document.modified
    window.documents.open_lesson(lessons()[0].path)
    settle(window)
    assert window.controller.lessons.record.id == lessons()[0].id


def test_a_finished_lesson_is_marked_and_the_next_one_opens(window):
    first, second = lessons()[:2]
    window.documents.open_lesson(first.path)
    settle(window)
    window.actions_by_id["lessons.next"].trigger()
    settle(window)
    assert window.controller.lessons.record.id == second.id
    window.actions_by_id["lessons.restart"].trigger()
    settle(window)
    assert window.controller.lessons.record.current == 0
    assert window.documents.finished_lessons == frozenset()


def test_a_step_back_before_its_step_goes_back_in_the_lesson(window, begin):
    opened = begin({"do": ["forward"]}, {"do": ["backward"]})
    for name in ("debug.forward", "debug.back"):
        window.actions_by_id[name].trigger()
        settle(window)
    assert opened.record.current == 0


def test_another_theme_colours_every_step(window, begin, qapp):
    opened = begin({"text": "Read **Forward**."}, {"do": ["forward"]}, {"do": ["backward"]})
    opened.proceed()
    settle(window)
    try:
        for theme in ("dark", "light", "dark"):
            apply(qapp, theme)
            qapp.processEvents()
            card = window.docks[ViewId.LESSON].widget().card
            assert theme_of(card.palette()).name == theme
    finally:
        apply(qapp, "light")


def test_a_lesson_that_cannot_be_read_leaves_what_is_open(window, begin, tmp_path):
    opened = begin({"do": ["forward"]})
    path = tmp_path / "broken.lesson.json"
    path.write_text('{"gradstep_lesson": 1}')
    window.documents.open(path)
    settle(window)
    assert opened.record.title == "T"
    assert "missing" in window.messages.history[-1].text


def test_a_what_if_that_is_done_from_the_card_is_compared(window, begin, qtbot):
    what_if = {"what_if": {"set": {"optimizer.lr": 0.002}, "at": 1}}
    begun = begin({"do": ["iterate 2"]}, {"do": [what_if]})
    begun.do_next()
    settle(window)
    with qtbot.waitSignal(window.controller.branches.compared, timeout=60_000) as compared:
        begun.do_next()
    settle(window)
    assert begun.record.is_finished
    assert len(compared.args[0].branches) == len(window.controller.debugger.branches) == 2


def test_what_appeared_for_a_lesson_goes_with_it(window, begin):
    begin({"do": ["forward"], "show": ["inside", "graph"]})
    assert not window.docks[ViewId.INSIDE].isHidden()
    assert window.centre.has_tab(ViewId.GRAPH)
    window.documents.open_lesson(lessons()[1].path)
    settle(window)
    assert window.docks[ViewId.INSIDE].isHidden()
    assert not window.centre.has_tab(ViewId.GRAPH)
    assert not window.docks[ViewId.LESSON].isHidden()


def test_each_lesson_that_opens_is_in_front_in_any_layout(window, begin):
    begin({"do": ["forward"], "show": ["inside"]})
    window.layouts.choose(LayoutId.DEBUG)
    window.show_view(ViewId.PROGRAM)
    window.documents.open_lesson(lessons()[1].path)
    settle(window)
    assert not window.docks[ViewId.LESSON].widget().visibleRegion().isEmpty()
    assert not window.docks[ViewId.INSIDE].isHidden()


def test_a_lesson_that_is_dropped_on_the_window_begins(window, tmp_path):
    document = {"gradstep_lesson": 1, "title": "Mine", "program": PROGRAM, "steps": [{"text": "!"}]}
    path = tmp_path / "mine.lesson.json"
    path.write_text(json.dumps(document))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    none = Qt.KeyboardModifier.NoModifier
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPointF(5, 5), action, data, button, none))
    settle(window)
    assert window.controller.lessons.record.title == "Mine"
    assert not window.docks[ViewId.LESSON].isHidden()
