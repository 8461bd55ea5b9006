"""Comparison: what two branches have in common, where they differ first, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from gradstep.pluralize import pluralize

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["Comparison", "ComparisonRow", "Difference", "Pair"]


class Pair(NamedTuple):
    """Two aligned Events; one is None if only the other branch has such an Event."""

    a: int | None
    b: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """How a value differs between two moments.

    Attributes:
        address: Its address, as in `Snapshot`: "model.0.weight", "model.0.weight.grad", "loss".
        element: The index of the first element that differs; None when shapes or dtypes differ, or
            only one moment has a value.
        ulps: The distance of its two values in units in the last place of the dtype; None when it
            cannot be counted.
        a: The first value as text, or a description of it.
        b: The second value likewise.
        count: The number of elements that differ.
        most_ulps: The largest distance of any element in units in the last place.
    """

    address: str
    element: tuple[int, ...] | None
    ulps: int | None
    a: str
    b: str
    count: int = 0
    most_ulps: int | None = None

    @property
    def place(self) -> str:
        """The address with the index of the element, such as "x[0, 1]"."""
        return self.address + (f"[{', '.join(map(str, self.element))}]" if self.element else "")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Two branches after the same number of iterations.

    Attributes:
        iteration: The number of complete iterations.
        events: The Events that completed the last of them on each branch.
        values: The values of both branches by column of the Series, such as "loss/loss" or
            "norm/model.0.weight"; NaN for none.
        distance: The Euclidean distance between the tensors that both have, without gradients; NaN
            where some were not recorded.
    """

    iteration: int
    events: tuple[int, int]
    values: Mapping[str, tuple[float, float]]
    distance: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two branches have in common, and where they differ.

    Attributes:
        names: The names of the branches.
        lengths: The number of Events of each.
        events: The first pair of Events after which a value differs, by index (0 for the start);
            None when no value differs.
        iteration: The number of iterations that were complete before it.
        operation: The Operations of those Events in words; empty when no value differs.
        difference: The first value that differs there.
        parted: The first pair of Events with different Operations; None for none.
        notes: Other differences as sentences: in programs, Operations and lengths.
        rows: Both branches at equal numbers of iterations.
        unrecorded: How many Events that both have could not be compared in full, because values
            that they wrote were not recorded on one side.
    """

    names: tuple[str, str]
    lengths: tuple[int, int]
    events: Pair | None = None
    iteration: int | None = None
    operation: str = ""
    difference: Difference | None = None
    parted: Pair | None = None
    notes: tuple[str, ...] = ()
    rows: tuple[ComparisonRow, ...] = field(default=())
    unrecorded: int = 0

    @property
    def is_same(self) -> bool:
        """Whether there is no difference at all."""
        return self.difference is None and not self.notes

    @property
    def first_event(self) -> int | None:
        """The first Event after which a value differs, on the first branch if it is there."""
        if self.events is None:
            return None
        return self.events.b if self.events.a is None else self.events.a

    @property
    def tensor(self) -> str | None:
        """The address of the first value that differs, such as "model.0.weight.grad"."""
        return None if self.difference is None else self.difference.address

    @property
    def element(self) -> tuple[int, ...] | None:
        """The index of the first element that differs; None for none."""
        return None if self.difference is None else self.difference.element

    @property
    def ulps(self) -> int | None:
        """The distance in units in the last place; 0 when nothing differs.

        None when it cannot be counted: NaN, None, another shape or dtype.
        """
        return 0 if self.difference is None else self.difference.ulps

    @property
    def sentence(self) -> str:
        """How the two ended, in units of learning, and the first difference."""
        if self.difference is None or self.events is None:
            both = pluralize(min(self.lengths), "Event")
            return f"No value differs in the {both} that both have.{self._uncompared}"
        ending = f"{self.ending} " if self.ending else ""
        first = self._first_difference(self.difference, self.events)
        return f"{ending}{first}{self._uncompared}"

    @property
    def _uncompared(self) -> str:
        """What could not be compared, as a sentence; empty where everything could be."""
        if not self.unrecorded:
            return ""
        verb = "was" if self.unrecorded == 1 else "were"
        return (
            f" {pluralize(self.unrecorded, 'Event')} {verb} not compared in full: some values were "
            "not recorded on both sides."
        )

    @property
    def bits(self) -> str:
        """The first difference in units in the last place; empty where they cannot be counted."""
        found = self.difference
        if found is None or found.ulps is None:
            return ""
        most = found.most_ulps
        others = (
            ""
            if most is None or found.count <= 1
            else f"; the {found.count:,} elements that differ do by at most {most:,}"
        )
        return f"In bits: {found.place} differs by {_units(found.ulps)}{others}."

    @property
    def details(self) -> tuple[str, ...]:
        """The notes, and the first difference in bits."""
        return (*self.notes, self.bits) if self.bits else self.notes

    @property
    def ending(self) -> str:
        """A loss after the last iteration that both have; empty where none differs."""
        if not self.rows:
            return ""
        last = self.rows[-1]
        for column, (a, b) in last.values.items():
            if column.startswith("loss/") and a != b and not (a != a and b != b):  # noqa: PLR0124 - NaN
                name = column.removeprefix("loss/")
                subject = "the loss" if name == "loss" else name
                texts = (f"{a:.4g}", f"{b:.4g}")
                if texts[0] == texts[1]:
                    texts = (str(a), str(b))
                return (
                    f"After {pluralize(last.iteration, 'iteration')}, {subject} is "
                    f"{texts[0]} in '{self.names[0]}' and {texts[1]} in '{self.names[1]}'."
                )
        return ""

    def _first_difference(self, found: Difference, events: Pair) -> str:
        """Return where the two differ first, as a sentence."""
        a, b = events
        one, two = (f"'{name}'" for name in self.names)
        if not a and not b:
            place = "at the start"
        elif a is None or b is None:
            if (a or b or 0) > min(self.lengths):
                return (
                    f"No value differs in the {pluralize(min(self.lengths), 'Event')} that both "
                    f"have. The first Event beyond those that changes a value is "
                    f"Event {a or b:,} of {two if a is None else one} ({self.operation}): it "
                    f"changes {found.address}."
                )
            only = f"which only {two if a is None else one} has"
            place = f"after Event {self.first_event:,}, {only} ({self.operation})"
        else:
            other = "" if a == b else f", which is {b:,} in {two}"
            place = f"after Event {a:,}{other} ({self.operation})"
        several = f" {found.count:,} of its elements differ." if found.count > 1 else ""
        return (
            f"{found.place} differs first, {place}: "
            f"{found.a} in {one} and {found.b} in {two}.{several}"
        )


def _units(count: int) -> str:
    return f"{pluralize(count, 'unit')} in the last place"
