"""The recorded graph of a loss as views see it: its nodes, and how far a walk has got in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradstep.history.records.tensor import TensorRecord

__all__ = ["LOSS", "Arrival", "GraphNode", "GraphProgress", "GraphRecord", "SavedRecord"]

LOSS = -1
"""Stands for the loss itself where a gradient comes from: the one that begins a Backward."""


def _nothing() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SavedRecord:
    """A value that an operation has saved for its gradient rule.

    Attributes:
        name: The leaf that it is, or "input 2", or "output".
        shape: Its shape; `()` for a number.
        version: The version it had when it was saved; None for what cannot be changed in place.
        now: The version that the tensor has now.
        value: The value: of one element always, of more where somebody asked for the node.
    """

    name: str
    shape: tuple[int, ...]
    version: int | None = None
    now: int | None = None
    value: TensorRecord | None = None

    @property
    def changed(self) -> bool:
        """Whether it was changed in place since, so that a Backward would be refused."""
        return self.version != self.now


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One recorded operation, or a leaf.

    Attributes:
        id: Its number in the graph: 0 is what made the loss.
        name: As in `grad_fn`, such as "AddmmBackward0"; "AccumulateGrad" for a leaf.
        inputs: The ids of the nodes that its gradients go to.
        shape: The shape of the operation's result, or of the leaf.
        freed: Whether a backward pass has let go of what was saved.
        tensor: The name of the leaf; empty for an operation.
        saved: What it has saved, and has not let go of.
        module: The module in whose call it was recorded, by its full name; empty for none.
        call: Which call of that module it was, from 1; 0 for none.
        order: Its place in the order of recording, from 0; leaves come last.
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
        """Whether gradients end here, in a tensor's `.grad`."""
        return self.name == "AccumulateGrad"

    @property
    def changed(self) -> bool:
        """Whether something that it has saved was changed in place since."""
        return any(value.changed for value in self.saved)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What arrived at a leaf: `before` (None without a gradient) + `added` = `after`."""

    before: TensorRecord | None
    added: TensorRecord
    after: TensorRecord


@dataclass(frozen=True, slots=True)
class GraphProgress:
    """How far a walk through a Forward or a Backward has got.

    Attributes:
        done: The ids of the operations that have run, or of the nodes and leaves visited.
        current: The one of the micro-step just taken; None when it concerns none.
        gradients: What has gone along the edges, by the ids of the nodes that they lead from and
            to; several where several edges join the two. Small ones with their values.
        arrivals: What has arrived, by the id of the leaf.
    """

    done: frozenset[int] = frozenset()
    current: int | None = None
    gradients: Mapping[tuple[int, int], tuple[TensorRecord, ...]] = field(default_factory=_nothing)
    arrivals: Mapping[int, Arrival] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class GraphRecord:
    """The graph behind a loss, from the loss to the leaves.

    Attributes:
        loss: The loss's name.
        nodes: The nodes by their ids; empty when nothing was recorded.
        passes: How many Backwards have gone through it.
        progress: How far the walk through the present Operation has got; None outside of one.
    """

    loss: str
    nodes: tuple[GraphNode, ...] = ()
    passes: int = 0
    progress: GraphProgress | None = None
