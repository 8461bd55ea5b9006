"""The last writer of a value: which Events wrote it, found in the Event log alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.conditions.array_functions import same_values
from gradstep.debugger.conditions.indexed_address import IndexedAddress, parse_indexed_address
from gradstep.history.reads_writes import parse, written_as
from gradstep.program.operation import (
    Freeze,
    RebuildModule,
    ReplaceOptimizer,
    SetHyperparameter,
    SetMode,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.debugger.state_reader import StateReader
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.reads_writes import Address, ReadsWrites
    from gradstep.history.records.event import Outcome
    from gradstep.program.operation import Operation

__all__ = ["last_writer"]

_BLOCK = 4096


def last_writer(
    program: Debuggee,
    history: History,
    position: int,
    address: str,
    reader: StateReader,
    should_stop: Callable[[], bool] | None = None,
) -> int | None:
    """Return the last Event up to a moment that wrote a value.

    Args:
        program: The live program.
        history: The branch.
        position: The Event of that moment.
        address: What was written; of one element, the Event that gave it another value.
        reader: Looks at past moments, for one element.
        should_stop: Asked while it looks for an element; True cancels.

    Returns:
        Its index; None when no Event wrote it.

    Raises:
        ExpressionError: There is no such value.
    """
    if _is_written(history, address):
        place = IndexedAddress(address, parse(address, program.losses))
    else:
        place = parse_indexed_address(program, address)
    for event in _writers(history, place.address, place.parsed, position):
        if not place.index or _changes(place, event, reader):
            return event
        if should_stop is not None and should_stop():
            break
    return None


def _changes(place: IndexedAddress, event: int, reader: StateReader) -> bool:
    """Whether an Event gave an element another value."""
    values: list[object] = []
    reader.visit((event - 1, event), lambda context: values.append(place.value(context.program)))
    return not same_values(values[0], values[1])


def _is_written(history: History, address: str) -> bool:
    """Whether any Event of any branch wrote an address."""
    return any(address in known.writes for known in history.log.vocabulary.all_reads_writes)


def _writers(history: History, address: str, parsed: Address, up_to: int) -> Iterator[int]:
    """Yield the Events that wrote a value, the last one first.

    Args:
        history: The branch.
        address: What is written.
        parsed: The same, parsed.
        up_to: The last Event that counts.
    """
    log = history.log
    written = written_as(address, parsed)

    of_a_group = parsed.kind == "hyperparameter" and bool(parsed.name)

    def moves_values(operation: Operation) -> bool:
        """Whether an Operation writes values, and not only flags."""
        if of_a_group and isinstance(operation, SetHyperparameter):
            return operation.group == int(parsed.name)
        return not isinstance(operation, (Freeze, SetMode))

    def by_name(reads_writes: ReadsWrites) -> bool:
        return written in reads_writes.writes

    def by_replacement(reads_writes: ReadsWrites) -> bool:
        """A rebuilt module dropped the gradients and the state of its tensors."""
        return parsed.kind in {"grad", "state"} and parsed.name in reads_writes.writes

    def by_another_optimizer(operation: Operation) -> bool:
        """A replaced optimizer dropped its state."""
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
