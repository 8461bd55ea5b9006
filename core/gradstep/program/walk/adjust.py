"""Inside what clips gradients, and what moves the learning rate."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.formula import Formula
from gradstep.nn.clip_grad import clipping_by_norm, clipping_by_value, get_total_norm
from gradstep.program.micro_step import MicroStep, kept
from gradstep.program.operations.adjustments import clipped, scheduler_step

if TYPE_CHECKING:
    from gradstep.autograd.tensor import Tensor
    from gradstep.program.micro_step import Walk
    from gradstep.program.operation import ClipGradNorm, ClipGradValue, SchedulerStep
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk_clip_norm", "walk_clip_value", "walk_scheduler"]

_FACTOR = Formula("min(1, max_norm / (total_norm + 1e-06))", makes="factor")
_SCALED = Formula("factor * grad", makes="grad")
_CLAMPED = Formula("clamp(grad, -clip_value, clip_value)", makes="grad")


def walk_clip_norm(live: LiveObjects, operation: ClipGradNorm) -> Walk:
    """Give the total norm, the factor it leads to, and each gradient that is scaled."""
    held, addresses = clipped(live, operation)
    if not held:
        return
    grads = [_gradient(parameter) for parameter in held]
    before = [grad._array.copy() for grad in grads]
    total = get_total_norm(grads, operation.norm_type)
    path, bounds = (operation.optimizer,), {"max_norm": operation.max_norm}
    norm = MicroStep(
        "term",
        "total_norm",
        path,
        _norm(operation.norm_type),
        kept(zip(addresses, before, strict=True)),
        kept([("total_norm", total._array)]),
        writes=(addresses[0],),  # scaled by the time that there is a factor to tell
    )
    scaling = clipping_by_norm(zip(held, grads, strict=True), operation.max_norm, total)
    for number, (parameter, factor) in enumerate(scaling):
        if number == 0:
            yield norm
            read = kept([*bounds.items(), ("total_norm", total._array)])
            yield MicroStep("term", "factor", path, _FACTOR, read, kept([("factor", factor)]))
        read = kept([("factor", factor), ("grad", before[number])])
        yield _changed(live, parameter, path, _SCALED, read)


def walk_clip_value(live: LiveObjects, operation: ClipGradValue) -> Walk:
    """Give each gradient that is clamped."""
    held, _ = clipped(live, operation)
    grads = [_gradient(parameter) for parameter in held]
    before = [grad._array.copy() for grad in grads]
    clamping = clipping_by_value(zip(held, grads, strict=True), operation.clip_value)
    for number, parameter in enumerate(clamping):
        read = kept([("clip_value", operation.clip_value), ("grad", before[number])])
        yield _changed(live, parameter, (operation.optimizer,), _CLAMPED, read)


def walk_scheduler(live: LiveObjects, operation: SchedulerStep) -> Walk:
    """Give the learning rate of each group, before and after."""
    scheduler = live.scheduler(operation.scheduler)
    groups = scheduler.optimizer.param_groups
    before = [group["lr"] for group in groups]
    settings = _numbers(scheduler.state_dict())
    scheduler_step(live, operation)
    rule = Formula((type(scheduler).__doc__ or "").partition("\n")[0].removesuffix("."))
    for number, (group, old) in enumerate(zip(groups, before, strict=True)):
        yield MicroStep(
            "group",
            f"group {number}",
            (operation.scheduler,),
            rule,
            kept([("lr", old), *settings.items()]),
            kept([("lr", group["lr"])]),
        )


def _changed(
    live: LiveObjects,
    parameter: Tensor,
    path: tuple[str, ...],
    formula: Formula,
    read: Any,  # noqa: ANN401 - arrays by name
) -> MicroStep:
    address = live.addresses[parameter]
    made = kept([("grad", _gradient(parameter)._array)])
    writes = (f"{address}.grad",)
    return MicroStep("parameter", address, path, formula, read, made, writes=writes)


def _gradient(parameter: Tensor) -> Tensor:
    gradient = parameter._grad
    assert gradient is not None  # only those that have one are clipped
    return gradient


def _norm(exponent: float) -> Formula:
    order = r"\infty" if exponent == inf else f"{exponent:g}"
    return Formula(
        "the norm of all gradients together",
        rf"\left\lVert g \right\rVert_{{{order}}}",
        makes="total_norm",
    )


def _numbers(state: dict[str, Any]) -> dict[str, Any]:
    """Return the plain numbers of a scheduler's state, without what it keeps for itself."""
    return {
        name: value
        for name, value in state.items()
        if not name.startswith("_")
        and isinstance(value, (int, float, np.floating))
        and not isinstance(value, bool)
    }
