"""The graph view: what it shows at rest and inside Operations, with real Snapshots."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt

from gradstep.debugger import Debugger
from gradstep.history.records.event import Event
from gradstep.history.records.graph import LOSS
from gradstep.program.gallery import scenarios
from gradstep.program.operation import Backward, Forward, RebuildModule
from gradstep_gui.views.graph import GraphView
from gradstep_gui.views.graph.diagram import GraphDiagram
from gradstep_gui.views.graph.subgraph import folded, nearest
from tests.gui.factory import RememberingController, snapshot
from tests.gui.views.graph_driver import (
    TWO,
    apply,
    box,
    link,
    middle_of,
    open_graph,
    reported,
    step,
)


@pytest.fixture
def open_view(qtbot):
    return partial(open_graph, qtbot)


def test_without_a_forward_the_placeholder_explains_how_a_graph_is_recorded(open_view):
    view, _ = open_view()
    assert view.place.sentence == "No graph yet: Forward records one."


@pytest.mark.parametrize("is_folded", [False, True])
def test_what_is_drawn_again_is_what_drawing_all_of_it_would_show(is_folded):
    iris = next(item.path for item in scenarios() if item.path.name.startswith("06"))
    debugger = Debugger.open(iris)
    before, drawn = None, 0
    for _ in range(2):  # iterations
        for _ in range(60):
            moment = debugger.capture_snapshot(frozenset({"loss.graph"}))
            graph = moment.graphs.get("loss")
            if graph is not None and graph.nodes:
                folds = folded(graph.nodes) if is_folded else {}
                now = GraphDiagram(moment, graph, None, folds, before)
                whole = GraphDiagram(moment, graph, None, folds)
                assert (now.boxes, now.links) == (whole.boxes, whole.links)
                drawn += before is not None and now.form is before.form
                before = now
            debugger.step_into()
        while debugger.position[1] is not None:
            debugger.back()
            moment = debugger.capture_snapshot(frozenset({"loss.graph"}))
            graph = moment.graphs["loss"]
            folds = folded(graph.nodes) if is_folded else {}
            before = GraphDiagram(moment, graph, None, folds, before)
            whole = GraphDiagram(moment, graph, None, folds)
            assert (before.boxes, before.links) == (whole.boxes, whole.links)
    assert drawn > 50


def test_a_loss_without_a_graph_shows_the_reason(open_view):
    view, live = open_view()
    apply(live, Forward("count"))
    assert "count has no graph" in view.place.sentence


def test_the_graph_is_requested_only_while_it_is_visible(open_view):
    view, live = open_view()
    assert live.wanted["graph"] == {"fit.graph", "decay.graph", "count.graph"}
    view.hide()
    assert live.wanted["graph"] == set()


def test_operations_have_names_shapes_and_modules_and_leaves_their_gradient(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    assert box(view, "ReluBackward0").lines == ("4 × 3 · trunk.1",)
    assert box(view, "MseLossBackward0").lines == ("scalar · criterion",)
    assert box(view, "trunk.0.weight").lines == ("3 × 2", ".grad None")
    assert box(view, "trunk.0.weight").look == "leaf"
    assert box(view, "fit").look == "root"
    assert reported(view) == "6 operations, no Backward yet"


def test_a_leaf_whose_module_was_rebuilt_is_marked_as_replaced(open_view):
    view, live = open_view()
    apply(live, Forward("fit"), RebuildModule("head"))
    assert box(view, "head.0.weight (stale)").lines == ("1 × 3", "replaced")
    assert box(view, "trunk.0.weight").lines == ("3 × 2", ".grad None")


def test_after_a_backward_saved_values_are_freed_and_gradients_there(open_view):
    view, live = open_view()
    apply(live, Forward("decay"), Backward("decay"))
    assert box(view, "MulBackward0").badge == "freed"
    assert box(view, "SumBackward0").badge == "visited"
    assert box(view, "bias").lines == ("(2,)", ".grad [2, 4]")
    assert reported(view) == "Freed by a Backward"
    assert not view.canvas.links[0].text


def test_a_kept_graph_counts_its_passes(open_view):
    view, live = open_view()
    apply(live, Forward("decay"), Backward("decay", retain_graph=True))
    assert reported(view) == "One Backward so far; saved tensors kept"
    apply(live, Backward("decay", retain_graph=True))
    assert box(view, "MulBackward0").badge == "visited 2 times"
    assert reported(view) == "2 Backwards so far; saved tensors kept"


def test_a_saved_value_changed_by_step_is_marked_before_backward_fails(open_view):
    view, live = open_view()
    apply(live, Forward("decay"), Backward("decay", retain_graph=True))
    live.dbg.step()
    live.follow()
    assert box(view, "MulBackward0").status == "changed"
    assert reported(view) == "A saved tensor was changed in place: Backward will fail"
    view.canvas.choose(box(view, "MulBackward0").key)
    live.follow()
    assert "⚠ version is now" in view.details.toPlainText()
    assert "Press Forward again first" in view.details.toPlainText()


def test_inside_a_forward_operations_appear_as_they_run(open_view):
    view, live = open_view()
    seen = []
    found = step(live, Forward("fit"))
    while not isinstance(found, Event):
        there = [b.title for b in view.canvas.boxes if b.status != "planned"]
        seen.append((found.kind, found.title, there))
        found = step(live)
    ops = [there for kind, _, there in seen if kind == "op"]
    assert set(ops[0]) == {"TBackward0", "trunk.0.weight"}
    assert set(ops[1]) == {"AddmmBackward0", "trunk.0.bias", "TBackward0", "trunk.0.weight"}
    assert len(ops[2]) == 5
    assert set(ops[-1]) == {b.title for b in view.canvas.boxes}
    assert reported(view) == "6 operations, no Backward yet"


def test_inside_a_forward_the_current_operation_is_lit_and_the_loss_comes_last(open_view):
    view, live = open_view()
    found = step(live, Forward("fit"))
    while found.kind != "op":
        found = step(live)
    assert [b.title for b in view.canvas.boxes if b.lit == "forward"] == ["TBackward0"]
    assert box(view, "fit").lines == ("not computed yet",)
    assert reported(view) == "Inside Forward: 1 of 6 operations run"
    while found.title != "MseLoss":
        found = step(live)
    assert box(view, "fit").lines != ("not computed yet",)


def test_inside_a_backward_the_gradient_is_seen_arriving(open_view):
    view, live = open_view()
    apply(live, Forward("decay"))
    step(live, Backward("decay"))
    assert link(view, "SumBackward0", "decay").text == "1"
    assert link(view, "MulBackward0", "SumBackward0").text == "[1, 1]"
    assert link(view, "bias", "MulBackward0").text == ""
    assert box(view, "SumBackward0").lit == "backward"
    step(live)
    passed = link(view, "bias", "MulBackward0")
    assert passed.text == "[1, 2] + [1, 2]"
    assert passed.lit
    start = view.canvas.hint_at(middle_of(view, "bias", "MulBackward0"))
    assert start.startswith("gradient from MulBackward0 to bias\n(2,): norm 2.2361")
    assert reported(view) == "Inside Backward: 2 of 2 operations visited"
    step(live)
    assert box(view, "bias").lines == ("(2,)", ".grad None + [2, 4] = [2, 4]")
    assert box(view, "bias").lit == "backward"


def test_an_arriving_gradient_is_added_to_the_one_before(open_view):
    view, live = open_view()
    apply(live, Forward("decay"), Backward("decay"), Forward("decay"))
    for _ in range(3):
        step(live, Backward("decay") if live.dbg.micro_step is None else None)
    assert box(view, "bias").lines == ("(2,)", ".grad [2, 4] + [2, 4] = [4, 8]")


def test_large_gradients_are_shown_by_their_norms(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    found = step(live, Backward("fit"))
    while found.title != "trunk.0.weight.grad":
        found = step(live)
    assert box(view, "trunk.0.weight").lines[1].startswith(".grad None → norm ")
    assert link(view, "trunk.0.weight", "TBackward0").text.startswith("norm ")


def test_the_current_node_is_brought_into_sight(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    view.canvas.zoom(6)
    for _ in range(6):
        found = step(live, Backward("fit") if live.dbg.micro_step is None else None)
        assert view.canvas.visible_area.contains(view.canvas.rect_of(found.node))


def test_the_graph_of_the_loss_last_computed_is_shown_unless_one_is_picked(open_view, qtbot):
    view, live = open_view()
    apply(live, Forward("decay"))
    apply(live, Forward("fit"))
    assert view.graph.loss == "fit"
    losses = view.toolbar.losses
    assert [losses.itemText(at) for at in range(losses.count())] == [
        "Last Computed",
        "fit",
        "decay",
        "count",
    ]
    losses.setCurrentIndex(2)
    losses.activated.emit(2)
    assert view.graph.loss == "decay"
    apply(live, Forward("fit"))
    assert view.graph.loss == "decay"
    losses.activated.emit(0)
    assert view.graph.loss == "fit"


def test_a_backward_through_another_loss_shows_that_loss(open_view):
    view, live = open_view()
    apply(live, Forward("decay"), Forward("fit"))
    step(live, Backward("decay"))
    assert view.graph.loss == "decay"


def test_the_details_of_a_node_list_its_saved_values(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    assert view.details.isHidden()
    relu = box(view, "ReluBackward0").key
    view.canvas.choose(relu)
    assert f"fit.graph/{relu}" in live.wanted["graph"]
    live.follow()
    text = view.details.toPlainText()
    assert "an operation of trunk.1 (ReLU)" in text
    assert "saved output" in text
    assert "4 × 3, norm " in text
    assert "version 0" in text
    view.canvas.choose(None)
    assert view.details.isHidden()


def test_a_chosen_leaf_is_chosen_in_every_view(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    view.canvas.choose(box(view, "trunk.0.bias").key)
    assert live.selected == "trunk.0.bias"
    assert "a leaf" in view.details.toPlainText()
    live.select("head.0.weight")
    assert view.canvas.chosen == box(view, "head.0.weight").key


def test_a_tensor_chosen_elsewhere_opens_no_details(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    live.select("head.0.weight")
    assert view.canvas.chosen is None


def test_the_loss_can_be_chosen_too(open_view):
    view, live = open_view()
    apply(live, Forward("decay"))
    view.canvas.choose(LOSS)
    assert "5.0" in view.details.toPlainText()
    step(live, Backward("decay"))
    assert "ddecay / ddecay" in view.details.toPlainText()


def test_a_choice_that_another_graph_does_not_have_is_forgotten(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    view.canvas.choose(7)
    apply(live, Forward("decay"))
    assert view.details.isHidden()


def test_part_of_a_graph_that_is_too_large_is_shown_with_a_notice(open_view, monkeypatch):
    monkeypatch.setattr("gradstep_gui.views.graph.view.MOST", 5)
    monkeypatch.setattr("gradstep_gui.views.graph.view.PART", 3)
    view, live = open_view()
    apply(live, Forward("fit"))
    assert [b.title for b in view.canvas.boxes] == [
        "fit",
        "MseLossBackward0",
        "AddmmBackward0",
        "head.0.bias",
    ]
    assert reported(view).startswith("3 of 10 nodes, around MseLossBackward0. ")
    found = step(live, Backward("fit"))
    while found.title != "ReluBackward0":
        found = step(live)
    assert "ReluBackward0" in [b.title for b in view.canvas.boxes]


def test_no_way_leads_through_a_shared_leaf(open_view):
    document = {
        **TWO,
        "modules": {"cell": [{"kind": "Linear", "in_features": 2, "out_features": 2}]},
        "losses": {"fit": {"data": "a", "chain": ["cell"] * 9, "expression": "mean(output)"}},
    }
    _, live = open_view(document)
    apply(live, Forward("fit"))
    nodes = live.snapshot.graphs["fit"].nodes
    part = [nodes[at] for at in nearest(nodes, 0, 8)]
    assert sorted(node.call for node in part) == [0, 0, 0, 7, 8, 8, 9, 9]


def test_everything_can_be_done_with_the_keyboard(open_view, qtbot):
    view, live = open_view()
    apply(live, Forward("fit"))
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(view.canvas, key)
    assert "MseLossBackward0" in view.details.toPlainText()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert view.details.isHidden()


def test_buttons_zoom_and_fit(open_view, qtbot):
    view, live = open_view()
    apply(live, Forward("fit"))
    scale = view.canvas.scale
    view.toolbar.zoom_requested.emit(1)
    assert view.canvas.scale == pytest.approx(scale * 1.2)
    view.toolbar.fit_requested.emit()
    assert view.canvas.scale == pytest.approx(scale)


def test_the_details_are_beside_a_wide_graph_and_below_a_narrow_one(open_view, qtbot):
    view, live = open_view()
    apply(live, Forward("fit"))
    view.canvas.choose(0)
    assert view.details.x() > view.canvas.x()
    view.resize(500, 600)
    qtbot.waitUntil(lambda: view.details.y() > view.canvas.y())


def test_a_program_without_losses_has_no_graph(qtbot):
    view = GraphView(RememberingController(snapshot()))
    qtbot.addWidget(view)
    view.show()
    assert view.place.sentence == "No graph yet: Forward records one."


def test_a_box_is_made_again_only_where_something_of_it_differs():
    debugger = Debugger.open(next(one.path for one in scenarios() if one.id.startswith("02")))
    debugger.step_into(Forward("loss"))
    pictures = []
    for _ in range(3):
        debugger.step_into()
        snapshot = debugger.capture_snapshot({"loss.graph"})
        graph, before = snapshot.graphs["loss"], pictures[-1] if pictures else None
        pictures.append(GraphDiagram(snapshot, graph, before=before))
        assert pictures[-1].boxes == GraphDiagram(snapshot, graph).boxes
    old, new = pictures[-2].boxes, pictures[-1].boxes
    kept = [one is two for one, two in zip(old[1:], new[1:], strict=True)]
    assert any(kept)
    assert not all(kept)


def test_a_step_back_makes_again_only_the_boxes_and_links_that_it_changes():
    debugger = Debugger.open(next(one.path for one in scenarios() if one.id.startswith("06")))
    debugger.apply(Forward("loss"))
    debugger.step_into(Backward("loss"))
    for _ in range(7):
        debugger.step_into()

    def drawn(before=None):
        moment = debugger.capture_snapshot({"loss.graph"})
        return GraphDiagram(moment, moment.graphs["loss"], before=before)

    before = drawn()
    debugger.back()  # computes all records of the Backward anew
    now = drawn(before)
    whole = drawn()
    assert (now.boxes, now.links) == (whole.boxes, whole.links)
    remade = [box.title for box, old in zip(now.boxes, before.boxes, strict=True) if box is not old]
    differing = [box.title for box, old in zip(now.boxes, before.boxes, strict=True) if box != old]
    assert differing
    assert set(differing) <= set(remade)
    assert len(remade) <= len(differing) + 4  # the loss, and the ends of the current edges
    assert sum(link is old for link, old in zip(now.links, before.links, strict=True)) > 4
