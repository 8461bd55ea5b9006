"""LogAnalyzer: runs the rules that need only the log, several Events at a time."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gradstep.diagnostics.facts.accumulation import AccumulationRule
from gradstep.diagnostics.facts.clipping_order import ClippingOrderRule
from gradstep.diagnostics.facts.gradient_lifetime import GradientLifetimeRule
from gradstep.diagnostics.facts.idle_declarations import RebuildRule
from gradstep.diagnostics.facts.loop_order import (
    LoopOrderRule,
    declares_accumulation,
    failure_facts,
)
from gradstep.diagnostics.facts.module_modes import ModeRule
from gradstep.diagnostics.facts.optimizer_bindings import BindingRule
from gradstep.diagnostics.facts.recorded_graphs import GraphRule
from gradstep.diagnostics.facts.scaled_clipping import ScaledClippingRule
from gradstep.diagnostics.facts.script_aliases import ScriptAliasRule
from gradstep.diagnostics.facts.script_gradients import ScriptGradientRule
from gradstep.diagnostics.facts.script_idle_optimizers import ScriptIdleOptimizerRule
from gradstep.diagnostics.facts.script_notices import ScriptNoticeRule
from gradstep.diagnostics.facts.script_order import (
    ScriptGraphRule,
    ScriptModeRule,
    ScriptOrderRule,
)
from gradstep.diagnostics.facts.script_sums import ScriptSumRule
from gradstep.diagnostics.facts.script_turns import ScriptTurnRule
from gradstep.diagnostics.observation import Observation
from gradstep.diagnostics.script_outline import ScriptOutline
from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    EditLoop,
    Forward,
    SchedulerStep,
    SetHyperparameter,
    SetMode,
    SetValue,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gradstep.diagnostics.facts.changed_values import ChangedValues
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.log.event_log import EventLog
    from gradstep.program.operation import LoopLine, Operation
    from gradstep.program.schema.program_spec import ProgramSpec

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
"""Kinds of Operations that do not change who holds which tensor, so they can be analyzed later."""

SAVE_EVERY = 4096
"""Events between two saved states of the rules; a fork of the recent past analyzes at most this
many again."""

MOST_SAVED = 256
"""Saved states that are kept: the older, the further apart."""


class _Rule(Protocol):
    """A rule that is called with the Events of some kinds."""

    def handlers(self) -> Mapping[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event, by kind."""


class _Rules(NamedTuple):
    """The rules that keep a state."""

    gradients: GradientLifetimeRule | ScriptGradientRule
    loop: LoopOrderRule | ScriptOrderRule
    graphs: GraphRule | ScriptGraphRule
    accumulation: AccumulationRule
    others: tuple[_Rule, ...]

    @property
    def all(self) -> tuple[_Rule, ...]:
        """Every rule, in the order in which they are called."""
        return self.gradients, self.loop, self.graphs, self.accumulation, *self.others


def _rules(program: Debuggee) -> _Rules:
    """Return the rules for a program, whose document says what it intends."""
    spec = program.spec
    accumulates = _accumulates(spec, spec.loop or ())
    discards = not {"adversarial", "frozen_backbone"}.isdisjoint(spec.intent)
    return _Rules(
        GradientLifetimeRule(
            accumulates=accumulates,
            discards=discards,
            defers=discards or len(spec.optimizers) > 1,
        ),
        LoopOrderRule(
            accumulates=accumulates,
            schedules={name: item.optimizer for name, item in spec.schedulers.items()},
            held_out=[
                *spec.metrics,
                *(name for name, loss in spec.losses.items() if loss.rows == "validation"),
            ],
        ),
        GraphRule(),
        AccumulationRule(spec, accumulates=accumulates),
        (ModeRule(spec), ClippingOrderRule(), RebuildRule(), BindingRule(program)),
    )


def _accumulates(spec: ProgramSpec, lines: Sequence[LoopLine]) -> bool:
    """Return whether a program declares, by its intent or its loop, that gradients accumulate."""
    return "gradient_accumulation" in spec.intent or declares_accumulation(lines)


