"""The sentences of explanations: why a parameter moved, or did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.explain.step_change import CLIPPING, OLD_GRADIENT, is_gradient
from gradstep.debugger.explain.terms import UNEXPLAINED, projection
from gradstep.optim.attribution import MEMORY
from gradstep.pluralize import pluralize
from gradstep.program.operation import AddLoss, Forward, LoadState, RebuildModule, SetValue, Step
from gradstep.program.runtime.descriptions import STALE
from gradstep.short_number import short_number

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from gradstep.debugger.explain.step_change import StepChange
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.records.explanation import MomentumPart
    from gradstep.program.operation import Operation

__all__ = ["never", "skipped", "source", "stepped", "written"]

_FACTORS_FROM = 10
"""From this share on, a part is given as a multiple of the change instead of in percent."""

_LEAST_SHARE = 0.005
"""Shares that round to 0 % are not mentioned."""

_MOST = 0.95
"""The part of the momentum that "from the last N steps" accounts for."""


def never(program: Debuggee, parameter: str) -> str:
    """Return that nothing has changed a parameter."""
    return f"{parameter} has not changed yet{_unheld(program, parameter)}."


def skipped(parameter: str, event: int, changed: int | None, losses: Collection[str]) -> str:
    """Return why a step skipped a parameter; `losses` are those that the step computed."""
    since = "it has not changed yet" if changed is None else f"it last changed in Event {changed:,}"
    why = ".grad was None, so step() skipped it"
    if losses:
        why = f"{' and '.join(losses)}, computed in the step, gave it no gradient"
    return f"{parameter} did not move in Event {event:,}: {why}; {since}."


def source(operation: Operation) -> str:
    """Return what an Operation other than a step writes into a parameter."""
    match operation:
        case RebuildModule():
            return "new initial values"
        case LoadState(event=event):
            return f"values of Event {event:,}"
        case Forward() | Step():  # one that evaluates the loss computes it as Forward does
            return "running average"
        case AddLoss():
            return "losses added"
    return "values written"


def written(program: Debuggee, parameter: str, event: int, operation: Operation) -> str:
    """Return what an Operation other than a step did to a parameter."""
    match operation:
        case RebuildModule(module=module):
            text = f"{parameter} was replaced in Event {event:,}: {module} was rebuilt"
        case LoadState(event=then):
            text = f"{parameter} was set in Event {event:,} to its value after Event {then:,}"
        case Forward(loss=loss):
            text = f"{parameter} was updated from the batch of {loss} in Event {event:,}"
        case AddLoss(loss=loss):
            text = f"{loss} was added to {parameter} in Event {event:,}"
        case Step():
            text = f"{parameter} was updated from the batch of the Step in Event {event:,}"
        case SetValue():
            text = f"{parameter} was written by hand in Event {event:,}"
        case _:
            text = f"{parameter} was written by {type(operation).__name__} in Event {event:,}"
    return f"{text}{_unheld(program, parameter)}."


def stepped(parameter: str, change: StepChange) -> str:
    """Return what a step did to a parameter."""
    event = f"in Event {change.event:,}" + (f" ({change.search})" if change.search else "")
    if not np.isfinite(change.before).all():
        return f"{parameter} was already NaN or infinite before Event {change.event:,}."
    if not np.isfinite(change.total).all():
        cause = _cause_of_non_finite(change)
        return f"{parameter} became NaN or infinite in Event {change.event:,}: {cause}."
    if not change.total.any():
        return f"{parameter} did not move {event}: {_reason_for_no_change(change)}."
    size = change.total.size
    way = short_number(change.total.item(), 3) if size == 1 else f"{_norm(change.total)} (norm)"
    oddities = []
    if not change.requires_grad:
        oddities.append("it is frozen (requires_grad is False)")
    if not change.gradient.any():
        oddities.append("its gradient was zero")
    although = f" although {' and '.join(oddities)}" if oddities else ""
    clauses = [f"{parameter} moved by {way} {event}{although}: {_net(change)}"]
    if OLD_GRADIENT in change.shares:
        clauses.append("an earlier step had already used the old gradient")
    if change.clipped is not None and change.clipped < 1 - _LEAST_SHARE:
        clauses.append(f"clipping scaled the gradient by {short_number(change.clipped, 2)}")
    before, rate = change.rates
    if before != rate:
        clauses.append(
            f"the learning rate went from {short_number(before, 6)} to {short_number(rate, 6)}"
        )
    left = next((term for term in change.terms if term.name == UNEXPLAINED), None)
    if left is not None:
        clauses.append(
            f"cannot explain: {_norm(left.value)} of it (norm) is not what {change.optimizer} does,"
            f" so something else has changed {parameter}, or the update is another one"
        )
    return "; ".join(clauses) + "."


def _norm(values: NDArray[Any]) -> str:
    return short_number(float(np.linalg.norm(values)), 3)


def _net(change: StepChange) -> str:
    """Return the shares in percent, with clipping taken off the gradients that it scaled."""
    along = {
        name: projection(share.value, change.total) or 0.0 for name, share in change.shares.items()
    }
    clipping = along.pop(CLIPPING, 0.0)
    gradients = sum(share for name, share in along.items() if is_gradient(name))
    scale = (gradients + clipping) / gradients if gradients else 1.0
    net = {name: share * scale if is_gradient(name) else share for name, share in along.items()}
    text = [
        f"{_percent(share)} {name}{_momentum(change) if name == MEMORY else ''}"
        for name, share in sorted(net.items(), key=lambda item: -abs(item[1]))
        if abs(share) >= _LEAST_SHARE
    ]
    return ", ".join(text) or "by rounding alone"


def _momentum(change: StepChange) -> str:
    """Return the losses that the momentum comes from, and how many steps hold most of it."""
    parts = next((term.parts for term in change.terms if term.name == MEMORY), ())
    if not parts:
        return ""
    shares: dict[str, float] = {}
    for part in parts:
        name = "earlier steps" if part.kind == "earlier" else part.loss or part.kind
        shares[name] = shares.get(name, 0.0) + (part.share or 0.0)
    named = {name: share for name, share in shares.items() if abs(share) >= _LEAST_SHARE}
    order = sorted(named, key=lambda name: -abs(named[name]))
    if len(order) <= 1:  # its share is that of the momentum
        return f" ({', '.join([*order, _reach(parts)])})"
    text = ", ".join(f"{_percent(named[name])} {name}" for name in order)
    return f" ({text}; {_reach(parts)})"


def _reach(parts: Sequence[MomentumPart]) -> str:
    """Return how many of the last steps put most of the momentum there."""
    enough = _MOST * sum(part.norm for part in parts)
    steps: dict[int, None] = {}
    for part in parts:
        if part.step is None:
            return f"more than {pluralize(len(steps), 'step')}"
        steps[part.step] = None
        enough -= part.norm
        if enough <= 0:
            break
    return f"last {pluralize(len(steps), 'step')}" if len(steps) > 1 else "last step"


def _percent(share: float) -> str:
    """Return a share in percent, or as a factor where parts that cancel make it huge."""
    return f"{share:.0f} ×" if abs(share) >= _FACTORS_FROM else f"{100 * share:.0f} %"


def _reason_for_no_change(change: StepChange) -> str:
    """Return why a step had no effect."""
    if not change.rates[1]:
        return "the learning rate was 0"
    if change.search and not change.shares:
        return "no iteration moved it"
    if not change.shares and not change.gradient.any():
        return "its gradient was zero, and there was neither momentum nor decay"
    if not change.shares:
        return f"{change.optimizer} made no update from its gradient"
    largest = max(float(np.abs(share.value).max()) for share in change.shares.values())
    return (
        f"the parts of the step (the largest was {short_number(largest, 2)}) cancelled out, "
        "or were too small for its precision"
    )


def _cause_of_non_finite(change: StepChange) -> str:
    bad = int((~np.isfinite(change.gradient)).sum())
    if bad:
        of = pluralize(change.gradient.size, "element")
        return f"its gradient was NaN or infinite in {bad:,} of {of}"
    broken = [name for name, share in change.shares.items() if not np.isfinite(share.value).all()]
    return (
        f"the values came from its {' and '.join(broken)}" if broken else "the step was too large"
    )


def _unheld(program: Debuggee, parameter: str) -> str:
    """Return why no step will move a parameter; nothing when one will."""
    if parameter in program.buffers:
        return ""
    if any(item.address == parameter for item in program.optimizer_tensors):
        return ""
    stale = [
        item.optimizer
        for item in program.optimizer_tensors
        if item.address == f"{parameter}{STALE}"
    ]
    if stale:
        return f"; {stale[0]} still holds the old tensor, so no step moves it"
    return "; no optimizer holds it, so no step moves it"
