"""The change of one parameter in a Step, split into its sources.

The order of attribution: first the sources of the update at the learning rate of the step before,
with "gradient" as the Backwards left it and "clipping" as what clipping then took from it; then the
effect of the learning-rate change on all of these; last the rounding of the sum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradstep.debugger.explain.momentum import momentum_parts, place_of
from gradstep.debugger.explain.provenance import contributions
from gradstep.debugger.explain.terms import fixed, sum_of, terms_of, values_of
from gradstep.errors import ReplayError
from gradstep.history.live_values import array_of
from gradstep.history.records.explanation import Factor
from gradstep.optim import Muon
from gradstep.optim.attribution import GRADIENT, MEMORY, Share, attribute, attribute_search
from gradstep.program.operation import ReplaceOptimizer, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.records.explanation import Contribution, Term
    from gradstep.optim import LBFGS
    from gradstep.program.operation import Operation

__all__ = [
    "CLIPPING",
    "OLD_GRADIENT",
    "StepChange",
    "closure_step_change",
    "is_gradient",
    "step_change",
]

CLIPPING = "clipping"
OLD_GRADIENT = "old gradient"
"""A gradient that an earlier step already used."""
EARLIER_GRADIENT = "earlier gradient"
"""The gradient of Events too long ago to be listed."""

_LEAST_DIFFERENCE = 1e-4
_LEAST_DIFFERENCE_OF_MUON = 1e-2  # whose matrices are bfloat16 in torch
"""The part of a move up to which torch's arithmetic can differ from GradStep's."""

_NO_SCALE = 1e-6
"""A factor this close to 1 is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class StepChange:
    """The change of a parameter in a Step.

    Attributes:
        event: The Event.
        optimizer: The optimizer's class.
        requires_grad: Whether the parameter required a gradient.
        gradient: The gradient that the Step used.
        before: The values before the Step.
        total: The change.
        shares: Its sources, at the learning rate of the Step.
        terms: The same as a sum, with learning-rate change and rounding as terms.
        rates: The learning rates of the previous step and of this one.
        clipped: The factor of clipping on the gradient's norm; None without clipping.
        factors: All that scaled the change.
        search: The message of a step that evaluates the loss itself; else empty.
    """

    event: int
    optimizer: str
    requires_grad: bool
    gradient: NDArray[np.float64]
    before: NDArray[np.float64]
    total: NDArray[np.float64]
    shares: dict[str, Share]
    terms: tuple[Term, ...]
    rates: tuple[float, float]
    clipped: float | None
    factors: tuple[Factor, ...]
    search: str = ""


def step_change(
    shadow: ShadowProgram, history: History, event: int, operation: Step, parameter: str
) -> StepChange:
    """Replay a Step, and split its change of a parameter.

    Raises:
        ReplayError: The state before it has no gradient.
    """
    rate_before = _rate_before(shadow, history, event, operation, parameter)
    sources = _sources(
        history,
        event,
        operation,
        parameter,
        contributions(shadow, history, event - 1, parameter),
    )
    program = shadow.program
    optimizer, tensor = program.optimizers[operation.optimizer], program.tensors[parameter]
    if tensor.grad is None:  # in a session that was changed
        raise ReplayError(
            f"Event {event:,} moved {parameter}, which has no gradient in the state before it",
            "the session is damaged: open a copy or an autosave of it",
        )
    before, gradient = values_of(program, parameter), array_of(tensor.grad).astype(np.float64)
    state = program.capture()
    with shadow.moved_by_caller(history, event - 1):
        rate = _rate(program, operation, parameter)
        shares = then = _attributed(program, operation, parameter, sources, rate)
        if rate_before not in (None, rate):
            program.restore(state)
            then = _attributed(program, operation, parameter, sources, rate_before)
        program.restore(state)
    shadow.go(history, event)
    total = values_of(program, parameter) - before
    changed = _sum(shares, total) - _sum(then, total) if then is not shares else None
    rates = (rate if rate_before is None else rate_before), rate
    clipped = _clipped(sources, gradient)
    most = np.inf
    if program.abilities.document:  # torch has written it, and maybe more than the optimizer
        most = _most_rounding(array_of(program.tensors[parameter]), before, total, optimizer)
    terms = terms_of(then, total, optimizer.TERMS, changed, most)
    if MEMORY in then:
        momentum = momentum_parts(shadow, history, event, operation, parameter, rates[0])
        terms = tuple(
            replace(term, parts=momentum) if term.name == MEMORY else term for term in terms
        )
    return StepChange(
        event,
        type(optimizer).__name__,
        tensor.requires_grad,
        gradient,
        fixed(before),
        fixed(total),
        shares,
        terms,
        rates,
        clipped,
        tuple(_factors(clipped, rates, gradient, shares)),
    )


def _most_rounding(
    written: NDArray[Any],
    before: NDArray[np.float64],
    total: NDArray[np.float64],
    optimizer: object,
) -> float:
    """Return the norm up to which torch's move can differ from GradStep's formulas.

    That is a small part of the move, and the digits that the type of the values cannot hold.
    """
    spacing = float(np.finfo(written.dtype).eps)
    if written.dtype == np.float32 and not (written.view(np.uint32) & 0xFFFF).any():
        spacing = 2.0**-7  # they are bfloat16 in the script
    largest = max(np.abs(before).max(initial=0.0), np.abs(written).max(initial=0.0))
    part = _LEAST_DIFFERENCE_OF_MUON if isinstance(optimizer, Muon) else _LEAST_DIFFERENCE
    return float(part * np.linalg.norm(total) + spacing * largest * np.sqrt(total.size))