def _rules_of_script(script: Debuggee) -> _Rules:
    """Return the rules for a person's own script, which only its Events tell about."""
    outline = ScriptOutline(script)
    return _Rules(
        ScriptGradientRule(outline),
        ScriptOrderRule(
            outline, {name: item.optimizer for name, item in script.spec.schedulers.items()}
        ),
        ScriptGraphRule(outline),
        AccumulationRule(script.spec, accumulates=False),
        (
            *(ScriptModeRule(outline), ScriptSumRule(outline), ScriptTurnRule(outline)),
            *(ClippingOrderRule(), ScaledClippingRule(outline), ScriptNoticeRule(outline)),
            *(ScriptIdleOptimizerRule(outline), ScriptAliasRule(outline)),
        ),
    )


class LogAnalyzer:
    """Analyzes the Events of one branch in order.

    Identical iterations are not analyzed one by one. A rule remembers the order of Operations, and
    two iterations fix that: when they show nothing, more of the same show nothing, and only the
    last is analyzed. A program that declares accumulation has batches to count, so there every
    Event is analyzed.

    Args:
        program: The live program, wherever it stands.
        changes: What the Events changed that were compared.
    """

    def __init__(self, program: Debuggee, changes: ChangedValues) -> None:
        self._changes = changes
        self._spec = program.spec
        self._rules = _rules_of_script(program) if program.abilities.document else _rules(program)
        self._warnings = {name: program.warning(name) for name in program.losses}
        self._kinds = self._by_kind()
        bindings = (rule for rule in self._rules.others if isinstance(rule, BindingRule))
        self._at_start = tuple(fact for rule in bindings for fact in rule.at_start())
        self._analyzed = 0
        self._saved: list[tuple[int, _Rules]] = []
        self._save()

    def at_start(self) -> Iterable[Observation]:
        """Return the facts that the program itself shows."""
        return self._at_start

    def analyze(self, history: History, up_to: int) -> list[Observation]:
        """Analyze the Events of a branch up to one of them.

        Returns:
            The observations in the Events that were not analyzed before.
        """
        facts: list[Observation] = []
        while self._analyzed < up_to:
            facts += self._analyze_range(history, min(up_to, self._analyzed + SAVE_EVERY))
            if self._analyzed - self._saved[-1][0] >= SAVE_EVERY:
                self._save()
        facts += self._rules.graphs.at_end(up_to)
        for rule in self._rules.others:
            if isinstance(rule, ScriptIdleOptimizerRule):
                facts += rule.at_end(up_to)
        return facts

    def _analyze_range(self, history: History, up_to: int) -> list[Observation]:
        first, misplaced = self._analyzed, self._rules.gradients.misplaced
        facts: list[Observation] = []
        period = 0 if self._rules.accumulation.counts else history.log.period(first, up_to)
        while self._analyzed < up_to:
            shows = bool(facts) or self._rules.gradients.misplaced > misplaced
            if period and not shows and self._analyzed == first + 2 * period:
                self._analyzed += max(0, (up_to - self._analyzed) // period - 1) * period
                period = 0
            self._analyzed += 1
            facts += self._analyze_event(history.applied_event(self._analyzed), history.log)
        return facts

    def fork(
        self, program: Debuggee, changes: ChangedValues, history: History, index: int
    ) -> LogAnalyzer:
        """Return a LogAnalyzer of another branch, at the last Event that both share.

        Args:
            program: The live program, standing there.
            changes: What the Events changed, up to there.
            history: The other branch.
            index: The last Event that both branches share.
        """
        other = LogAnalyzer(program, changes)
        other._saved = [saved for saved in self._saved if saved[0] <= index]
        other._analyzed, rules = other._saved[-1]
        other._rules = deepcopy(rules)
        other._kinds = other._by_kind()
        other.analyze(history, index)  # for the rules' state; what they show is known
        return other

    def _by_kind(
        self,
    ) -> dict[type[Operation], list[Callable[[AppliedEvent], Iterable[Observation]]]]:
        kinds: dict[type[Operation], list[Callable[[AppliedEvent], Iterable[Observation]]]] = {
            Forward: [self._broadcast],
            Step: [self._broadcast],
            ClipGradNorm: [self._clip],
            ClipGradValue: [self._clip],
            SetValue: [self._set_value],
        }
        for rule in self._rules.all:
            for kind, handler in rule.handlers().items():
                kinds.setdefault(kind, []).append(handler)
        return kinds

    def _analyze_event(self, seen: AppliedEvent, log: EventLog) -> Iterator[Observation]:
        kind = type(seen.operation)
        if not seen.outcome.ok:
            for fact in failure_facts(seen):
                yield self._explained(fact, seen.operation.at)
            if kind is Backward:
                yield from self._rules.graphs.failed(seen, self._changes.saved.get(seen.index))
                yield from self._rules.loop.on_backward(seen)
            return
        if self._rules.accumulation.counts:
            for loss in seen.reads_writes.written_losses:
                self._rules.accumulation.computed(loss, log.rows(seen.index))
        if isinstance(seen.operation, EditLoop):
            self._follow_edit(seen.operation)
        for rule in self._kinds.get(kind, ()):
            yield from rule(seen)
        if seen.completes:
            yield from self._rules.loop.end(seen.index)
            yield from self._rules.graphs.end(seen)

    def _explained(self, fact: Observation, at: str) -> Observation:
        """Return the fact that a Backward failed that reached no parameter, and why if known."""
        loss, events = fact.subjects[0], fact.events
        if isinstance(self._rules.graphs, ScriptGraphRule):
            return self._rules.graphs.unconnected(loss, events[-1], at)
        bindings = (rule for rule in self._rules.others if isinstance(rule, BindingRule))
        return next((rule.unconnected(loss, *events) for rule in bindings), fact)

    def _follow_edit(self, edit: EditLoop) -> None:
        """Note whether the loop declares accumulation now."""
        loop, gradients = self._rules.loop, self._rules.gradients
        if not (isinstance(loop, LoopOrderRule) and isinstance(gradients, GradientLifetimeRule)):
            return  # a script has no loop that is edited
        accumulates = _accumulates(self._spec, edit.lines)
        if accumulates == loop.accumulates:
            return
        loop.accumulates = gradients.accumulates = accumulates
        counting = AccumulationRule(self._spec, accumulates=accumulates)
        self._rules = self._rules._replace(accumulation=counting)
        self._kinds = self._by_kind()

    def _clip(self, seen: AppliedEvent) -> Iterator[Observation]:
        return self._rules.gradients.clip(seen, self._changes.gradients.of(seen.index))

    def _set_value(self, seen: AppliedEvent) -> tuple[()]:
        self._rules.graphs.set_value(seen, self._changes.originals.get(seen.index))
        return ()

    def _broadcast(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Yield a criterion's warning whenever its loss is computed."""
        for loss in seen.reads_writes.written_losses:
            if warning := self._warnings.get(loss):
                yield Observation(
                    "broadcast-loss", (loss,), (seen.index,), warning, cause=_same_shape(warning)
                )

    def _save(self) -> None:
        self._saved.append((self._analyzed, deepcopy(self._rules)))
        if len(self._saved) > MOST_SAVED:
            del self._saved[1 : MOST_SAVED // 2 : 2]


def _same_shape(expanded: str) -> str:
    """Return how an output and its target get one shape, as a script's remedy says it.

    Args:
        expanded: How the output was expanded: "from [8, 1] to [8, 8]"; a program has other words.

    Example:
        >>> print(_same_shape("from [8] to [8, 8]"))
        , as with output.unsqueeze(1) or target.squeeze(1)
    """
    before = expanded.partition(" to ")[0]
    if not before.startswith("from ["):
        return ""
    if before.endswith(", 1]"):
        return ", as with output.squeeze(1) or target.reshape(-1, 1)"
    if before.startswith("from [1, "):
        return ", as with target.reshape(1, -1)"
    return ", as with output.unsqueeze(1) or target.squeeze(1)"
