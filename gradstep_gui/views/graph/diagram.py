"""The graph of a loss as boxes and links."""

from __future__ import annotations

import itertools
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QCoreApplication

from gradstep.history.records.graph import LOSS
from gradstep_gui.views.graph.node_text import (
    NodeState,
    Phase,
    arrival_text,
    gradient_details,
    gradient_text,
    kind_of_module,
    phase_of,
    reached,
    reserve_text,
    state_of,
    state_of_call,
    title_of,
)
from gradstep_gui.widgets.graph.items import Box, Link, Look
from gradstep_gui.widgets.number_format import count_text, number_text, shape_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from gradstep.history.records.graph import GraphNode, GraphRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.tensor import TensorRecord

__all__ = ["GraphDiagram"]

Edge: TypeAlias = "tuple[int, int]"
_NOT_FOLDED: Mapping[int, int] = MappingProxyType({})


class GraphDiagram:
    """Boxes and links for the nodes of a graph, with the loss below them.

    Args:
        snapshot: The Snapshot.
        graph: One of its graphs.
        shown: The ids of the nodes to draw; all when None.
        folded: For each node without its own box, the node whose box it is in.
        before: The diagram of the moment before, whose boxes are used again where nothing differs.

    Attributes:
        boxes: The loss, then the nodes or module calls.
        links: The links between them.
        made: By node, what its box was made of, and the box.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        graph: GraphRecord,
        shown: Collection[int] | None = None,
        folded: Mapping[int, int] = _NOT_FOLDED,
        before: GraphDiagram | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._graph = graph
        self._phase: Phase = phase_of(snapshot, graph)
        self._reached = reached(graph, self._phase)
        self._calls = Counter(module for module, _ in {(n.module, n.call) for n in graph.nodes})
        self._folded = folded
        is_alike = before is not None and before.nodes == graph.nodes
        self._made_before = before.made if before is not None and is_alike else {}
        self.made: dict[int, tuple[tuple[object, ...], Box]] = {}
        parts: dict[int, list[GraphNode]] = {}
        for node in graph.nodes:
            if shown is None or node.id in shown:
                parts.setdefault(self.key_of(node.id), []).append(node)
        places = {key: place for place, key in enumerate(parts, 1)} | {LOSS: 0}
        self.boxes: tuple[Box, ...] = (
            self._loss(),
            *[
                self._box(p[0]) if p[0].is_leaf or not p[0].module or not folded else self._call(p)
                for p in parts.values()
            ],
        )
        self._edges = self._joined(itertools.chain(*parts.values()), places)
        self.links: tuple[Link, ...] = tuple(
            self._link(edges, places[self.key_of(to)], places[self.key_of(one)])
            for (one, to), edges in self._edges.items()
        )
        self._ends = tuple(self._edges)

    @property
    def nodes(self) -> tuple[GraphNode, ...]:
        """The nodes of the graph, drawn or not."""
        return self._graph.nodes

    def key_of(self, node: int) -> int:
        """Return the key of a node's box."""
        return self._folded.get(node, node)

    def link_hint(self, at: int) -> str:
        """Return the tooltip of a link: its gradients; empty when there are none yet."""
        lines = []
        for one, to in self._edges[self._ends[at]]:
            gradients = self._gradients(one, to)
            if gradients:
                ends = self._name(one), self._name(to)
                lines += [
                    _tr("gradient from {0} to {1}").format(*ends),
                    *map(gradient_details, gradients),
                ]
        return "\n".join(lines)

    def _joined(
        self, nodes: Iterable[GraphNode], places: Collection[int]
    ) -> dict[Edge, list[Edge]]:
        """Return the edges by the pair of boxes that they join, in backward direction."""
        joined: dict[Edge, list[Edge]] = {(LOSS, self.key_of(0)): [(LOSS, 0)]}
        if self.key_of(0) not in places:
            joined.clear()
        for node in nodes:
            for to in dict.fromkeys(node.inputs):
                one, other = self.key_of(node.id), self.key_of(to)
                if one != other and other in places:
                    joined.setdefault((one, other), []).append((node.id, to))
        return joined

    def _loss(self) -> Box:
        snapshot, name = self._snapshot, self._graph.loss
        value, step = snapshot.losses.get(name), snapshot.micro_step
        if self._phase == "forward":
            value = None
            if step is not None and step.node == 0:
                value = float(step.outputs["output"])
            if value is None:
                return Box(LOSS, name, (_tr("not computed yet"),), "root", "planned")
        hint = _tr("{0}: the loss, where Backward starts").format(name)
        visited = self._phase == "backward"
        return Box(LOSS, name, (number_text(value),), "root", visited=visited, hint=hint)

    def _box(self, node: GraphNode) -> Box:
        state = state_of(node, self._graph, self._phase, self._reached)
        progress = self._graph.progress
        lit = self._phase if progress is not None and progress.current == node.id else ""
        seen: tuple[object, ...] = ((state, lit), *self._arrived(node))
        made = self._made_before.get(node.id)
        if made is None or not _are_alike(made[0], seen):
            made = seen, self._new_box(node, state, lit)
        self.made[node.id] = made
        return made[1]

    def _arrived(self, node: GraphNode) -> tuple[object, ...]:
        """Return the records that a leaf shows."""
        if not node.is_leaf:
            return ()
        progress, record = self._graph.progress, self._snapshot.parameters.get(node.tensor)
        arrival = None if progress is None else progress.arrivals.get(node.id)
        return arrival, record is None, None if record is None else record.gradient

    def _new_box(self, node: GraphNode, state: NodeState, lit: str) -> Box:
        title, lines = title_of(node), self._lines(node)
        hint = "\n".join(filter(None, (title, *lines, state.badge)))
        look: Look = "leaf" if node.is_leaf else "operation"
        return Box(
            node.id,
            title,
            lines,
            look,
            state.status,
            state.badge,
            state.visited,
            lit,
            hint,
            reserve_text(node) if node.is_leaf else "",
        )

    def _lines(self, node: GraphNode) -> tuple[str, ...]:
        shape = "" if node.shape is None else shape_text(node.shape)
        if node.is_leaf:
            return shape, self._gradient(node)
        return (" · ".join(filter(None, (shape, self._module(node)))),)

    def _gradient(self, node: GraphNode) -> str:
        progress = self._graph.progress
        arrival = None if progress is None else progress.arrivals.get(node.id)
        if arrival is not None:
            return f".grad {arrival_text(arrival, briefly=True)}"
        record = self._snapshot.parameters.get(node.tensor)
        if record is None:  # its module was rebuilt, or it has no name at all
            return _tr("replaced") if node.tensor else ""
        gradient = record.gradient
        return ".grad " + ("None" if gradient is None else gradient_text(gradient))

    def _call(self, nodes: list[GraphNode]) -> Box:
        """Return the box of a module call: its operations and its own leaves."""
        operations = [node for node in nodes if not node.is_leaf]
        last = max(operations, key=lambda node: node.order)
        states = [state_of(node, self._graph, self._phase, self._reached) for node in operations]
        status, badge = state_of_call(states)
        progress = self._graph.progress
        lit = progress is not None and progress.current in {node.id for node in nodes}
        shape = "" if last.shape is None else shape_text(last.shape)
        kind = kind_of_module(self._snapshot.modules, last.module)
        lines = (" · ".join(filter(None, (kind, shape, self._count(len(operations))))),)
        leaves = [node for node in nodes if node.is_leaf]
        leaf_lines = [f"{node.tensor}: {', '.join(self._lines(node))}" for node in leaves]
        title = self._module(last)
        return Box(
            last.id,
            title,
            lines,
            "group" if len(nodes) > 1 else "operation",
            status,
            badge,
            all(state.visited for state in states),
            self._phase if lit else "",
            "\n".join((title, *lines, *(node.name for node in operations), *leaf_lines)),
        )

    def _count(self, operations: int) -> str:
        return "" if operations == 1 else _tr("{0} operations").format(count_text(operations))

    def _module(self, node: GraphNode) -> str:
        if self._calls[node.module] > 1:
            return _tr("{0} call {1}").format(node.module, node.call)
        return node.module

    def _link(self, edges: list[Edge], upper: int, lower: int) -> Link:
        """Return the link for the edges between two boxes."""
        progress = self._graph.progress
        gradients = [record for edge in edges for record in self._gradients(*edge)]
        current = None if progress is None else progress.current
        is_backward = self._phase == "backward"
        reads = {0 if one == LOSS else one for one, _ in edges}
        return Link(
            upper,
            lower,
            " + ".join(map(gradient_text, gradients)),
            is_backward and bool(gradients) and any(current in edge for edge in edges),
            self._phase == "forward" and not reads & self._reached,
        )

    def _gradients(self, one: int, to: int) -> tuple[TensorRecord, ...]:
        progress = self._graph.progress
        return () if progress is None else progress.gradients.get((one, to), ())

    def _name(self, key: int) -> str:
        return self._graph.loss if key == LOSS else title_of(self._graph.nodes[key])


def _are_alike(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Return whether two boxes show the same: records are compared by identity."""
    (state, *rest), (other, *more) = some, others
    return state == other and all(one is two for one, two in zip(rest, more, strict=True))


def _tr(text: str) -> str:
    return QCoreApplication.translate("GraphView", text)
