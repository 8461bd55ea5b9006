"""Facts about the order of Operations: what an iteration lacks, what came first, what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.diagnostics.report import Fact
from gradstep.program.operation import Backward, Forward, SchedulerStep, Step

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from gradstep.history.occurrence import Occurrence

__all__ = ["LoopRule", "failure_facts"]


class LoopRule:
    """Follows an iteration from Forward to Step.

    Args:
        accumulates: The program declares that it adds up gradients over iterations.
        schedules: The optimizer of each scheduler.
        held_out: Losses that are only looked at: nobody goes backward from them.
    """

    __slots__ = ("_accumulates", "_backward", "_forward", "_held_out", "_schedules", "_stepped")

    def __init__(
        self,
        *,
        accumulates: bool = False,
        schedules: Mapping[str, str],
        held_out: Collection[str] = (),
    ) -> None:
        self._accumulates = accumulates
        self._schedules = dict(schedules)
        self._held_out = frozenset(held_out)
        self._forward: dict[str, int] = {}
        self._backward: dict[str, int] = {}
        self._stepped: dict[str, int] = {}

    def observe(self, seen: Occurrence) -> Iterable[Fact]:
        """Take in an Event, one that failed too, and give the facts that it shows."""
        facts: Iterable[Fact] = ()
        operation = seen.operation
        if isinstance(operation, Backward):
            # One that failed has its own fact; the iteration did not forget it.
            self._backward[operation.loss] = seen.index
        elif not seen.outcome.ok:
            pass
        elif isinstance(operation, Forward):
            if operation.loss not in self._held_out:
                self._forward[operation.loss] = seen.index
        elif isinstance(operation, Step):
            self._stepped[operation.optimizer] = seen.index
        elif isinstance(operation, SchedulerStep):
            optimizer = self._schedules.get(operation.scheduler, "")
            if optimizer not in self._stepped:
                facts = (Fact("scheduler-first", (operation.scheduler,), (seen.index,), optimizer),)
        return (*facts, *self._end(seen.index)) if seen.completes else facts

    def _end(self, index: int) -> Iterator[Fact]:
        first = min((*self._forward.values(), *self._backward.values()), default=index)
        if self._forward and not self._backward:
            yield Fact("backward-missing", tuple(self._forward), (*self._forward.values(), index))
        elif self._backward and not self._accumulates and not self._stepped_since(first):
            yield Fact("step-missing", tuple(self._backward), (*self._backward.values(), index))
        self._forward.clear()
        self._backward.clear()

    def _stepped_since(self, index: int) -> bool:
        return any(step > index for step in self._stepped.values())


_FREED = "second time"
_UNCONNECTED = "does not require grad"


def failure_facts(seen: Occurrence) -> Iterator[Fact]:
    """Give the facts that an Operation which failed shows."""
    message = seen.outcome.message
    if isinstance(seen.operation, Backward):
        if _FREED in message:
            yield Fact("graph-freed", (seen.operation.loss,), (seen.index,))
        elif _UNCONNECTED in message:
            note = "nothing that it is computed from requires a gradient."
            yield Fact("not-connected", (seen.operation.loss,), (seen.index,), note)


def declares_accumulation(loop: Collection[Any]) -> bool:
    """Whether a loop itself says that it steps only in some of its iterations.

    Args:
        loop: The loop's lines.
    """
    steps = [line.every for line in loop if isinstance(line.operation, Step)]
    return bool(steps) and min(steps) > 1
