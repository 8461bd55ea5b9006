"""Monitor: runs the rules over one branch's Events as they come, and keeps the findings."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gradstep.diagnostics.facts.changed_values import COMPARED, ChangedValues
from gradstep.diagnostics.facts.idle_declarations import idle_declarations
from gradstep.diagnostics.facts.loaded_state import resume_facts
from gradstep.diagnostics.facts.values import ValueRule
from gradstep.diagnostics.finding_history import FindingHistory, ScriptLines
from gradstep.diagnostics.intentions import Intentions
from gradstep.diagnostics.log_analyzer import ROUTINE, LogAnalyzer
from gradstep.diagnostics.suspicions.activations import activation_suspicions
from gradstep.diagnostics.suspicions.causes import Run, likelier_causes
from gradstep.diagnostics.suspicions.data_sets import data_suspicions
from gradstep.diagnostics.suspicions.dead_layers import dead_layers
from gradstep.diagnostics.suspicions.initialization import InitializationCheck
from gradstep.diagnostics.suspicions.likelihood import likeliest
from gradstep.diagnostics.suspicions.program_design import (
    contends,
    design_suspicions,
    maximizing,
)
from gradstep.diagnostics.suspicions.schedules import (
    loaded_rates,
    schedules_per_batch,
    schedules_per_epoch,
)
from gradstep.diagnostics.suspicions.training_curves import CurveSuspicions
from gradstep.diagnostics.suspicions.trainings import CurvesSince, Trainings
from gradstep.diagnostics.tables.registry import REGISTRY
from gradstep.history.live_values import gradient_of
from gradstep.history.records.finding import BranchFindings, FindingOccurrences
from gradstep.program.operation import Backward, LoadState, ScriptCall, Step

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gradstep.diagnostics.observation import Observation
    from gradstep.diagnostics.suspicions.trainings import Curves
    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.history.log.event_log import EventLog
    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.history.records.finding import Finding, Severity
    from gradstep.program.operation import Operation

__all__ = ["Monitor"]

RECENT_ITERATIONS = 20
"""Iterations of the curves that the suspicions see."""

_UNPREPARED = ROUTINE - COMPARED
"""Kinds of Operations before which there is nothing to do."""

SEVERAL_STEPS = 3
"""Steps after which a parameter that can move should have moved."""


class Monitor:
    """The diagnostics of one branch.

    Rules that need only the log process several Events at a time, at the latest when findings are
    asked for. Rules that need the live values run with the Event.

    Args:
        program: The live program.
        history: The branch; `catch_up` processes the Events that it already has, as far as the
            log alone allows.
        stored: What an earlier Monitor found on the same branch; kept, because some of it can only
            be found while the values are there.
    """

    def __init__(
        self, program: Debuggee, history: History, stored: BranchFindings | None = None
    ) -> None:
        self._stored = stored or BranchFindings(0)
        self._known = self._stored.known
        self._program = program
        self._history = history
        self._changes = ChangedValues(program)
        self._log_analyzer = LogAnalyzer(program, self._changes)
        self._values = ValueRule(program)
        self._suspicions = CurveSuspicions(
            program.spec,
            {name: program.batches_per_epoch(name) for name in program.spec.losses},
            maximized=_maximized(program),
            contend=contends(program),
            knows_rows=not program.abilities.document,
        )
        self._trainings = Trainings(program) if program.abilities.document else None
        self._first_row = 0
        self._initialization = InitializationCheck()
        self._findings_by_key: dict[tuple[str, tuple[str, ...]], FindingHistory] = {}
        self._reported: tuple[int, dict[str, bool], tuple[Finding, ...]] | None = None
        for observation in (
            *self._log_analyzer.at_start(),
            *design_suspicions(program),
            *data_suspicions(program),
        ):
            self.report(observation)

    def before(self, operation: Operation) -> None:
        """Prepare for an Operation that is about to be applied at the end of the branch."""
        kind = type(operation)
        if kind in _UNPREPARED:
            return
        if kind not in ROUTINE:
            self.settle()  # it may replace or overwrite what a rule has yet to look at
        if kind in COMPARED:
            self._changes.before(operation, self._history)
            if kind is Step and not self._initialization.is_measured:
                index = len(self._history)
                begins = self._history.log.last(index, _is_step) is None
                self._initialization.measure(self._program, index, begins=begins)

    def observe(self, seen: AppliedEvent) -> None:
        """Process the Event that has just been recorded."""
        self._reported = None
        changes = self._changes.after(seen)
        kind = type(seen.operation)
        if changes or not seen.is_finite or kind is LoadState:
            for observation in self._at_once(seen, changes):
                self.report(observation)
        if self._trainings is not None and self._trainings.observe(seen):
            self._follow_training()
        if kind not in ROUTINE:
            self.settle()
        elif seen.completes and self._suspicions.is_due(self._curves):
            self.settle()
            for observation in self._look(seen):
                self.report(observation)

    def _at_once(
        self, seen: AppliedEvent, changes: Collection[Observation]
    ) -> Iterator[Observation]:
        """Yield what only the values right after an Event show."""
        if changes:
            self._analyze(seen.index - 1)  # occurrences are kept in the order of their Events
            yield from changes
        if type(seen.operation) is LoadState and seen.outcome.ok:
            then, self._history.loaded = self._history.loaded, None
            yield from resume_facts(seen, self._program, then)
        if not seen.is_finite:
            yield from self._values.search(self._history)

    def settle(self) -> None:
        """Process all Events up to the last.

        While a loop runs, that happens every 20 iterations, later every 500. Settle before moving
        the program in time, because a rule may ask the live program what it holds.
        """
        self._analyze(len(self._history))
        for observation in self._values.settle(self._history):
            self.report(observation)

    def _analyze(self, up_to: int) -> None:
        for observation in self._log_analyzer.analyze(self._history, up_to):
            self.report(observation)

    def report(self, observation: Observation) -> None:
        """Keep an observation as a new finding, or as one more occurrence of a known one."""
        self._reported = None
        key = observation.id, observation.subjects
        known = self._findings_by_key.get(key)
        if known is None:
            self._findings_by_key[key] = FindingHistory(observation)
        else:
            known.add(observation)

    def findings(self, up_to: int) -> tuple[Finding, ...]:
        """Return the findings as of an Event: facts first, then in order of appearance."""
        self.settle()
        answers = dict(self._program.answers)
        if self._reported is None or self._reported[:2] != (up_to, answers):
            present = sorted(
                (item for item in self._findings_by_key.values() if item.is_shown(up_to)),
                key=lambda item: item.first_event,
            )
            script = self._script_lines() if self._program.abilities.document else None
            reported = [item.finding(up_to, script) for item in present]
            reported += [
                finding for finding in self._only_known() if max(finding.events, default=0) <= up_to
            ]
            reported = self._intentions.apply(likeliest(self._program, reported))
            self._reported = up_to, answers, tuple(sorted(reported, key=_rank))
        return self._reported[2]

    def _script_lines(self) -> ScriptLines:
        program = self._program
        optimizers = tuple(program.optimizers)
        return ScriptLines(self._history.log, program.sources, optimizers, program.tensors)

    def first_events(self) -> frozenset[int]:
        """Return the Events that showed a fact or a suspicion for the first time."""
        self.settle()
        found = {
            item.first_event
            for item in self._findings_by_key.values()
            if self._severity(item) in {"fact", "suspicion"}
        }
        known = {
            max(finding.events, default=0) for finding in self._known if finding.severity != "info"
        }
        return frozenset(found | known)

    def occurrences(self) -> tuple[FindingOccurrences, ...]:
        """Return where on the whole branch each finding was noticed."""
        self.settle()
        found = [
            replace(item.occurrences, severity=severity)
            for item in self._findings_by_key.values()
            if (severity := self._severity(item)) is not None
        ]
        return (*found, *(_occurrences_of(finding) for finding in self._only_known()))

    @property
    def _intentions(self) -> Intentions:
        return Intentions(self._program.declared, self._program.answers)

    def _severity(self, found: FindingHistory) -> Severity | None:
        """Return the severity of a finding; None if it is declared to be intended."""
        return self._intentions.severity(found.first.id, found.severity)

    def fork(self, history: History, index: int) -> Monitor:
        """Return the Monitor of a branch that leaves this one after an Event.

        Args:
            history: The new branch.
            index: The last Event that both share; the program stands there.
        """
        self.settle()
        known = tuple(item for item in self._known if max(item.events, default=0) <= index)
        other = Monitor(self._program, history, BranchFindings(0, known=known))
        other._findings_by_key = {
            key: item.fork(index)
            for key, item in self._findings_by_key.items()
            if item.first_event <= index
        }
        other._changes = self._changes.fork(index)
        other._log_analyzer = self._log_analyzer.fork(self._program, other._changes, history, index)
        finite = all(key[0] != "non-finite" for key in other._findings_by_key)
        other._values.rewind(index, finite=finite)
        other._initialization = self._initialization.fork(index)
        other._rebuild_curves()
        return other

    @property
    def _curves(self) -> Curves:
        """The curves of the present training: a script may have several, one after the other."""
        series = self._history.series
        return CurvesSince(series, self._first_row) if self._first_row else series

    def _rebuild_curves(self) -> None:
        """Look at the curves that the branch already has."""
        if self._trainings is not None:
            self._trainings.catch_up(self._history.log, len(self._history))
        self._follow_training()

    def _follow_training(self) -> None:
        """Forget the curves before the present training, and the iteration that it begins in."""
        begun = 0 if self._trainings is None else self._trainings.begun
        self._first_row = self._history.series.rows_up_to(begun) if begun else 0
        self._suspicions.rebuild(self._curves)

    def _look(self, seen: AppliedEvent) -> Iterator[Observation]:
        """Yield what the live values and the curves show now."""
        program, series, index = self._program, self._curves, seen.index
        found = [item.first for item in self._findings_by_key.values()]
        facts = frozenset(
            item.first.id
            for item in self._findings_by_key.values()
            if self._severity(item) == "fact"
        )
        sound = facts <= {"non-finite"}
        suspected = list(
            self._suspicions.look(
                series,
                index,
                _searched(program),
                _stepped(program, self._history, seen),
                _without_slope(program),
                sound=sound,
            )
        )
        learns = self._suspicions.learns(series)
        suspected += activation_suspicions(program, index, learns=learns)
        if program.abilities.document:
            suspected += dead_layers(program, series, series.tail(RECENT_ITERATIONS), index)
        if self._suspicions.is_first(series):
            if program.abilities.document:
                yield from loaded_rates(program, index)
            else:  # a script declares nothing
                yield from idle_declarations(program, self._history, index)
            scaled = any(item.id == "input-scale" for item in found)
            suspected += self._initialization.look(program, index, scaled=scaled)
        if not _has_updates(self._history.log, seen):
            return  # nothing has learned, so that no curve says how well
        if sound and not learns:
            flat = [fact.subjects for fact in suspected if fact.id == "loss-not-decreasing"]
            suspected += self._initialization.without_progress(
                [name for names in flat for name in names], index
            )
        known = {item.id for item in found}
        if self._trainings is not None:
            begun = self._trainings.begun
            if "schedule-per-batch" not in known:
                yield from schedules_per_batch(program, self._history, begun, index)
            if "schedule-per-epoch" not in known:
                yield from schedules_per_epoch(program, self._history, begun, index)
        run = Run(
            program=program,
            history=self._history,
            curves=series,
            rows=series.tail(RECENT_ITERATIONS),
            event=index,
            learns=learns or bool(maximizing(program)),
            steepest=self._suspicions.steepest,
            reported=[item.first for item in self._findings_by_key.values()],
            facts=facts,
        )
        yield from likelier_causes(run, suspected)

    def _only_known(self) -> list[Finding]:
        """Return the findings of the earlier Monitor that this one has not made."""
        return [
            item for item in self._known if (item.id, item.subjects) not in self._findings_by_key
        ]

    def stored(self, branch: int) -> BranchFindings:
        """Return everything that was found, for a session.

        Args:
            branch: The number of the branch.
        """
        self.settle()
        records = tuple(item.record for item in self._findings_by_key.values())
        return BranchFindings(branch, len(self._history), records, tuple(self._only_known()))

    def catch_up(self) -> None:
        """Process a branch that was read from a file, as far as its log alone allows."""
        stored = self._stored
        self._log_analyzer.analyze(self._history, stored.up_to)  # what that shows is stored
        for record in stored.records:
            key = record.id, record.subjects
            # What follows from the program alone has been found again, or else is out of date.
            current = bool(record.events) or key in self._findings_by_key
            found = FindingHistory.of(record)
            if record.id in REGISTRY and current and found.first_event <= stored.up_to:
                self._findings_by_key[key] = found.fork(stored.up_to)
        finite = all(name != "non-finite" for name, _ in self._findings_by_key)
        self._values.rewind(len(self._history), finite=finite)
        self.settle()
        self._rebuild_curves()


def _occurrences_of(finding: Finding) -> FindingOccurrences:
    """Return where an earlier Monitor noticed a finding, as far as that is still known."""
    shown = finding.events if finding.severity == "suspicion" else finding.events[-1:]
    events = np.array(shown or (0,), np.int64)
    return FindingOccurrences(finding.id, finding.subjects, finding.severity, finding.title, events)


def _maximized(program: Debuggee) -> frozenset[str]:
    """Return the losses that depend on tensors which an optimizer moves uphill."""
    upward = maximizing(program)
    held = {item.address for item in program.optimizer_tensors if item.optimizer in upward}
    return frozenset(name for name in program.losses if held.intersection(program.reaches(name)))


def _is_step(operation: Operation, _: ReadsWrites) -> bool:
    return isinstance(operation, Step)


def _has_updates(log: EventLog, seen: AppliedEvent) -> bool:
    """Return whether anything was updated in the last iterations up to an Event."""
    return len(log.find(_recent(log, seen), seen.index, operation=_is_update)) > 0


def _recent(log: EventLog, seen: AppliedEvent) -> int:
    """Return the last Event before the iterations that the suspicions see."""
    first = max(0, seen.iteration - RECENT_ITERATIONS)
    return bisect_left(range(1, seen.index + 1), first, key=log.iteration)


def _is_update(operation: Operation) -> bool:
    is_by_hand = isinstance(operation, ScriptCall) and operation.call == "update_by_hand"
    return is_by_hand or isinstance(operation, Step)


def _stepped(program: Debuggee, history: History, seen: AppliedEvent) -> frozenset[str]:
    """Return the trainable tensors whose optimizers have stepped several times recently."""
    log = history.log
    after = _recent(log, seen)
    steps = log.find(after, seen.index, operation=lambda done: isinstance(done, Step))
    names = Counter(
        done.optimizer for event in steps.tolist() if isinstance(done := log.operation(event), Step)
    )
    busy = {name for name, count in names.items() if count >= SEVERAL_STEPS}
    moving = {name for name, tensor in program.tensors.items() if tensor.requires_grad}
    held = {item.address for item in program.optimizer_tensors if item.optimizer in busy}
    if program.abilities.document:  # a script may have done with some that an optimizer has held
        backwards = log.find(after, seen.index, operation=lambda done: isinstance(done, Backward))
        reached = {log.reads_writes(event) for event in backwards.tolist()}
        held &= {name for item in reached for name in item.written_gradients}
    return frozenset(held & moving)


def _without_slope(program: Debuggee) -> frozenset[str]:
    """Return the tensors whose gradient is exactly 0."""
    gradients = ((name, gradient_of(tensor)) for name, tensor in program.tensors.items())
    return frozenset(name for name, grad in gradients if grad is not None and not grad.any())


def _searched(program: Debuggee) -> tuple[frozenset[str], frozenset[str]]:
    """Return the losses that L-BFGS steps evaluate, and the tensors that those steps move."""
    steps = [name for name, optimizer in program.optimizers.items() if optimizer.needs_closure]
    losses = frozenset(loss for name in steps for loss in program.stepped_losses(name))
    held = program.optimizer_tensors if steps else ()
    return losses, frozenset(item.address for item in held if item.optimizer in steps)


_RANKS = {"fact": 0, "question": 1, "suspicion": 2, "info": 3}


def _rank(finding: Finding) -> int:
    return _RANKS[finding.severity]
