"""Write a loop or recorded Operations as a PyTorch script; complete passes become a `for`."""

from __future__ import annotations

from math import lcm
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple

from gradstep.errors import UnsupportedError
from gradstep.program import operation as ops
from gradstep.program.runtime.loop_cursor import LoopCursor
from gradstep.program.torch_export.epochs import nested_loop
from gradstep.program.torch_export.statements import save_statement, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from gradstep.program.operation import LoopLine, Operation
    from gradstep.program.runtime.batch_iterator import BatchIterator
    from gradstep.program.torch_export.epochs import NestedLoop
    from gradstep.program.torch_export.script_objects import ScriptObjects

__all__ = [
    "LoopSource",
    "RecordedOperation",
    "epoch_source",
    "is_same_every_iteration",
    "loop_source",
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


class LoopSource(NamedTuple):
    """A loop as source.

    Attributes:
        head: The lines of code before its first statement.
        lines: The statements of each line of the loop, indented.
        tail: The statements after them.
    """

    head: list[str]
    lines: list[str]
    tail: list[str]

    @property
    def text(self) -> str:
        """The whole source, without a final newline."""
        return "\n".join([*self.head, *self.lines, *self.tail])


def loop_source(
    lines: Sequence[LoopLine],
    script: ScriptObjects,
    iterations: range,
    *,
    prints: bool = True,
    yielding: bool = False,
) -> LoopSource:
    """Return the source that runs some iterations of the loop.

    Args:
        lines: The loop.
        script: The objects of the script.
        iterations: The iterations, counted from 0.
        prints: Whether it prints the losses, about ten times in the program's iterations.
        yielding: Whether losses and norms are yielded, for a test.
    """
    tail = []
    if prints:
        every = [
            _computed(line.operation, script) for line in lines if line.every == 1 and line.enabled
        ]
        tail = _print_statements(every, script, "iteration", script.iterations)
    return LoopSource(
        [f"for iteration in {_source(iterations)}:"],
        [indent(text, "    ") for text in _body(lines, script, _condition, yielding=yielding)],
        [indent(text, "    ") for text in tail],
    )


def epoch_source(
    nested: NestedLoop,
    script: ScriptObjects,
    epochs: range,
    *,
    prints: bool = True,
    yielding: bool = False,
) -> LoopSource:
    """Return the source that runs some epochs of a loop.

    Args:
        nested: The loop.
        script: The objects of the script.
        epochs: The epochs, counted from 0.
        prints: Whether it prints the losses, about ten times in the program's iterations.
        yielding: Whether losses and norms are yielded, for a test.
    """
    batches = script.batches(str(script.epoch_data))
    with script.looping_over_batches(nested.loss) as rows:
        inner = list(_body(nested.inner, script, _condition_in_epoch, yielding=yielding))
    outer = list(_body(nested.outer, script, lambda *_: "", yielding=yielding))
    each = f"{rows} in {batches}"
    if nested.counts_batches:
        each = f"batch, {rows} in enumerate({batches}, 1)"
    tail = []
    if prints:
        shown = [
            _computed(line.operation, script)
            for line in (*nested.inner, *nested.outer)
            if line.every in {1, "epoch"} and line.enabled
        ]
        tail = _print_statements(shown, script, "epoch", script.iterations // _epoch(script))
    return LoopSource(
        [f"for epoch in {_source(epochs)}:", f"    for {each}:"],
        [indent(text, "        ") for text in inner] + [indent(text, "    ") for text in outer],
        [indent(text, "    ") for text in tail],
    )


def _epoch(script: ScriptObjects) -> int:
    """Return the number of batches in an epoch."""
    clock = script.epoch_clock()
    return 1 if clock is None else clock.count


def _source(numbers: range) -> str:
    return f"range({numbers.start}, {numbers.stop})" if numbers.start else f"range({numbers.stop})"


def _body(
    lines: Sequence[LoopLine],
    script: ScriptObjects,
    condition: Callable[[LoopLine, ScriptObjects], str],
    *,
    yielding: bool,
) -> Iterator[str]:
    """Yield the statements of each line of the loop; those of lines switched off as comments."""
    for line in lines:
        if not line.enabled:
            text = statements(line.operation, script.scratch_copy())
            yield indent(text, "# ", lambda _: True)
            continue
        text = statements(line.operation, script, yielding=yielding)
        when = condition(line, script)
        yield f"if {when}:\n{indent(text, '    ')}" if when else text


def _condition(line: LoopLine, script: ScriptObjects) -> str:
    """Return the condition under which a line runs; empty if it runs in every iteration."""
    if line.every == 1:
        return ""
    if isinstance(line.every, int):
        return f"(iteration + 1) % {line.every} == {line.offset}"
    script.advances_batches = True
    batches = script.batches(str(script.epoch_data))
    ended = f"{batches}.epoch_is_complete()"
    return (
        ended if line.every == "epoch" else f"{batches}.number() % {line.every[0]} == 0 or {ended}"
    )


def _condition_in_epoch(line: LoopLine, script: ScriptObjects) -> str:
    """Return the condition under which a line runs for a batch; empty if for each."""
    batches = script.batches(str(script.epoch_data))
    if line.every == 1:
        return ""
    if isinstance(line.every, int):
        return f"(epoch * len({batches}) + batch) % {line.every} == {line.offset}"
    return f"batch % {line.every[0]} == 0 or batch == len({batches})"


def _print_statements(
    computed: Sequence[tuple[str, ...]], script: ScriptObjects, unit: str, count: int
) -> list[str]:
    """Return statements that print the losses about ten times; none if the loop has no losses."""
    losses = tuple(dict.fromkeys(name for names in computed for name in names))
    if not losses:
        return []
    shown = ", ".join(f"{name} {{{script.name('losses', name)}.item():.6g}}" for name in losses)
    output = f'print(f"{unit} {{{unit} + 1}}: {shown}")'  # counts complete ones
    between = count // 10
    return [f"if ({unit} + 1) % {between} == 0:", f"    {output}"] if between > 1 else [output]


def _computed(operation: Operation, script: ScriptObjects) -> tuple[str, ...]:
    """Return the losses that an Operation computes."""
    if isinstance(operation, ops.Step) and script.needs_closure(operation.optimizer):
        return script.stepped_losses(operation.optimizer)
    return (operation.loss,) if isinstance(operation, ops.Forward) else ()


def is_same_every_iteration(lines: Sequence[LoopLine], script: ScriptObjects) -> bool:
    """Return whether the loop has the same source in every iteration.

    It has not if a Step that evaluates the loss uses the next batch in some iterations and a
    Forward's batch in others, or if the loop changes an optimizer into one with such a Step.
    """
    shown, taken = set(script.unused_forwards), dict[int, set[frozenset[str]]]()
    clock = script.epoch_clock()
    epoch = 1 if clock is None else clock.count
    periods = (line.period or 1 for line in lines if line.enabled)
    span = min(lcm(epoch, *periods), _MAX_ITERATIONS)
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
    prints: bool = True,
    yielding: bool = False,
) -> list[str]:
    """Return the statements of recorded Operations, in order.

    Args:
        recorded: All Operations since the start.
        lines: The program's loop before it was edited; complete passes of it become a `for`.
        script: The objects of the script.
        prints: Whether such a `for` prints the losses.
        yielding: Whether losses and norms are yielded, for a test.

    Raises:
        UnsupportedError: If too many Operations are outside complete passes of the loop.
    """
    kept = states_to_save(recorded)
    clock = script.epoch_clock()
    cursor = LoopCursor(lines, clock, script.epoch_losses)
    follows_epochs = clock is None or _follows_epochs(recorded, script)
    follows_epochs = follows_epochs and not script.mixes_epochs
    body = [save_statement(event, script) for event in kept.get(0, ())]
    at = alone = 0
    while at < len(recorded):
        first, epoch, left = cursor.iteration, cursor.epochs or 0, clock.left if clock else 0
        # Whether a Step takes a Forward's batch depends on the Operations up to here.
        folds = follows_epochs and is_same_every_iteration(lines, script)
        stop = _skip_complete_passes(recorded, at, cursor, clock, script, kept) if folds else at
        passes = range(first, cursor.iteration)
        if len(passes) > 1:
            size = clock.count if clock else 0
            body += _passes(
                passes, _Epochs(epoch, left, size), lines, script, prints=prints, yielding=yielding
            )
            body += [
                save_statement(event, script)
                for event in kept.get(recorded[stop - 1].event or -1, ())
            ]
        else:
            if not passes:
                stop, operation = at + 1, recorded[at].operation
                if isinstance(operation, ops.EditLoop):
                    lines = operation.lines
                    edited = LoopCursor(lines, clock, script.epoch_losses)
                    edited.continue_from(cursor, operation.following)
                    cursor = edited
                else:
                    _advance(cursor, operation, clock, script)
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


class _Epochs(NamedTuple):
    """Where passes of the loop begin in the data.

    Attributes:
        complete: The number of complete epochs.
        left: The number of batches left of an epoch that has begun; 0 at a beginning.
        size: The number of batches in an epoch.
    """

    complete: int
    left: int
    size: int


def _passes(
    passes: range,
    epochs: _Epochs,
    lines: Sequence[LoopLine],
    script: ScriptObjects,
    *,
    prints: bool,
    yielding: bool,
) -> Iterator[str]:
    """Yield the source of complete passes of the loop, whole epochs as nested loops."""
    nested = nested_loop(lines, script)
    begin = passes.start + epochs.left
    whole = max(passes.stop - begin, 0) // epochs.size if epochs.size else 0
    number = epochs.complete + (epochs.left > 0)
    if nested is not None and nested.counts_iterations and number * epochs.size != begin:
        whole = 0
    if nested is None or not whole:
        yield loop_source(lines, script, passes, prints=prints, yielding=yielding).text
        return
    end = begin + whole * epochs.size
    if epochs.left:
        before = range(passes.start, begin)
        yield loop_source(lines, script, before, prints=prints, yielding=yielding).text
    of_epochs = range(number, number + whole)
    yield epoch_source(nested, script, of_epochs, prints=prints, yielding=yielding).text
    if end < passes.stop:
        rest = range(end, passes.stop)
        yield loop_source(lines, script, rest, prints=prints, yielding=yielding).text


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
