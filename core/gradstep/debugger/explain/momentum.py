"""The parts of an optimizer's momentum: the losses and batches of earlier steps.

The earlier steps are replayed one after the other on arrays that carry named parts, one for each
gradient that reached the parameter. The momentum from before the first of them is one part.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.explain.provenance import contributions, gradient_writers
from gradstep.debugger.explain.terms import projection
from gradstep.history.live_values import array_of
from gradstep.history.records.explanation import MomentumPart
from gradstep.optim.attribution import DECAY, MOVING_STATE, Attribution, attribute
from gradstep.program.operation import ReplaceOptimizer, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.log.event_log import EventLog
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.history.records.explanation import Contribution
    from gradstep.optim.attribution import MemoryParts
    from gradstep.program.operation import Operation

__all__ = ["momentum_parts", "place_of"]

_NEGLIGIBLE = 0.01
"""Steps are followed back until momentum has reduced them to this share of their size."""
_MAX_STEPS = 64
_MAX_REPLAYS = 256
"""Backwards that are replayed. A gradient that is never cleared has many for each step."""
_MAX_ELEMENTS = 2_000_000
"""Numbers in all parts together: the momentum of a large parameter is followed over fewer steps."""


def momentum_parts(
    shadow: ShadowProgram,
    history: History,
    event: int,
    operation: Step,
    parameter: str,
    rate: float | None = None,
) -> tuple[MomentumPart, ...]:
    """Return what the momentum of earlier steps added to the change of a parameter in a step.

    Args:
        shadow: Where to replay; it ends at the moment after the step.
        history: The branch.
        event: The Event of the step.
        operation: The step, of an optimizer that keeps momentum of the parameter.
        parameter: The tensor's name.
        rate: The learning rate to apply; by default that of the step.

    Returns:
        The parts, the latest first. They add up to the term "momentum memory" at that rate.
    """
    steps = _steps_to_follow(shadow.program, history.log, event, operation, parameter)
    shadow.go(history, min([*steps, event]) - 1)
    memory, origins = _whole_memory(shadow.program, operation, parameter)
    for step in steps:
        found = contributions(shadow, history, step - 1, parameter)
        sources = {f"{step}:{part.event}": part for part in found if part.kind != "clip"}
        memory = _traced(
            shadow, history, step, operation, parameter, _clipped(sources, found), memory
        ).memory
        memory = {key: _renamed(parts, f"{step}:decay") for key, parts in memory.items()}
        origins |= {name: _origin(step, part) for name, part in sources.items()}
        origins[f"{step}:decay"] = MomentumPart("weight decay", step)
        shadow.go(history, step)
    shadow.go(history, event - 1)
    before = array_of(shadow.program.tensors[parameter]).astype(np.float64)
    shares = _traced(shadow, history, event, operation, parameter, {}, memory, rate).shares
    shadow.go(history, event)
    total = array_of(shadow.program.tensors[parameter]).astype(np.float64) - before
    return tuple(
        replace(origin, value=shares[name].value, share=projection(shares[name].value, total))
        for name, origin in reversed(origins.items())
        if name in shares
    )


def place_of(program: Debuggee, operation: Step, parameter: str) -> tuple[int, int]:
    """Return the parameter group that holds a parameter, and its index in the group."""
    tensor = program.tensors[parameter]
    return next(
        (number, index)
        for number, group in enumerate(program.optimizers[operation.optimizer].param_groups)
        for index, member in enumerate(group["params"])
        if member is tensor
    )


def _steps_to_follow(
    program: Debuggee, log: EventLog, event: int, operation: Step, parameter: str
) -> list[int]:
    """Return the Events of the earlier steps to replay, the oldest first."""
    most = min(_horizon(program, operation, parameter), _MAX_STEPS)
    most = min(most, max(1, _MAX_ELEMENTS // max(1, array_of(program.tensors[parameter]).size)))
    steps: list[int] = []
    replays, index = 0, event - 1
    while len(steps) < most:
        found = log.last(
            index, lambda done, wrote: _writes_state(done, wrote, operation.optimizer, parameter)
        )
        if found is None or not isinstance(log.operation(found), Step):
            break
        replays += len(gradient_writers(log, found - 1, parameter)[0])
        if replays > _MAX_REPLAYS:
            break
        steps.append(found)
        index = found - 1
    return steps[::-1]


def _horizon(program: Debuggee, operation: Step, parameter: str) -> int:
    """Return after how many steps momentum has nearly forgotten a gradient."""
    optimizer = program.optimizers[operation.optimizer]
    group = optimizer.param_groups[place_of(program, operation, parameter)[0]]
    kept = float(group["betas"][0] if "betas" in group else group.get("momentum", 0.0))
    return ceil(log(_NEGLIGIBLE) / log(kept)) if 0 < kept < 1 else _MAX_STEPS


def _writes_state(
    operation: Operation, reads_writes: ReadsWrites, optimizer: str, parameter: str
) -> bool:
    """Whether an Event updated, loaded or dropped the state of a parameter."""
    if isinstance(operation, ReplaceOptimizer) and operation.optimizer == optimizer:
        return True
    return any(
        name == optimizer and parameter in held for name, held in reads_writes.written_states
    )


def _whole_memory(
    program: Debuggee, operation: Step, parameter: str
) -> tuple[MemoryParts, dict[str, MomentumPart]]:
    """Return the momentum at the current moment as one part, and the record of that part."""
    state = program.optimizers[operation.optimizer].state.get(program.tensors[parameter], {})
    memory = {
        key: {"earlier": array_of(state[key]).astype(np.float64)}
        for key in MOVING_STATE
        if key in state and array_of(state[key]).any()
    }
    return memory, {"earlier": MomentumPart("earlier")} if memory else {}


def _clipped(
    sources: dict[str, Contribution], found: Iterable[Contribution]
) -> dict[str, NDArray[np.float64]]:
    """Return the gradients of a step, each reduced as clipping reduced their sum."""
    values = {name: part.value.astype(np.float64) for name, part in sources.items()}
    clips = [part.value.astype(np.float64) for part in found if part.kind == "clip"]
    if not clips or not values:
        return values
    whole: Any = sum(values.values())
    after = whole + sum(clips)
    scale = np.divide(after, whole, out=np.ones_like(whole), where=whole != 0)
    return {name: value * scale for name, value in values.items()}


def _traced(
    shadow: ShadowProgram,
    history: History,
    event: int,
    operation: Step,
    parameter: str,
    gradient: dict[str, NDArray[np.float64]],
    memory: MemoryParts,
    rate: float | None = None,
) -> Attribution:
    """Update the parameter as a step does, at the moment before the step; undo that."""
    program = shadow.program
    group, index = place_of(program, operation, parameter)
    optimizer, state = program.optimizers[operation.optimizer], program.capture()
    with shadow.moved_by_caller(history, event - 1):
        if rate is not None:
            optimizer.param_groups[group]["lr"] = rate
        found = attribute(optimizer, group, index, gradient, memory)
        program.restore(state)
    return found


def _renamed(
    parts: Mapping[str, NDArray[np.float64]], decay: str
) -> Mapping[str, NDArray[np.float64]]:
    """Return parts with the weight decay of a step named after the step."""
    return {decay if name == DECAY else name: value for name, value in parts.items()}


def _origin(step: int, part: Contribution) -> MomentumPart:
    if part.kind == "earlier":
        return MomentumPart("earlier", step, part.event)
    return MomentumPart("gradient", step, part.event, part.loss, part.batch)
