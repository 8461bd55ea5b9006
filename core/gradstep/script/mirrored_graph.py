"""The graph of a script's loss, as nodes that can be walked but not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.autograd.graph import Edge, Node
from gradstep.autograd.tensor import Tensor, wrap
from gradstep.errors import OperationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.script.tape import GraphNodes

__all__ = ["RecordedNode", "loss_of", "mirrored_loss", "mirrored_nodes"]


class RecordedNode(Node):
    """A node of torch's graph, by name; its values stayed in the script."""

    __slots__ = ()
    sources = (None,)

    def own_formula(self) -> str:
        """Return nothing: only the script's process knows the formula."""
        return ""

    def vjp(self, grad: Any, saved: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ANN401, ARG002 - as in Node
        """Raise: the gradients were computed by the script.

        Raises:
            OperationError: Always.
        """
        raise OperationError(
            f"{self.name()} was computed in the script", "inspect the recorded gradients"
        )

    def name(self) -> str:
        """Return torch's name of the operation."""
        return str(self.context)


def mirrored_loss(value: NDArray[Any], nodes: GraphNodes, tensors: Mapping[str, Tensor]) -> Tensor:
    """Return a loss with the graph that the script recorded.

    Args:
        value: The loss.
        nodes: Its nodes, the loss's first.
        tensors: The mirrored tensors, which the leaves are.
    """
    return loss_of(value, mirrored_nodes(nodes, tensors))


def loss_of(value: NDArray[Any], edges: Sequence[Edge]) -> Tensor:
    """Return a loss with the graph of these nodes, its own first."""
    loss = wrap(value)
    root = edges[0] if edges else None
    if isinstance(root, Node):
        loss._grad_fn = root
        loss._requires_grad = True
    return loss


def mirrored_nodes(nodes: GraphNodes, tensors: Mapping[str, Tensor]) -> list[Edge]:
    """Return the nodes of a graph in its order; a leaf is the tensor itself.

    Args:
        nodes: The nodes, the loss's first.
        tensors: The mirrored tensors, which the leaves are.
    """
    made: list[Edge] = [None] * len(nodes)
    for number in range(len(nodes) - 1, -1, -1):  # a node only points to later ones
        name, below, leaf = nodes[number]
        if leaf:
            made[number] = tensors.get(leaf)
            continue
        node = Node()
        node.kind = RecordedNode
        node.edges = tuple([made[to] for to in below])
        node.saved = (None,)
        node.counters = ()
        node.context = name
        node.shape = None  # type: ignore[assignment]  # only the script knows it
        node.hooks = None
        node.sequence_nr = len(nodes) - number
        made[number] = node.as_kind()
    return made
