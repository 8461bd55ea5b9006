"""Replica: a second Program of the same document, on which the past is replayed aside."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gradstep.errors import GradStepError
from gradstep.program.document.files import HeldFiles
from gradstep.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gradstep.history.history import History

__all__ = ["Replica", "StoppedError"]

_STRETCH = 64
"""Events that are replayed between two looks at whether to stop."""


class StoppedError(GradStepError):
    """Somebody asked a replay to stop."""

    def __init__(self) -> None:
        super().__init__("the replay was stopped", "ask again")


class Replica:
    """Looks at other moments than the present one, at which the Debugger's own Program stays.

    Args:
        original: The Program to make another of.

    Attributes:
        program: It stands where `go` has last brought it.
        should_stop: Asked now and then during a replay; True ends it with a `StoppedError`.
    """

    def __init__(self, original: Program) -> None:
        self.program = Program.from_spec(original.spec, files=HeldFiles(original.files))
        self.should_stop: Callable[[], bool] = bool  # which gives False
        self._at: tuple[History, int] | None = None

    def go(self, history: History, index: int) -> None:
        """Bring the program to the moment after an Event of a branch.

        Raises:
            StoppedError: It was asked to stop.
            ReplayError: A replay did not give what was recorded.
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
            step = min(live + _STRETCH, index)
            history.goto(self.program, step, live=live)
            live = step
        self._at = history, index

    @contextmanager
    def aside(self, history: History, index: int) -> Iterator[None]:
        """Let the program be moved by hand, to arrive at the moment after an Event."""
        self._at = None
        yield
        self._at = history, index
