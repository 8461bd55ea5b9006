"""Remedies that change how far a step goes: learning rates, weight decay and clipping."""

from __future__ import annotations

from operator import gt, lt
from typing import TYPE_CHECKING

import msgspec

from gradstep.debugger.what_if.plan import numbered_operations
from gradstep.diagnostics.suspicions.causes import is_lowered
from gradstep.history.records.what_if import Edits
from gradstep.program.operation import (
    ClipGradNorm,
    ClipGradValue,
    Operation,
    SchedulerStep,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program

__all__ = [
    "change_small_updates",
    "clip_to_norm",
    "clip_to_usual_norm",
    "clip_values",
    "limit_option",
    "multiply_rates",
    "multiply_rates_of_subjects",
    "raise_option",
    "raise_zero_rates",
    "without_falling_schedules",
]

_LARGEST = 1.0
"""The norm, or the value, to which gradients are clipped."""

_SMALL_UPDATES = -4.0
"""log10 of |update| / |weight| below which `update-ratio` reports updates as too small."""


def multiply_rates(factor: float) -> Callable[[Finding, EventLog, Program], Edits | None]:
    """Return a remedy that starts with a multiple of the learning rates in the document."""

    def make(_finding: Finding, _log: EventLog, program: Program) -> Edits | None:
        return _multiplied(program, factor, tuple(program.optimizers))

    return make


def raise_zero_rates(
    rate: float,
) -> Callable[[Finding, EventLog, Program], Edits | None]:
    """Return a remedy that starts with a learning rate in each group that has none."""

    def make(_finding: Finding, _log: EventLog, program: Program) -> Edits | None:
        rates = {
            f"{name}[{number}].lr": rate
            for name, optimizer in program.optimizers.items()
            for number, group in enumerate(optimizer.param_groups)
            if group.get("initial_lr", group["lr"]) == 0
        }
        return Edits(at=1, set=rates) if rates else None

    return make


def multiply_rates_of_subjects(
    factor: float,
) -> Callable[[Finding, EventLog, Program], Edits | None]:
    """Return a remedy that multiplies the rates of the optimizers that hold a finding's tensors."""

    def make(finding: Finding, _log: EventLog, program: Program) -> Edits | None:
        held = program.optimizer_tensors
        names = dict.fromkeys(item.optimizer for item in held if item.address in finding.subjects)
        return _multiplied(program, factor, tuple(names))

    return make


def change_small_updates(
    factor: float, *, is_small: bool
) -> Callable[[Finding, EventLog, Program], Edits | None]:
    """Return a remedy for updates that are too small alone, or for those that are too large."""

    def make(finding: Finding, _log: EventLog, program: Program) -> Edits | None:
        small = finding.value is not None and finding.value < _SMALL_UPDATES
        if small != is_small:
            return None
        return _multiplied(program, factor, tuple(program.optimizers))

    return make


def _multiplied(program: Program, factor: float, names: tuple[str, ...]) -> Edits | None:
    rates = {
        f"{name}[{number}].lr": float(f"{factor * group.get('initial_lr', group['lr']):.12g}")
        for name in names
        for number, group in enumerate(program.optimizers[name].param_groups)
        if group.get("initial_lr", group["lr"])
    }
    return Edits(at=1, set=rates) if rates else None


def limit_option(name: str, most: float) -> Callable[[Finding, EventLog, Program], Edits | None]:
    """Return a remedy that lowers an option of every group that has a larger value."""
    return _bound_option(name, most, gt)


def raise_option(name: str, least: float) -> Callable[[Finding, EventLog, Program], Edits | None]:
    """Return a remedy that raises an option of every group that has a smaller value."""
    return _bound_option(name, least, lt)


def _bound_option(
    name: str, bound: float, is_beyond: Callable[[float, float], bool]
) -> Callable[[Finding, EventLog, Program], Edits | None]:
    def make(_finding: Finding, _log: EventLog, program: Program) -> Edits | None:
        places = {
            f"{optimizer}[{number}].{name}": bound
            for optimizer, held in program.optimizers.items()
            for number, group in enumerate(held.param_groups)
            if is_beyond(group.get(name, bound), bound)
        }
        return Edits(at=1, set=places) if places else None

    return make


def clip_to_norm(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Clip the norm of the gradients before each Step."""
    return _before_steps(log, lambda optimizer: ClipGradNorm(_LARGEST, optimizer))


def clip_values(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Clip each element of the gradients before each Step; it bounds infinite ones, too."""
    return _before_steps(log, lambda optimizer: ClipGradValue(_LARGEST, optimizer))


def _before_steps(log: EventLog, make: Callable[[str], Operation]) -> Edits | None:
    inserted = [
        (event, make(operation.optimizer))
        for event, operation in numbered_operations(log)
        if isinstance(operation, Step)
    ]
    return Edits(insert=tuple(inserted)) if inserted else None


def clip_to_usual_norm(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Clip at the usual norm of the gradients: the current one divided by the share left."""
    if not finding.value:
        return None
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    for event, operation in numbered_operations(log):
        if isinstance(operation, ClipGradNorm) and operation.optimizer in finding.subjects:
            usual = float(f"{operation.max_norm / finding.value:.2g}")
            skipped.append(event)
            inserted.append((event, msgspec.structs.replace(operation, max_norm=usual)))
    return Edits(skip=tuple(skipped), insert=tuple(inserted)) if skipped else None


def without_falling_schedules(_finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Skip each Scheduler Step, where schedules have lowered the rate of an optimizer tenfold."""
    groups = [group for held in program.optimizers.values() for group in held.param_groups]
    if not any(is_lowered(group) for group in groups):
        return None
    steps = (at for at in range(1, len(log) + 1) if isinstance(log.operation(at), SchedulerStep))
    return Edits(skip=tuple(steps))
