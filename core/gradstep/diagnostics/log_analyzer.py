"""LogAnalyzer: the rules that need only what the log tells of an Event, some Events at a time."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

from gradstep.diagnostics.facts.accumulation import AccumulationRule
from gradstep.diagnostics.facts.gradient_lifetime import GradientLifetimeRule
from gradstep.diagnostics.facts.loaded_state import resume_facts
from gradstep.diagnostics.facts.loop_order import (
    LoopOrderRule,
    declares_accumulation,
    failure_facts,
)
from gradstep.diagnostics.facts.module_modes import ModeRule
from gradstep.diagnostics.facts.optimizer_bindings import BindingRule
from gradstep.diagnostics.facts.recorded_graphs import GraphRule
from gradstep.diagnostics.observation import Observation
from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    LoadState,
    SchedulerStep,
    SetHyperparameter,
    SetMode,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.log.event_log import EventLog
    from gradstep.program.operation import Operation
    from gradstep.program.program import Program

__all__ = ["ROUTINE", "LogAnalyzer"]

ROUTINE = frozenset(
    (
        ZeroGrad,
        Forward,
        Backward,
        Step,
        SchedulerStep,
        ClipGradNorm,
        ClipGradValue,
        SetHyperparameter,
        SetMode,
        AddLoss,
    )
)
"""Kinds of Operations that leave alone who holds which tensor: they can be followed later."""

MARK_EVERY = 4096
"""Events between two copies of the rules' state: a fork follows at most so many Events anew."""


class _Rules(NamedTuple):
    """The rules that remember what has happened."""

    ledger: GradientLifetimeRule
    loop: LoopOrderRule
    graphs: GraphRule
    modes: ModeRule
    accumulation: AccumulationRule


class LogAnalyzer:
    """Takes in the Events of one branch in order.

    Iterations that are all alike are not followed one by one. What a rule remembers is in which
    order things happened, and that is settled after two iterations. So when two were followed and
    showed nothing, more of the same show nothing, and only the last is followed. Only where the
    program declares accumulation are there batches to be counted, and every Event is followed.

    Args:
        program: The live program, asked for its bindings whenever they may have changed.
    """

    def __init__(self, program: Program) -> None:
        spec = program.spec
        accumulates = "gradient_accumulation" in spec.intent or declares_accumulation(
            spec.loop or ()
        )
        self._schedules = {name: item.optimizer for name, item in spec.schedulers.items()}
        self._rules = _Rules(
            GradientLifetimeRule(
                accumulates=accumulates,
                discards=not {"adversarial", "frozen_backbone"}.isdisjoint(spec.intent),
            ),
            LoopOrderRule(
                accumulates=accumulates,
                schedules=self._schedules,
                held_out=[name for name, loss in spec.losses.items() if loss.rows == "validation"],
            ),
            GraphRule(),
            ModeRule(spec),
            AccumulationRule(spec, accumulates=accumulates),
        )
        self._structure = BindingRule(program)
        self._warnings = {name: program.warning(name) for name in program.losses}
        self._kinds = self._by_kind()
        self._followed = 0
        self._marks: list[tuple[int, _Rules]] = []
        self._mark()

    def at_start(self) -> Iterable[Observation]:
        """Give the facts that the program itself shows."""
        return self._structure.look(0)

    def follow(self, history: History, up_to: int) -> list[Observation]:
        """Take in the Events of a branch up to one of them.

        Returns:
            The facts that those not taken in before show.
        """
        facts: list[Observation] = []
        while self._followed < up_to:
            facts += self._follow_stretch(history, min(up_to, self._followed + MARK_EVERY))
            if self._followed - self._marks[-1][0] >= MARK_EVERY:
                self._mark()
        return facts

    def _follow_stretch(self, history: History, up_to: int) -> list[Observation]:
        first = self._followed
        facts: list[Observation] = []
        period = 0 if self._rules.accumulation.counts else history.log.period(first, up_to)
        while self._followed < up_to:
            if period and not facts and self._followed == first + 2 * period:
                self._followed += max(0, (up_to - self._followed) // period - 1) * period
                period = 0
            self._followed += 1
            facts += self._take_in(history.applied_event(self._followed), history.log)
        return facts

    def fork(self, program: Program, history: History, index: int) -> LogAnalyzer:
        """Return a LogAnalyzer of another branch that has taken in the Events up to one of them.

        Args:
            program: The live program, standing there.
            history: The other branch.
            index: The last Event that both branches share.
        """
        other = LogAnalyzer(program)
        other._marks = [mark for mark in self._marks if mark[0] <= index]
        other._followed, rules = other._marks[-1]
        other._rules = deepcopy(rules)
        other._kinds = other._by_kind()
        other.follow(history, index)  # for what the rules remember; what they show is known
        return other

    def _by_kind(
        self,
    ) -> dict[type[Operation], list[Callable[[AppliedEvent], Iterable[Observation]]]]:
        kinds: dict[type[Operation], list[Callable[[AppliedEvent], Iterable[Observation]]]] = {
            Forward: [self._broadcast],
            Step: [self._broadcast],
        }
        for rule in (*self._rules, self._structure):
            for kind, take_in in rule.rules().items():
                kinds.setdefault(kind, []).append(take_in)
        return kinds

    def _take_in(self, seen: AppliedEvent, log: EventLog) -> Iterator[Observation]:
        kind = type(seen.operation)
        if not seen.outcome.ok:
            yield from failure_facts(seen)
            if kind is Backward:
                yield from self._rules.graphs.failed(seen)
                yield from self._rules.loop.on_backward(seen)
            return
        for rule in self._kinds.get(kind, ()):
            yield from rule(seen)
        if kind is LoadState:
            yield from resume_facts(seen, log, self._schedules)
        if seen.completes:
            yield from self._rules.loop.end(seen.index)
            yield from self._rules.graphs.end(seen)

    def _broadcast(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Give the fact that a criterion warns of, whenever its loss is computed."""
        for loss in seen.reads_writes.written_losses:
            if warning := self._warnings[loss]:
                yield Observation("broadcast-loss", (loss,), (seen.index,), warning)

    def _mark(self) -> None:
        self._marks.append((self._followed, deepcopy(self._rules)))
