"""StopReason: why a run ended, as a record and in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradstep.pluralize import pluralize
from gradstep.program.operation import target

if TYPE_CHECKING:
    from gradstep.debugger.breakpoints.breakpoint import Breakpoint
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.records.breakpoints import StopKind
    from gradstep.program.operation import Operation

__all__ = ["StopReason", "called"]


@dataclass(frozen=True, slots=True)
class StopReason:
    """Why a run ended.

    Attributes:
        kind: "breakpoint" (one was hit), "iterations" (as many as asked are done), "failed" (an
            Operation was refused), "asked" (`should_stop` said so), "start" (going back reached
            it), or "broken" (a breakpoint could not be computed).
        event: The index of the last Event.
        sentence: All of it in words.
        breakpoint: The breakpoint that was hit, or could not be computed; None otherwise.
    """

    kind: StopKind
    event: int
    sentence: str
    breakpoint: Breakpoint | None = None

    @classmethod
    def hit(
        cls, event: int, point: Breakpoint, before: Operation | None, holder: str
    ) -> StopReason:
        """Return the reason of a breakpoint that was hit.

        Args:
            event: The index of the last Event.
            point: The breakpoint.
            before: The Operation that comes next, when it was hit before that one.
            holder: The parameter for which it holds, if it asked about any.
        """
        told = f", for {holder}" if holder else ""
        where = _at(event) if before is None else f"before {called(before)}, {_at(event)}"
        if point.error is not None:
            sentence = f"breakpoint {point.id} cannot be computed {where}: {point.error}"
            return cls("broken", event, sentence, point)
        return cls("breakpoint", event, f"{point.expression}{told}, {where}", point)

    @classmethod
    def failed(cls, seen: AppliedEvent) -> StopReason:
        """Return the reason of an Operation that was refused."""
        sentence = f"{called(seen.operation)} was refused: {seen.outcome.message}"
        return cls("failed", seen.index, sentence)

    @classmethod
    def done(cls, event: int, iterations: int) -> StopReason:
        """Return the reason of a run that has done as many iterations as it was to."""
        return cls("iterations", event, f"{pluralize(iterations, 'iteration')} done")

    @classmethod
    def asked(cls, event: int) -> StopReason:
        """Return the reason of a run that somebody has ended."""
        return cls("asked", event, f"paused {_at(event)}")

    @classmethod
    def start(cls) -> StopReason:
        """Return the reason of a run back that met no breakpoint."""
        return cls("start", 0, "no breakpoint was hit before; this is the very start")


def called(operation: Operation) -> str:
    """Return an Operation in words, such as "step optimizer".

    Example:
        >>> from gradstep.program.operation import ZeroGrad
        >>> called(ZeroGrad("optimizer"))
        'zero_grad optimizer'
    """
    kind, name = target(operation)
    return f"{kind.__struct_config__.tag} {name}".rstrip()


def _at(event: int) -> str:
    return f"after Event {event:,}" if event else "at the very start"
