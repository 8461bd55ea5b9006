"""What it costs to look at a graph of 300 nodes: to lay it out, and to draw one frame of a pan.

The goals: a layout in 30 ms, a frame in 16 ms.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from gradstep.debugger import Debugger
from gradstep.program.document.codec import decode
from gradstep.program.operation import Backward
from gradstep_gui.views.graph.diagram import GraphDiagram
from gradstep_gui.widgets.graph.canvas import GraphCanvas
from gradstep_gui.widgets.graph.layered_layout import layered

CALLS = 96
RECURRENT = f"""{{"gradstep": 1, "seed": 0,
 "data": {{"wave": {{"kind": "sine", "samples": 64, "batch_size": 16}}}},
 "modules": {{"enter": [{{"kind": "Linear", "in_features": 1, "out_features": 8}},
                        {{"kind": "Tanh"}}],
              "cell": [{{"kind": "Linear", "in_features": 8, "out_features": 8}},
                       {{"kind": "Tanh"}}],
              "leave": [{{"kind": "Linear", "in_features": 8, "out_features": 1}}]}},
 "losses": {{"loss": {{"data": "wave", "criterion": {{"kind": "MSELoss"}},
                       "chain": ["enter", {'"cell", ' * CALLS} "leave"]}}}},
 "optimizers": {{"optimizer": {{"kind": "SGD", "params": ["*"], "lr": 0.01}}}}}}"""


@pytest.fixture(scope="module")
def debugger():
    """Stands in the middle of a Backward, where boxes and links have most to say."""
    debugger = Debugger(decode(RECURRENT.encode()))
    debugger.forward()
    debugger.step_into(Backward())
    for _ in range(150):
        debugger.step_into()
    return debugger


def snapshot_of(debugger):
    debugger._snapshots.forget()
    return debugger.capture_snapshot(("loss.graph",))


@pytest.fixture
def canvas(qtbot, debugger):
    snapshot = snapshot_of(debugger)
    diagram = GraphDiagram(snapshot, snapshot.graphs["loss"])
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(1060, 890)
    canvas.show_graph(diagram.boxes, diagram.links)
    canvas.show()
    return canvas


def pan(canvas):
    canvas._pan_by(QPointF(3, 2))
    QApplication.processEvents()


def test_speed_of_a_layout_of_300_nodes(benchmark, debugger):
    nodes = snapshot_of(debugger).graphs["loss"].nodes
    edges = [(to, node.id) for node in nodes for to in node.inputs]
    placed = benchmark(layered, [(140.0, 40.0)] * len(nodes), edges)
    assert len(placed.centres) == 300


def test_speed_of_capturing_a_graph_of_300_nodes(benchmark, debugger):
    snapshot = benchmark(snapshot_of, debugger)
    assert len(snapshot.graphs["loss"].nodes) == 300


def test_speed_of_building_a_diagram_of_300_nodes(benchmark, debugger):
    snapshot = snapshot_of(debugger)
    diagram = benchmark(GraphDiagram, snapshot, snapshot.graphs["loss"])
    assert len(diagram.boxes) == 301


def test_speed_of_a_frame_of_a_pan_over_a_part(benchmark, canvas):
    benchmark(pan, canvas)
    assert canvas.scale > 0.5


def test_speed_of_a_frame_of_a_pan_over_the_whole(benchmark, canvas):
    canvas.fit()
    benchmark(pan, canvas)
    assert canvas.scale < 0.1