def closure_step_change(
    shadow: ShadowProgram, history: History, event: int, operation: Step, parameter: str
) -> StepChange:
    """Replay a Step that evaluates the loss itself, and split its change of a parameter.

    Over all its iterations the change is the sum of what the gradients and what the curvature
    memory added. A change of the learning rate is not a source: the iterations would have differed.
    """
    shadow.go(history, event - 1)
    program = shadow.program
    optimizer = cast("LBFGS", program.optimizers[operation.optimizer])
    _, index = place_of(program, operation, parameter)
    before, state = values_of(program, parameter), program.capture()
    closure = program.closure(operation, optimizer.gradient)
    evaluated: list[NDArray[Any]] = []

    def parts() -> Mapping[str, NDArray[Any]]:
        evaluated.append(optimizer.split(optimizer.gradient())[index])
        several = len(closure.parts) > 1
        return {
            f"{GRADIENT} of {loss}" if several else GRADIENT: part
            for loss, part in closure.parts.items()
        }

    with shadow.moved_by_caller(history, event - 1):
        shares = attribute_search(optimizer, index, closure, parts)
        program.restore(state)
    rate = float(optimizer.param_groups[0]["lr"])
    shadow.go(history, event)
    total = values_of(program, parameter) - before
    return StepChange(
        event,
        type(optimizer).__name__,
        program.tensors[parameter].requires_grad,
        evaluated[0].astype(np.float64),
        fixed(before),
        fixed(total),
        shares,
        terms_of(shares, total, optimizer.TERMS),
        (rate, rate),
        None,
        (),
        history.log.event(event).outcome.message,
    )


def is_gradient(source: str) -> bool:
    """Whether a source is a gradient, of any loss or age."""
    return GRADIENT in source


def _sources(
    history: History,
    event: int,
    operation: Step,
    parameter: str,
    parts: Iterable[Contribution],
) -> dict[str, NDArray[np.float64]]:
    """Return the parts of the gradient by the names of their sources."""
    used = history.log.last(
        event - 1,
        lambda done, wrote: _is_step_of(done, operation) and parameter in wrote.read_gradients,
    )
    parts = tuple(parts)
    new = {part.event for part in parts if part.kind == "backward" and part.event > (used or 0)}
    several = len({part.loss for part in parts if part.event in new}) > 1
    found: dict[str, NDArray[np.float64]] = {}
    for part in parts:
        if part.kind == "clip":
            name = CLIPPING
        elif part.event in new:
            name = f"{GRADIENT} of {part.loss}" if several else GRADIENT
        else:
            name = OLD_GRADIENT if part.event <= (used or 0) else EARLIER_GRADIENT
        found[name] = found.get(name, 0.0) + part.value.astype(np.float64)
    return found


def _rate_before(
    shadow: ShadowProgram, history: History, event: int, operation: Step, parameter: str
) -> float | None:
    """Return the learning rate of the previous step; None when nothing set it since."""
    log = history.log
    last = log.last(event - 1, lambda done, _: _is_step_of(done, operation))
    if last is None:
        return None
    since = [index for index in range(last + 1, event) if not log.failed(index)]
    if any(_replaces(log.operation(index), operation.optimizer) for index in since):
        return None  # neither the learning rate nor the state of the old optimizer counts
    for index in since:
        if any(
            option.optimizer == operation.optimizer and option.key == "lr"
            for option in log.reads_writes(index).written_options
        ):
            shadow.go(history, index - 1)
            return _rate(shadow.program, operation, parameter)
    return None


def _replaces(done: Operation, optimizer: str) -> bool:
    """Whether an Operation replaces an optimizer."""
    return isinstance(done, ReplaceOptimizer) and done.optimizer == optimizer


def _is_step_of(done: Operation, operation: Step) -> bool:
    """Whether an Operation is a Step of the same optimizer, in the loop or not."""
    return isinstance(done, Step) and done.optimizer == operation.optimizer


def _rate(program: Debuggee, operation: Step, parameter: str) -> float:
    number, _ = place_of(program, operation, parameter)
    return float(program.optimizers[operation.optimizer].param_groups[number]["lr"])


def _attributed(
    program: Debuggee,
    operation: Step,
    parameter: str,
    sources: dict[str, NDArray[np.float64]],
    rate: float | None,
) -> dict[str, Share]:
    """Run the update of a parameter at a learning rate, and return its shares."""
    number, index = place_of(program, operation, parameter)
    optimizer = program.optimizers[operation.optimizer]
    optimizer.param_groups[number]["lr"] = rate
    return attribute(optimizer, number, index, sources).shares


def _sum(shares: dict[str, Share], like: NDArray[np.float64]) -> NDArray[np.float64]:
    return sum_of((share.value for share in shares.values()), like)


def _clipped(
    sources: dict[str, NDArray[np.float64]], gradient: NDArray[np.float64]
) -> float | None:
    if CLIPPING not in sources:
        return None
    whole = float(np.linalg.norm(gradient - sources[CLIPPING]))
    return float(np.linalg.norm(gradient)) / whole if whole else None


def _factors(
    clipped: float | None,
    rates: tuple[float, float],
    gradient: NDArray[np.float64],
    shares: dict[str, Share],
) -> Iterator[Factor]:
    if clipped is not None:
        yield Factor(CLIPPING, "norm(grad after clipping) / norm(grad before)", clipped)
    before, rate = rates
    if before and before != rate:
        yield Factor("learning rate", "lr / lr of the step before", rate / before)
    plain = abs(rate) * float(np.linalg.norm(gradient))
    used = [share.value for name, share in shares.items() if is_gradient(name) or name == CLIPPING]
    if used and plain:
        scale = float(np.linalg.norm(sum_of(used, gradient))) / plain
        if abs(scale - 1) > _NO_SCALE:
            yield Factor("adaptive scale", "norm(change by grad) / norm(lr * grad)", scale)
