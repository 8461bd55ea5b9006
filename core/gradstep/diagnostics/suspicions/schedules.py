"""Learning rates of a script that are not what it means: of schedules, and of loaded states."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.script_edits.loaded_rates import given_rate
from gradstep.diagnostics.script_edits.schedule_classes import (
    class_of_schedule,
    schedule_of_batches,
)
from gradstep.program.operation import SchedulerStep, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.program.operation import Operation

__all__ = ["loaded_rates", "schedules_per_batch", "schedules_per_epoch"]

_OF_EPOCHS = frozenset(("StepLR", "MultiStepLR", "ExponentialLR"))
"""Schedules that only fall, and that PyTorch's documentation steps once an epoch. The others either
follow a number of steps that the user gives, or rise again."""

_COLLAPSED = 100.0
"""How many times the rate now the first one was."""

_HALF = 50.0
"""Percent of the steps with such a rate from which on it is no longer the end of a training."""

_CALLS = 3
"""Steps of a schedule before it is said to step once an epoch."""

_STEPS = 4.0
"""Steps of its optimizer for each of them."""

_RATE = re.compile(r"\blr (\S+) -> ([^\s;]+)")


def schedules_per_batch(
    script: Debuggee, history: History, begun: int, event: int
) -> Iterator[Observation]:
    """Yield each schedule that stepped after every batch, and left next to no learning rate.

    Args:
        script: The script; it stands after the Event.
        history: Its branch.
        begun: The Event with which the present training began.
        event: The Event just done.
    """
    epoch = script.epoch
    if not epoch:
        return  # the first pass of the outer loop, or no loop around the batches
    for name, schedule in script.spec.schedulers.items():
        optimizer = script.optimizers.get(schedule.optimizer)
        groups = () if optimizer is None else optimizer.param_groups
        rates = [(float(one.get("initial_lr") or 0.0), float(one["lr"])) for one in groups]
        if not rates or not all(first > 0 and _is_small(now, first) for first, now in rates):
            continue
        calls = _calls(history, name, begun, event)
        at = history.log.operation(calls[-1]).at if calls else ""
        kind = class_of_schedule(script.sources, name, at)
        if kind not in _OF_EPOCHS:
            continue
        steps = len(_steps(history, schedule.optimizer, begun, event))
        if len(calls) < steps - 1 or len(calls) < 2 * (epoch + 1):
            continue  # not after every batch, or one batch is an epoch
        first, now = rates[0]
        half = calls[: len(calls) // 2]
        low = next((at for at, call in enumerate(half, 1) if _is_low(history, call, first)), None)
        if low is not None:
            note = (
                f"{name} ({kind}) stepped {len(calls)} times within {epoch + 1} epochs, after each "
                f"Step of {schedule.optimizer}, and lowered its learning rate from {first:.3g} to "
                f"{now:.3g}. It was below a hundredth of the first one after {low} steps"
            )
            percent = 100 * (len(calls) - low) / len(calls)
            events = (calls[low - 1],)
            yield Observation("schedule-per-batch", (name,), events, note, percent, _HALF)


def schedules_per_epoch(
    script: Debuggee, history: History, begun: int, event: int
) -> Iterator[Observation]:
    """Yield each schedule of so many batches that stepped once in an epoch.

    Args:
        script: The script; it stands after the Event.
        history: Its branch.
        begun: The Event with which the present training began.
        event: The Event just done.
    """
    epoch = script.epoch or 0
    for name, schedule in script.spec.schedulers.items():
        calls = _calls(history, name, begun, event)
        if not _CALLS <= len(calls) <= epoch + 1:
            continue
        steps = _steps(history, schedule.optimizer, begun, calls[-1])
        ratio = len(steps) / len(calls)
        made = schedule_of_batches(script.sources, name) if ratio >= _STEPS else None
        if made is None:
            continue
        note = (
            f"{name} ({made.kind}) was created for the number of batches in all epochs "
            f"({made.line}: len({made.loader})), but stepped only {len(calls)} times in "
            f"{len(steps)} Steps of {schedule.optimizer}"
        )
        events = steps[-1], calls[-1]
        yield Observation("schedule-per-epoch", (name,), events, note, ratio, _STEPS)


def _calls(history: History, scheduler: str, begun: int, event: int) -> list[int]:
    """Return the steps of a scheduler, from the beginning of the training on."""

    def is_one(operation: Operation) -> bool:
        return isinstance(operation, SchedulerStep) and operation.scheduler == scheduler

    found: list[int] = history.log.find(begun, event, operation=is_one).tolist()
    return found


def _steps(history: History, optimizer: str, begun: int, event: int) -> list[int]:
    """Return the Steps of an optimizer since then."""

    def is_one(operation: Operation) -> bool:
        return isinstance(operation, Step) and operation.optimizer == optimizer

    found: list[int] = history.log.find(begun, event, operation=is_one).tolist()
    return found


def _is_low(history: History, call: int, first: float) -> bool:
    """Return whether a step of a schedule left a learning rate below a hundredth of the first."""
    changes = _RATE.findall(history.log.event(call).outcome.message)
    return any(_is_small(float(now), first) for _, now in changes)


def _is_small(now: float, first: float) -> bool:
    return now * _COLLAPSED <= first * (1 + 1e-5)  # as of six digits, or after 0.1 * 0.1


def loaded_rates(script: Debuggee, event: int) -> Iterator[Observation]:
    """Yield each optimizer whose loaded state has replaced the learning rate that it was given.

    A schedule resumes with the rate that it had reached, and the state has to bring that.

    Args:
        script: The script; it stands after the Event.
        event: The Event just done.
    """
    scheduled = {schedule.optimizer for schedule in script.spec.schedulers.values()}
    for name, optimizer in script.optimizers.items():
        rates = {float(group["lr"]) for group in optimizer.param_groups if "lr" in group}
        given = given_rate(script.sources, name) if len(rates) == 1 else None
        if given is None or name in scheduled or given.rate in rates:
            continue
        (rate,) = rates
        note = f"{name} was made with the learning rate {given.rate:.3g} ({given.made})"
        yield Observation(
            "learning-rate-loaded", (name,), (event,), note, rate, given.rate, given.loaded
        )
