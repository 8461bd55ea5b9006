"""Authorship: which Events wrote a value, told by the Event log alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.history.reads_writes import written_as
from gradstep.program.operation import (
    Freeze,
    RebuildModule,
    ReplaceOptimizer,
    SetHyperparameter,
    SetMode,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.history.history import History
    from gradstep.history.reads_writes import Address, ReadsWrites
    from gradstep.history.records.event import Outcome
    from gradstep.program.operation import Operation

__all__ = ["is_written", "writers"]

_BLOCK = 4096


def is_written(history: History, address: str) -> bool:
    """Whether any Event of any branch has written an address."""
    return any(address in known.writes for known in history.log.vocabulary.all_reads_writes)


def writers(history: History, address: str, parsed: Address, up_to: int) -> Iterator[int]:
    """Give the Events that wrote a value, the last one first.

    Args:
        history: The branch.
        address: What is written.
        parsed: The same, taken apart.
        up_to: The last Event that counts.
    """
    log = history.log
    written = written_as(address, parsed)

    of_a_group = parsed.kind == "hyperparameter" and bool(parsed.name)

    def moves_values(operation: Operation) -> bool:
        """Whether an Operation writes values here, and not only how tensors are treated."""
        if of_a_group and isinstance(operation, SetHyperparameter):
            return operation.group == int(parsed.name)
        return not isinstance(operation, (Freeze, SetMode))

    def by_name(reads_writes: ReadsWrites) -> bool:
        return written in reads_writes.writes

    def by_replacement(reads_writes: ReadsWrites) -> bool:
        """A module that was built anew took the gradients and the state of its tensors along."""
        return parsed.kind in {"grad", "state"} and parsed.name in reads_writes.writes

    def by_another_optimizer(operation: Operation) -> bool:
        """An optimizer that was made anew has forgotten its state."""
        return (
            isinstance(operation, ReplaceOptimizer)
            and parsed.kind == "state"
            and parsed.optimizer == operation.optimizer
        )

    for stop in range(up_to, 0, -_BLOCK):
        start = max(0, stop - _BLOCK)
        found = {
            *log.find(start, stop, operation=moves_values, reads_writes=by_name).tolist(),
            *log.find(start, stop, operation=_replaces, reads_writes=by_replacement).tolist(),
            *log.find(start, stop, operation=by_another_optimizer, outcome=_is_ok).tolist(),
        }
        yield from sorted(found, reverse=True)


def _replaces(operation: Operation) -> bool:
    return isinstance(operation, RebuildModule)


def _is_ok(outcome: Outcome) -> bool:
    return outcome.ok
