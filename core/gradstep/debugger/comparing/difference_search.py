"""DifferenceSearch: finds the first pair of Events after which a value differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from gradstep.debugger.comparing.difference import first_difference, values_of
from gradstep.debugger.shadow_program import ShadowProgram
from gradstep.history.live_values import array_of
from gradstep.history.log.checksum import COVERED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gradstep.debugger.comparing.compared_branch import ComparedBranch
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.records.comparison import Difference, Pair

    _Values: TypeAlias = dict[str, NDArray[Any] | None]

__all__ = ["DifferenceSearch"]

_CANDIDATES = 40
"""Pairs of Events whose values are compared one by one; beyond them, by bisection."""


class DifferenceSearch:
    """Compares the values of two branches, with as little replay as possible.

    Checksums select the Events. They cover a sample of arrays of more than 1024 elements, and of an
    optimizer the buffers of one parameter; in programs with such state the moment before is
    compared too.

    Args:
        a: One branch.
        b: The other.
        pairs: Their Events in pairs.
    """

    def __init__(self, a: ComparedBranch, b: ComparedBranch, pairs: Sequence[Pair]) -> None:
        self._branches = a, b
        self._shadows = ShadowProgram(a.program), ShadowProgram(b.program)
        self._pairs = pairs
        self._sampled = _is_sampled(a.program) or _is_sampled(b.program)

    def first(self, differing: Sequence[int]) -> tuple[int, Difference] | None:
        """Return the index of the pair, and the value that differs; None when there is none.

        Args:
            differing: Indices of the pairs whose checksums differ.
        """
        equal = -1
        for place in differing[:_CANDIDATES]:
            found = self._at(place)
            if found is None:
                equal = place
            elif self._sampled and place - 1 > equal and self._at(place - 1) is not None:
                return self._between(equal, place - 1)
            else:
                return place, found
        last = len(self._pairs) - 1
        unseen = self._sampled or len(differing) > _CANDIDATES
        if unseen and last > equal and self._at(last) is not None:
            return self._between(equal, last)
        return None

    def values(self, a: int, b: int) -> tuple[_Values, _Values]:
        """Return the values of both branches, each after an Event."""
        return self._value(0, a), self._value(1, b)

    def _value(self, side: int, event: int) -> _Values:
        shadow = self._shadows[side]
        shadow.go(self._branches[side].history, event)
        return values_of(shadow.program.capture())

    def _at(self, place: int) -> Difference | None:
        """Return the first value that differs after a pair of Events."""
        written: list[str] = []
        for branch, event in zip(self._branches, self._pairs[place], strict=True):
            if event:
                written += branch.history.log.reads_writes(event).writes
        return first_difference(*self.values(*self._moments(place)), written)

    def _moments(self, place: int) -> tuple[int, int]:
        """Return the last Event of each branch up to a pair."""
        ends = [0, 0]
        for side in (0, 1):
            at = place
            while (event := self._pairs[at][side]) is None:  # the first pair has both
                at -= 1
            ends[side] = event
        return ends[0], ends[1]

    def _between(self, equal: int, differs: int) -> tuple[int, Difference] | None:
        """Bisect between a pair where nothing differs and one where something does."""
        while differs - equal > 1:
            middle = (equal + differs) // 2
            if self._at(middle) is None:
                equal = middle
            else:
                differs = middle
        found = self._at(differs)
        return None if found is None else (differs, found)


def _is_sampled(program: Debuggee) -> bool:
    """Whether the checksums of a program's Events cover only a sample."""
    return any(array_of(tensor).size > COVERED for tensor in program.tensors.values()) or any(
        sum(len(group["params"]) for group in optimizer.param_groups) > 1
        for optimizer in program.optimizers.values()
    )
