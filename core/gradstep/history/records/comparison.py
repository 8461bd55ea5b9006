"""Comparison: what two branches have in common, where they differ first, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from gradstep.pluralize import pluralize
from gradstep.short_number import short_number

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["Comparison", "ComparisonRow", "Contrast", "Difference", "Pair"]


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
        b: The second value, in the same form.
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
class Contrast:
    """What was done on one branch and not on the other, in a few words.

    Attributes:
        first: Which of them is named first: 0 or 1.
        one: What was done on that one, such as "with lr 0.0375" or "without Zero Grad #9".
        other: What was done on the other one, such as "without it".
    """

    first: int
    one: str
    other: str


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
        place: The first of these with its number, such as "Step #4"; empty for the start.
        is_beyond: Whether these come after all Events that both have.
        difference: The first value that differs there.
        first_diverging: The first pair of Events with different Operations; None for none.
        notes: Other differences as sentences: in programs, Operations and lengths.
        rows: Both branches at equal numbers of iterations.
        contrast: What was done on one and not on the other; None where it takes more than a phrase.
        iterations: The number of complete iterations at the end of each.
        unrecorded: How many Events that both have could not be compared in full, because values
            that they wrote were not recorded on one side.
    """

    names: tuple[str, str]
    lengths: tuple[int, int]
    events: Pair | None = None
    iteration: int | None = None
    operation: str = ""
    place: str = ""
    is_beyond: bool = False
    difference: Difference | None = None
    first_diverging: Pair | None = None
    notes: tuple[str, ...] = ()
    rows: tuple[ComparisonRow, ...] = field(default=())
    contrast: Contrast | None = None
    iterations: tuple[int, int] = (0, 0)
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
    def headline(self) -> str:
        """The effect of the change on learning, and where the two diverge.

        Example:
            >>> found = Comparison(
            ...     ("main", "lr 0.0375 from #1"),
            ...     (40, 41),
            ...     Pair(4, 5),
            ...     place="Step #4",
            ...     difference=Difference("model.0.weight", (0, 0), 9, "0.1", "0.2"),
            ...     rows=(ComparisonRow(10, (40, 41), {"loss/loss": (2.3e6, 3e-10)}, 1.0),),
            ...     contrast=Contrast(1, "with lr 0.0375", "without it"),
            ...     iterations=(10, 10),
            ... )
            >>> print(found.ending)
            With lr 0.0375 the loss ends at 3e-10; without it at 2.3e6.
            >>> print(found.headline.removeprefix(found.ending).strip())
            They diverge at Step #4 (model.0.weight).
        """
        if self.difference is None:
            text = f"no value differs in the {self._shared}."
            return _sentence(text if self.contrast is None else f"{self.contrast.one} {text}")
        ending = f"{self.ending} " if self.ending else ""
        return f"{ending}{self._divergence(self.difference)}"

    @property
    def sentence(self) -> str:
        """The headline, and what could not be compared."""
        return f"{self.headline}{self._uncompared}"

    @property
    def _shared(self) -> str:
        return f"{pluralize(min(self.lengths), 'Event')} that both have"

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
        """The first difference with both values, the notes, and that difference in bits."""
        first = () if self.difference is None else (self.first_difference,)
        bits = (self.bits,) if self.bits else ()
        return (*first, *self.notes, *bits)

    @property
    def ending(self) -> str:
        """A loss after the last iteration that both have; empty where none differs."""
        if not self.rows:
            return ""
        last = self.rows[-1]
        for column, (a, b) in last.values.items():
            if column.startswith("loss/") and a != b and not (a != a and b != b):  # noqa: PLR0124 - NaN
                return self._ending(column.removeprefix("loss/"), (a, b), last.iteration)
        return ""

    def _ending(self, loss: str, values: tuple[float, float], iteration: int) -> str:
        subject = "the loss" if loss == "loss" else loss
        a, b = (short_number(value) for value in values)
        if a == b:
            a, b = str(values[0]), str(values[1])
        verb, when = "ends at", ""
        if self.iterations != (iteration, iteration):
            verb, when = "is", f" after {pluralize(iteration, 'iteration')}"
        contrast = self.contrast
        if contrast is None:
            one, two = (f"'{name}'" for name in self.names)
            return _sentence(f"{subject} {verb} {a} in {one} and {b} in {two}{when}.")
        first, second = (b, a) if contrast.first else (a, b)
        at = ", " if when else " at "
        return _sentence(
            f"{contrast.one} {subject} {verb} {first}{when}; {contrast.other}{at}{second}."
        )

    def _divergence(self, found: Difference) -> str:
        """Return where the two diverge, as a sentence."""
        if not self.place:
            return f"They differ from the start ({found.address})."
        if self.is_beyond and self.events is not None:
            longer = self.names[self.events.a is None]
            return (
                f"No value differs in the {self._shared}; then {self.place} of '{longer}' changes "
                f"{found.address}."
            )
        return f"They diverge at {self.place} ({found.address})."

    @property
    def first_difference(self) -> str:
        """Where the two differ first, with both values; empty where no value differs."""
        found, events = self.difference, self.events
        if found is None or events is None:
            return ""
        a, b = events
        one, two = (f"'{name}'" for name in self.names)
        if not a and not b:
            place = "at the start"
        elif a is None or b is None:
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


def _sentence(text: str) -> str:
    """Return a text that begins with a capital, whatever names follow."""
    return text[0].upper() + text[1:]


def _units(count: int) -> str:
    return f"{pluralize(count, 'unit')} in the last place"
