"""RemedySearch: tries the remedies of a finding, and offers those that clear it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gradstep.debugger.branches import Branches
from gradstep.debugger.cursor import Cursor
from gradstep.debugger.shadow_program import StoppedError
from gradstep.debugger.what_if.edited_program import apply_recorded
from gradstep.debugger.what_if.plan import ReplayPlan
from gradstep.debugger.what_if.remedies import (
    by_hand,
    declares_intent,
    is_last_resort,
    no_remedy,
    remedies_of,
)
from gradstep.diagnostics.tables.registry import REGISTRY
from gradstep.errors import GradStepError, OperationError
from gradstep.history.history import Branch, History
from gradstep.history.records.what_if import RemedyOutcome
from gradstep.program.document import codec
from gradstep.program.document.files import InMemoryFiles
from gradstep.program.operation import ClipGradNorm, ClipGradValue
from gradstep.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradstep.history.records.finding import Finding
    from gradstep.history.records.what_if import Edits, Remedy
    from gradstep.program.schema.program_spec import ProgramSpec

    _Progress = Callable[[int, int], None] | None
    _ShouldStop = Callable[[], bool] | None

__all__ = ["RemedySearch"]

_NAMED = 3
"""Remedies that are named where none clears a finding."""

_FAILS = " (the run then fails)"

_LONGEST = 100
"""Iterations at most that a trial runs on after what was recorded."""

_RUN_ON = frozenset(entry.id for entry in REGISTRY.values() if entry.severity == "suspicion") - {
    "overfitting"
} | {"non-finite"}
"""What a longer run may show again. A run that is stopped in time does not run on."""


class RemedySearch:
    """Tries remedies on a second recording of the program, which is dropped afterwards.

    Args:
        cursor: The live program's place in time; nothing moves it.
    """

    __slots__ = ("_cursor",)

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def find(
        self, finding: Finding, progress: _Progress = None, should_stop: _ShouldStop = None
    ) -> tuple[Remedy, ...]:
        """Return the remedies that clear a finding; see `Debugger.remedies`."""
        cursor = self._cursor
        candidates = remedies_of(finding, cursor.history.log, cursor.document_program)
        if not candidates:
            raise no_remedy(finding)
        offered: list[Remedy] = []
        declared: list[Remedy] = []
        done: list[Remedy] = []
        for candidate in candidates:
            intended = declares_intent(candidate)
            if not intended and any(_is_clean(item) for item in offered):
                continue
            if is_last_resort(candidate) and offered:
                continue
            tried = self.tried(finding, candidate, progress, should_stop)
            done.append(tried)
            if tried.outcome is None or not tried.outcome.is_cleared:
                continue
            if tried.outcome.is_clean and intended:
                declared.append(tried)
            elif not intended and (tried.outcome.is_clean or not _is_setting(tried)):
                offered.append(tried)
        best = [item for item in offered if _is_clean(item)] or offered
        if not best and not declared:
            raise OperationError(
                f"no remedy clears {finding.id} in this run; tried: {_titles(done)}",
                by_hand(finding),
            )
        return (*best[:1], *declared)

    def tried(
        self,
        finding: Finding,
        remedy: Remedy,
        progress: _Progress = None,
        should_stop: _ShouldStop = None,
    ) -> Remedy:
        """Return a remedy with the outcome of its trial.

        Args:
            finding: What it is to clear.
            remedy: The remedy.
            progress: Called after every Operation with the number done and the total.
            should_stop: Called before every Operation; True cancels the trial.

        Raises:
            StoppedError: It was cancelled.
        """
        cursor = self._cursor
        log, spec = cursor.history.log, cursor.program.spec
        last = cursor.position
        try:
            if remedy.document is not None:
                trial = self._start(codec.decode(remedy.document[1].encode()))
                apply_recorded(log, last, trial, progress, should_stop)
            else:
                trial, last = self._start(spec), len(log)
                self._edited(remedy.edits, trial, progress, should_stop)
        except StoppedError:
            raise
        except GradStepError as error:
            return replace(remedy, outcome=RemedyOutcome(is_cleared=False, failure=error.message))
        if should_stop is not None and should_stop():
            raise StoppedError
        before = cursor.monitor.findings(last)
        # Operations that were inserted are not lines of the loop: a longer run would lack them.
        if finding.id in _RUN_ON and (remedy.edits is None or remedy.edits.set):
            _run_on(trial, should_stop)
        ended = trial.event
        failed = ended is not None and not ended.outcome.ok and not (last and log.failed(last))
        failure = ended.outcome.message if failed and ended is not None else ""
        outcome = _outcome(finding, before, trial.findings, failure)
        return replace(remedy, outcome=outcome)

    def _start(self, spec: ProgramSpec) -> Cursor:
        """Return the place in time of a new recording of an edited program."""
        files = InMemoryFiles(dict(self._cursor.program.files))
        program = Program.from_spec(spec, files=files)
        return Cursor(program, Branches([Branch(0, None, 0, "main", History.start(program))]))

    def _edited(
        self, edits: Edits | None, trial: Cursor, progress: _Progress, should_stop: _ShouldStop
    ) -> None:
        """Apply the recorded Operations with edits."""
        if edits is None:
            return
        log = self._cursor.history.log
        plan = ReplayPlan(log, trial.document_program, edits)
        total = len(log)
        report = None if progress is None else lambda done, _: progress(done, total)
        apply_recorded(log, plan.at - 1, trial, report, should_stop)
        apply = trial.start_applying()
        for done, (operation, recorded) in enumerate(plan.operations(), plan.at):
            if should_stop is not None and should_stop():
                break
            applied = apply(operation)
            if not applied.outcome.ok and not plan.failed_before(recorded):
                break
            if progress is not None:
                progress(min(done, total), total)
        trial.settle()


def _run_on(trial: Cursor, should_stop: _ShouldStop) -> None:
    """Run as many iterations as there were, within limits."""
    program = trial.program
    end = program.iteration + min(program.iteration, _LONGEST)
    apply = trial.start_applying()
    while program.iteration < end and not (should_stop is not None and should_stop()):
        operation = program.next_operation
        if operation is None or not apply(operation).outcome.ok:
            break
    trial.settle()


def _titles(tried: Sequence[Remedy]) -> str:
    """Return the titles of the first remedies, and how many more there are."""
    titles = "; ".join(
        f"{item.title}{_FAILS if item.outcome is not None and item.outcome.failure else ''}"
        for item in tried[:_NAMED]
    )
    more = len(tried) - _NAMED
    return f"{titles}; and {more} more" if more > 0 else titles


def _is_setting(remedy: Remedy) -> bool:
    """Whether a remedy only chooses a number, such as a rate.

    One that clears a finding and brings another is the wrong number, and no remedy.
    """
    edits = remedy.edits
    return edits is not None and (
        bool(edits.set)
        or any(isinstance(item, ClipGradNorm | ClipGradValue) for _, item in edits.insert)
    )


def _is_clean(remedy: Remedy) -> bool:
    return remedy.outcome is not None and remedy.outcome.is_clean


def _outcome(
    finding: Finding,
    before: Sequence[Finding],
    after: Sequence[Finding],
    failure: str,
) -> RemedyOutcome:
    """Return whether a finding is cleared, and what is found instead.

    Args:
        finding: The finding.
        before: What was found without the remedy.
        after: What is found with it.
        failure: Why an Operation fails that did not fail without the remedy; empty for none.
    """
    known = {item.id for item in before}
    others = {item.subjects for item in before if item.id == finding.id} - {finding.subjects}
    left = [item for item in after if item.id == finding.id and item.subjects not in others]
    added = {item.id: item for item in after if item.id not in known and item.severity != "info"}
    return RemedyOutcome(
        is_cleared=not left and not failure, added=tuple(added.values()), failure=failure
    )
