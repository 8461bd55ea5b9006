"""What-if as records: the edits of a branch, and the result of resuming a run from a checkpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.pluralize import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.history.records.comparison import Difference
    from gradstep.program.operation import Operation

__all__ = ["PARTS", "Edits", "ResumeCheck", "Resumption"]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Edits:
    """What to do otherwise; the fields are what `Debugger.what_if` takes.

    Attributes:
        at: The first Event that is not taken over as it was; None for the first that is edited.
        skip: Events to leave out.
        insert: Pairs of an Event and an Operation to put before it.
        move: Pairs of an Event and the one before which it is to happen.
        set: Values to set before Event `at`.
        name: What to call the branch; what it does otherwise, when empty.
    """

    at: int | None = None
    skip: tuple[int, ...] = ()
    insert: tuple[tuple[int, Operation], ...] = ()
    move: tuple[tuple[int, int], ...] = ()
    set: Mapping[str, Any] = field(default_factory=_nothing)
    name: str = ""


PARTS = {
    "modules": "the weights",
    "optimizers": "the optimizer state",
    "schedulers": "the scheduler state",
    "generator": "the generator",
    "data_order": "the data order",
}
"""The parts of a checkpoint, and what people call them."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """A fresh program that took parts of a state and went on.

    Attributes:
        parts: What it took, such as "modules" and "optimizers".
        first_event: The first Event that did not give what was recorded; None when all did.
        difference: The first value that differs there; None when none was looked at.
        error: Why it could not go on; empty when it could.
        losses: The value of each Forward after the break, by its Event.
    """

    parts: tuple[str, ...]
    first_event: int | None
    difference: Difference | None
    error: str
    losses: dict[int, float]

    @property
    def is_same(self) -> bool:
        """Whether it gave what the run without a break gave, bit for bit."""
        return self.first_event is None and not self.error

    @property
    def place(self) -> str:
        """Where it went another way first, in words: "Event 27, loss"; "none" where nowhere."""
        if self.is_same:
            return "none"
        if self.difference is None:
            return self.error or f"Event {self.first_event:,}"
        return f"Event {self.first_event:,}, {self.difference.place}"

    @property
    def ulps(self) -> int | None:
        """How many units in the last place lie between there; None where none can be counted."""
        return None if self.difference is None else self.difference.ulps


@dataclass(frozen=True, slots=True)
class ResumeCheck:
    """A run without a break beside the same run broken off and resumed.

    Attributes:
        at: The Event after which it was broken off.
        iteration: How many iterations were complete then.
        last: The last Event that was compared.
        resumptions: One with every part, one without each part, and one with the weights alone.
        unheld: What a checkpoint does not hold, although it was there at the break.
        losses: What the run without a break gave, by Event: its iteration and the value.
    """

    at: int
    iteration: int
    last: int
    resumptions: tuple[Resumption, ...]
    unheld: tuple[str, ...]
    losses: dict[int, tuple[int, float]]

    @property
    def full(self) -> Resumption:
        """The one that took every part."""
        return self.resumptions[0]

    @property
    def weights_only(self) -> Resumption:
        """The one that took the weights alone."""
        return self.resumptions[-1]

    @property
    def lost(self) -> tuple[str, ...]:
        """The parts without which the run goes another way."""
        return tuple(
            next(part for part in self.full.parts if part not in item.parts)
            for item in self.resumptions[1:-1]
            if not item.is_same
        )

    @property
    def heading(self) -> str:
        """What was compared."""
        return (
            f"Interrupted after Event {self.at:,} ({pluralize(self.iteration, 'iteration')}), "
            f"compared up to Event {self.last:,}."
        )

    def title(self, run: Resumption) -> str:
        """Return what one of the resumptions took, in words."""
        if run is self.full:
            return "everything"
        if run is self.weights_only:
            return "the weights alone"
        lost = next(part for part in self.full.parts if part not in run.parts)
        return f"all but {PARTS[lost]}"

    def rows(self, most: int = 12) -> Iterator[tuple[int, float, float, float]]:
        """Yield iteration, and the loss without a break, fully resumed, and with the weights alone.

        Args:
            most: How many rows at most, evenly spread; a loss that was not computed is NaN.
        """
        events = list(self.losses)
        count = min(most, len(events))
        for number in range(count):
            event = events[round(number * (len(events) - 1) / max(1, count - 1))]
            iteration, loss = self.losses[event]
            resumed = [run.losses.get(event, math.nan) for run in (self.full, self.weights_only)]
            yield iteration, loss, resumed[0], resumed[1]

    @property
    def sentence(self) -> str:
        """What was lost, and where it shows first."""
        if not self.full.is_same:
            unheld = f" A checkpoint does not hold {_listed(self.unheld)}." if self.unheld else ""
            return f"Even a full resume differs: {self._told(self.full)}{unheld}"
        if self.weights_only.is_same:
            return "The weights alone are enough: resumed with nothing else, every bit is the same."
        lost = _listed([PARTS[part] for part in self.lost]) or "what they need together"
        return (
            "A full resume gives every bit of the run without a break. "
            f"The weights alone lack {lost}: {self._told(self.weights_only)}"
        )

    def _told(self, run: Resumption) -> str:
        """Return how a resumption ended, and where it differs first."""
        if run.error:
            return f"it stops with: {run.error}."
        found = run.difference
        if found is None:
            return f"it differs first after Event {run.first_event:,}."
        ending = self._ending(run)
        article = "The" if ending else "the"
        return (
            f"{ending}{article} first value that differs is {found.place}, after "
            f"Event {run.first_event:,}: {found.a} without a break and {found.b} resumed."
        )

    def _ending(self, run: Resumption) -> str:
        """Return the last loss of a resumption, beside that of the run without a break."""
        last = max(self.losses.keys() & run.losses.keys(), default=None)
        if last is None or self.losses[last][1] == run.losses[last]:
            return ""
        return f"the loss ends at {run.losses[last]:.4g} instead of {self.losses[last][1]:.4g}. "


def _listed(words: tuple[str, ...] | list[str]) -> str:
    """Join words as a sentence does.

    Example:
        >>> _listed(["a", "b", "c"])
        'a, b and c'
    """
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last
