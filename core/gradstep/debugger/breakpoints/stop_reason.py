"""StopReason: why a run ended, as a record and in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradstep.pluralize import pluralize
from gradstep.program.operation import line_name

if TYPE_CHECKING:
    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.records.breakpoints import StopKind
    from gradstep.program.operation import Operation

__all__ = ["StopReason"]


@dataclass(frozen=True, slots=True)
class StopReason:
    """Why a run ended.

    Attributes:
        kind: "breakpoint" (one was hit), "iterations" (all are done), "failed" (an Operation
            failed), "paused" (`should_stop` returned True), "script_pause" (a script called
            `gradstep_agent.pause()`), "start" (going back reached it),
            "end" (a script or its recording ended), or "condition_error" (a breakpoint could not be
            evaluated).
        event: The index of the last Event.
        sentence: The reason in words.
        breakpoint: The breakpoint that was hit, or could not be evaluated; else None.
    """

    kind: StopKind
    event: int
    sentence: str
    breakpoint: Breakpoint | None = None

    @classmethod
    def hit(
        cls, event: int, point: Breakpoint, before: Operation | None, holder: str
    ) -> StopReason:
        """Return the reason for a breakpoint that was hit.

        Args:
            event: The index of the last Event.
            point: The breakpoint.
            before: The next Operation, when it was hit before that one.
            holder: The parameter for which it holds; empty for none.
        """
        parameter = f", for {holder}" if holder else ""
        where = _at(event) if before is None else f"before {line_name(before)}, {_at(event)}"
        if point.error is not None:
            sentence = f"breakpoint {point.id} cannot be computed {where}: {point.error}"
            return cls("condition_error", event, sentence, point)
        expression = "" if point.spec.line and point.expression == "True" else point.expression
        what = ", ".join(filter(None, (point.spec.line, expression)))
        return cls("breakpoint", event, f"{what}{parameter}, {where}", point)

    @classmethod
    def failed(cls, applied: AppliedEvent) -> StopReason:
        """Return the reason for an Operation that failed."""
        sentence = f"{line_name(applied.operation)} failed: {applied.outcome.message}"
        return cls("failed", applied.index, sentence)

    @classmethod
    def done(cls, event: int, iterations: int) -> StopReason:
        """Return the reason for a run that did all its iterations."""
        return cls("iterations", event, f"{pluralize(iterations, 'iteration')} done")

    @classmethod
    def reached(cls, event: int, iteration: int) -> StopReason:
        """Return the reason for a run that reached its target iteration."""
        return cls("iterations", event, f"iteration {iteration:,} is done")

    @classmethod
    def ended(cls, event: int) -> StopReason:
        """Return the reason for a run that lasted until a script ended."""
        return cls("end", event, "the script has ended")

    @classmethod
    def paused(cls, event: int) -> StopReason:
        """Return the reason for a run that was stopped."""
        return cls("paused", event, f"paused {_at(event)}")

    @classmethod
    def called_pause(cls, event: int, at: str) -> StopReason:
        """Return the reason for a script that has called `gradstep_agent.pause()` itself."""
        return cls("script_pause", event, f"the script called pause() at {at}")

    @classmethod
    def start(cls) -> StopReason:
        """Return the reason for a run back without a hit."""
        return cls("start", 0, "no breakpoint was hit before; this is the start")

    @classmethod
    def end(cls, event: int) -> StopReason:
        """Return the reason for a run to the end of the recording of a script."""
        return cls("end", event, "the recording of the script ends here")


def _at(event: int) -> str:
    return f"after Event {event:,}" if event else "at the start"
