"""Facts about the order of Operations: what is missing, what came too early, what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.backward_errors import UNCONNECTED
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.replaced_tensors import renamed
from gradstep.program.operation import (
    Backward,
    Forward,
    RebuildModule,
    SchedulerStep,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import LoopLine, Operation

__all__ = ["LoopOrderRule", "failure_facts"]


class LoopOrderRule:
    """Follows an iteration from Forward to Step.

    A gradient left at the end of an iteration may be meant for a Step at the start of the next. The
    Step is missing only once the gradient is cleared, or another Backward comes first. So may a
    loss: its Backward is missing only once another Forward computes it.

    Args:
        accumulates: The program declares that it accumulates gradients over iterations.
        schedules: The optimizer of each scheduler.
        held_out: Losses that only evaluate: no Backward belongs to them.
    """

    __slots__ = (
        "_backward",
        "_forward",
        "_held_out",
        "_left",
        "_pending",
        "_schedules",
        "_stepped",
        "_tried",
        "_unused",
        "accumulates",
    )

    def __init__(
        self,
        *,
        accumulates: bool = False,
        schedules: Mapping[str, str],
        held_out: Collection[str] = (),
    ) -> None:
        self.accumulates = accumulates
        self._schedules = dict(schedules)
        self._held_out = frozenset(held_out)
        self._forward: dict[str, int] = {}
        self._backward: dict[str, int] = {}
        self._stepped: dict[str, int] = {}
        self._tried = False
        self._unused: dict[str, None] = {}
        self._left: dict[str, int] = {}
        self._pending: dict[str, int] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Forward: self._on_forward,
            Backward: self.on_backward,
            ZeroGrad: self._on_zero_grad,
            Step: self._on_step,
            SchedulerStep: self._on_scheduler_step,
            RebuildModule: self._on_rebuild,
        }

    def on_backward(self, seen: AppliedEvent) -> Iterable[Observation]:
        """Handle a Backward, even a failed one, which was not omitted and has its own fact."""
        facts = self._missed(seen.index)
        self._tried = True
        self._pending.pop(seen.operation_target(), None)
        if seen.outcome.ok:
            self._backward[seen.operation_target()] = seen.index
            self._unused.update(dict.fromkeys(seen.reads_writes.written_gradients))
        return facts

    def end(self, index: int) -> Iterable[Observation]:
        """Handle the end of an iteration.

        Args:
            index: The Event that completed it.
        """
        facts: Iterable[Observation] = ()
        forward, backward = self._forward, self._backward
        if not backward:
            if not self._tried:
                self._pending |= forward
        elif not self.accumulates:
            first = min((*forward.values(), *backward.values()))
            if max(self._stepped.values(), default=0) <= first:
                self._left = dict(backward)
                if not self._unused:
                    facts = self._missed(index)
        forward.clear()
        backward.clear()
        self._tried = False
        return facts

    def _missed(self, index: int) -> Iterable[Observation]:
        """Return the fact that no Step used what an iteration left, as an Event has shown."""
        left, self._left = self._left, {}
        if not left:
            return ()
        events = dict.fromkeys((*left.values(), index))
        return (Observation("step-missing", tuple(left), tuple(events)),)

    def _on_zero_grad(self, seen: AppliedEvent) -> Iterable[Observation]:
        for name in seen.reads_writes.written_gradients:
            self._unused.pop(name, None)
        return () if self._unused else self._missed(seen.index)

    def _on_rebuild(self, seen: AppliedEvent) -> tuple[()]:
        self._unused = renamed(self._unused, seen)
        return ()

    def _on_forward(self, seen: AppliedEvent) -> Iterable[Observation]:
        loss = seen.operation_target()
        if loss not in self._held_out:
            self._forward[loss] = seen.index
        pending = self._pending.pop(loss, 0)
        if not pending:
            return ()
        return (Observation("backward-missing", (loss,), (pending, seen.index)),)

    def _on_step(self, seen: AppliedEvent) -> tuple[()]:
        self._stepped[seen.operation_target()] = seen.index
        self._unused.clear()
        self._left.clear()
        for loss in seen.reads_writes.written_losses:  # it has gone forward and backward itself
            self._forward.pop(loss, None)
            self._backward.pop(loss, None)
            self._pending.pop(loss, None)
        return ()

    def _on_scheduler_step(self, seen: AppliedEvent) -> Iterable[Observation]:
        scheduler = seen.operation_target()
        optimizer = self._schedules.get(scheduler, "")
        if optimizer in self._stepped:
            return ()
        return (Observation("scheduler-first", (scheduler,), (seen.index,), optimizer),)


def failure_facts(seen: AppliedEvent) -> Iterator[Observation]:
    """Yield the facts that a failed Operation shows."""
    if isinstance(seen.operation, Backward) and UNCONNECTED in seen.outcome.message:
        yield Observation("not-connected", (seen.operation.loss,), (seen.index,))


def declares_accumulation(loop: Collection[LoopLine]) -> bool:
    """Whether a loop steps only in some of its iterations, so that gradients accumulate.

    Args:
        loop: The loop's lines.
    """
    steps = [line.period for line in loop if line.enabled and isinstance(line.operation, Step)]
    return bool(steps) and 1 not in steps
