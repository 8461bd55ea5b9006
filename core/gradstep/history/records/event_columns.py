"""EventColumns: many Events at once, for those who draw or count them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gradstep.program.operation import Operation

__all__ = ["EventColumns"]


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
