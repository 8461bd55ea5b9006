"""What a criterion of a script is applied to, as the graph of the loss shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradstep.script.tape import GraphNodes

__all__ = ["criterion_and_layer"]

_CRITERIA = {
    "NllLoss": "NLLLoss",
    "NllLoss2D": "NLLLoss",
    "BinaryCrossEntropy": "BCELoss",
    "BinaryCrossEntropyWithLogits": "BCEWithLogitsLoss",
}
_LAYERS = {
    "Softmax": "Softmax",
    "LogSoftmax": "LogSoftmax",
    "Sigmoid": "Sigmoid",
    "Relu": "ReLU",
    "Addmm": "Linear",
}
_WRONG_LOGITS = frozenset(("Softmax", "LogSoftmax", "Sigmoid", "Relu"))
"""Nodes whose output is no logit; any other output may be one."""

_RESHAPING = frozenset(
    (
        *("View", "UnsafeView", "ReshapeAlias", "Squeeze", "Unsqueeze"),
        *("T", "Transpose", "Permute", "Clone", "ToCopy"),
    )
)
"""Nodes that leave every number as it is."""


def criterion_and_layer(nodes: GraphNodes) -> tuple[str, str] | None:
    """Return the first criterion in a graph, and the layer that its input comes from.

    Args:
        nodes: The graph of a loss.

    Returns:
        Their classes, such as ("CrossEntropyLoss", "Softmax"); None where the graph has no known
        criterion, or its input comes from another kind of node.

    Example:
        >>> names = ("NllLossBackward0", "LogSoftmaxBackward0", "SoftmaxBackward0")
        >>> criterion_and_layer([(name, (at + 1,), "") for at, name in enumerate(names[:2])]
        ...     + [(names[2], (), "")])
        ('CrossEntropyLoss', 'Softmax')
    """
    for number, (name, below, _) in enumerate(nodes):
        criterion = _CRITERIA.get(_kind(name))
        if criterion is None or not below:
            continue
        kind, after = _input(nodes, number)
        if criterion == "NLLLoss" and kind == "LogSoftmax":
            inner, _ = _input(nodes, after)  # both are what CrossEntropyLoss records
            return ("CrossEntropyLoss", _LAYERS[inner]) if inner in _WRONG_LOGITS else None
        return (criterion, _LAYERS[kind]) if kind in _LAYERS else None
    return None


def _input(nodes: GraphNodes, number: int) -> tuple[str, int]:
    """Return the kind and the number of the node that gives a node its first input."""
    while nodes[number][1]:
        number = nodes[number][1][0]
        kind = _kind(nodes[number][0])
        if kind not in _RESHAPING:
            return kind, number
    return "", number


def _kind(name: str) -> str:
    """Return what a node computes: "NllLoss" of "NllLossBackward0"."""
    return name.partition("Backward")[0]
