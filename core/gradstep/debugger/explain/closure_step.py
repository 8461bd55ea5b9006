"""The change of one parameter in a Step that evaluates the loss itself, split into its sources.

Over all iterations of the Step, the change is the sum of what the gradients and what the curvature
memory added. A change of the learning rate is no source: the iterations would have been others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradstep.debugger.explain.step_change import Move, group_and_index
from gradstep.debugger.explain.terms import fixed, terms_of, values_of
from gradstep.optim.attribution import GRADIENT, attribute_search

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gradstep.debugger.shadow_program import ShadowProgram
    from gradstep.history.history import History
    from gradstep.optim import LBFGS
    from gradstep.program.operation import Step

__all__ = ["move_of_search"]


def move_of_search(
    shadow: ShadowProgram, history: History, event: int, operation: Step, parameter: str
) -> Move:
    """Replay such a Step, and split its change of a parameter."""
    shadow.go(history, event - 1)
    program = shadow.program
    optimizer = cast("LBFGS", program.optimizers[operation.optimizer])
    _, index = group_and_index(program, operation, parameter)
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

    with shadow.aside(history, event - 1):
        shares = attribute_search(optimizer, index, closure, parts)
        program.restore(state)
    rate = float(optimizer.param_groups[0]["lr"])
    shadow.go(history, event)
    total = values_of(program, parameter) - before
    return Move(
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
