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


class Outcome(msgspec.Struct, frozen=True):
    """How an Operation ended.

    Attributes:
        ok: True when it was carried out; False when it raised and left the state as it was.
        error: The error's class name, such as "TensorError"; empty when ok.
        message: What was wrong, in one line; empty when ok. A note when ok (such as "4 of 6
            parameters had no gradient and were skipped").
        remedy: What to do about it.
    """

    ok: bool = True
    error: str = ""
    message: str = ""
    remedy: str = ""


class Event(msgspec.Struct, frozen=True):
    """What one Operation did.

    Attributes:
        index: Its place in the History, from 1. The moment before any Event has index 0.
        iteration: How many whole passes of the program's loop were complete before it.
        operation: The Operation that was applied.
        outcome: Carried out, or the error that it raised.
        reads: Addresses of what it read, such as "model.0.weight", "model.0.weight.grad",
            "optimizer/model.0.weight/momentum_buffer", "data.a".
        writes: Addresses of what it changed, in the same notation.
        checksum: Of the bytes of everything it wrote; a replay must give the same.
        loss: The loss's value after a Forward; after a Step that evaluates the loss the first
            that it has found, the sum where there are several; else None.
        rows: Which rows of the data set it computed a loss on; None when it used no data.
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
    """Consecutive Events of one branch, one element an Event.

    Attributes:
        log: A number of the branch's log; Events read earlier go on only where it is the same.
        operations: Places in `known`.
        iterations: How many whole passes of the loop were complete before the Event.
        refused: Whether the Operation raised an error.
        known: The different Operations.
    """

    log: int
    operations: NDArray[np.integer[Any]]
    iterations: NDArray[np.integer[Any]]
    refused: NDArray[np.bool_]
    known: tuple[Operation, ...]
