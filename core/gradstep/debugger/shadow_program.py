"""ShadowProgram: a second instance of the program or script, on which the past is replayed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradstep.errors import GradStepError
from gradstep.stopping import ShouldStop, never

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History

__all__ = ["ShadowProgram", "StoppedError"]

_EVENTS_PER_CHECK = 64
"""Events that are replayed between two calls of `should_stop`."""


class StoppedError(GradStepError):
    """A replay was cancelled."""

    def __init__(self) -> None:
        super().__init__("the replay was cancelled", "start it again")


class ShadowProgram:
    """Replays past moments, while the live program stays where it is.

    Args:
        original: The live program.

    Attributes:
        program: The second program; it is where `go` moved it last.
        should_stop: Called from time to time during a replay; True ends it with a `StoppedError`.
    """

    def __init__(self, original: Debuggee) -> None:
        self.program = original.twin()
        self.should_stop: ShouldStop = never
        self._at: tuple[History, int] | None = None

    def go(self, history: History, index: int) -> None:
        """Bring the program to the moment after an Event of a branch.

        Raises:
            StoppedError: It was cancelled.
            ReplayError: A replay did not reproduce what was recorded.
        """
        live = self._at[1] if self._at is not None and self._at[0] is history else None
        self._at = None  # until it has arrived
        nearest = history.nearest(index).index
        if live is None or not nearest <= live <= index:
            history.goto(self.program, nearest)
            live = nearest
        while live < index:
            if self.should_stop():
                raise StoppedError
            step = min(live + _EVENTS_PER_CHECK, index)
            history.goto(self.program, step, live=live)
            live = step
        self._at = history, index

    def forget(self) -> None:
        """Note that the caller has changed the program: the next `go` restores it."""
        self._at = None

    @contextmanager
    def moved_by_caller(self, history: History, index: int) -> Iterator[None]:
        """Let the caller run the program; it ends at the moment after an Event."""
        self._at = None
        yield
        self._at = history, index
