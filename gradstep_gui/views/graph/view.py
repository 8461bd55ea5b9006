"""The graph view: draws the recorded graph of a loss, and shows the selected node."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from gradstep.program.operation import Backward, Forward
from gradstep_gui.views.dock_view import DockView
from gradstep_gui.views.graph.details import NodeDetails
from gradstep_gui.views.graph.diagram import GraphDiagram, is_alike
from gradstep_gui.views.graph.node_text import backward_fails, headline, phase_of, title_of
from gradstep_gui.views.graph.subgraph import MOST, PART, folded, nearest
from gradstep_gui.views.graph.toolbar import GraphToolbar
from gradstep_gui.views.labels import TINY
from gradstep_gui.widgets.graph.canvas import GraphCanvas
from gradstep_gui.widgets.graph.legend import GraphLegend
from gradstep_gui.widgets.number_format import count_text
from gradstep_gui.widgets.placeholder import Placeholder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QResizeEvent

    from gradstep.history.records.graph import GraphRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep_gui.views.model import ViewModel

__all__ = ["GraphView"]

_WIDE = 860
"""From this width on, the details are beside the graph, else below it."""

_MOST_WIDTH, _MOST_HEIGHT = 360, 170

_MOST_INLINE = 64


class GraphView(DockView):
    """The graph, with its state above and a legend below.

    Args:
        controller: The controller.
    """

    def __init__(self, controller: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(controller, "graph", parent)
        self._snapshot: Snapshot | None = None
        self._graph: GraphRecord | None = None
        self._picked = ""
        self._part: frozenset[int] | None = None
        self._folds: Mapping[int, int] = {}
        self._every_fold: Mapping[int, int] = {}
        self._picture: GraphDiagram | None = None
        self.toolbar = GraphToolbar(self)
        self.canvas = GraphCanvas(self)
        self.details = NodeDetails(self)
        self.details.hide()
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.canvas)
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 1)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.toolbar)
        column.addWidget(self._splitter, 1)
        column.addWidget(GraphLegend(self))
        self.place = Placeholder(
            content, self.tr("Open a program to see its computation graph here."), self
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.place)
        self.toolbar.loss_chosen.connect(self.pick)
        self.toolbar.zoom_requested.connect(self.canvas.zoom)
        self.toolbar.fit_requested.connect(self.canvas.fit)
        self.toolbar.modules_requested.connect(self._refresh)
        self.canvas.box_chosen.connect(self._choose)
        controller.selected_changed.connect(self._follow)

    @property
    def graph(self) -> GraphRecord | None:
        """The graph that is drawn; None when there is none."""
        return self._graph

    def pick(self, loss: str) -> None:
        """Show the graph of a loss; empty for the last one computed."""
        self._picked = loss
        self._refresh()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]
        """Show a Snapshot."""
        self._snapshot = snapshot
        self.toolbar.offer(tuple(snapshot.losses))
        loss = self._loss(snapshot)
        graph = snapshot.graphs.get(loss)
        self._ask(snapshot, graph)
        if graph is not None and graph.nodes:
            self._show(snapshot, graph)
        elif graph is not None:
            self._graph = None
            text = self.tr(
                "{0} has no graph: it is computed on held-out data, or none of its inputs "
                "requires grad."
            )
            self.place.show_sentence(text.format(loss))
        elif snapshot.losses.get(loss) is None:
            self._graph = None
            self.place.show_sentence(self.tr("No graph yet: Forward records one."))
        # Else the graph was requested and comes with the next Snapshot.

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the details of the node where there is room for them."""
        sideways, upright = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        orientation = sideways if event.size().width() >= _WIDE else upright
        if orientation != self._splitter.orientation():
            self._splitter.setOrientation(orientation)
            self._share_out()
        super().resizeEvent(event)

    def _refresh(self) -> None:
        if self._snapshot is not None:
            self.render(self._snapshot)

    def _share_out(self) -> None:
        """Give the details of the node the room that they need."""
        if self._splitter.orientation() == Qt.Orientation.Horizontal:
            room = self._splitter.width()
            share = min(_MOST_WIDTH, room // 2)
        else:
            room = self._splitter.height()
            share = min(_MOST_HEIGHT, room * 2 // 5)
        self._splitter.setSizes([room - share, share])

    def _loss(self, snapshot: Snapshot) -> str:
        """Return the loss to show: picked by the user, being stepped through, or last computed."""
        if self._picked in snapshot.losses:
            return self._picked
        if isinstance(snapshot.walked, (Forward, Backward)):
            return snapshot.walked.loss
        event = snapshot.event
        if event is not None and isinstance(event.operation, Backward) and event.outcome.ok:
            return event.operation.loss
        return snapshot.last_loss or next(iter(snapshot.losses), "")

    def _ask(self, snapshot: Snapshot, graph: GraphRecord | None) -> None:
        """Request all graphs, the saved tensors of the selected node, and tiny gradients."""
        wanted = [f"{loss}.graph" for loss in snapshot.losses]
        if graph is not None:
            if self.canvas.chosen is not None and self.canvas.chosen >= 0:
                wanted.append(f"{graph.loss}.graph/{self.canvas.chosen}")
            tiny = [n.tensor for n in graph.nodes if n.tensor and math.prod(n.shape or ()) <= TINY]
            wanted += [f"{name}.grad" for name in tiny[:_MOST_INLINE]]
        self.want(wanted)

    def _show(self, snapshot: Snapshot, graph: GraphRecord) -> None:
        other = self._graph is None or self._graph.loss != graph.loss
        self._graph = graph
        if other:
            self.canvas.choose(None)
        current = None if graph.progress is None else graph.progress.current
        phase = phase_of(snapshot, graph)
        sentence = headline(graph, phase)
        if len(graph.nodes) > MOST:
            centre = self._centre(graph, current)
            sentence = self.tr("{0} of {1} nodes, around {2}. {3}").format(
                count_text(PART),
                count_text(len(graph.nodes)),
                title_of(graph.nodes[centre]),
                sentence,
            )
        else:
            self._part = None
        before = self._picture
        if before is None or not is_alike(before.nodes, graph.nodes):
            self._every_fold = folded(graph.nodes)
        folds = self._every_fold
        self.toolbar.modules.setVisible(len(set(folds.values())) < len(folds))
        self._folds = folds if self.toolbar.modules.isChecked() else {}
        picture = GraphDiagram(snapshot, graph, self._part, self._folds, before)
        self._picture = picture
        self.toolbar.show_status(sentence, is_error=backward_fails(graph, phase))
        self.place.show_content()
        self.canvas.show_graph(picture.boxes, picture.links, picture.link_hint)
        chosen = self.canvas.chosen
        if chosen is not None and chosen >= 0:
            self.canvas.choose(picture.key_of(chosen))
        if current is not None:
            self.canvas.show_box(picture.key_of(current))
        self._show_details()

    def _centre(self, graph: GraphRecord, current: int | None) -> int:
        """Choose the part of a large graph to draw, and return its centre."""
        chosen = self.canvas.chosen
        wanted = current if current is not None else chosen if chosen is not None else 0
        centre = max(0, min(wanted, len(graph.nodes) - 1))
        if self._part is None or centre not in self._part:
            self._part = nearest(graph.nodes, centre, PART)
        return centre

    def _choose(self, key: int | None) -> None:
        graph, snapshot = self._graph, self._snapshot
        if graph is None or snapshot is None:
            return
        if key is not None and key >= 0 and graph.nodes[key].tensor in snapshot.parameters:
            self.controller.select(graph.nodes[key].tensor)
        self._ask(snapshot, graph)
        self._show_details()

    def _follow(self, tensor: str) -> None:
        """Select the leaf that was selected in another view, if a node is selected here."""
        if self._graph is None or self.canvas.chosen is None:
            return
        for node in self._graph.nodes:
            if node.tensor == tensor:
                self.canvas.choose(self._folds.get(node.id, node.id))

    def _show_details(self) -> None:
        chosen, graph, snapshot = self.canvas.chosen, self._graph, self._snapshot
        known = chosen is not None and graph is not None and chosen < len(graph.nodes)
        if known and self.details.isHidden():
            self.details.show()
            self._share_out()
        self.details.setVisible(known)
        if known and graph is not None and snapshot is not None and chosen is not None:
            parts = tuple(at for at, into in sorted(self._folds.items()) if into == chosen)
            self.details.show_node(snapshot, graph, chosen, parts)
