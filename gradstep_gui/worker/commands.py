"""Commands that take more than one call of the Debugger; they run on the worker thread.

Each is given the Debugger, and returns what to post: Updates, or what the Debugger returned.
Commands of one call are written where they are submitted.
"""

from __future__ import annotations

import bisect
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from PySide6.QtCore import QCoreApplication

from gradstep.debugger.conditions.indexed_address import expression_of
from gradstep.debugger.shadow_program import StoppedError
from gradstep.errors import GradStepError
from gradstep.history.records.landscape import Landscape, LandscapePlan
from gradstep.pluralize import clause
from gradstep.program.operation import Skip
from gradstep_gui.records import BranchComparison, ExplainAnswer, Failure, Script
from gradstep_gui.worker.updates import (
    ComparisonUpdate,
    ExplainUpdate,
    FailureUpdate,
    FitUpdate,
    LandscapeArrowsUpdate,
    LandscapeMomentUpdate,
    LandscapePlanUpdate,
    LandscapeUpdate,
    RemediesUpdate,
    ResumeCheckUpdate,
    ScriptUpdate,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradstep.debugger import Debugger, MicroStep
    from gradstep.history.history import Branch
    from gradstep.history.records.event import Event
    from gradstep.history.records.finding import Finding
    from gradstep.history.records.landscape import LandscapeRequest
    from gradstep.history.records.what_if import Edits
    from gradstep.program.operation import Operation
    from gradstep_gui.records import Curves
    from gradstep_gui.worker.updates import Update

__all__ = [
    "AdaptOperation",
    "Command",
    "LongCommand",
    "ShouldStop",
    "advance_landscape",
    "apply_next",
    "begin_landscape",
    "compare",
    "curves_of",
    "explain",
    "find_arrows",
    "find_remedies",
    "go_to_last_writer",
    "plan_landscape",
    "read_fit",
    "resume_check",
    "seek",
    "seek_iteration",
    "skip_next",
    "start_elsewhere",
    "step_into",
    "step_over",
    "watch_place",
    "what_if",
    "write_script",
]

ShouldStop: TypeAlias = "Callable[[], bool]"

Command: TypeAlias = "Callable[[Debugger], object]"
"""Does something with the Debugger."""

LongCommand: TypeAlias = "Callable[[Debugger, ShouldStop], object]"
"""Likewise, and ends early when it is asked to stop."""

SLICE_S = 0.05
"""How long a landscape is computed at once: the worker then does what else was asked."""

AdaptOperation: TypeAlias = "Callable[[Operation], Operation]"
"""Adapts the loop's next Operation to the targets and options that the user has chosen."""


# --- moving ---------------------------------------------------------------------------------


def apply_next(debugger: Debugger) -> MicroStep | Event:
    """Do what comes next: of a walk, of what is recorded after this moment, or of the loop."""
    event, inside = debugger.position
    if inside is not None or event < len(debugger.events):
        return debugger.step_over()
    operation = debugger.next_operation
    if operation is None:
        reason = debugger.program.abilities.go_on
        if reason:
            raise GradStepError(clause(reason), _tr("debug the script again"))
        raise GradStepError(
            _tr("this program has no loop"), _tr("press one of the four buttons instead")
        )
    return debugger.apply(operation)


def skip_next(debugger: Debugger) -> Event:
    """Skip the next Operation of the loop, or of a script that is held before it."""
    operation = debugger.next_operation
    if operation is None or isinstance(operation, Skip):
        raise GradStepError(_tr("there is no next operation"), _tr("go back, or open another"))
    return debugger.apply(Skip(operation))


def step_into(debugger: Debugger, adapt: AdaptOperation) -> MicroStep | Event:
    """Take the next micro-step, or enter the next Operation."""
    return debugger.step_into(_next_of_loop(debugger, adapt))


def step_over(debugger: Debugger, adapt: AdaptOperation) -> MicroStep | Event:
    """Finish the current micro-step and everything in it, or apply the next Operation."""
    following = _next_of_loop(debugger, adapt)
    return debugger.step_over() if following is None else debugger.apply(following)


def seek(debugger: Debugger, index: int, should_stop: ShouldStop) -> None:
    """Go to the moment after Event `index`, unless a later seek already supersedes this one.

    A long seek that is stopped ends at a moment on its way, so that dragging a slider shows
    something.
    """
    if not should_stop():
        debugger.seek(index, should_stop=should_stop)


def seek_iteration(debugger: Debugger, iteration: int, should_stop: ShouldStop) -> None:
    """Go to the first Event after `iteration` iterations."""
    place = bisect.bisect_left(debugger.events, iteration, key=lambda event: event.iteration)
    seek(debugger, place, should_stop)


def go_to_last_writer(debugger: Debugger, address: str, should_stop: ShouldStop) -> None:
    """Go to the Event that last wrote a value.

    Raises:
        GradStepError: No Event up to the current moment has written it.
    """
    event = debugger.who_changed(address, should_stop=should_stop)
    if event is None:
        message = _tr("no event up to here has written {address}").format(address=address)
        raise GradStepError(message, _tr("go to a later event, and ask there"))
    seek(debugger, event, should_stop)


def watch_place(debugger: Debugger, place: str) -> None:
    """Watch the value at an address, such as "optimizer/x/exp_avg", or one element of it."""
    program = debugger.program
    debugger.watches.put(expression_of(place, program.losses, program.tensors))


def _next_of_loop(debugger: Debugger, adapt: AdaptOperation) -> Operation | None:
    """Return the Operation to begin; None inside of one, in the past, and without a loop."""
    event, inside = debugger.position
    following = debugger.next_operation
    if inside is not None or event < len(debugger.events) or following is None:
        return None
    return adapt(following)


# --- asking ---------------------------------------------------------------------------------


def explain(debugger: Debugger, tensor: str, should_stop: ShouldStop) -> ExplainUpdate | None:
    """Return why a tensor has its current value; None when stopped."""
    with suppress(StoppedError):
        return ExplainUpdate(
            ExplainAnswer(
                0 if debugger.event is None else debugger.event.index,
                debugger.explain(tensor, should_stop=should_stop),
                debugger.provenance(tensor, should_stop=should_stop),
                debugger.bindings(),
            )
        )
    return None


def read_fit(debugger: Debugger, loss: str, should_stop: ShouldStop) -> FitUpdate | None:
    """Return how the output of a loss compares with its targets; None when stopped.

    Args:
        debugger: The Debugger.
        loss: The loss; one that cannot be compared, or an empty name, stands for the first.
        should_stop: Asked now and then.
    """
    with suppress(StoppedError):
        can_be_read = any(choice.loss == loss for choice in debugger.fit.choices)
        return FitUpdate(debugger.fit.read(loss if can_be_read else None, should_stop=should_stop))
    return None


def write_script(debugger: Debugger, *, test: bool) -> ScriptUpdate:
    """Write the current branch as a PyTorch script, or as a test."""
    text = debugger.script(test=test)
    return ScriptUpdate(Script(text, test, debugger.branches.current.name, len(debugger.events)))


# --- landscapes -----------------------------------------------------------------------------


def plan_landscape(
    debugger: Debugger, request: LandscapeRequest, should_stop: ShouldStop
) -> LandscapePlanUpdate | None:
    """Return what a landscape would take; None when stopped."""
    try:
        return LandscapePlanUpdate(debugger.landscapes.plan(request, should_stop))
    except StoppedError:
        return None
    except GradStepError as error:  # it is shown where the landscape would be
        return LandscapePlanUpdate(LandscapePlan(request, obstacle=str(error)))


def begin_landscape(
    debugger: Debugger, request: LandscapeRequest, turn: int, should_stop: ShouldStop
) -> tuple[Update, ...]:
    """Begin to compute a landscape."""
    try:
        debugger.landscapes.begin(request)
    except GradStepError as error:
        return (LandscapeUpdate(_no_landscape(request, error), turn),)
    return advance_landscape(debugger, request, turn, should_stop)


def advance_landscape(
    debugger: Debugger, request: LandscapeRequest, turn: int, should_stop: ShouldStop
) -> tuple[Update, ...]:
    """Compute a slice of the landscape; nothing if another one was begun, or a program opened."""
    landscapes = debugger.landscapes
    try:
        landscapes.advance(SLICE_S, should_stop)
        current = landscapes.current
    except StoppedError:
        return ()
    except GradStepError as error:
        return (LandscapeUpdate(_no_landscape(request, error), turn),)
    return LandscapeUpdate(current, turn), LandscapeMomentUpdate(landscapes.moment())


def find_arrows(debugger: Debugger, should_stop: ShouldStop) -> LandscapeArrowsUpdate | None:
    """Return the last gradient and the last Step; None when stopped, or without a landscape."""
    with suppress(StoppedError):
        found = debugger.landscapes.arrows(should_stop)
        return None if found is None else LandscapeArrowsUpdate(found)
    return None


def start_elsewhere(
    debugger: Debugger,
    point: tuple[float, float],
    progress: Callable[[int, int], None],
    should_stop: ShouldStop,
    *,
    now: bool,
) -> tuple[Update, ...]:
    """Replay the run from a point of the landscape, and compare; or move there before a run.

    Args:
        debugger: The Debugger.
        point: The point.
        progress: Called after every Operation.
        should_stop: Called before every Operation.
        now: Move there after the present Event, instead of before the first.
    """
    edits = debugger.landscapes.edits(point, now=now)
    if not len(debugger.events):
        for _, operation in edits.insert:
            debugger.apply(operation)
        return ()
    return what_if(debugger, edits, progress, should_stop)


def _no_landscape(request: LandscapeRequest, error: GradStepError) -> Landscape:
    empty = np.zeros(0)
    return Landscape(request, "", 0, (), empty, empty, empty, obstacle=str(error))


# --- branches -------------------------------------------------------------------------------


def what_if(
    debugger: Debugger,
    edits: Edits,
    progress: Callable[[int, int], None],
    should_stop: ShouldStop,
) -> tuple[Update, ...]:
    """Replay the rest of the current branch with edits on a new branch, and compare both."""
    branch = debugger.what_if(
        **edits.arguments(),
        progress=progress,
        should_stop=should_stop,
    )
    updates: tuple[Update, ...] = (compare(debugger, branch.id),)
    events = branch.history.events
    if events and not events[-1].outcome.ok:
        updates = (*updates, FailureUpdate((_ended_early(events[-1]),)))
    return updates


def find_remedies(
    debugger: Debugger,
    finding: Finding,
    progress: Callable[[int, int], None],
    should_stop: ShouldStop,
) -> RemediesUpdate | None:
    """Return the remedies that clear a finding; None when stopped."""
    with suppress(StoppedError):
        return RemediesUpdate(
            debugger.remedies(finding, progress=progress, should_stop=should_stop)
        )
    return None


def compare(debugger: Debugger, branch: int) -> ComparisonUpdate:
    """Compare the current branch with another.

    Raises:
        OperationError: There is no such branch.
    """
    current = debugger.branches.current
    other = debugger.branches.find(branch)
    found = debugger.compare(current.id, branch)
    losses = tuple(f"loss/{name}" for name in debugger.program.spec.computed)
    curves = tuple(curves_of(item, losses) for item in (current, other))
    return ComparisonUpdate(BranchComparison(found, (current.id, branch), curves))


def resume_check(
    debugger: Debugger,
    at: int | None,
    progress: Callable[[int, int], None],
    should_stop: ShouldStop,
) -> ResumeCheckUpdate | None:
    """Check whether the run could be resumed from a checkpoint; None when stopped."""
    with suppress(StoppedError):
        return ResumeCheckUpdate(
            debugger.resume_check(at, progress=progress, should_stop=should_stop)
        )
    return None


def curves_of(branch: Branch, columns: tuple[str, ...], after: int = 0) -> Curves:
    """Return the points of a branch's columns, from the last row closed by Event `after` on."""
    series = branch.history.series
    start = max(0, series.rows_up_to(after) - 1) if after else 0
    return MappingProxyType(
        {name: series.column(name, start) for name in columns if name in series.names}
    )


def _ended_early(event: Event) -> Failure:
    """Return the failure of a what-if whose replay ended at an Event that failed."""
    message = _tr("event {number} failed: {message}").format(
        number=event.index, message=event.outcome.message
    )
    return Failure(
        _tr("replay the what-if to its end"), GradStepError(message, event.outcome.remedy)
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Commands", text)
