"""AppliedEvent: an Event as it was applied, which diagnostics and breakpoints read at once."""

from __future__ import annotations

from typing import Any

import msgspec

from gradstep.history.reads_writes import ReadsWrites  # noqa: TC001 - likewise
from gradstep.history.records.event import Outcome  # noqa: TC001 - msgspec reads the annotations
from gradstep.program.operation import (
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    Operation,
    SchedulerStep,
    SetHyperparameter,
    Step,
    ZeroGrad,
)

__all__ = ["AppliedEvent"]

_TARGETS: dict[type[Operation], str] = {
    Forward: "loss",
    Backward: "loss",
    SchedulerStep: "scheduler",
    **dict.fromkeys((ZeroGrad, Step, ClipGradNorm, ClipGradValue, SetHyperparameter), "optimizer"),
}


class AppliedEvent(msgspec.Struct, gc=False):
    """An Event that was just applied, or was recorded earlier, without its checksum and rows.

    Attributes:
        index: Its index.
        iteration: How many iterations were complete before it.
        operation: The Operation that was applied.
        outcome: How it ended.
        reads_writes: What it read and wrote.
        loss: The value of the loss that it computed; None for none.
        completes: Whether it completed an iteration.
        is_finite: Whether the loss, gradients and data that were sampled after it had neither NaN
            nor Inf.
    """

    index: int
    iteration: int
    operation: Operation
    outcome: Outcome
    reads_writes: ReadsWrites
    loss: float | None
    completes: bool
    is_finite: bool = True

    def operation_target(self) -> str:
        """Return the name of the loss, optimizer or scheduler that the Operation names."""
        operation: Any = self.operation
        field = _TARGETS.get(type(operation))
        return str(getattr(operation, field)) if field else ""
