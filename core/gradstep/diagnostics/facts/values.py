"""The fact that a value became NaN or infinite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.diagnostics.non_finite_advice import advice
from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.errors import GradStepError, ReplayError
from gradstep.history.live_values import array_of, gradient_of
from gradstep.program.operation import Forward, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.program.micro_step import MicroStep
    from gradstep.program.operation import Operation

__all__ = ["ValueRule"]


class ValueRule:
    """Finds the first Event after which a loss, gradient, tensor or optimizer state is not finite.

    Losses, gradients and the data at the end of an iteration are measured with each Event anyway.
    Everything is checked where the findings are asked for. When something is not finite, the Events
    since the last check are replayed, once, to find the first one that made it so.

    Args:
        program: The live program.
    """

    __slots__ = ("_checked", "_finite", "_program")

    def __init__(self, program: Debuggee) -> None:
        self._program = program
        self._checked, self._finite = 0, True

    def rewind(self, event: int, *, finite: bool) -> None:
        """Start again after an Event.

        Args:
            event: The Event.
            finite: Whether no value was found up to it that is not finite.
        """
        self._checked, self._finite = event, finite

    def settle(self, history: History) -> Iterable[Observation]:
        """Check all values, if Events have come since the last check.

        The program stands at the end of the branch then: code that moves it settles first.
        """
        if not self._finite or len(history) == self._checked:
            return ()
        if next(_broken(self._program), None) is None:
            self._checked = len(history)
            return ()
        return self.search(history)

    def search(self, history: History) -> Iterable[Observation]:
        """Return the fact that something is not finite, with the first Event that shows it."""
        if not self._finite:
            return ()
        self._finite = False
        program, since = self._program, self._checked
        if program.abilities.document and next(_broken(program), None) is None:
            self._finite = True  # what is infinite may be so: a mask, or what a scaler sees to
            return ()
        here = program.capture()
        try:
            for event in range(since, len(history) + 1):
                history.goto(program, event, event - 1 if event > since else None)
                note, names = _summary(program)
                if names:
                    # At the end of a recording that was opened, its own findings say so.
                    if event == since:
                        return ()
                    history.goto(program, event - 1)
                    operation = history.applied_event(event).operation
                    origin = _origin(program, operation) or _noticed(program, event, operation)
                    return (self._fact(history, note, origin, names, (event,)),)
        except ReplayError:
            pass  # what cannot be replayed is reported where it was noticed
        finally:
            program.restore(here)
        note, names = _summary(program)
        place = f"#{since:,}" if since else "the start"
        events = (since, len(history)) if since else (len(history),)
        return (self._fact(history, note, f" after {place}", names, events),)

    def _fact(
        self,
        history: History,
        note: str,
        origin: str,
        names: tuple[str, ...],
        events: tuple[int, ...],
    ) -> Observation:
        """Return the fact; only where a Step came before can its length be the cause."""
        if self._program.abilities.document:
            is_loss = not set(names).isdisjoint(self._program.losses)
            cause = advice(history, events[-1], origin, is_loss=is_loss)
        else:
            stepped = history.log.last(events[-1], _is_step) is not None
            cause = " A smaller learning rate or clipping often helps." if stepped else ""
        return Observation("non-finite", names, events, note + origin, cause=cause)


def _origin(program: Debuggee, operation: Operation) -> str:
    """Return where inside an Operation the first value that is not finite appears, to be added.

    Args:
        program: The program, before the Operation; the walk leaves it in between.
        operation: The Operation.
    """
    place: MicroStep | None = None
    try:
        for found in program.walk(operation):
            step = found() if callable(found) else found
            if step.kind not in _PLACES or all(map(_is_finite, step.outputs.values())):
                continue
            if place is not None and step.path[: len(place.path) + 1] != (*place.path, place.title):
                break
            place = step
            if step.kind != "module":  # the operation inside it says more
                break
    except GradStepError:
        pass  # the Event itself says why it failed
    if place is None:
        return ""
    named = f"{place.kind if place.kind != 'op' else 'operation'} {place.title}"
    if place.kind == "term" or (place.kind == "op" and len(place.path) > 1):
        named += f" of {place.path[-1]}"
    read = tuple(name for name, value in place.inputs.items() if not _is_finite(value))
    if read:
        return f"; {named} already reads NaN or infinity as {joined_names(read)}"
    return f", first in {named}"


def _noticed(program: Debuggee, event: int, operation: Operation) -> str:
    """Return where a script's own values began not to be finite in an Event, to be added."""
    loss = operation.loss if isinstance(operation, Forward) else ""  # noticed in its Backward
    found = [
        one
        for one in program.notices
        if one.what == "origin" and (one.event <= event + 1 or one.name == loss)
    ]
    return f", first in {found[-1].target}" if found else ""


_PLACES = ("module", "op", "node", "term")


def _is_step(operation: Operation, _: ReadsWrites) -> bool:
    return isinstance(operation, Step)


def _summary(program: Debuggee) -> tuple[str, tuple[str, ...]]:
    """Return what is not finite, in a sentence, and its names; of several kinds the first."""
    broken = list(_broken(program))
    if not broken:
        return "", ()
    kind = broken[0][0]
    found = [(name, entry) for other, name, entry in broken if other == kind]
    names = tuple(dict.fromkeys(name for name, _ in found))
    if kind not in _NOTES:
        entries = joined_names(tuple(dict.fromkeys(entry for _, entry in found)))
        return f"{entries} of {joined_names(names)} in {kind} became NaN or infinite", names
    return f"The {kind} of {joined_names(names)} became NaN or infinite", names


_NOTES = ("value", "gradient", "data")


def _broken(program: Debuggee) -> Iterator[tuple[str, str, str]]:
    """Yield what is not finite: losses, gradients, data, then the state of each optimizer.

    The buffers of a script may be infinite on purpose, as masks are. So are losses and gradients
    where a GradScaler then skips the Step.

    Yields:
        The kind of value, or the optimizer; the name of the loss or tensor; the entry of the state.
    """
    unchecked = program.buffers if program.abilities.document else ()
    scales = program.scales_losses
    for name, loss in program.losses.items():
        if not scales and loss is not None and not _is_finite(array_of(loss)):
            yield "value", name, ""
    for name, tensor in program.tensors.items():
        if not scales and not _is_finite(gradient_of(tensor)):
            yield "gradient", name, ""
    for name, tensor in program.tensors.items():
        if name not in unchecked and not _is_finite(array_of(tensor)):
            yield "data", name, ""
    addresses = {id(tensor): name for name, tensor in program.tensors.items()}
    for holder, optimizer in program.optimizers.items():
        for tensor, entries in optimizer.state.items():
            name = addresses.get(id(tensor), "")
            broken = [entry for entry, value in entries.items() if not _is_finite(value)]
            yield from ((holder, name, entry) for entry in broken if name)


def _is_finite(value: Any) -> bool:  # noqa: ANN401 - optimizers store many types
    """Whether an array, a tensor, a number, or a list of them has neither NaN nor Inf."""
    if value is None:
        return True
    if isinstance(value, (list, tuple)):
        return all(map(_is_finite, value))
    array = value if isinstance(value, (np.ndarray, int, float)) else array_of(value)
    return bool(np.isfinite(array).all())
