"""The recorded graph of a loss as records: its nodes, and the progress of a walk through it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.history.records.tensor import TensorRecord

__all__ = ["LOSS", "Arrival", "GraphNode", "GraphProgress", "GraphRecord", "SavedRecord"]

LOSS = -1
"""Stands for the loss itself as the origin of a gradient: the one that starts a Backward."""


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SavedRecord:
    """A value that an operation saved for its backward pass.

    Attributes:
        name: The name of the leaf, or "input 2", or "output".
        shape: Its shape; `()` for a number.
        version: Its version when it was saved; None for values that cannot change in place.
        now: The current version of the tensor.
        value: The value; of more than one element only if the node was requested.
    """

    name: str
    shape: tuple[int, ...]
    version: int | None = None
    now: int | None = None
    value: TensorRecord | None = None

    @property
    def changed(self) -> bool:
        """Whether it was changed in place since, so that a Backward would fail."""
        return self.version != self.now


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One recorded operation, or a leaf.

    Attributes:
        id: Its number in the graph; 0 is the operation that computed the loss.
        name: As in `grad_fn`, such as "AddmmBackward0"; "AccumulateGrad" for a leaf.
        inputs: The ids of the nodes that receive its gradients.
        shape: The shape of the operation's result, or of the leaf.
        freed: Whether a backward pass has freed the saved values.
        tensor: The name of the leaf; empty for an operation.
        saved: The values that it has saved and not freed.
        module: The full name of the module whose call recorded it; empty for none.
        call: The number of that call of the module, from 1; 0 for none.
        order: Its position in the order of recording, from 0; leaves come last.
    """

    id: int
    name: str
    inputs: tuple[int, ...]
    shape: tuple[int, ...] | None = None
    freed: bool = False
    tensor: str = ""
    saved: tuple[SavedRecord, ...] = ()
    module: str = ""
    call: int = 0
    order: int = 0

    @property
    def is_leaf(self) -> bool:
        """Whether it accumulates gradients into a tensor's `.grad`."""
        return self.name == "AccumulateGrad"

    @property
    def changed(self) -> bool:
        """Whether a saved value was changed in place since."""
        return any(value.changed for value in self.saved)


@dataclass(frozen=True, slots=True)
class Arrival:
    """The gradient that reached a leaf: `before` (None for no gradient) + `added` = `after`."""

    before: TensorRecord | None
    added: TensorRecord
    after: TensorRecord


@dataclass(frozen=True, slots=True)
class GraphProgress:
    """The progress of a walk through a Forward or a Backward.

    Attributes:
        done: The ids of the operations that have run, or of the nodes and leaves visited.
        current: The id of the node of the last micro-step; None for none.
        gradients: The gradients along the edges, by the ids of source and target; several if
            several edges connect them. Small ones include their values.
        arrivals: The gradients that reached the leaves, by the id of the leaf.
    """

    done: frozenset[int] = frozenset()
    current: int | None = None
    gradients: Mapping[tuple[int, int], tuple[TensorRecord, ...]] = field(default_factory=_nothing)
    arrivals: Mapping[int, Arrival] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class GraphRecord:
    """The graph behind a loss, from the loss to the leaves.

    Attributes:
        loss: The name of the loss.
        nodes: The nodes in the order of their ids; empty when nothing was recorded.
        passes: The number of Backwards through it.
        progress: The progress of the walk through the current Operation; None outside of one.
    """

    loss: str
    nodes: tuple[GraphNode, ...] = ()
    passes: int = 0
    progress: GraphProgress | None = None
