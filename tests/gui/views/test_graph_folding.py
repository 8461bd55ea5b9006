"""The graph view with one box for each call of a module."""

from __future__ import annotations

from functools import partial

import pytest

from gradstep.history.records.graph import GraphNode
from gradstep.program.operation import Backward, Forward
from gradstep_gui.views.graph.node_text import NodeState, state_of_call
from gradstep_gui.views.graph.subgraph import folded
from tests.gui.views.graph_driver import TWO, apply, box, link, open_graph, step


@pytest.fixture
def open_view(qtbot):
    return partial(open_graph, qtbot)


def fold(view):
    view.toolbar.modules.setChecked(True)


def test_each_call_of_a_module_can_be_one_box(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    fold(view)
    assert [(b.title, b.lines, b.look) for b in view.canvas.boxes] == [
        ("fit", (box(view, "fit").lines[0],), "root"),
        ("criterion", ("scalar",), "operation"),
        ("head.0", ("Linear · 4 × 1 · 2 operations",), "group"),
        ("trunk.1", ("ReLU · 4 × 3",), "operation"),
        ("trunk.0", ("Linear · 4 × 3 · 2 operations",), "group"),
    ]
    view.toolbar.modules.setChecked(False)
    assert len(view.canvas.boxes) == 11


def test_links_between_modules_show_gradients_during_backward(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    fold(view)
    step(live, Backward("fit"))
    found = step(live)
    assert found.title == "AddmmBackward0"
    assert box(view, "head.0").lit == "backward"
    assert box(view, "head.0").badge == "freed"
    assert link(view, "trunk.1", "head.0").text.startswith("norm ")
    assert link(view, "trunk.1", "head.0").lit
    assert link(view, "trunk.0", "trunk.1").text == ""


def test_the_details_of_a_folded_call_list_its_operations(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    fold(view)
    view.canvas.choose(box(view, "head.0").key)
    text = view.details.toPlainText()
    for words in (
        "head.0",
        "a module call",
        "AddmmBackward0",
        "TBackward0",
        "head.0.weight",
        ".grad None",
    ):
        assert words in text


def test_a_program_without_modules_has_nothing_to_fold(open_view):
    view, live = open_view()
    apply(live, Forward("decay"))
    assert view.toolbar.modules.isHidden()
    apply(live, Forward("fit"))
    assert not view.toolbar.modules.isHidden()


def test_a_leaf_that_several_calls_share_stays_a_box_of_its_own(open_view):
    document = {
        **TWO,
        "modules": {"cell": [{"kind": "Linear", "in_features": 2, "out_features": 2}]},
        "losses": {"fit": {"data": "a", "chain": ["cell"] * 2, "expression": "mean(output)"}},
    }
    view, live = open_view(document)
    apply(live, Forward("fit"))
    fold(view)
    assert sorted(b.title for b in view.canvas.boxes) == [
        "MeanBackward0",
        "cell.0 call 1",
        "cell.0 call 2",
        "cell.0.bias",
        "cell.0.weight",
        "fit",
    ]


def test_a_call_that_calls_others_is_folded_in_pieces_that_never_lead_back():
    names = ("before", "inner", "after")
    nodes = [
        GraphNode(2 - at, name, (3 - at,) if at else (), module=module, call=1, order=at)
        for at, (name, module) in enumerate(zip(names, ("block", "block.0", "block"), strict=True))
    ]
    assert folded(sorted(nodes, key=lambda node: node.id)) == {2: 2, 1: 1, 0: 0}


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([NodeState(), NodeState()], ("recorded", "")),
        ([NodeState("planned", "not run yet")] * 2, ("planned", "not run yet")),
        ([NodeState(), NodeState("planned", "not run yet")], ("recorded", "1 of 2 have run")),
        ([NodeState(), NodeState(visited=True)], ("recorded", "1 of 2 visited")),
        ([NodeState(), NodeState("freed", "freed", True)], ("freed", "freed")),
        (
            [NodeState("freed", "freed", True), NodeState("changed", "changed")],
            ("changed", "changed"),
        ),
    ],
)
def test_a_call_is_in_the_state_of_its_operations(qapp, states, expected):
    assert state_of_call(states) == expected


def test_the_chosen_box_stays_the_chosen_one_when_it_is_folded(open_view):
    view, live = open_view()
    apply(live, Forward("fit"))
    view.canvas.choose(box(view, "head.0.weight").key)
    fold(view)
    assert view.canvas.chosen == box(view, "head.0").key
    live.select("trunk.0.bias")
    assert view.canvas.chosen == box(view, "trunk.0").key
