"""What-if as records: the edits of a branch, and the result of resuming a run from a checkpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from difflib import unified_diff
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.pluralize import listed, pluralize
from gradstep.short_number import short_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradstep.history.records.comparison import Difference
    from gradstep.history.records.finding import Finding
    from gradstep.program.operation import Operation

__all__ = ["PARTS", "Edits", "Remedy", "RemedyOutcome", "ResumeCheck", "Resumption"]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Edits:
    """The edits of a what-if; the fields are the arguments of `Debugger.what_if`.

    Attributes:
        at: The first Event that is applied again; None for the first one that is edited.
        skip: Events to skip.
        insert: Pairs of an Event and an Operation to insert before it.
        move: Pairs of an Event and the Event to move it before.
        set: Values to set before Event `at`.
        name: The name of the branch; a description of the edits when empty.
    """

    at: int | None = None
    skip: tuple[int, ...] = ()
    insert: tuple[tuple[int, Operation], ...] = ()
    move: tuple[tuple[int, int], ...] = ()
    set: Mapping[str, Any] = field(default_factory=_nothing)
    name: str = ""

    def arguments(self) -> dict[str, Any]:
        """Return the edits as arguments of `Debugger.what_if`.

        Example:
            >>> Edits(at=5, skip=(9,)).arguments()["skip"]
            (9,)
        """
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(frozen=True, slots=True)
class RemedyOutcome:
    """What a trial of a remedy found.

    Attributes:
        is_cleared: Whether the finding no longer occurs.
        added: Facts and suspicions that were not found before.
        failure: Why an Operation fails that did not fail before; empty for none.

    Example:
        >>> RemedyOutcome(is_cleared=True).sentence
        'Tried: it clears the finding, and nothing else is found.'
    """

    is_cleared: bool
    added: tuple[Finding, ...] = ()
    failure: str = ""

    @property
    def is_clean(self) -> bool:
        """Whether the finding no longer occurs, and no other instead."""
        return self.is_cleared and not self.added

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if self.failure:
            return f"Tried: the run fails with it: {self.failure}"
        added = listed([item.id for item in self.added])
        if not self.is_cleared:
            return "Tried: the finding occurs again."
        if added:
            return f"Tried: it clears the finding; found instead: {added}."
        return "Tried: it clears the finding, and nothing else is found."


@dataclass(frozen=True, slots=True)
class Remedy:
    """What a finding's remedy changes: the recorded Operations, or the program's document.

    Attributes:
        finding: The id of the diagnostic.
        title: The remedy in words, as the name of the branch.
        edits: The edits of a what-if; None when the document is edited.
        document: The text of the document before and after; None when Operations are edited.
        outcome: What a trial of it found; None before it was tried.

    Example:
        >>> print(Remedy("a-fact", "with seed 2", document=("{seed: 1}", "{seed: 2}")).difference)
        -{seed: 1}
        +{seed: 2}
    """

    finding: str
    title: str
    edits: Edits | None = None
    document: tuple[str, str] | None = None
    outcome: RemedyOutcome | None = None

    @property
    def difference(self) -> str:
        """The lines of the document that change, each with a few lines around it, cut if long."""
        if self.document is None:
            return ""
        before, after = (text.splitlines() for text in self.document)
        lines = list(unified_diff(before, after, lineterm="", n=2))[3:]
        return "\n".join(
            f"{line[:_LONGEST]} ..." if line[:1] == " " and len(line) > _LONGEST else line
            for line in lines
        )


_LONGEST = 90
"""Characters of a line around a change that are shown."""

PARTS = {
    "modules": "the weights",
    "optimizers": "the optimizer state",
    "schedulers": "the scheduler state",
    "generator": "the generator",
    "data_order": "the data order",
}
"""The parts of a checkpoint, and their names in sentences."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """A run that a new program resumed from parts of a checkpoint.

    Attributes:
        parts: The parts that it loaded, such as "modules" and "optimizers".
        first_event: The first Event that differs from the recording; None for none.
        difference: The first value that differs there; None when values were not compared.
        error: Why it failed; empty when it did not.
        losses: The value of each Forward after the interruption, by Event.
    """

    parts: tuple[str, ...]
    first_event: int | None
    difference: Difference | None
    error: str
    losses: dict[int, float]

    @property
    def is_same(self) -> bool:
        """Whether it equals the uninterrupted run, bit for bit."""
        return self.first_event is None and not self.error

    @property
    def place(self) -> str:
        """Its first difference in words, such as "Event 27, loss"; "none" for none."""
        if self.is_same:
            return "none"
        if self.difference is None:
            return self.error or f"Event {self.first_event:,}"
        return f"Event {self.first_event:,}, {self.difference.place}"

    @property
    def ulps(self) -> int | None:
        """The distance there in units in the last place; None when it cannot be counted."""
        return None if self.difference is None else self.difference.ulps


@dataclass(frozen=True, slots=True)
class ResumeCheck:
    """An uninterrupted run compared with the same run interrupted and resumed.

    Attributes:
        at: The Event after which it was interrupted.
        iteration: The number of complete iterations then.
        last: The last Event that was compared.
        resumptions: One with every part, one without each part, and one with the weights alone.
        unheld: State at the interruption that a checkpoint does not store.
        losses: The losses of the uninterrupted run by Event, each with its iteration.
    """

    at: int
    iteration: int
    last: int
    resumptions: tuple[Resumption, ...]
    unheld: tuple[str, ...]
    losses: dict[int, tuple[int, float]]

    @property
    def full(self) -> Resumption:
        """The resumption with every part."""
        return self.resumptions[0]

    @property
    def weights_only(self) -> Resumption:
        """The resumption with the weights alone."""
        return self.resumptions[-1]

    @property
    def lost(self) -> tuple[str, ...]:
        """The parts without which the run differs."""
        return tuple(
            next(part for part in self.full.parts if part not in item.parts)
            for item in self.resumptions[1:-1]
            if not item.is_same
        )

    @property
    def heading(self) -> str:
        """What was compared, as a sentence."""
        return (
            f"Interrupted after Event {self.at:,} ({pluralize(self.iteration, 'iteration')}), "
            f"compared up to Event {self.last:,}."
        )

    def title(self, run: Resumption) -> str:
        """Return the parts that a resumption loaded, in words."""
        if run is self.full:
            return "everything"
        if run is self.weights_only:
            return "the weights alone"
        lost = next(part for part in self.full.parts if part not in run.parts)
        return f"all but {PARTS[lost]}"

    def rows(self, most: int = 12) -> Iterator[tuple[int, float, float, float]]:
        """Yield iterations with their losses: uninterrupted, fully resumed, with the weights alone.

        Args:
            most: The most rows, evenly spaced; a loss that was not computed is NaN.
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
        """What a resume loses, and where that shows first."""
        if not self.full.is_same:
            unheld = f" A checkpoint does not store {listed(self.unheld)}." if self.unheld else ""
            return f"Even a full resume differs: {self._outcome(self.full)}{unheld}"
        if self.weights_only.is_same:
            return "The weights alone are enough: a run resumed from them gives the same bits."
        lost = listed([PARTS[part] for part in self.lost]) or "a combination of the other parts"
        return (
            "A full resume gives the same bits as the uninterrupted run. "
            f"The weights alone lack {lost}: {self._outcome(self.weights_only)}"
        )

    def _outcome(self, run: Resumption) -> str:
        """Return how a resumed run ended, and where it differs first."""
        if run.error:
            return f"the run fails with: {run.error}."
        found = run.difference
        if found is None:
            return f"the run differs first after Event {run.first_event:,}."
        ending = self._ending(run)
        article = "The" if ending else "the"
        return (
            f"{ending}{article} first value that differs is {found.place}, after "
            f"Event {run.first_event:,}: {found.a} uninterrupted and {found.b} resumed."
        )

    def _ending(self, run: Resumption) -> str:
        """Return the last loss of a resumed run, and that of the uninterrupted one."""
        last = max(self.losses.keys() & run.losses.keys(), default=None)
        if last is None or self.losses[last][1] == run.losses[last]:
            return ""
        whole, resumed = map(short_number, (self.losses[last][1], run.losses[last]))
        return f"the loss ends at {resumed} instead of {whole}. "
