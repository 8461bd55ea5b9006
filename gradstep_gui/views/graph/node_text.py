"""Short texts for the nodes, states and gradients of a graph."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QCoreApplication

from gradstep.program.operation import Backward, Forward
from gradstep_gui.views.labels import summary_text, tensor_text
from gradstep_gui.widgets.number_format import (
    count_text,
    counted_text,
    inline_text,
    number_text,
    shape_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.history.records.graph import Arrival, GraphNode, GraphRecord
    from gradstep.history.records.snapshot import ModuleRecord, Snapshot
    from gradstep.history.records.tensor import TensorRecord
    from gradstep_gui.widgets.graph.items import Status

__all__ = [
    "NodeState",
    "Phase",
    "arrival_text",
    "backward_fails",
    "gradient_details",
    "gradient_text",
    "headline",
    "kind_of_module",
    "phase_of",
    "reached",
    "reserve_text",
    "state_of",
    "state_of_call",
    "title_of",
]

_PAIR = 2
_DIGITS = 3


def title_of(node: GraphNode) -> str:
    """Return the title of a node: the name of a leaf, or of an operation as in `grad_fn`."""
    if not node.is_leaf:
        return node.name
    return node.tensor or _tr("a constant")


def kind_of_module(modules: tuple[ModuleRecord, ...], name: str) -> str:
    """Return the class of a module by its full name; empty for an unknown one."""
    for module in modules:
        if module.name == name:
            return module.kind
        if name.startswith(f"{module.name}."):
            return kind_of_module(module.children, name)
    return ""


def gradient_text(record: TensorRecord) -> str:
    """Return a gradient as short text: its values if there are one or two, else its norm.

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
    """Return how a leaf accumulated a gradient; with norms, an arrow leads to that of the sum.

    Args:
        arrival: The accumulation.
        briefly: Omit the norm of the added gradient, which is shown on the link.

    Example:
        >>> import numpy as np
        >>> from gradstep.history.records.graph import Arrival
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


def reserve_text(node: GraphNode) -> str:
    """Return placeholder text as wide as a leaf's gradient will be."""
    if math.prod(node.shape or ()) > _PAIR:
        return ".grad norm 0.0000 → norm 0.0000"
    values = ", ".join(["0000"] * math.prod(node.shape or ()))
    return f".grad [{values}] + [{values}] = [{values}]"


def gradient_details(record: TensorRecord) -> str:
    """Return a gradient's shape and summary, with its values when they are loaded."""
    text = f"{shape_text(record.shape)}: {summary_text(record)}"
    if record.array is None or record.array.size <= 1:
        return text
    return f"{text}\n{np.array2string(record.array, precision=4, max_line_width=72)}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("GraphView", text)


Phase = Literal["at rest", "forward", "backward"]


@dataclass(frozen=True, slots=True)
class NodeState:
    """The state of a node: its status, a label for it, and whether Backward visited it."""

    status: Status = "recorded"
    badge: str = ""
    visited: bool = False


def phase_of(snapshot: Snapshot, graph: GraphRecord) -> Phase:
    """Return which pass is being stepped through.

    Example:
        >>> from gradstep.history.records.graph import GraphRecord
        >>> from gradstep.history.records.snapshot import Snapshot
        >>> phase_of(Snapshot(None, 0, 0, 0, None), GraphRecord("loss"))
        'at rest'
    """
    if graph.progress is not None and isinstance(snapshot.walked, Forward):
        return "forward"
    if graph.progress is not None and isinstance(snapshot.walked, Backward):
        return "backward"
    return "at rest"


def reached(graph: GraphRecord, phase: Phase) -> frozenset[int]:
    """Return the ids of the nodes reached so far; in a Forward with their inputs."""
    if graph.progress is None:
        return frozenset()
    done = graph.progress.done
    if phase != "forward":
        return done
    return done.union(*(graph.nodes[node].inputs for node in done))


def state_of(
    node: GraphNode, graph: GraphRecord, phase: Phase, reached: frozenset[int]
) -> NodeState:
    """Return the state of a node.

    Args:
        node: The node.
        graph: Its graph.
        phase: The pass that is being stepped through.
        reached: The ids of the nodes that the pass has reached.
    """
    if phase == "forward":
        is_there = node.id in reached
        return (
            NodeState()
            if is_there
            else NodeState("planned", "" if node.is_leaf else _tr("not run yet"))
        )
    visited = node.id in reached if phase == "backward" else graph.passes > 0
    if node.is_leaf:
        return NodeState(visited=visited and phase == "backward")
    if node.changed:
        return NodeState("changed", _tr("changed"), visited)
    if node.freed:
        return NodeState("freed", _tr("freed"), visited)
    if visited and phase == "at rest" and graph.passes > 1:
        return NodeState(
            "recorded", _tr("visited {0} times").format(count_text(graph.passes)), True
        )
    return NodeState("recorded", _tr("visited") if visited else "", visited)


def state_of_call(states: Sequence[NodeState]) -> tuple[Status, str]:
    """Return the status and label of a module call, from the states of its operations."""
    for status in ("changed", "freed"):
        for state in states:
            if state.status == status:
                return status, state.badge
    planned = sum(state.status == "planned" for state in states)
    if planned == len(states):
        return "planned", states[0].badge
    if planned:
        done = count_text(len(states) - planned)
        return "recorded", _tr("{0} of {1} have run").format(done, count_text(len(states)))
    visited = sum(state.visited for state in states)
    if 0 < visited < len(states):
        of = count_text(len(states))
        return "recorded", _tr("{0} of {1} visited").format(count_text(visited), of)
    return "recorded", states[0].badge


def backward_fails(graph: GraphRecord, phase: Phase) -> bool:
    """Return whether a Backward would fail because a saved tensor was changed in place."""
    return phase == "at rest" and any(node.changed for node in graph.nodes)


def headline(graph: GraphRecord, phase: Phase) -> str:
    """Return the state of the whole graph in one sentence."""
    operations = [node.id for node in graph.nodes if not node.is_leaf]
    if phase != "at rest" and graph.progress is not None:
        done = sum(node in graph.progress.done for node in operations)
        text = {
            "forward": _tr("Inside Forward: {0} of {1} operations run"),
            "backward": _tr("Inside Backward: {0} of {1} operations visited"),
        }[phase]
        return text.format(count_text(done), count_text(len(operations)))
    if backward_fails(graph, phase):
        return _tr("A saved tensor was changed in place: Backward will fail")
    if graph.passes and any(node.freed for node in graph.nodes):
        return _tr("Freed by a Backward")
    if graph.passes == 1:
        return _tr("One Backward so far; saved tensors kept")
    if graph.passes:
        text = _tr("{0} Backwards so far; saved tensors kept")
        return text.format(count_text(graph.passes))
    words = _tr("{0} operation, no Backward yet"), _tr("{0} operations, no Backward yet")
    return counted_text(len(operations), *words)
