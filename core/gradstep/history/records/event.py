"""Events as records: one Event in full, and many of them in columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from gradstep.program.operation import Operation  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Event", "EventColumns", "Outcome"]


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """The outcome of an Operation.

    Attributes:
        ok: True when it succeeded; False when it failed and left the state as it was.
        error: The error's class name, such as "TensorError"; empty when ok.
        message: The error in one line. When ok, a note such as "4 of 6 parameters had no gradient
            and were skipped", or nothing.
        remedy: What to do about the error.
    """

    ok: bool = True
    error: str = ""
    message: str = ""
    remedy: str = ""


class Event(msgspec.Struct, frozen=True, gc=False):
    """One applied Operation and its effect.

    Attributes:
        index: Its position in the History, from 1; 0 stands for the state before any Event.
        iteration: How many iterations were complete before it.
        operation: The Operation that was applied.
        outcome: Success, or the error.
        reads: The addresses that it read, such as "model.0.weight", "model.0.weight.grad",
            "optimizer/model.0.weight/momentum_buffer", "data.a".
        writes: The addresses that it changed.
        checksum: The checksum of what it wrote; a replay must give the same.
        loss: The loss that a Forward computed, or the first one that a Step evaluated (the sum of
            several); otherwise None.
        rows: The rows of the data set that it used; None for none.
    """

    index: int
    iteration: int
    operation: Operation
    outcome: Outcome = Outcome()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    checksum: int = 0
    loss: float | None = None
    rows: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class EventColumns:
    """Consecutive Events of one branch, one array element per Event.

    Attributes:
        log: The serial number of the log; columns continue earlier ones only if it is the same.
        operations: The Operation of each Event, as an index into `known`.
        iterations: How many iterations were complete before each Event.
        failed: Whether the Operation failed.
        known: The distinct Operations.
    """

    log: int
    operations: NDArray[np.integer[Any]]
    iterations: NDArray[np.integer[Any]]
    failed: NDArray[np.bool_]
    known: tuple[Operation, ...]
