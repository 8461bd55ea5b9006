"""The graph of a tensor, as torch recorded it: its nodes, numbered breadth first from the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

    from gradstep_agent.registry import Registry

LARGEST_GRAPH = 20_000
"""Nodes of one graph that are described."""

_CRITERIA = frozenset(("MseLossBackward0", "SmoothL1LossBackward0", "HuberLossBackward0"))
_DIFFERENCE = "SubBackward0"
_MADE_TO_BROADCAST = frozenset(("UnsqueezeBackward0", "ViewBackward0", "ReshapeAliasBackward0"))
"""Nodes after which a shape is what the user has asked for."""
_DEPTH_OF_CRITERION = 4
"""Nodes from the loss to its criterion, such as a division for accumulation."""


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
    broadcast = _broadcast(tensor.grad_fn)
    return {**found, "broadcast": broadcast} if broadcast else found


def _broadcast(node: Any) -> str:
    """Return how a criterion, or a difference by hand, has expanded its input; "" if it has not.

    Only a column or a row that became a square is reported: a target of the other shape did that,
    as (N) does to (N, 1).
    """
    for _ in range(_DEPTH_OF_CRITERION):
        if node is None or not node.next_functions:
            return ""
        if node.name() == _DIFFERENCE:
            return _expansion_of_difference(node)
        following, _ = node.next_functions[0]
        if node.name() in _CRITERIA:
            if following is None or following.name() != "ExpandBackward0":
                return ""
            return _expansion(following)
        node = following
    return ""


def _expansion_of_difference(node: Any) -> str:
    """Return how a target, or what else has no gradient, has expanded what it differs from."""
    operands = [number for number, (one, _) in enumerate(node.next_functions) if one is not None]
    if len(operands) != 1:
        return ""  # of all pairs, as in a ranking loss
    following = node.next_functions[operands[0]][0]
    if following.name() in _MADE_TO_BROADCAST or hasattr(following, "variable"):
        return ""
    return _expansion(node, operands[0])


def _expansion(node: Any, operand: int = 0) -> str:
    source, output = node.next_functions[operand]
    try:
        before = list(source._input_metadata[output].shape)
        after = list(node._input_metadata[0].shape)
    except (AttributeError, IndexError):  # another version of torch
        return ""
    size = max(before, default=0)
    if size < 2 or after != [size, size] or sorted(before) not in ([size], [1, size]):  # noqa: PLR2004
        return ""
    return f"from {before} to {after}"
