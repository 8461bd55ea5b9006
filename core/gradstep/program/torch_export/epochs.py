"""A loop with epochs as `for epoch in ...: for batch in ...`, as PyTorch scripts write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gradstep.program import operation as ops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.program.operation import LoopLine
    from gradstep.program.torch_export.script_objects import ScriptObjects

__all__ = ["NestedLoop", "nested_loop"]


class NestedLoop(NamedTuple):
    """A loop as one `for` over epochs around another over the batches of an epoch.

    Attributes:
        loss: The loss whose Forward takes each batch.
        inner: The lines that run for each batch.
        outer: The lines that run after the last batch of an epoch.
    """

    loss: str
    inner: tuple[LoopLine, ...]
    outer: tuple[LoopLine, ...]

    @property
    def counts_batches(self) -> bool:
        """Whether a line runs for some batches of an epoch only."""
        return any(line.every != 1 for line in self.inner if line.enabled)

    @property
    def counts_iterations(self) -> bool:
        """Whether a line depends on the number of the iteration."""
        return any(
            isinstance(line.every, int) and line.every > 1 for line in self.inner if line.enabled
        )


def nested_loop(lines: Sequence[LoopLine], script: ScriptObjects) -> NestedLoop | None:
    """Return a loop with epochs as a nested loop; None if it cannot be written as one.

    It can if one line takes a batch of the data in every iteration, if random numbers are drawn
    after that and not before, and if the batches of an epoch cannot change.

    Args:
        lines: The loop.
        script: The objects of the script.
    """
    if script.epoch_data is None or any(map(script.needs_closure, script.kinds)):
        return None
    takers = [
        index
        for index, line in enumerate(lines)
        if line.enabled
        and isinstance(line.operation, ops.Forward)
        and line.operation.batch == "next"
        and line.operation.loss in script.epoch_losses
    ]
    if len(takers) != 1 or lines[takers[0]].every != 1:
        return None
    before = [line for line in lines[: takers[0]] if line.enabled]
    if any(isinstance(line.operation, (ops.Forward, ops.RebuildModule)) for line in before):
        return None
    changing = (ops.ReplaceOptimizer, ops.SetBatchSize)
    if any(line.enabled and isinstance(line.operation, changing) for line in lines):
        return None
    end = len(lines)
    while lines[end - 1].every == "epoch":
        end -= 1
    if any(line.every == "epoch" for line in lines[:end] if line.enabled):
        return None
    taker = lines[takers[0]].operation
    assert isinstance(taker, ops.Forward)
    return NestedLoop(taker.loss, tuple(lines[:end]), tuple(lines[end:]))
