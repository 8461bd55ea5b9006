"""The resume check: the result of resuming a run from a checkpoint, with parts of its state.

A script that is restarted rebuilds everything and loads a checkpoint: `state_dict`s, the generator,
the sampler. Each resumption here does the same: a fresh program is built from the document, loads
some parts of the state after an Event, and repeats the Operations recorded after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.debugger.comparing.difference import first_difference, values_of
from gradstep.debugger.shadow_program import ShadowProgram, StoppedError
from gradstep.errors import GradStepError, OperationError
from gradstep.history.log.checksum import checksum, row_bytes
from gradstep.history.log.effect_cache import EffectCache
from gradstep.history.records.what_if import PARTS, ResumeCheck, Resumption
from gradstep.program.operation import LoadState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gradstep.history.debuggee import Debuggee
    from gradstep.history.history import History
    from gradstep.history.records.comparison import Difference
    from gradstep.history.source import SourceEffect
    from gradstep.program.state.program_state import ProgramState

__all__ = ["check_resume"]


def check_resume(
    program: Debuggee,
    history: History,
    at: int | None,
    progress: Callable[[int, int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> ResumeCheck:
    """Check whether a run can be resumed from a checkpoint after an interruption.

    The Operations recorded after Event `at` are repeated by fresh programs: one that loads every
    part of the state at the break (weights, optimizers, schedulers, generator, data order), one
    without each part in turn, and one with the weights alone.

    Args:
        program: The program; only read.
        history: What was recorded.
        at: The Event after which the run is interrupted; when None, the end of the iteration in
            the middle of the run.
        progress: Called after every Event with the number done and the total.
        should_stop: Called before every Event; True cancels.

    Raises:
        OperationError: Nothing was recorded after the break.
        StoppedError: It was cancelled.
    """
    at = _middle_event(history) if at is None else at
    if not 0 <= at < len(history):
        raise OperationError(
            f"nothing was recorded after Event {at:,}",
            f"interrupt it between Event 0 and {len(history) - 1:,}"
            if len(history)
            else "run it first",
        )
    run = _Run(program, history, at, progress, should_stop)
    kinds = _parts(program)
    fewer = [tuple(part for part in kinds if part != lost) for lost in kinds[1:]]
    wanted = list(dict.fromkeys([kinds, *fewer]))
    resumptions = [run.resume(parts, len(wanted) + 1) for parts in (*wanted, ("modules",))]
    return ResumeCheck(
        at,
        run.iteration,
        len(history),
        tuple(resumptions),
        tuple(_unheld(program, run.state)),
        run.losses,
    )


class _Run:
    """The uninterrupted run, with which the resumed ones are compared."""

    def __init__(
        self,
        program: Debuggee,
        history: History,
        at: int,
        progress: Callable[[int, int], None] | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self._history = history
        self._at = at
        self._original = program
        self._shadow = ShadowProgram(program)
        if should_stop is not None:
            self._shadow.should_stop = should_stop
        self._progress = progress
        self._done = 0
        self._shadow.go(history, at)
        self.state: ProgramState = self._shadow.program.capture()
        self.iteration = self._shadow.program.iteration
        log = history.log
        losses = program.spec.losses
        watched = next((name for name in losses if losses[name].rows == "training"), "")
        self.losses: dict[int, tuple[int, float]] = {}
        for event in range(at + 1, len(log) + 1):
            iteration, _, _, reads_writes, loss = log.brief(event)
            if loss is not None and reads_writes.written_losses == (watched,):
                self.losses[event] = iteration, loss

    def resume(self, parts: tuple[str, ...], runs: int) -> Resumption:
        """Resume from the break with a fresh program that loads these parts of the state."""
        fresh = ShadowProgram(self._original).program
        found: tuple[int, Difference] | None = None
        losses: dict[int, float] = {}
        try:
            fresh.load_state(self.state, parts)
        except GradStepError as error:
            return Resumption(parts, None, None, str(error), losses)
        total = runs * (len(self._history) - self._at)
        written: set[str] = set()
        for event, same, effect in self._events(fresh):
            if isinstance(effect, GradStepError):
                ended, so_far = found or (event, None)
                return Resumption(parts, ended, so_far, str(effect), losses)
            if effect.loss is not None:
                losses[event] = effect.loss
            written.update(effect.writes)
            if not same and found is None:
                found = self._difference(fresh, event, effect.writes)
            self._done += 1
            if self._progress is not None:
                self._progress(self._done, total)
        # Checksums cover a sample of long arrays, so the final state decides.
        found = found or self._difference(fresh, len(self._history), written)
        if found is None:
            return Resumption(parts, None, None, "", losses)
        return Resumption(parts, *found, "", losses)

    def _events(self, fresh: Debuggee) -> Iterator[tuple[int, bool, SourceEffect | GradStepError]]:
        """Repeat what was recorded; yield each Event, whether it wrote the same, and its effect."""
        log = self._history.log
        effects = EffectCache(fresh, log.vocabulary)
        for event in range(self._at + 1, len(log) + 1):
            if self._shadow.should_stop():
                raise StoppedError
            if log.failed(event):
                continue
            operation = log.operation(event)
            try:
                if isinstance(operation, LoadState):
                    self._shadow.go(self._history, operation.event)
                    there = self._shadow.program.capture()
                    effect = fresh.load_state(there, operation.parts)
                else:
                    effect = fresh.run(operation)
            except GradStepError as error:
                yield event, False, error
                return
            written = effects.of(operation, effect).written(event)
            found = checksum(written, effect.loss, row_bytes(effect.rows))
            same = found == log.checksum(event) and effect.writes == log.reads_writes(event).writes
            yield event, same, effect

    def _difference(
        self, fresh: Debuggee, event: int, written: Iterable[str]
    ) -> tuple[int, Difference] | None:
        """Return an Event and the first written value that differs after it."""
        self._shadow.go(self._history, event)
        addresses = dict.fromkeys([*self._history.log.reads_writes(event).writes, *written])
        then, now = (
            {address: values[address] for address in addresses if address in values}
            for values in (
                values_of(self._shadow.program.capture()),
                values_of(fresh.capture()),
            )
        )
        found = first_difference(then, now)
        return None if found is None else (event, found)


def _middle_event(history: History) -> int:
    """Return the Event that ended the middle iteration, or the middle Event without any."""
    _, events = history.series.column("event")
    return int(events[len(events) // 2]) if len(events) > 2 else len(history) // 2  # noqa: PLR2004 - a start and an end have no middle


def _parts(program: Debuggee) -> tuple[str, ...]:
    """Return the parts that a checkpoint of this program has, the weights first."""
    absent = {"schedulers": not program.schedulers, "data_order": not program.spec.data}
    return tuple(part for part in PARTS if not absent.get(part, False))


def _unheld(program: Debuggee, state: ProgramState) -> Iterator[str]:
    """Yield what was present at the break and is in no part of a checkpoint."""
    fresh = ShadowProgram(program).program.capture()
    tensors = [
        (name, state.tensors[name], before)
        for name, before in fresh.tensors.items()
        if name in state.tensors
    ]
    gradients = [name for name, now, _ in tensors if now[1] is not None]
    flags = [name for name, now, before in tensors if now[4] != before[4]]
    graphs = [name for name, loss in state.losses.items() if not loss["freed"]]
    sizes = [name for name, place in state.feeds.items() if place[3:] != fresh.feeds[name][3:]]
    for names, words in (
        (gradients, "the gradients of {}"),
        (flags, "requires_grad of {}"),
        (graphs, "the recorded graph of {}"),
        (sizes, "the batch size of {}"),
    ):
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004
            yield words.format(f"{', '.join(names[:3])}{more}")
    modes = [name for name, *mode in state.modules if [name, *mode] not in fresh.modules]
    if modes:
        yield f"the mode, or the rebuilding, of {', '.join(dict.fromkeys(modes))}"
