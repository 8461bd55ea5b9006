"""The recorded graph of a loss as a record, from the loss to the leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd.graph import AccumulateGrad, Node, walk
from gradstep.history.snapshot import GraphNode, GraphRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["graph_record"]


def graph_record(loss: str, tensor: Any, names: Mapping[int, str]) -> GraphRecord:  # noqa: ANN401 - a Tensor
    """Return the graph behind a loss; without nodes when nothing was recorded.

    Args:
        loss: The loss's name.
        tensor: The loss.
        names: Names of the program's tensors by `id`, to name the leaves.

    Example:
        >>> import gradstep
        >>> x = gradstep.tensor([1.0, 2.0], requires_grad=True)
        >>> [node.name for node in graph_record("loss", (100 * x).sum(), {id(x): "x"}).nodes]
        ['SumBackward0', 'MulBackward0', 'AccumulateGrad']
    """
    nodes = list(walk(tensor.grad_fn))
    numbers: dict[Node, int] = {node: number for number, node in enumerate(nodes)}
    return GraphRecord(
        loss, tuple(_record(number, node, numbers, names) for number, node in enumerate(nodes))
    )


def _record(
    number: int, node: Node, numbers: Mapping[Node, int], names: Mapping[int, str]
) -> GraphNode:
    leaf = names.get(id(node.variable), "") if isinstance(node, AccumulateGrad) else ""
    inputs = tuple(
        numbers[following] for following, _ in node.next_functions if following is not None
    )
    return GraphNode(number, node.name(), inputs, node.shape, node.freed, leaf)
