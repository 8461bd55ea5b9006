"""History: the Events of one branch, recorded and replayed."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from math import isfinite
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from gradstep.errors import DivergedError, GradStepError, OperationError, ReplayError
from gradstep.history.checkpoint import BUDGET_BYTES, Checkpoint, CheckpointStore, tree_bytes
from gradstep.history.curves.series import Series
from gradstep.history.live_values import read
from gradstep.history.log.applied_event import AppliedEvent
from gradstep.history.log.checksum import checksum, row_bytes
from gradstep.history.log.effect_cache import EffectCache
from gradstep.history.log.event_log import EventLog
from gradstep.history.log.pending_events import PendingEvent, write_pending
from gradstep.history.log.vocabulary import Vocabulary
from gradstep.history.reads_writes import Address
from gradstep.history.records.event import Outcome
from gradstep.program.operation import Forward, LoadState, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from gradstep.history.log.effect_cache import CachedEffect
    from gradstep.history.log.event_log import EventView
    from gradstep.history.records.lesson import LessonState
    from gradstep.history.source import Source, SourceEffect
    from gradstep.program.operation import Operation

__all__ = ["Branch", "DivergedError", "History", "HistoryObserver"]

REPLAY_S = 0.020
"""Most computing time between Checkpoints. A replay is slower than the run: about 30 ms."""

EARLY_S = 0.005
"""Computing time after which the end of an iteration gets a Checkpoint: no graph is alive then."""

CAPTURE_SHARE = 40
"""Least computing time between Checkpoints, in multiples of what taking one costs: 2.5 %."""

WRITE_S = 0.020
"""Computing time after which pending Events are written to the log; Checkpoints do it too."""

_DONE = Outcome()

_RUNS_LAYERS = frozenset((Forward, Step))
"""A Step calls its closure if it has one."""

_NO_OUTPUTS: Mapping[str, NDArray[Any]] = MappingProxyType({})

REPLAYED_SHARE = 8
"""Checkpoints left by long replays take at most this fraction of the memory budget."""


class HistoryObserver(Protocol):
    """Notified of each Event and Checkpoint as it comes, such as a recording to a session file."""

    def event_recorded(self, history: History, index: int) -> None:
        """Event `index` was written to `history.log`."""

    def checkpoint_taken(self, history: History, checkpoint: Checkpoint) -> None:
        """A Checkpoint was added to `history.checkpoints`."""

    def settled(self, history: History) -> None:
        """No more Events follow for now: the call that applied them is about to return."""

    def texts(self, table: str, texts: Iterable[str]) -> None:
        """All `breakpoints` were replaced by these texts, or all `watches`."""

    def lesson(self, lesson: LessonState | None) -> None:
        """The lesson moved to another step, or another lesson began."""

    def branches(self, branches: Sequence[Branch], current: int, position: int) -> None:
        """The branches changed to these; the one with id `current` is shown at Event `position`."""


class History:
    """The Events, Checkpoints and Series of one branch.

    Args:
        log: The Events.
        checkpoints: The Checkpoints; the first one is at Event 0.
        series: The columns that plots draw.

    Attributes:
        checkpoints: The Checkpoints.
        series: The columns.
        recorder: Notified of each Event and Checkpoint; None when nothing is recorded.
        loaded: The state that the last LoadState took its parts from; None before any.
        branch: The number of the branch.
    """

    def __init__(
        self, log: EventLog, checkpoints: CheckpointStore, series: Series, branch: int = 0
    ) -> None:
        self.branch = branch
        self._log = log
        self._pending: list[PendingEvent] = []
        self._unwritten_s = 0.0
        self.checkpoints = checkpoints
        self.series = series
        self.recorder: HistoryObserver | None = None
        self.loaded: Any = None
        self._work_s = checkpoints.last.work_s if len(checkpoints) else 0.0
        self._capture_s = 0.0
        self._due_s = 0.0
        self._replayed = CheckpointStore()
        self._effects: EffectCache | None = None
        self._resumed = False

    @classmethod
    def start(cls, source: Source, budget_bytes: int = BUDGET_BYTES) -> Self:
        """Return the History of a program before its first Event.

        Args:
            source: The program.
            budget_bytes: Memory limit of the Checkpoints.
        """
        log = EventLog(Vocabulary(tuple(source.losses)))
        history = cls(log, CheckpointStore(budget_bytes), Series(source))
        history.take_checkpoint(source)
        history._resumed = True
        return history

    def __len__(self) -> int:
        return self._pending[-1].index if self._pending else len(self._log)

    @property
    def log(self) -> EventLog:
        """All Events; pending ones are written first."""
        if self._pending:
            self.write()
        return self._log

    @property
    def events(self) -> EventView:
        """The Events as a read-only sequence that grows; during a run, it lags by some Events."""
        return self.log.view()

    @property
    def storage_problem(self) -> str:
        """Why old Events and rows of a long run cannot leave memory; empty if they can."""
        return self._log.vocabulary.file.problem or self.series.storage_problem

    def completes(self, index: int) -> bool:
        """Whether an Event completed an iteration."""
        if index < len(self.log):
            return self.log.iteration(index + 1) != self.log.iteration(index)
        return self.series.last_event() == index

    def applied_event(self, index: int) -> AppliedEvent:
        """Return a recorded Event as `record` returned it."""
        return AppliedEvent(index, *self.log.brief(index), self.completes(index))

    def record(self, source: Source, operation: Operation) -> AppliedEvent:
        """Run an Operation at the end of the branch, and record its Event.

        An Operation that fails is recorded too; it leaves the state as it was.
        """
        iteration, index = source.iteration, len(self) + 1
        start = perf_counter()
        try:
            effect, outputs = self._run(source, operation, index)
        except GradStepError as error:
            return self._record_failure(iteration, operation, error)
        self._work_s += perf_counter() - start
        effects = self._effects
        if effects is None or effects.source is not source:
            effects = self._effects = EffectCache(source, self._log.vocabulary)
        cached = effects.of(operation, effect)
        self._pending.append(PendingEvent(index, iteration, cached, effect, cached.written(index)))
        complete, finite = source.iteration != iteration, True
        if complete or cached.makes_gradients or effect.loss is not None:
            finite = self._measure(source, index, cached, effect, outputs, complete)
        if self.recorder is not None:
            self.recorder.event_recorded(self, index)
        due = self._work_s > self._due_s and self._is_checkpoint_due(complete)
        if due or type(operation) is LoadState:
            self.take_checkpoint(source)
        elif self._work_s > self._unwritten_s:
            self.write()
        return AppliedEvent(
            index,
            iteration,
            operation,
            Outcome(message=effect.message) if effect.message else _DONE,
            cached.reads_writes,
            effect.loss,
            complete,
            finite,
        )

    def goto(
        self,
        source: Source,
        index: int,
        live: int | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> int:
        """Restore the state after Event `index`, bit for bit.

        Args:
            source: The program.
            index: The Event; 0 is the start.
            live: The Event at which the program is now, if it is one of this branch: the replay
                starts there when no Checkpoint is nearer.
            should_stop: Called from time to time during a long replay; True ends it early.

        Returns:
            The index of the Event at which the program is then.

        Raises:
            DivergedError: A replayed Event wrote other values than when it was recorded. The
                program is then at the Checkpoint before it.
        """
        log, effects = self.log, EffectCache(source, self._log.vocabulary)
        if not 0 <= index <= len(log):
            raise GradStepError(
                f"there is no Event {index:,}", f"choose one from 0 to {len(log):,}"
            )
        source.follow(self.branch)
        if live == index:
            return index
        checkpoint = self.nearest(index)
        if live is None or not checkpoint.index <= live < index:
            source.restore(checkpoint.state)
            live = checkpoint.index
        # Where Checkpoints were dropped a replay is long. It leaves Checkpoints of its own, so that
        # stepping back from there is quick.
        started = left = perf_counter()
        for at in range(live + 1, index + 1):
            if not log.failed(at):
                self._replay(effects, at)
                now = perf_counter()
                if now - left > REPLAY_S or type(log.operation(at)) is LoadState:
                    self._keep_replayed(source, at, checkpoint.work_s + now - started)
                    if should_stop is not None and should_stop():
                        return at
                    left = perf_counter()
        return index

    def nearest(self, index: int) -> Checkpoint:
        """Return the last Checkpoint at or before an Event."""
        kept, trail = self.checkpoints.before(index), self._replayed.since(-1)
        return max((kept, *(item for item in trail if item.index <= index)), key=_place)

    def fork(self, source: Source, index: int, branch: int = 0) -> History:
        """Return a History that shares the Events up to `index`, and restore the program there.

        Args:
            source: The program.
            index: The last Event that both share.
            branch: The number of the new branch.
        """
        log, checkpoints = self.log.fork(index), self.checkpoints.fork(index)
        other = History(log, checkpoints, self.series.fork(index, source), branch)
        other.resume(source)
        return other

    def resume(self, source: Source) -> None:
        """Restore the end of the branch, including the unfinished row of its Series.

        Needed after a fork, and before a branch that was read from a file can continue.
        """
        row_closed = self.series.last_event()
        self.goto(source, row_closed)
        self.series.rebase(source)
        log, effects = self.log, EffectCache(source, self._log.vocabulary)
        for at in range(row_closed + 1, len(log) + 1):
            if not log.failed(at):
                effect, outputs = self._replay(effects, at)
                cached = effects.of(log.operation(at), effect)
                self._measure(source, at, cached, effect, outputs, complete=False)
        self._resumed = True

    def ensure_resumed(self, source: Source) -> None:
        """Resume a branch that was read from a file, unless that was done before.

        A replay that diverges is not an error here: the branch can still be viewed.
        """
        if not self._resumed:
            with contextlib.suppress(ReplayError):
                self.resume(source)

    def write(self) -> None:
        """Write pending Events to the log, so that existing views of it include them."""
        write_pending(self._pending, self._log)
        self._pending.clear()
        self._unwritten_s = self._work_s + WRITE_S

    def take_checkpoint(self, source: Source) -> None:
        """Take a Checkpoint of the program, which is at the end of the branch."""
        self.write()
        start = perf_counter()
        state: Any = source.capture()
        checkpoint = Checkpoint(len(self), self._work_s, tree_bytes(state.to_tree()), state)
        self.checkpoints.add(checkpoint)
        # A capture that another process slowed down does not predict the time of the next one.
        spent = perf_counter() - start
        self._capture_s = min(spent, 2 * self._capture_s) if self._capture_s else spent
        self._due_s = self._work_s + max(EARLY_S, CAPTURE_SHARE * self._capture_s)
        if self.recorder is not None:
            self.recorder.checkpoint_taken(self, checkpoint)

    def _run(
        self, source: Source, operation: Operation, index: int
    ) -> tuple[SourceEffect, Mapping[str, NDArray[Any]]]:
        """Run an Operation.

        Returns:
            Its effect, and the outputs of layers, if the Series has a column of some.
        """
        if isinstance(operation, LoadState):
            return self._load_state(source, operation, index), _NO_OUTPUTS
        if self.series.outputs and type(operation) in _RUNS_LAYERS:
            with source.capture_activations() as outputs:
                return source.run(operation), outputs
        return source.run(operation), _NO_OUTPUTS

    def _load_state(self, source: Source, operation: LoadState, index: int) -> SourceEffect:
        if operation.event >= index:
            raise OperationError(
                f"Event {operation.event:,} is not before Event {index:,}", "load an earlier state"
            )
        here = source.capture()
        try:
            self.goto(source, operation.event)
            there = source.capture()
        finally:
            source.restore(here)
        effect = source.load_state(there, operation.parts)
        self.loaded = there
        return effect

    def _keep_replayed(self, source: Source, index: int, work_s: float) -> None:
        self._replayed.budget_bytes = self.checkpoints.budget_bytes // REPLAYED_SHARE
        state = source.capture()
        self._replayed.add(Checkpoint(index, work_s, tree_bytes(state.to_tree()), state))

    def _record_failure(
        self, iteration: int, operation: Operation, error: GradStepError
    ) -> AppliedEvent:
        outcome = Outcome(
            ok=False, error=type(error).__name__, message=error.message, remedy=error.remedy
        )
        index = self.log.append(iteration, operation, outcome=outcome)
        nothing = self._log.vocabulary.all_reads_writes[0]
        if self.recorder is not None:
            self.recorder.event_recorded(self, index)
        return AppliedEvent(index, iteration, operation, outcome, nothing, None, completes=False)

    def _measure(
        self,
        source: Source,
        index: int,
        cached: CachedEffect,
        effect: SourceEffect,
        outputs: Mapping[str, NDArray[Any]],
        complete: bool,
    ) -> bool:
        """Sample what an Event left for the Series; return whether all of it is finite."""
        finite, loss = True, effect.loss
        for name, part in effect.parts:
            self.series.sample_loss(name, part)
        if loss is not None:
            finite = isfinite(loss)
            names = cached.reads_writes.written_losses
            for name in names:
                value = loss if len(names) == 1 else read(source, Address("loss", name))
                self.series.sample_loss(name, value)  # type: ignore[arg-type]  # a loss is a number
            if outputs:
                self.series.sample_outputs(names, outputs)
        if cached.makes_gradients:
            finite = self.series.sample_gradients(source) and finite
        if complete:
            finite = self.series.close(source, index) and finite
        return finite

    def _replay(
        self, effects: EffectCache, index: int
    ) -> tuple[SourceEffect, Mapping[str, NDArray[Any]]]:
        """Run a recorded Operation again; if it diverges, restore the Checkpoint before it."""
        source, log = effects.source, self.log
        operation = log.operation(index)
        try:
            effect, outputs = self._run(source, operation, index)
        except GradStepError as error:
            source.restore(self.nearest(index).state)
            raise DivergedError(index, f"it failed: {error.message}") from error
        cached = effects.of(operation, effect)
        found = checksum(cached.written(index), effect.loss, row_bytes(effect.rows))
        if cached.reads_writes is not log.reads_writes(index) or found != log.checksum(index):
            source.restore(self.nearest(index).state)
            raise DivergedError(index, "it wrote other values than when it was recorded")
        return effect, outputs

    def _is_checkpoint_due(self, complete: bool) -> bool:
        """Whether to take one now; after an iteration it costs least, as no graph is alive."""
        return complete or self._work_s - self.checkpoints.last.work_s > REPLAY_S


@dataclass(frozen=True, slots=True)
class Branch:
    """One sequence of Events; a fork starts another and leaves this one as it is.

    Attributes:
        id: Its number; 0 is the first branch.
        parent: The id of the branch it was forked from; None for the first.
        forked_at: The index of the last Event that it shares with its parent; 0 for none.
        name: Its name.
        history: All its Events, those shared with its parent included.
    """

    id: int
    parent: int | None
    forked_at: int
    name: str
    history: History


def _place(checkpoint: Checkpoint) -> int:
    return checkpoint.index
