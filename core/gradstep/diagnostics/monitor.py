"""Monitor: watches one branch's Events as they come, and keeps the findings."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from gradstep.diagnostics.facts.values import ValueRule
from gradstep.diagnostics.finding_history import FindingHistory
from gradstep.diagnostics.log_analyzer import ROUTINE, LogAnalyzer
from gradstep.diagnostics.suspicions.activations import activation_suspicions
from gradstep.diagnostics.suspicions.initialization import InitializationCheck
from gradstep.diagnostics.suspicions.program_design import design_suspicions
from gradstep.diagnostics.suspicions.training_curves import CurveSuspicions
from gradstep.history.records.finding import FindingOccurrences
from gradstep.program.operation import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gradstep.diagnostics.observation import Observation
    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program

__all__ = ["Monitor"]

LOOKED_BACK = 20
"""Iterations of which the suspicions see the curves."""

SEVERAL_STEPS = 3
"""Steps after which a parameter that can move should have moved."""


class Monitor:
    """The diagnostics of one branch.

    What the log tells of an Event is taken in some Events at a time, at the latest when somebody
    asks for the findings; what only the live values tell is looked at with the Event.

    Args:
        program: The live program.
        history: The branch; what it has already is taken in by `catch_up`, as far as the Events
            alone tell.
        known: Findings of an earlier watch over the same branch; kept, because some of them can
            only be made while the values are there.
    """

    def __init__(self, program: Program, history: History, known: Sequence[Finding] = ()) -> None:
        self._known = tuple(known)
        self._program = program
        self._history = history
        self._follower = LogAnalyzer(program)
        self._numbers = ValueRule(program)
        self._suspicions = CurveSuspicions(
            program.spec, {name: program.batches_per_epoch(name) for name in program.spec.losses}
        )
        self._beginning = InitializationCheck()
        self._standing: dict[tuple[str, tuple[str, ...]], FindingHistory] = {}
        self._told: tuple[int, tuple[Finding, ...]] | None = None
        for fact in (*self._follower.at_start(), *design_suspicions(program)):
            self.report(fact)

    def observe(self, seen: AppliedEvent) -> None:
        """Take in the Event that has just been recorded."""
        self._told = None
        if not seen.is_finite:
            for fact in self._numbers.observe(seen, self._history):
                self.report(fact)
        if type(seen.operation) not in ROUTINE:
            self.settle()
        elif seen.completes and self._suspicions.is_due(self._history.series):
            self.settle()
            for fact in self._look(seen):
                self.report(fact)

    def settle(self) -> None:
        """Take in all Events up to the last.

        While a loop runs that happens every 20 iterations, later every 500; whoever moves the
        program elsewhere in time settles first, because a fact may name what the program holds.
        """
        history = self._history
        for fact in self._follower.follow(history, len(history)):
            self.report(fact)
        for fact in self._numbers.settle(history):
            self.report(fact)

    def report(self, fact: Observation) -> None:
        """Keep a fact as a finding, or as one more occurrence of one."""
        self._told = None
        key = fact.id, fact.subjects
        standing = self._standing.get(key)
        if standing is None:
            self._standing[key] = FindingHistory(fact)
        else:
            standing.add(fact)

    def findings(self, up_to: int) -> tuple[Finding, ...]:
        """Return what there is to say after an Event, facts first, in the order of appearance."""
        self.settle()
        if self._told is None or self._told[0] != up_to:
            standing = sorted(
                (item for item in self._standing.values() if item.at <= up_to),
                key=lambda item: item.at,
            )
            told = [item.finding(up_to) for item in standing]
            told += [
                finding for finding in self._only_known() if max(finding.events, default=0) <= up_to
            ]
            self._told = up_to, tuple(sorted(told, key=_rank))
        return self._told[1]

    def beginnings(self) -> frozenset[int]:
        """Return the Events at which a fact or a suspicion was noticed first."""
        self.settle()
        told = {item.at for item in self._standing.values() if item.is_wrong}
        known = {
            max(finding.events, default=0) for finding in self._known if finding.severity != "info"
        }
        return frozenset(told | known)

    def occurrences(self) -> tuple[FindingOccurrences, ...]:
        """Return where on the whole branch each finding was noticed."""
        self.settle()
        standing = [item.occurrences for item in self._standing.values()]
        return (*standing, *(_occurrences_of(finding) for finding in self._only_known()))

    def fork(self, history: History, index: int) -> Monitor:
        """Return the Monitor of a branch that leaves this one after an Event.

        Args:
            history: The new branch.
            index: The last Event that both share; the program stands there.
        """
        self.settle()
        other = Monitor(self._program, history, self._known)
        other._standing = {
            key: item.fork(index) for key, item in self._standing.items() if item.at <= index
        }
        other._follower = self._follower.fork(self._program, history, index)
        finite = all(key[0] != "non-finite" for key in other._standing)
        other._numbers.rewind(len(history.series), index, finite=finite)
        other._beginning = self._beginning.fork()
        other._suspicions.rebuild(history.series)
        return other

    def _look(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Give what the live values and the curves show now."""
        program, series, index = self._program, self._history.series, seen.index
        yield from self._numbers.look(index)
        sound = not any(
            item.is_fact and item.fact.id != "non-finite" for item in self._standing.values()
        )
        suspected = list(
            self._suspicions.look(
                series,
                index,
                _searched(program),
                _stepped(program, self._history, seen),
                sound=sound,
            )
        )
        yield from suspected
        yield from activation_suspicions(program, index)
        if self._suspicions.is_first(series):
            yield from self._beginning.look(program, index)
        if sound and not self._suspicions.learns(series):
            flat = [fact.subjects for fact in suspected if fact.id == "loss-not-decreasing"]
            yield from self._beginning.flat([name for names in flat for name in names], index)

    def _only_known(self) -> list[Finding]:
        """Return the findings of the earlier watch that this one has not made."""
        return [item for item in self._known if (item.id, item.subjects) not in self._standing]

    def catch_up(self) -> None:
        """Take in a branch that was read from a file, as far as its Events alone tell."""
        self._numbers.rewind(len(self._history.series), len(self._history), finite=True)
        self.settle()
        self._suspicions.rebuild(self._history.series)


