"""The graph of a loss as boxes and links."""

from __future__ import annotations

import itertools
from collections import Counter
from operator import is_
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QCoreApplication

from gradstep.history.records.graph import LOSS
from gradstep_gui.views.graph.node_text import (
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
    from collections.abc import Collection, Mapping

    from gradstep.history.records.graph import GraphNode, GraphRecord
    from gradstep.history.records.snapshot import Snapshot
    from gradstep.history.records.tensor import TensorRecord

__all__ = ["GraphDiagram", "is_alike"]

Edge: TypeAlias = "tuple[int, int]"
_NOT_FOLDED: Mapping[int, int] = MappingProxyType({})


def is_alike(some: tuple[GraphNode, ...], others: tuple[GraphNode, ...]) -> bool:
    """Return whether two graphs have the same nodes, whatever became of the values they saved."""
    return len(some) == len(others) and all(
        one is two
        or (one.name, one.inputs, one.shape, one.tensor, one.module, one.call, one.order)
        == (two.name, two.inputs, two.shape, two.tensor, two.module, two.call, two.order)
        for one, two in zip(some, others, strict=True)
    )


class DiagramForm:
    """Which nodes are in which box, and which boxes are joined: the same through a whole pass.

    Args:
        nodes: The nodes of the graph.
        shown: The ids of those to draw; all when None.
        folded: For each node without its own box, the node whose box it is in.

    Attributes:
        folded: Likewise.
        calls: How many calls of each module the graph has.
        parts: The ids of the nodes in each box, by the key of the box.
        places: The place of each box among the boxes, by its key; the loss is the first.
        edges: The edges by the pair of boxes that they join, in backward direction.
        ends: These pairs.
        links: The places of the links that stand for an edge of a node, by the id of the node.
    """

    def __init__(
        self,
        nodes: tuple[GraphNode, ...],
        shown: Collection[int] | None,
        folded: Mapping[int, int],
    ) -> None:
        self._nodes = nodes
        self._shown = shown
        self.folded = folded
        self.calls = Counter(module for module, _ in {(node.module, node.call) for node in nodes})
        self.parts: dict[int, list[int]] = {}
        for node in nodes:
            if shown is None or node.id in shown:
                self.parts.setdefault(self.key_of(node.id), []).append(node.id)
        self.places = {LOSS: 0} | {key: place for place, key in enumerate(self.parts, 1)}
        self.edges = self._joined()
        self.ends = tuple(self.edges)
        self.links: dict[int, set[int]] = {}
        for place, joined in enumerate(self.edges.values()):
            for end in itertools.chain(*joined):
                self.links.setdefault(end, set()).add(place)

    def has(
        self,
        nodes: tuple[GraphNode, ...],
        shown: Collection[int] | None,
        folded: Mapping[int, int],
    ) -> bool:
        """Return whether it is the form of these."""
        return (self._shown, self.folded) == (shown, folded) and is_alike(self._nodes, nodes)

    def key_of(self, node: int) -> int:
        """Return the key of a node's box."""
        return self.folded.get(node, node)

    def _joined(self) -> dict[Edge, list[Edge]]:
        joined: dict[Edge, list[Edge]] = {(LOSS, self.key_of(0)): [(LOSS, 0)]}
        if self.key_of(0) not in self.parts:
            joined.clear()
        for node in itertools.chain(*self.parts.values()):
            for to in dict.fromkeys(self._nodes[node].inputs):
                one, other = self.key_of(node), self.key_of(to)
                if one != other and other in self.parts:
                    joined.setdefault((one, other), []).append((node, to))
        return joined


class GraphDiagram:
    """Boxes and links for the nodes of a graph, with the loss below them.

    Args:
        snapshot: The Snapshot.
        graph: One of its graphs.
        shown: The ids of the nodes to draw; all when None.
        folded: For each node without its own box, the node whose box it is in.
        before: The diagram of the moment before, whose boxes and links are used again where nothing
            differs.

    Attributes:
        boxes: The loss, then the nodes or module calls.
        links: The links between them.
        form: Which nodes they stand for.
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
        if before is not None and not before.form.has(graph.nodes, shown, folded):
            before = None
        self.form: DiagramForm = (
            DiagramForm(graph.nodes, shown, folded) if before is None else before.form
        )
        self._arrived_at = {n.id: self._arrived(n) for n in graph.nodes if n.is_leaf}
        self.boxes, self.links = self._drawn(before)

    @property
    def nodes(self) -> tuple[GraphNode, ...]:
        """The nodes of the graph, drawn or not."""
        return self._graph.nodes

    def key_of(self, node: int) -> int:
        """Return the key of a node's box."""
        return self.form.key_of(node)

    def link_hint(self, at: int) -> str:
        """Return the tooltip of a link: its gradients; empty when there are none yet."""
        lines = []
        for one, to in self.form.edges[self.form.ends[at]]:
            gradients = self._gradients(one, to)
            if gradients:
                ends = self._name(one), self._name(to)
                lines += [
                    _tr("gradient from {0} to {1}").format(*ends),
                    *map(gradient_details, gradients),
                ]
        return "\n".join(lines)

    def _drawn(self, before: GraphDiagram | None) -> tuple[tuple[Box, ...], tuple[Link, ...]]:
        """Return the boxes and the links; those of the moment before where nothing differs."""
        form = self.form
        if before is None or not self._is_of_stage(before):
            boxes = [self._box(nodes) for nodes in form.parts.values()]
            return (self._loss(), *boxes), tuple(map(self._link, form.ends))
        drawn, joined = list(before.boxes), list(before.links)
        drawn[0] = self._loss()
        changed = self._changed_since(before)
        for key in {self.key_of(node) for node in changed} & form.parts.keys():
            drawn[form.places[key]] = self._box(form.parts[key])
        for place in set().union(*(form.links.get(node, ()) for node in changed)):
            joined[place] = self._link(form.ends[place])
        return tuple(drawn), tuple(joined)

    def _is_of_stage(self, other: GraphDiagram) -> bool:
        """Return whether another diagram shows as many Backwards, and the same pass."""
        return self._phase == other._phase and self._graph.passes == other._graph.passes

    def _changed_since(self, before: GraphDiagram) -> set[int]:
        """Return the nodes that, or whose edges, show something else than a moment before.

        Records that were computed anew may still show the same.
        """
        changed = set(self._reached ^ before._reached)
        for node, old in zip(self.nodes, before.nodes, strict=True):
            if node is not old and (node.freed, node.changed) != (old.freed, old.changed):
                changed.add(node.id)
        ours, theirs = self._graph.progress, before._graph.progress
        if ours is not None and theirs is not None:
            changed.update(one for one in (ours.current, theirs.current) if one is not None)
            for edge in ours.gradients.keys() | theirs.gradients.keys():
                here, there = ours.gradients.get(edge, ()), theirs.gradients.get(edge, ())
                if not _are_same(here, there) and _sum_text(here) != _sum_text(there):
                    changed.update(edge)
        for at, arrived in self._arrived_at.items():
            if not _are_same(arrived, before._arrived_at[at]):
                leaf = self.nodes[at]
                if self._gradient(leaf) != before._gradient(leaf):
                    changed.add(at)
        return changed

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

    def _arrived(self, leaf: GraphNode) -> tuple[object, ...]:
        """Return the records that a leaf shows."""
        progress, record = self._graph.progress, self._snapshot.parameters.get(leaf.tensor)
        arrival = None if progress is None else progress.arrivals.get(leaf.id)
        return arrival, record is None, None if record is None else record.gradient

    def _box(self, numbers: list[int]) -> Box:
        """Return the box of a module call where these are folded into one, else of a node."""
        node = self.nodes[numbers[0]]
        if self.form.folded and node.module and not node.is_leaf:
            return self._call([self.nodes[number] for number in numbers])
        state = state_of(node, self._graph, self._phase, self._reached)
        progress = self._graph.progress
        lit = self._phase if progress is not None and progress.current == node.id else ""
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
        if self.form.calls[node.module] > 1:
            return _tr("{0} call {1}").format(node.module, node.call)
        return node.module

    def _link(self, ends: Edge) -> Link:
        """Return the link for the edges between two boxes."""
        one, to = ends
        edges = self.form.edges[ends]
        progress = self._graph.progress
        gradients = tuple(record for edge in edges for record in self._gradients(*edge))
        current = None if progress is None else progress.current
        is_backward = self._phase == "backward"
        reads = {0 if one == LOSS else one for one, _ in edges}
        return Link(
            self.form.places[to],
            self.form.places[one],
            _sum_text(gradients),
            is_backward and bool(gradients) and any(current in edge for edge in edges),
            self._phase == "forward" and not reads & self._reached,
        )

    def _gradients(self, one: int, to: int) -> tuple[TensorRecord, ...]:
        progress = self._graph.progress
        return () if progress is None else progress.gradients.get((one, to), ())

    def _name(self, key: int) -> str:
        return self._graph.loss if key == LOSS else title_of(self._graph.nodes[key])


def _are_same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Return whether both are the very same records."""
    return len(some) == len(others) and all(map(is_, some, others))


def _sum_text(gradients: tuple[TensorRecord, ...]) -> str:
    """Return the text on a link: the gradients that are added up there."""
    return " + ".join(map(gradient_text, gradients))


def _tr(text: str) -> str:
    return QCoreApplication.translate("GraphView", text)
