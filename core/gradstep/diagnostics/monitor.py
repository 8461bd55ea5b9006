"""Monitor: watches one branch's Events as they come, and keeps the findings."""

from __future__ import annotations

from copy import deepcopy
from itertools import chain
from typing import TYPE_CHECKING

from gradstep.diagnostics.heuristics import Suspicions
from gradstep.diagnostics.ledger import GradientLedger
from gradstep.diagnostics.loop import LoopRule, declares_accumulation, failure_facts
from gradstep.diagnostics.numbers import NumberRule
from gradstep.diagnostics.report import Fact, Standing
from gradstep.diagnostics.structure import StructureRule
from gradstep.history.occurrence import Occurrence
from gradstep.program.operation import Forward

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gradstep.history.finding import Finding
    from gradstep.history.history import History
    from gradstep.program.program import Program

__all__ = ["Monitor"]

MARK_EVERY = 4096
"""Events between two copies of the rules' state: a fork follows at most so many Events anew."""


class Monitor:
    """The diagnostics of one branch. Each Event costs the same, however long the branch is.

    Args:
        program: The live program, at the moment before any Event of the branch.
        known: Findings of an earlier watch over the same branch; kept, because some of them can
            only be made while the values are there.
    """

    def __init__(self, program: Program, known: Sequence[Finding] = ()) -> None:
        self._known = tuple(known)
        self._program = program
        spec = program.spec
        accumulates = "gradient_accumulation" in spec.intent or declares_accumulation(
            spec.loop or ()
        )
        adversarial = "adversarial" in spec.intent
        self._ledger = GradientLedger(accumulates=accumulates, discards=adversarial)
        self._loop = LoopRule(
            accumulates=accumulates,
            schedules={name: item.optimizer for name, item in spec.schedulers.items()},
            held_out=[name for name, loss in spec.losses.items() if loss.rows == "validation"],
        )
        self._structure = StructureRule(program)
        self._numbers = NumberRule(program)
        self._suspicions = Suspicions()
        self._standing: dict[tuple[str, tuple[str, ...]], Standing] = {}
        self._marks: list[tuple[int, tuple[GradientLedger, LoopRule]]] = []
        self._told: tuple[int, tuple[Finding, ...]] | None = None
        self._mark(0)
        for fact in self._structure.look(0):
            self.report(fact)

    def observe(self, history: History, seen: Occurrence) -> None:
        """Take in the Event that has just been recorded.

        Args:
            history: The branch.
            seen: The Event.
        """
        for fact in self._follow(seen):
            self.report(fact)
        if seen.outcome.ok:
            for fact in self._numbers.observe(seen, history.series):
                self.report(fact)
            if seen.completes and self._suspicions.is_due(history.series):
                for fact in self._suspicions.look(history.series, seen.index):
                    self.report(fact)
        if seen.index % MARK_EVERY == 0:
            self._mark(seen.index)

    def report(self, fact: Fact) -> None:
        """Keep a fact as a finding, or as one more occurrence of one."""
        self._told = None
        key = fact.id, fact.subjects
        standing = self._standing.get(key)
        if standing is None:
            self._standing[key] = Standing(fact, fact.events[-1] if fact.events else 0)
        else:
            standing.add(fact)

    def findings(self, up_to: int) -> tuple[Finding, ...]:
        """Return what there is to say after an Event, facts first, in the order of appearance."""
        if self._told is None or self._told[0] != up_to:
            standing = [item for item in self._standing.values() if item.at <= up_to]
            told = [item.finding(up_to) for item in standing]
            told += [
                finding
                for finding in self._known
                if (finding.id, finding.subjects) not in self._standing
                and max(finding.events, default=0) <= up_to
            ]
            self._told = up_to, tuple(sorted(told, key=_rank))
        return self._told[1]

    def fork(self, history: History, index: int) -> Monitor:
        """Return the Monitor of a branch that leaves this one after an Event.

        Args:
            history: The new branch.
            index: The last Event that both share; the program stands there.
        """
        other = Monitor(self._program, self._known)
        other._standing = {
            key: Standing(item.fact, item.at, list(item.later))
            for key, item in self._standing.items()
            if item.at <= index
        }
        for item in other._standing.values():
            item.rewind(index)
        other._marks = [mark for mark in self._marks if mark[0] <= index]
        at, rules = other._marks[-1]
        other._ledger, other._loop = deepcopy(rules)
        for seen in _occurrences(history, at, index):
            for _ in other._follow(seen):
                pass
        other._numbers.rewind(finite=all(key[0] != "non-finite" for key in other._standing))
        other._suspicions.rebuild(history.series)
        return other

    def catch_up(self, history: History) -> None:
        """Take in a branch that was read from a file, as far as its Events alone tell."""
        for seen in _occurrences(history, 0, len(history)):
            for fact in self._follow(seen):
                self.report(fact)
            if seen.index % MARK_EVERY == 0:
                self._mark(seen.index)
        self._suspicions.rebuild(history.series)

    def _follow(self, seen: Occurrence) -> Iterator[Fact]:
        if not seen.outcome.ok:
            return chain(failure_facts(seen), self._loop.observe(seen))
        message = seen.outcome.message
        broadcast = (
            (Fact("broadcast-loss", (seen.operation.loss,), (seen.index,), message),)
            if message and isinstance(seen.operation, Forward)
            else ()
        )
        return chain(
            broadcast,
            self._ledger.observe(seen),
            self._structure.observe(seen),
            self._loop.observe(seen),
        )

    def _mark(self, index: int) -> None:
        self._marks.append((index, deepcopy((self._ledger, self._loop))))


def _occurrences(history: History, after: int, up_to: int) -> Iterator[Occurrence]:
    """Give recorded Events; one completes its iteration when the next belongs to another."""
    for index in range(after + 1, up_to + 1):
        yield Occurrence(index, *history.log.brief(index), history.completes(index))


_RANKS = {"fact": 0, "suspicion": 1, "info": 2}


def _rank(finding: Finding) -> int:
    return _RANKS[finding.severity]