def _occurrences_of(finding: Finding) -> FindingOccurrences:
    """Return where a finding of an earlier watch was noticed, as far as that is still known."""
    shown = finding.events if finding.severity == "suspicion" else finding.events[-1:]
    events = np.array(shown or (0,), np.int64)
    return FindingOccurrences(finding.id, finding.subjects, finding.severity, finding.title, events)


def _stepped(program: Program, history: History, seen: AppliedEvent) -> frozenset[str]:
    """Return what is to learn by optimizers that have stepped several times of late."""
    log, first = history.log, max(0, seen.iteration - LOOKED_BACK)
    after = bisect_left(range(1, seen.index + 1), first, key=log.iteration)
    steps = log.find(after, seen.index, operation=lambda done: isinstance(done, Step))
    names = Counter(
        done.optimizer for event in steps.tolist() if isinstance(done := log.operation(event), Step)
    )
    busy = {name for name, count in names.items() if count >= SEVERAL_STEPS}
    moving = {name for name, tensor in program.tensors.items() if tensor.requires_grad}
    held = {item.address for item in program.held_tensors if item.optimizer in busy}
    return frozenset(held & moving)


def _searched(program: Program) -> tuple[frozenset[str], frozenset[str]]:
    """Return the losses that steps evaluate themselves, and the tensors that such steps move."""
    steps = [name for name, optimizer in program.optimizers.items() if optimizer.needs_closure]
    losses = frozenset(loss for name in steps for loss in program.stepped_losses(name))
    held = program.held_tensors if steps else ()
    return losses, frozenset(item.address for item in held if item.optimizer in steps)


_RANKS = {"fact": 0, "suspicion": 1, "info": 2}


def _rank(finding: Finding) -> int:
    return _RANKS[finding.severity]
