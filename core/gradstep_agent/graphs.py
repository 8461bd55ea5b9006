"""The graph of a tensor, as torch recorded it: its nodes, numbered breadth first from the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep_agent.broadcasts import broadcast_of

if TYPE_CHECKING:
    from types import FrameType

    from gradstep_agent.registry import Registry

LARGEST_GRAPH = 20_000
"""Nodes of one graph that are described."""


def nodes_of(tensor: Any) -> dict[Any, int]:
    """Return the nodes of a tensor's graph, and their numbers."""
    numbers = {} if tensor.grad_fn is None else {tensor.grad_fn: 0}
    waiting = list(numbers)
    for node in waiting:
        for following, _ in node.next_functions:
            if following is None or following in numbers or len(numbers) >= LARGEST_GRAPH:
                continue
            numbers[following] = len(numbers)
            waiting.append(following)
    return numbers


def describe_graph(
    registry: Registry, tensor: Any, name: str, frame: FrameType | None
) -> dict[str, Any]:
    """Return the frame that describes a graph; give its leaves names."""
    numbers = nodes_of(tensor)
    nodes = []
    for node, number in numbers.items():
        inputs = [numbers[found] for found, _ in node.next_functions if found in numbers]
        variable = getattr(node, "variable", None)
        is_leaf = variable is not None and registry.reader.has_elements(variable)
        leaf = registry.name_leaf(variable, frame).name if is_leaf else ""
        nodes.append([number, str(node.name()), inputs, leaf])
    found = {"type": "graph", "loss": name, "nodes": nodes}
    broadcast = broadcast_of(tensor)
    return {**found, "broadcast": broadcast} if broadcast else found
