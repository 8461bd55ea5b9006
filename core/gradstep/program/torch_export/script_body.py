"""Write recorded Operations as a PyTorch script; complete passes of the loop become a `for`."""

from __future__ import annotations

from math import lcm
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple

from gradstep.errors import UnsupportedError
from gradstep.program import operation as ops
from gradstep.program.runtime.loop_cursor import LoopCursor
from gradstep.program.torch_export.statements import save_statement, statements

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from gradstep.program.operation import Operation
    from gradstep.program.runtime.batch_iterator import BatchIterator
    from gradstep.program.schema.program_spec import LoopLine
    from gradstep.program.torch_export.script_objects import ScriptObjects

__all__ = [
    "RecordedOperation",
    "is_same_every_iteration",
    "loop_body",
    "needs_batch_state",
    "recorded_body",
    "states_to_save",
]

_MAX_LINES = 20_000

_MAX_ITERATIONS = 1000
"""The maximum period of a loop, in iterations."""


class RecordedOperation(NamedTuple):
    """One applied Operation.

    Attributes:
        operation: The Operation.
        loss: The value of the loss, if it computed one.
        event: The index of its Event; 0 if it does not matter.
    """

    operation: Operation
    loss: float | None = None
    event: int = 0


def needs_batch_state(recorded: Sequence[RecordedOperation]) -> bool:
    """Return whether an Operation sets the batch size or the position in the data order."""
    return any(isinstance(step.operation, (ops.SetBatchSize, ops.LoadState)) for step in recorded)


def loop_body(
    lines: Sequence[LoopLine], script: ScriptObjects, *, yielding: bool = False
) -> Iterator[str]:
    """Yield the statements of each line of the loop.

    Args:
        lines: The loop.
        script: The objects of the script.
        yielding: Whether losses and norms are yielded, for a test.
    """
    for line in lines:
        text = statements(line.operation, script, yielding=yielding)
        when = _condition(line, script)
        yield f"if {when}:\n{indent(text, '    ')}" if when else text


def _condition(line: LoopLine, script: ScriptObjects) -> str:
    """Return the condition under which a line runs; empty if it runs in every iteration."""
    if line.every == 1:
        return ""
    if isinstance(line.every, int):
        return f"(iteration + 1) % {line.every} == {line.offset}"
    batches = script.batches(str(script.epoch_data))
    ended = f"{batches}.epoch_is_complete()"
    return (
        ended if line.every == "epoch" else f"{batches}.number() % {line.every[0]} == 0 or {ended}"
    )


def is_same_every_iteration(lines: Sequence[LoopLine], script: ScriptObjects) -> bool:
    """Return whether the loop has the same source in every iteration.

    It has not if a Step that evaluates the loss uses the next batch in some iterations and a
    Forward's batch in others, or if the loop changes an optimizer into one with such a Step.
    """
    shown, taken = set(script.unused_forwards), dict[int, set[frozenset[str]]]()
    clock = script.epoch_clock()
    epoch = 1 if clock is None else clock.count
    span = min(lcm(epoch, *(line.period or 1 for line in lines)), _MAX_ITERATIONS)
    cursor = LoopCursor(lines, clock, script.epoch_losses)
    for iteration in range(1, 2 * span + 1):
        while cursor.iteration < iteration:
            at, operation = cursor.position, cursor.next
            assert operation is not None
            _advance(cursor, operation, clock, script)
            if isinstance(operation, ops.Forward):
                shown.add(operation.loss)
            elif isinstance(operation, ops.ReplaceOptimizer):
                if script.needs_closure(operation.optimizer, operation.kind):
                    return False
            elif isinstance(operation, ops.Step) and script.needs_closure(operation.optimizer):
                losses = frozenset(script.stepped_losses(operation.optimizer))
                taken.setdefault(at, set()).add(losses & shown)
                shown -= losses
    return all(len(ways) == 1 for ways in taken.values())


