"""A moment's graph as boxes and links."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from gradstep.history.graph_record import LOSS
from gradstep_gui.views.graph.states import Phase, phase_of, state_of
from gradstep_gui.views.words import summary_text, tensor_text
from gradstep_gui.widgets.graph_items import Box, Link, Look
from gradstep_gui.widgets.number_format import inline_text, number_text, shape_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from gradstep.history.graph_record import Arrival, GraphNode, GraphRecord
    from gradstep.history.snapshot import Snapshot, TensorRecord

__all__ = ["Picture", "arrival_text", "gradient_text", "reached", "title_of"]

_PAIR = 2
_DIGITS = 3


class Picture:
    """Boxes and links for the nodes of a graph, with the loss below them.

    Args:
        snapshot: The moment.
        graph: One of its graphs.
        shown: The ids of the nodes to show; all when None.

    Attributes:
        boxes: The loss, then the nodes.
        links: What joins them.
    """

    def __init__(
        self, snapshot: Snapshot, graph: GraphRecord, shown: Collection[int] | None = None
    ) -> None:
        self._snapshot = snapshot
        self._graph = graph
        self._phase: Phase = phase_of(snapshot, graph)
        self._reached = reached(graph, self._phase)
        self._calls = Counter(module for module, _ in {(n.module, n.call) for n in graph.nodes})
        nodes = [node for node in graph.nodes if shown is None or node.id in shown]
        places = {node.id: at for at, node in enumerate(nodes, 1)} | {LOSS: 0}
        self.boxes: tuple[Box, ...] = (self._loss(), *[self._box(node) for node in nodes])
        edges = [(node.id, to) for node in nodes for to in dict.fromkeys(node.inputs)]
        if 0 in places:
            edges.insert(0, (LOSS, 0))
        self._edges = [(one, to) for one, to in edges if one in places and to in places]
        self.links: tuple[Link, ...] = tuple(self._link(one, to, places) for one, to in self._edges)

    def link_hint(self, at: int) -> str:
        """Return what went along a link, by its place; empty for nothing yet."""
        gradients = self._gradients(*self._edges[at])
        if not gradients:
            return ""
        ends = map(self._name, self._edges[at])
        parts = [_tr("gradient from {0} to {1}").format(*ends), *map(_told, gradients)]
        return "\n".join(parts)

    def _loss(self) -> Box:
        snapshot, name = self._snapshot, self._graph.loss
        value, step = snapshot.losses.get(name), snapshot.micro_step
        if self._phase == "forward":
            value = None
            if step is not None and step.node == 0:
                value = float(step.outputs["output"])
            if value is None:
                return Box(LOSS, name, (_tr("not computed yet"),), "root", "planned")
        hint = _tr("{0}: the loss, where Backward begins").format(name)
        visited = self._phase == "backward"
        return Box(LOSS, name, (number_text(value),), "root", visited=visited, hint=hint)

    def _box(self, node: GraphNode) -> Box:
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
            _reserve(node) if node.is_leaf else "",
        )

    def _lines(self, node: GraphNode) -> tuple[str, ...]:
        shape = "" if node.shape is None else shape_text(node.shape)
        if node.is_leaf:
            return shape, self._gradient(node)
        module = node.module
        if self._calls[module] > 1:
            module = _tr("{0} call {1}").format(module, node.call)
        return (" · ".join(filter(None, (shape, module))),)

    def _gradient(self, node: GraphNode) -> str:
        progress = self._graph.progress
        arrival = None if progress is None else progress.arrivals.get(node.id)
        if arrival is not None:
            return f".grad {arrival_text(arrival, briefly=True)}"
        record = self._snapshot.parameters.get(node.tensor)
        return (
            ""
            if record is None
            else ".grad " + ("None" if record.gradient is None else gradient_text(record.gradient))
        )

    def _link(self, one: int, to: int, places: dict[int, int]) -> Link:
        """Return the link for an edge: gradients go from `one` to `to`, upwards."""
        progress = self._graph.progress
        gradients = self._gradients(one, to)
        current = None if progress is None else progress.current
        is_backward = self._phase == "backward"
        faint = self._phase == "forward" and (one if one != LOSS else 0) not in self._reached
        return Link(
            places[to],
            places[one],
            " + ".join(map(gradient_text, gradients)),
            is_backward and bool(gradients) and current in {one, to},
            faint,
        )

    def _gradients(self, one: int, to: int) -> tuple[TensorRecord, ...]:
        progress = self._graph.progress
        return () if progress is None else progress.gradients.get((one, to), ())

    def _name(self, key: int) -> str:
        return self._graph.loss if key == LOSS else title_of(self._graph.nodes[key])


def title_of(node: GraphNode) -> str:
    """Return what a node is called: a leaf by its name, an operation as in `grad_fn`."""
    if not node.is_leaf:
        return node.name
    return node.tensor or _tr("a constant")


def reached(graph: GraphRecord, phase: Phase) -> frozenset[int]:
    """Return the ids of the nodes that the walk has come to; in a Forward with what they read."""
    if graph.progress is None:
        return frozenset()
    done = graph.progress.done
    if phase != "forward":
        return done
    return done.union(*(graph.nodes[node].inputs for node in done))


def gradient_text(record: TensorRecord) -> str:
    """Write a gradient in the room that a line has: by its values when they are one or two.

    Example:
        >>> import numpy as np
        >>> from gradstep.history.summary import summarise
        >>> gradient_text(summarise(np.array([100.0, -1.0]), whole=True))
        '[100, -1]'
        >>> gradient_text(summarise(np.array([3.0, 4.0, 0.0]), whole=True))
        'norm 5'
    """
    if record.array is not None and record.array.size <= _PAIR:
        return inline_text(record.array)
    if record.nan_count or record.inf_count:
        return tensor_text(record)
    return _tr("norm {0}").format(number_text(record.norm, _DIGITS))


def arrival_text(arrival: Arrival, *, briefly: bool = False) -> str:
    """Write what arrived at a leaf; norms do not add up, so an arrow leads to that of the sum.

    Args:
        arrival: What arrived.
        briefly: Leave out the norm of what was added, which the lines that lead there tell.

    Example:
        >>> import numpy as np
        >>> from gradstep.history.graph_record import Arrival
        >>> from gradstep.history.summary import summarise
        >>> one, two = (summarise(np.array([1.0, 2.0]) * by, whole=True) for by in (1, 2))
        >>> arrival_text(Arrival(one, one, two))
        '[1, 2] + [1, 2] = [2, 4]'
    """
    before = "None" if arrival.before is None else gradient_text(arrival.before)
    added, after = gradient_text(arrival.added), gradient_text(arrival.after)
    if arrival.after.array is not None and arrival.after.array.size <= _PAIR:
        return f"{before} + {added} = {after}"
    return f"{before} → {after}" if briefly else f"{before} + {added} → {after}"


def _reserve(node: GraphNode) -> str:
    """Return words as wide as what will be told of a leaf's gradient."""
    if math.prod(node.shape or ()) > _PAIR:
        return ".grad norm 0.0000 → norm 0.0000"
    values = ", ".join(["0000"] * math.prod(node.shape or ()))
    return f".grad [{values}] + [{values}] = [{values}]"


def _told(record: TensorRecord) -> str:
    text = f"{shape_text(record.shape)}: {summary_text(record)}"
    if record.array is None or record.array.size <= 1:
        return text
    return f"{text}\n{np.array2string(record.array, precision=4, max_line_width=72)}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("GraphView", text)
