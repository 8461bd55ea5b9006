"""GraphProgressTracker: how far a walk through a Forward or a Backward is in a loss's graph."""

from __future__ import annotations

from itertools import takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from gradstep.history.records.graph import LOSS, Arrival, GraphProgress
from gradstep.history.summary import summarise
from gradstep.program.operation import Backward, Forward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep.history.records.tensor import TensorRecord
    from gradstep.program.micro_step import MicroStep
    from gradstep.program.operation import Operation

__all__ = ["GraphProgressTracker"]

_MAX_WHOLE_SIZE = 64
"""Elements up to which gradients are kept with their values."""


class GraphProgressTracker:
    """Keeps what the micro-steps of one walk show of a loss's graph.

    A Step that evaluates its loss goes through one graph after another; each micro-step belongs to
    the Forward or the Backward that contains it.

    Args:
        operation: The Operation that is walked through.
        knows_forward: Whether a Forward is walked through node by node: that of a script is, module
            by module, before its graph is known.

    Example:
        >>> from gradstep.program.micro_step import MicroStep, array_copies
        >>> from gradstep.program.operation import Backward
        >>> progress = GraphProgressTracker(Backward("loss"))
        >>> progress.note(MicroStep(
        ...     "node", "SumBackward0", inputs=array_copies([("incoming", 1.0)]),
        ...     outputs=array_copies([("MulBackward0 #1", [1.0, 1.0])]), node=0, targets=(1,)))
        >>> loss, record = progress.at(1)
        >>> loss, sorted(record.done), record.current, record.gradients[0, 1][0].array.tolist()
        ('loss', [0], 0, [1.0, 1.0])
    """

    __slots__ = ("_knows_forward", "_notes", "_operation")

    def __init__(self, operation: Operation, *, knows_forward: bool = True) -> None:
        self._operation = operation
        self._knows_forward = knows_forward
        self._notes: list[_Note] = []

    def note(self, step: MicroStep) -> None:
        """Add the next micro-step."""
        gradients: tuple[tuple[int, TensorRecord], ...] = ()
        seed = arrival = None
        if step.error or step.node is None:  # a node that fails is where the walk stays
            pass
        elif step.kind == "node":
            has_seed = not step.node and "incoming" in step.inputs
            seed = _brief(step.inputs["incoming"]) if has_seed else None
            gradients = tuple(
                (target, _brief(gradient))
                for target, gradient in zip(step.targets, step.outputs.values(), strict=True)
            )
        elif step.kind == "accumulate" and {"added", "after"} <= {*step.inputs, *step.outputs}:
            before = step.inputs.get("before")
            arrival = Arrival(
                None if before is None else _brief(before),
                _brief(step.inputs["added"]),
                _brief(step.outputs["after"]),
            )
        within = step.within or self._operation
        done = step.node is not None and not step.error
        self._notes.append(_Note(within, step.node, done, seed, gradients, arrival))

    def forget_after(self, count: int) -> None:
        """Keep the first `count` micro-steps only."""
        del self._notes[count:]

    def at(self, count: int) -> tuple[str, GraphProgress | None]:
        """Return the loss whose graph is walked through, and how far the walk is in it.

        Args:
            count: The number of micro-steps taken.

        Returns:
            An empty name, and None, outside of a Forward and a Backward.
        """
        within = self._notes[count - 1].within if count else self._operation
        if not isinstance(within, (Forward, Backward) if self._knows_forward else Backward):
            return "", None
        last_first = takewhile(lambda note: note.within is within, reversed(self._notes[:count]))
        return within.loss, _record([*last_first][::-1])


class _Note(NamedTuple):
    """What a micro-step shows of a graph.

    Attributes:
        within: The Operation that contains it.
        node: The id of its node.
        done: Whether the node has run, or is visited.
        seed: The gradient that begins a Backward, at its first node.
        gradients: The gradients sent, with the ids of the nodes they go to.
        arrival: The gradient that arrived at a leaf.
    """

    within: Operation
    node: int | None
    done: bool
    seed: TensorRecord | None
    gradients: tuple[tuple[int, TensorRecord], ...]
    arrival: Arrival | None


def _record(notes: Sequence[_Note]) -> GraphProgress:
    gradients: dict[tuple[int, int], tuple[TensorRecord, ...]] = {}
    for note in notes:
        if note.node is None:
            continue
        if note.seed is not None:
            gradients[LOSS, note.node] = (note.seed,)
        for target, gradient in note.gradients:
            edge = note.node, target
            gradients[edge] = (*gradients.get(edge, ()), gradient)
    return GraphProgress(
        frozenset(note.node for note in notes if note.done and note.node is not None),
        notes[-1].node if notes else None,
        MappingProxyType(gradients),
        MappingProxyType(
            {note.node: note.arrival for note in notes if note.arrival and note.node is not None}
        ),
    )


def _brief(array: NDArray[Any]) -> TensorRecord:
    return summarise(array, whole=array.size <= _MAX_WHOLE_SIZE)