def recorded_body(
    recorded: Sequence[RecordedOperation],
    lines: Sequence[LoopLine],
    script: ScriptObjects,
    *,
    tail: Sequence[str] = (),
    yielding: bool = False,
) -> list[str]:
    """Return the statements of recorded Operations, in order.

    Args:
        recorded: All Operations since the start.
        lines: The program's loop; complete passes of it become a `for`.
        script: The objects of the script.
        tail: Statements at the end of each pass of such a `for`.
        yielding: Whether losses and norms are yielded, for a test.

    Raises:
        UnsupportedError: If too many Operations are outside complete passes of the loop.
    """
    kept = states_to_save(recorded)
    clock = script.epoch_clock()
    cursor = LoopCursor(lines, clock, script.epoch_losses)
    follows_epochs = clock is None or _follows_epochs(recorded, script)
    body = [save_statement(event, script) for event in kept.get(0, ())]
    at = alone = 0
    while at < len(recorded):
        first = cursor.iteration
        # Whether a Step takes a Forward's batch depends on the Operations up to here.
        folds = follows_epochs and is_same_every_iteration(lines, script)
        stop = _skip_complete_passes(recorded, at, cursor, clock, script, kept) if folds else at
        passes = cursor.iteration - first
        if passes > 1:
            span = f"{first}, {first + passes}" if first else f"{passes}"
            body.append(f"for iteration in range({span}):")
            inner = [*loop_body(lines, script, yielding=yielding), *tail]
            body += [indent(text, "    ") for text in inner]
            body += [
                save_statement(event, script)
                for event in kept.get(recorded[stop - 1].event or -1, ())
            ]
        else:
            if not passes:
                stop = at + 1
                _advance(cursor, recorded[at].operation, clock, script)
            for step in recorded[at:stop]:
                body.append(statements(step.operation, script, yielding=yielding))
                body += [save_statement(event, script) for event in kept.get(step.event or -1, ())]
            alone += stop - at
        at = stop
        if alone > _MAX_LINES:
            raise UnsupportedError(
                f"more than {_MAX_LINES} Operations were applied outside the loop's order",
                "export a session with fewer of them",
            )
    return body


def states_to_save(recorded: Sequence[RecordedOperation]) -> dict[int, list[int]]:
    """Return the Events whose states are loaded later, by the last Event applied before each."""
    kept: dict[int, list[int]] = {}
    loaded = {
        step.operation.event for step in recorded if isinstance(step.operation, ops.LoadState)
    }
    for event in sorted(loaded):
        last = max((step.event for step in recorded if step.event <= event), default=0)
        kept.setdefault(last, []).append(event)
    return kept


def _skip_complete_passes(
    recorded: Sequence[RecordedOperation],
    at: int,
    cursor: LoopCursor,
    clock: BatchIterator | None,
    script: ScriptObjects,
    kept: Collection[int],
) -> int:
    """Advance the cursor over the complete passes that begin here; return the index after them."""
    while cursor.is_at_start:
        wanted = list(cursor.remaining())
        steps = recorded[at : at + len(wanted)]
        if [step.operation for step in steps] != wanted:
            return at
        if any(step.event in kept for step in steps[:-1] if step.event):
            return at
        for step in steps:
            _advance(cursor, step.operation, clock, script)
        at += len(wanted)
        if steps[-1].event in kept:
            return at
    return at


def _advance(
    cursor: LoopCursor, operation: Operation, clock: BatchIterator | None, script: ScriptObjects
) -> None:
    """Advance a cursor past an applied Operation, and the data as the Operation did."""
    if clock is not None:
        if isinstance(operation, ops.Forward) and operation.batch == "next":
            if operation.loss in script.epoch_losses:
                clock.skip()
        elif isinstance(operation, ops.SetBatchSize) and operation.data == script.epoch_data:
            clock.batch_size = operation.size
    cursor.advance_past(operation)


def _follows_epochs(recorded: Sequence[RecordedOperation], script: ScriptObjects) -> bool:
    """Return whether Forwards alone move the position in the data, so that epochs are known."""
    return not any(
        isinstance(step.operation, (ops.LoadState, ops.ReplaceOptimizer)) for step in recorded
    ) and not any(map(script.needs_closure, script.kinds))
