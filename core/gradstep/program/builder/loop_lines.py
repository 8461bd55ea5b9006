"""The lines of a program's loop: those of its document or of an EditLoop, or the default loop."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from gradstep.errors import OperationError, ProgramError
from gradstep.program.operation import (
    MAX_PERIOD,
    AddLoss,
    Backward,
    EditLoop,
    Forward,
    Freeze,
    LoadState,
    LoopLine,
    ScriptCall,
    Skip,
    Step,
    ZeroGrad,
)
from gradstep.program.runtime.loop_cursor import LoopCursor
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gradstep.program.operation import Operation
    from gradstep.program.runtime.live_objects import LiveObjects
    from gradstep.program.schema.program_spec import ProgramSpec

__all__ = ["check_lines", "loop_cursor", "loop_lines"]


def loop_lines(spec: ProgramSpec, live: LiveObjects) -> list[LoopLine]:
    """Return the lines of a loop.

    The default loop, for a document without one, is zero_grad of every optimizer, forward and
    backward of every training loss, and step of every optimizer. An optimizer that evaluates the
    loss itself needs only its step. A loss that another one reads is computed with that one.

    Raises:
        ProgramError: If a line names something unknown, or no line runs in every iteration.
    """
    if spec.loop is None:
        return _default_loop(live)
    check_lines(spec.loop, live)
    return spec.loop


def check_lines(lines: Sequence[LoopLine], live: LiveObjects) -> None:
    """Check that lines can be the loop of a program.

    Lines that are switched off must name what exists, too: they can be switched on again.

    Raises:
        ProgramError: If a line names something unknown, or no line runs in every iteration.
    """
    for index, line in enumerate(lines):
        _check(line, f"$.loop[{index}]", live)
    if not any(line.enabled for line in lines):
        raise ProgramError("$.loop", "every line is switched off", "switch one on")
    if all(line.every != 1 for line in lines if line.enabled):
        raise ProgramError(
            "$.loop", "no line is run in every iteration", 'remove "every" from one line'
        )
    _check_epochs(lines, live)


def loop_cursor(lines: Sequence[LoopLine], live: LiveObjects) -> LoopCursor:
    """Return a cursor at the start of checked lines."""
    data, counted = _epoch_losses(lines, live)
    return LoopCursor(lines, None if data is None else live.batch_iterators[data], counted)


def _epoch_losses(lines: Sequence[LoopLine], live: LiveObjects) -> tuple[str | None, list[str]]:
    """Return the data whose epochs a loop counts, and the losses computed on their training rows.

    They are the data of the first Forward that takes the next batch; None if there is none.
    """
    for line in lines:
        name = _data_taken(line, live)
        if name is not None:
            return name, [
                loss
                for loss, how in live.losses.items()
                if how.spec.data == name and not how.held_out
            ]
    return None, []


def _data_taken(line: LoopLine, live: LiveObjects) -> str | None:
    """Return the data whose next batch a line takes."""
    operation = line.operation
    if not isinstance(operation, Forward) or operation.batch != "next" or not line.enabled:
        return None
    loss = live.losses[operation.loss]
    return None if loss.held_out else loss.spec.data


def _check_epochs(lines: Sequence[LoopLine], live: LiveObjects) -> None:
    """Reject lines that run by epochs where the loop does not know when an epoch is complete."""
    data, _ = _epoch_losses(lines, live)
    takers = [index for index, line in enumerate(lines) if _data_taken(line, live) == data]
    for index, line in enumerate(lines):
        place = f"$.loop[{index}]"
        if not line.enabled:
            continue
        if isinstance(line.every, int):
            if line.offset >= line.every > 0 and line.offset:
                raise ProgramError(
                    f"{place}.offset",
                    f"the offset {line.offset} is not below every, {line.every}",
                    f"write a number from 0 to {line.every - 1}",
                )
            continue
        if line.offset:
            raise ProgramError(
                f"{place}.offset", 'only for a number in "every"', "remove the offset"
            )
        if data is None:
            raise ProgramError(
                f"{place}.every",
                "no Forward of the loop takes batches, so it has no epochs",
                'add a forward of a loss with "data", or write a number',
            )
        if index < takers[-1]:
            raise ProgramError(
                f"{place}.every",
                f"an epoch is complete only after the forward in $.loop[{takers[-1]}]",
                "move this line below it",
            )
        if all(lines[taker].every != 1 for taker in takers):
            raise ProgramError(
                f"{place}.every",
                f"no forward takes a batch of {data} in every iteration",
                f'remove "every" from $.loop[{takers[0]}]',
            )


def _default_loop(live: LiveObjects) -> list[LoopLine]:
    training = {name: loss for name, loss in live.losses.items() if not loss.held_out}
    parts = {part for loss in training.values() for part in loss.part_names}
    losses = [name for name in training if name not in parts]
    if not losses:
        return []
    with_closure = [name for name in live.optimizers if live.optimizers[name].needs_closure]
    others = [name for name in live.optimizers if name not in with_closure]
    shared = {loss for name in others for loss in live.stepped_losses(name)}
    in_closures = {loss for name in with_closure for loss in live.stepped_losses(name)} - shared
    computed = [name for name in losses if name not in in_closures]
    return [
        *[LoopLine(ZeroGrad(name)) for name in others],
        *[LoopLine(Forward(name)) for name in computed],
        *[LoopLine(Backward(name)) for name in computed],
        *[LoopLine(Step(name)) for name in live.optimizers],
    ]


def _check_kind(operation: Operation, place: str) -> None:
    """Reject an Operation that can be recorded, but cannot be a line of a loop."""
    if isinstance(operation, EditLoop):
        raise ProgramError(
            f"{place}.op", "a loop cannot replace its own lines", "write these lines instead"
        )
    if isinstance(operation, LoadState):
        raise ProgramError(
            f"{place}.op", "load_state refers to an Event, and a document has none", "remove it"
        )
    if isinstance(operation, ScriptCall) or operation.at:
        raise ProgramError(
            f"{place}.{'at' if operation.at else 'op'}",
            "only what a recorded script does has a line of a script",
            "remove it",
        )
    if isinstance(operation, Skip) or operation.out_of_loop:
        raise ProgramError(
            f"{place}.{'op' if isinstance(operation, Skip) else 'aside'}",
            "an Operation outside the loop cannot be a line of it",
            "remove it",
        )


def _is_period(every: object) -> bool:
    """Return whether it is one of the forms of `LoopLine.every`; a session may hold any list."""
    if isinstance(every, tuple):
        number = every[0] if every[1:] == ("epoch",) else 0
        return type(number) is int and 0 < number <= MAX_PERIOD
    return every == "epoch" or (type(every) is int and 0 < every <= MAX_PERIOD)


def _check(line: LoopLine, place: str, live: LiveObjects) -> None:
    operation = line.operation
    _check_kind(operation, place)
    if not _is_period(line.every):
        raise ProgramError(
            f"{place}.every",
            "a list is a number of batches and the word epoch",
            'write a number, "epoch" or [4, "epoch"]',
        )
    known: dict[str, Collection[str]] = {
        "data": live.batch_iterators,
        "optimizer": live.optimizers,
        "loss": live.losses,
        "scheduler": live.schedulers,
        "module": live.modules,
        "metric": live.losses,
        "tensor": live.tensors,
    }
    for field, names in known.items():
        name = getattr(operation, field, None)
        if name is not None and name not in names:
            raise ProgramError(f"{place}.{field}", f"no {field} {name!r}", nearest(name, names))
    if isinstance(operation, Step) and operation.batch == "held":
        kind = type(live.optimizers[operation.optimizer])
        if not kind.needs_closure:
            raise ProgramError(
                f"{place}.batch",
                f"{kind.__name__} computes no loss in its step, so it takes no batch",
                "remove it",
            )
    if isinstance(operation, AddLoss):
        try:
            live.running_total(operation)
        except OperationError as error:
            raise ProgramError(f"{place}.tensor", error.message, error.remedy) from None
    if isinstance(operation, Freeze) and not any(
        fnmatchcase(name, operation.pattern) for name in live.tensors
    ):
        raise ProgramError(
            f"{place}.pattern",
            f"{operation.pattern!r} matches no tensor",
            nearest(operation.pattern, live.tensors),
        )
