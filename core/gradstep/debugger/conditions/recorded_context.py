"""RecordedContext: the values of names at a past moment, read from the Event log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.debugger.conditions.evaluation_context import MISSING, EvaluationContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gradstep.history.history import History
    from gradstep.program.program import Program

__all__ = ["RecordedContext", "logs_every_loss"]


def logs_every_loss(history: History) -> bool:
    """Whether the Event log has each loss; of a Step with several evaluations it has their sum."""
    return all(len(known.written_losses) <= 1 for known in history.log.vocabulary.all_reads_writes)


class RecordedContext(EvaluationContext):
    """The context of a past moment, as far as the Event log alone knows it.

    Args:
        program: For the names of its losses.
        history: The branch.
        is_finding_new: Returns whether a finding was first reported at an Event.
    """

    __slots__ = ("_forwards", "_history")

    def __init__(
        self, program: Program, history: History, is_finding_new: Callable[[int], bool]
    ) -> None:
        super().__init__(program, is_finding_new=is_finding_new)
        self._history = history
        self._forwards: dict[str, NDArray[np.int64]] = {}

    def move_to(self, index: int) -> None:
        """Give the values after an Event from now on."""
        self.event = index
        self.applied = self._history.applied_event(index) if index else None

    @property
    def iteration(self) -> int:
        """How many whole passes of the loop were complete."""
        applied = self.applied
        return 0 if applied is None else applied.iteration + applied.completes

    def loss(self, name: str) -> Any:  # noqa: ANN401 - a number, or none
        """Return the last value of a loss, or of any loss when the name is empty."""
        if name not in self._forwards:
            log = self._history.log
            self._forwards[name] = log.find(
                0,
                len(log),
                reads_writes=lambda found: bool(
                    name in found.written_losses if name else found.written_losses
                ),
                outcome=lambda found: found.ok,
            )
        past = self._forwards[name]
        count = int(np.searchsorted(past, self.event, side="right"))
        return self._history.log.brief(int(past[count - 1]))[4] if count else MISSING
