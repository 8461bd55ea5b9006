"""A graph view that follows a real Debugger, and what tests ask of it."""

from __future__ import annotations

import json

from PySide6.QtCore import QPointF

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep_gui.views.graph import GraphView
from tests.gui.factory import RememberingController

TWO = {
    "gradstep": 1,
    "seed": 0,
    "data": {"a": {"kind": "moons", "samples": 12, "batch_size": 4}},
    "modules": {
        "trunk": [{"kind": "Linear", "in_features": 2, "out_features": 3}, {"kind": "ReLU"}],
        "head": [{"kind": "Linear", "in_features": 3, "out_features": 1}],
    },
    "losses": {
        "fit": {"data": "a", "chain": ["trunk", "head"], "criterion": {"kind": "MSELoss"}},
        "decay": {"expression": "sum(bias * bias)"},
        "count": {"expression": "sum(still)"},
    },
    "tensors": {
        "bias": {"value": [1, 2], "requires_grad": True},
        "still": {"value": [1, 2]},
    },
    "optimizers": {"optimizer": {"kind": "SGD", "params": ["*"], "lr": 0.1}},
}


class Live(RememberingController):
    """Follows a real Debugger, as the controller does: with what the views have asked for."""

    def __init__(self, dbg):
        super().__init__()
        self.dbg = dbg
        self.follow()

    def follow(self):
        asked = None
        while asked != self.wanted:
            asked = dict(self.wanted)
            self.show(self.dbg.capture_snapshot(set().union(*asked.values())))


def open_graph(qtbot, document=TWO):
    """Open a graph view on a real Debugger; return it and what stands in for the controller."""
    live = Live(Debugger(decode(json.dumps(document).encode())))
    view = GraphView(live)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    live.follow()
    return view, live


def step(live, operation=None):
    found = live.dbg.step_into(operation)
    live.follow()
    return found


def apply(live, *operations):
    for operation in operations:
        assert live.dbg.apply(operation).outcome.ok
    live.follow()


def box(view, title):
    (found,) = [each for each in view.canvas.boxes if each.title == title]
    return found


def link(view, upper, lower):
    """The link between two boxes, by their titles."""
    boxes = view.canvas.boxes
    (found,) = [
        each
        for each in view.canvas.links
        if (boxes[each.upper].title, boxes[each.lower].title) == (upper, lower)
    ]
    return found


def middle_of(view, upper, lower):
    """The point half-way between two boxes that stand one above the other, in the widget."""
    above, below = (view.canvas.rect_of(box(view, title).key) for title in (upper, lower))
    between = QPointF(above.center().x(), (above.bottom() + below.top()) / 2)
    return view.canvas.transform.map(between)


def reported(view):
    return view.toolbar.sentence.text()
