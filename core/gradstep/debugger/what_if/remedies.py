"""Remedies: the remedy of a finding as edits for a what-if, to see whether it helps."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from gradstep.errors import OperationError
from gradstep.history.records.what_if import Edits
from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    LoadState,
    SetMode,
    SetValue,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program

__all__ = ["remedy_edits"]

_NORM = 1.0
_SHARE = 0.1


def remedy_edits(finding: Finding, log: EventLog, program: Program) -> Edits:
    """Return the edits that carry out a finding's remedy.

    Args:
        finding: One whose `trial` is not empty.
        log: What was recorded.
        program: The program.

    Raises:
        OperationError: The remedy cannot be tried.
    """
    make = _REMEDIES.get(finding.id)
    edits = None if make is None else make(finding, log, program)
    if edits is None:
        raise OperationError(f"the remedy of {finding.id} cannot be tried", "apply it by hand")
    return replace(edits, name=finding.trial)


def _clear_gradients(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Clear the gradients at the start of each iteration, from that of the first cited Event on."""
    holders = dict.fromkeys(
        binding.optimizer
        for binding in program.optimizer_tensors
        if binding.address in finding.subjects
    )
    first = log.iteration(finding.events[0])
    inserted = []
    for event in range(2, len(log) + 1):
        begins = log.iteration(event) != log.iteration(event - 1)
        if begins and log.iteration(event) >= first:
            inserted += [(event, ZeroGrad(name)) for name in holders]
    return Edits(insert=tuple(inserted)) if inserted else None


def _clip_before_step(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each clipping before the Step that it followed."""
    moved, last = [], {}
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, Step):
            last[operation.optimizer] = event
        elif isinstance(operation, (ClipGradNorm, ClipGradValue)):
            step = last.get(operation.optimizer)
            if step is not None and log.iteration(step) >= log.iteration(finding.events[0]) - 1:
                moved.append((event, last.pop(operation.optimizer)))
    return Edits(move=tuple(moved)) if moved else None


def _clip(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Clip before each Step, from the first cited Event on."""
    inserted = []
    for event in range(finding.events[0], len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, Step):
            inserted.append((event, ClipGradNorm(_NORM, operation.optimizer)))
    return Edits(insert=tuple(inserted)) if inserted else None


def _clip_once(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each clipping that another Backward follows before the next Step."""
    skipped, pending = [], []
    for event in range(finding.events[0], len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, (ClipGradNorm, ClipGradValue)):
            pending.append(event)
        elif isinstance(operation, Backward):
            skipped += pending
            pending = []
        elif isinstance(operation, Step):
            pending = []
    return Edits(skip=tuple(skipped)) if skipped else None


def _switch_to_training(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Switch to training mode before each training Forward, from the first cited one on."""
    return _in_mode(finding.subjects, log, program, finding.events[0], training=True)


def _switch_to_evaluation(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Switch to evaluation mode for each Forward on held-out rows, from the first cited one on."""
    return _in_mode(finding.subjects, log, program, finding.events[0], training=False)


def _in_mode(
    modules: tuple[str, ...], log: EventLog, program: Program, first: int, *, training: bool
) -> Edits | None:
    losses = {
        name for name, loss in program.spec.losses.items() if (loss.rows == "training") == training
    }
    inserted = []
    for event in range(first, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, Forward) and operation.loss in losses:
            inserted += [(event, SetMode(training, module)) for module in modules]
            if not training:
                inserted += [(event + 1, SetMode(training=True, module=name)) for name in modules]
    return Edits(insert=tuple(inserted)) if inserted else None


def _write_visibly(finding: Finding, log: EventLog, _program: Program) -> Edits:
    """Make each write to `.data` visible to autograd, from the cited Forward on."""
    skipped, inserted = [], []
    for event in range(finding.events[0], len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, SetValue) and operation.through_data:
            skipped.append(event)
            inserted.append((event, msgspec.structs.replace(operation, through_data=False)))
    return Edits(skip=tuple(skipped), insert=tuple(inserted))


def _add_numbers(finding: Finding, log: EventLog, _program: Program) -> Edits:
    """Add each loss as a number, from the first cited Event on."""
    skipped, inserted = [], []
    for event in range(finding.events[0], len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, AddLoss) and operation.tensor in finding.subjects:
            skipped.append(event)
            inserted.append((event, msgspec.structs.replace(operation, item=True)))
    return Edits(skip=tuple(skipped), insert=tuple(inserted))


def _load_whole_state(finding: Finding, log: EventLog, _program: Program) -> Edits:
    """Load every part of the state."""
    event = finding.events[-1]
    loaded = log.operation(event)
    assert isinstance(loaded, LoadState)
    return Edits(skip=(event,), insert=((event, LoadState(loaded.event)),))


def _lower_rates(_finding: Finding, _log: EventLog, program: Program) -> Edits:
    """Start with a tenth of the learning rates in the program's document."""
    rates = {
        f"{name}[{number}].lr": _SHARE * group.get("initial_lr", group["lr"])
        for name, optimizer in program.optimizers.items()
        for number, group in enumerate(optimizer.param_groups)
    }
    return Edits(at=1, set=rates)


_REMEDIES: Mapping[str, Callable[[Finding, EventLog, Program], Edits | None]] = MappingProxyType(
    {
        "grad-accumulated": _clear_gradients,
        "clip-after-step": _clip_before_step,
        "clip-per-microbatch": _clip_once,
        "data-bypass": _write_visibly,
        "mode-left-eval": _switch_to_training,
        "mode-left-train": _switch_to_evaluation,
        "resume-incomplete": _load_whole_state,
        "total-keeps-graphs": _add_numbers,
        "exploding-gradient": _clip,
        "learning-rate": _lower_rates,
        "loss-diverging": _lower_rates,
        "loss-oscillating": _lower_rates,
        "dead-relu": _lower_rates,
        "saturated-activation": _lower_rates,
    }
)
