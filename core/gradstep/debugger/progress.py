"""Progress: what has been seen of a graph on a walk through a Forward or a Backward."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.history.graph_record import LOSS, Arrival, GraphProgress
from gradstep.history.summary import summarise
from gradstep.program.operation import Backward, Forward

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gradstep.history.snapshot import TensorRecord
    from gradstep.program.micro_step import MicroStep
    from gradstep.program.operation import Operation

__all__ = ["Progress"]

_MOST_WHOLE = 64
"""Gradients of up to so many elements are kept with their values."""


class Progress:
    """Notes the micro-steps of one walk, and tells how far it has got in the graph.

    Args:
        operation: What is walked through.

    Attributes:
        loss: The loss whose graph is walked through; empty when the Operation has none.

    Example:
        >>> from gradstep.program.micro_step import MicroStep, kept
        >>> from gradstep.program.operation import Backward
        >>> progress = Progress(Backward("loss"))
        >>> progress.note(MicroStep(
        ...     "node", "SumBackward0", inputs=kept([("incoming", 1.0)]),
        ...     outputs=kept([("MulBackward0 #1", [1.0, 1.0])]), node=0, targets=(1,)))
        >>> record = progress.record()
        >>> sorted(record.done), record.current, record.gradients[0, 1][0].array.tolist()
        ([0], 0, [1.0, 1.0])
    """

    __slots__ = ("_arrivals", "_current", "_done", "_gradients", "loss")

    def __init__(self, operation: Operation) -> None:
        self.loss = operation.loss if isinstance(operation, (Forward, Backward)) else ""
        self._current: int | None = None
        self._done: set[int] = set()
        self._gradients: dict[tuple[int, int], tuple[TensorRecord, ...]] = {}
        self._arrivals: dict[int, Arrival] = {}

    def note(self, step: MicroStep) -> None:
        """Note a micro-step."""
        self._current = step.node
        if step.node is None or step.error:  # a node that refuses is where it stays
            return
        self._done.add(step.node)
        if step.kind == "node":
            if not self._gradients:
                self._gradients[LOSS, step.node] = (_brief(step.inputs["incoming"]),)
            for target, gradient in zip(step.targets, step.outputs.values(), strict=True):
                edge = step.node, target
                self._gradients[edge] = (*self._gradients.get(edge, ()), _brief(gradient))
        elif step.kind == "accumulate":
            before = step.inputs.get("before")
            self._arrivals[step.node] = Arrival(
                None if before is None else _brief(before),
                _brief(step.inputs["added"]),
                _brief(step.outputs["after"]),
            )

    def record(self) -> GraphProgress:
        """Return how far the walk has got."""
        return GraphProgress(
            frozenset(self._done),
            self._current,
            MappingProxyType(dict(self._gradients)),
            MappingProxyType(dict(self._arrivals)),
        )


def _brief(array: NDArray[Any]) -> TensorRecord:
    return summarise(array, whole=array.size <= _MOST_WHOLE)
