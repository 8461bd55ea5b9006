"""Micro-steps of a SchedulerStep: each group's learning rate before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.formula import Formula
from gradstep.program.micro_step import MicroStep, array_copies
from gradstep.program.operations.optimizers import scheduler_step

if TYPE_CHECKING:
    from gradstep.program.micro_step import Walk
    from gradstep.program.operation import SchedulerStep
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["walk_scheduler"]


def walk_scheduler(live: LiveObjects, operation: SchedulerStep) -> Walk:
    """Yield each group's learning rate before and after."""
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
            array_copies([("lr", old), *settings.items()]),
            array_copies([("lr", group["lr"])]),
        )


def _numbers(state: dict[str, Any]) -> dict[str, Any]:
    """Return the plain numbers of a scheduler's state, without private entries."""
    return {
        name: value
        for name, value in state.items()
        if not name.startswith("_")
        and isinstance(value, (int, float, np.floating))
        and not isinstance(value, bool)
    }
