"""DifferenceSearch: finds the first pair of Events after which a value differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from gradstep.debugger.comparing.difference import first_difference, values_of
from gradstep.debugger.shadow_program import ShadowProgram
from gradstep.history.live_values import array_of
from gradstep.history.log.checksum import COVERED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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

    Values that one of two recorded scripts lacks, because its recording was thinned out, are not
    compared. Checksums select the Events. They cover a sample of arrays of more than 1024 elements,
    and of an optimizer the buffers of one parameter; in programs with such state the moment before
    is compared too.

    Args:
        a: One branch.
        b: The other.
        pairs: Their Events in pairs.
    """

    def __init__(self, a: ComparedBranch, b: ComparedBranch, pairs: Sequence[Pair]) -> None:
        self._branches = a, b
        self._shadows = ShadowProgram(a.program), ShadowProgram(b.program)
        self._pairs = pairs
        self._is_there = [False, False]
        self._sampled = _is_sampled(a.program) or _is_sampled(b.program)

    def first(self, differing: Sequence[int]) -> tuple[int, Difference] | None:
        """Return the index of the pair, and the value that differs; None when there is none.

        Args:
            differing: Indices of the pairs whose checksums differ.
        """
        equal = -1
        known = [place for place in differing if self.is_known(self._pairs[place])]
        for place in known[:_CANDIDATES]:
            found = self._at(place)
            if found is None:
                equal = place
            elif self._sampled and place - 1 > equal and self._at(place - 1) is not None:
                return self._between(equal, place - 1)
            else:
                return place, found
        last = len(self._pairs) - 1
        unseen = self._sampled or len(known) > _CANDIDATES
        if unseen and last > equal and self._at(last) is not None:
            return self._between(equal, last)
        return None

    def values(self, a: int, b: int) -> tuple[_Values, _Values]:
        """Return the known values of both branches, each after an Event."""
        one, two = self._value(0, a), self._value(1, b)
        unknown = self._unknown(0, a) | self._unknown(1, b)
        if unknown:
            for found in (one, two):
                for address in unknown & found.keys():
                    del found[address]
        return one, two

    def is_known(self, pair: Pair, names: Collection[str] | None = None) -> bool:
        """Return whether there is something to compare after two Events.

        Args:
            pair: The Events.
            names: The values to compare, which must all be known; None for those that the Events
                wrote, of which some are enough.
        """
        unknown = self._unknown(0, pair.a or 0) | self._unknown(1, pair.b or 0)
        if not unknown:
            return True
        if names is not None:
            return unknown.isdisjoint(names)
        return not self.written(pair) or not unknown.issuperset(self.written(pair))

    def _unknown(self, side: int, event: int) -> frozenset[str]:
        shadow, history = self._shadows[side], self._branches[side].history
        if not self._is_there[side]:
            shadow.go(history, event)
            self._is_there[side] = True
        return shadow.program.unrecorded_after(event)

    def written(self, pair: Pair) -> list[str]:
        """Return the addresses that two Events wrote."""
        written: list[str] = []
        for branch, event in zip(self._branches, pair, strict=True):
            if event:
                written += branch.history.log.reads_writes(event).writes
        return written

    def _value(self, side: int, event: int) -> _Values:
        shadow = self._shadows[side]
        shadow.go(self._branches[side].history, event)
        return values_of(shadow.program.capture())

    def _at(self, place: int) -> Difference | None:
        """Return the first value that differs after a pair of Events."""
        written = self.written(self._pairs[place])
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
        end = differs
        while end - equal > 1:
            middle = (equal + end) // 2
            known = next((at for at in range(middle, end) if self.is_known(self._pairs[at])), end)
            if known < end and self._at(known) is None:
                equal = known
            else:
                differs, end = (known if known < end else differs), middle
        found = self._at(differs)
        return None if found is None else (differs, found)


def _is_sampled(program: Debuggee) -> bool:
    """Whether the checksums of a program's Events cover only a sample."""
    return any(array_of(tensor).size > COVERED for tensor in program.tensors.values()) or any(
        sum(len(group["params"]) for group in optimizer.param_groups) > 1
        for optimizer in program.optimizers.values()
    )
