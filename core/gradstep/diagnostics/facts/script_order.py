"""Facts about the order of a script's calls: schedulers, modes, and what changed a saved value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.backward_errors import CHANGED, FREED
from gradstep.diagnostics.cut_graphs import lines_of_loss, not_connected
from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.diagnostics.script_edits.by_hand import assignment_of
from gradstep.diagnostics.script_edits.modes import is_evaluated_by, training_condition
from gradstep.program.operation import (
    Backward,
    Forward,
    SchedulerStep,
    ScriptCall,
    SetMode,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.notice import Notice
    from gradstep.program.operation import Operation

__all__ = ["ScriptGraphRule", "ScriptModeRule", "ScriptOrderRule"]


_ONLY_IF = "What is evaluated is not to be learned from: call backward() and step() only if"

_IDLE = 3
"""Steps of a scheduler whose optimizer has not stepped before that is told."""


class ScriptOrderRule:
    """Finds schedulers that a loop steps before their optimizer, or whose optimizer never steps.

    A script that resumes may step a scheduler to where it was, and one that changes over to another
    optimizer may step the schedulers of both. So the line must come once before the first Step, and
    again after it: it is then in the loop, and in front of the Step.

    Args:
        script: What is known of the script.
        schedules: The optimizer of each scheduler; empty where it is not known.
    """

    __slots__ = ("_first", "_idle", "_latest", "_schedules", "_script", "_stepped")

    def __init__(self, script: ScriptOutline, schedules: Mapping[str, str]) -> None:
        self._script = script
        self._schedules = dict(schedules)
        self._first: dict[str, tuple[int, str]] = {}
        self._idle: dict[str, list[int]] = {}
        self._stepped: dict[str, int] = {}
        self._latest: dict[str, int] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Step: self._on_step,
            ScriptCall: self._on_call,
            SchedulerStep: self._on_scheduler_step,
        }

    def on_backward(self, seen: AppliedEvent) -> Iterable[Observation]:  # noqa: ARG002 - as in LoopOrderRule
        """Return nothing: whether a Backward is missing only its Step shows."""
        return ()

    def end(self, index: int) -> Iterable[Observation]:  # noqa: ARG002 - as in LoopOrderRule
        """Return nothing: where an iteration ends, a script does not say."""
        return ()

    def _on_step(self, seen: AppliedEvent) -> tuple[()]:
        self._stepped.setdefault(seen.operation_target(), seen.index)
        self._latest[seen.operation_target()] = seen.index
        return ()

    def _on_call(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, ScriptCall)
        if operation.call == "scaler_step":  # which left a Step out
            for optimizer in self._schedules.values():
                self._stepped.setdefault(optimizer, seen.index)
        return ()

    def _on_scheduler_step(self, seen: AppliedEvent) -> Iterable[Observation]:
        scheduler, at = seen.operation_target(), seen.operation.at
        optimizer = self._schedules.get(scheduler, "")
        if not optimizer:
            return ()
        step = self._stepped.get(optimizer, 0)
        if not step:
            self._first.setdefault(scheduler, (seen.index, at))
            return self._without_steps(scheduler, optimizer, seen.index)
        first, line = self._first.pop(scheduler, (0, ""))
        if not first or line != at or len(self._idle[scheduler]) > 1:
            return ()
        return (Observation("scheduler-first", (scheduler,), (first, step), optimizer),)

    def _without_steps(self, scheduler: str, optimizer: str, index: int) -> Iterator[Observation]:
        """Yield that another optimizer steps what a scheduler's optimizer holds.

        Not where that has a scheduler, too: a script may change over to the first one later. Where
        one of them is of a class of the script's own, it may step by means of the other.
        """
        script, seen = self._script, self._idle.setdefault(scheduler, [])
        seen.append(index)
        if len(seen) < _IDLE or not script.is_known(optimizer):
            return
        held = set(script.held(optimizer))
        used = {
            name: step
            for name, step in self._latest.items()
            if step > seen[0]
            and name not in self._schedules.values()
            and script.is_known(name)
            and not held.isdisjoint(script.held(name))
        }
        if used:
            other = max(used, key=lambda name: used[name])
            events = (seen[0], used[other], index)
            id_ = "scheduler-of-idle-optimizer"
            yield Observation(id_, (scheduler,), events, other, cause=optimizer)


class ScriptModeRule:
    """Finds modules that learn in evaluation mode, or are evaluated in training mode.

    They learn in evaluation mode by mistake only where the script has used both modes, or has
    evaluated before: a module that is in that mode from the start may be meant to be, and so may a
    network of which a part is put back in training mode. They are
    evaluated where they are called without gradients from time to time: what each iteration does,
    as with labels that a model gives to its own data, is part of the training.

    Args:
        script: What is known of the script.
    """

    __slots__ = (
        *("_evaluated", "_learned", "_line", "_parts", "_script", "_set", "_stepped", "_trained"),
        "_without_gradients",
    )

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._evaluated: dict[str, int] = {}
        self._set: set[str] = set()  # whose mode the script has set
        self._parts: set[str] = set()  # those in training mode of modules in evaluation mode
        self._trained: set[str] = set()
        self._stepped: dict[str, tuple[int, int]] = {}  # in how many iterations, and the last one
        self._learned: dict[str, tuple[str, int, int]] = {}
        self._line = ""  # of the last Backward
        self._without_gradients: dict[str, tuple[int, int]] = {}

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            SetMode: self._set_mode,
            ScriptCall: self._call,
            Backward: self._backward,
            Step: self._step,
            ZeroGrad: self._cleared,
        }

    def _set_mode(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, SetMode)
        for address in seen.reads_writes.writes:
            self._put_in(address.removesuffix(".training"), operation.training)
        return ()

    def _put_in(self, module: str, training: bool) -> None:
        """Note that a module, and all in it, is in a mode now."""
        below = f"{module}."
        self._set.add(module)
        self._parts = {name for name in self._parts if not f"{name}.".startswith(below)}
        for name in [name for name in self._evaluated if f"{name}.".startswith(below)]:
            del self._evaluated[name]
        if not training:
            self._evaluated[module] = 0
        elif any(module.startswith(f"{name}.") for name in self._evaluated):
            self._parts.add(module)

    def _call(self, seen: AppliedEvent) -> Iterable[Observation]:
        operation = seen.operation
        assert isinstance(operation, ScriptCall)
        if operation.call == "forward":
            if self._evaluated.get(operation.name) == 0:
                self._evaluated[operation.name] = seen.index
            elif operation.name not in self._evaluated and not operation.has_grad:
                if self._is_as_met(operation.name):
                    self._evaluated_as_met(operation.name, seen)
                else:
                    return self._called_without_gradients(operation.name, seen)
        elif operation.call in {"zero_grad", "clear_by_hand"}:
            self._cleared(seen)
        elif operation.call == "update_by_hand":  # a Step, where no optimizer holds what it moves
            names, holders = seen.reads_writes.written_tensors, self._script.holders
            return self._learns([name for name in names if not holders(name)], seen.index)
        return ()

    def _called_without_gradients(self, module: str, seen: AppliedEvent) -> Iterator[Observation]:
        """Yield that a module is called without gradients, in training mode, from time to time."""
        count, _ = self._stepped.get(module, (0, 0))
        if not count:
            return
        call, before = self._without_gradients.get(module, (0, count))
        self._without_gradients[module] = seen.index, count
        if count - before > 1 and module in self._script.mode_dependent():
            yield Observation("evaluation-in-training-mode", (module,), (call, seen.index))

    def _evaluated_as_met(self, module: str, seen: AppliedEvent) -> None:
        """Note that a module is evaluated, if it was met in the function that evaluates it."""
        if self._script.read(is_evaluated_by, seen.operation.at, module):
            self._evaluated[module] = seen.index

    def _is_as_met(self, module: str) -> bool:
        """Return whether a module is in evaluation mode because it was when it was met."""
        return module not in self._set and any(
            notice.what == "evaluation" and notice.name == module for notice in self._script.notices
        )

    def _backward(self, seen: AppliedEvent) -> tuple[()]:
        self._line = seen.operation.at
        for name in seen.reads_writes.written_gradients:
            module = self._script.module_of(name)
            if module not in self._evaluated or self._is_in_part(name):
                self._trained.add(module)
                self._learned.pop(name, None)
            elif self._evaluated[module] or module in self._trained:
                self._learned[name] = module, self._evaluated[module], seen.index
        return ()

    def _is_in_part(self, name: str) -> bool:
        """Return whether a tensor is in a part that is in training mode by itself."""
        return any(name.startswith(f"{part}.") for part in self._parts)

    def _cleared(self, seen: AppliedEvent) -> tuple[()]:
        for name in seen.reads_writes.written_gradients:
            self._learned.pop(name, None)
        return ()

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        names = seen.reads_writes.read_gradients
        for module in set(map(self._script.module_of, names)):
            count, last = self._stepped.get(module, (0, -1))
            self._stepped[module] = count + (last != seen.iteration), seen.iteration
        yield from self._learns(names, seen.index)

    def _learns(self, names: Iterable[str], index: int) -> Iterator[Observation]:
        """Yield which modules learn in evaluation mode, by a Step or an update by hand."""
        found: dict[str, tuple[int, int]] = {}
        for name in names:
            module, call, backward = self._learned.get(name, ("", 0, 0))
            if module:
                found[module] = call, backward
        if not found:
            return
        dependent = self._script.mode_dependent()
        for module, (call, backward) in found.items():
            if module in dependent:
                events = tuple(event for event in (call, backward, index) if event)
                note = "for its call" if call else "before Backward"
                condition = self._script.read(training_condition, self._line)
                cause = f"{_ONLY_IF} {condition}. Otherwise: " if condition else ""
                yield Observation("mode-left-eval", (module,), events, note, cause=cause)


class ScriptGraphRule:
    """Explains a Backward that failed because a saved value was freed or had changed.

    Args:
        script: What is known of the script.
    """

    __slots__ = ("_disabled", "_forward", "_has_ended", "_script")

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self._forward: dict[str, int] = {}
        self._disabled: list[tuple[str, str]] = []  # calls since the last Backward
        self._has_ended = False

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Forward: self._on_forward,
            ScriptCall: self._on_call,
            Backward: self._on_backward,
        }

    def at_end(self, last: int) -> Iterator[Observation]:
        """Yield the fact that the error shows which ended the script, once that is known.

        Args:
            last: The last Event so far.
        """
        found = [notice for notice in self._script.notices if _explains_end(notice, last)]
        if not found or self._has_ended:
            return
        self._has_ended = last > 0  # what no Event shows is found again in a session
        events = (last,) if last else ()
        names = tuple(sorted(notice.name for notice in found if notice.what == "rebound"))
        if names:
            yield Observation("parameter-rebound", names, events, _WITHOUT_GRADIENT)
        for notice in found:
            name, place = notice.name, notice.target
            if notice.what == "in_place":
                yield Observation("leaf-changed-in-place", (name,), events, cause=place)
            elif notice.what == "outside":
                yield Observation("criterion-out-of-range", (name,), events, cause=place)
            elif notice.what == "result":
                yield self._of_result(name, place, events)

    def _of_result(self, name: str, place: str, events: tuple[int, ...]) -> Observation:
        """Return the fact that a variable holds a result, so that a line has failed."""
        found = assignment_of(self._script.files, place, name)
        if found is None:
            return Observation("gradient-of-result", (name,), events, cause=place)
        line = f"{place.rpartition(':')[0]}:{found.line}"
        if not found.is_update or not events:
            note = f" ({line})"
            return Observation("gradient-of-result", (name,), events, note, cause=place)
        where = "" if line == place else f" ({line})"
        note = (
            f"{name} is no leaf any more{where}: Backward stores no gradient in .grad of a "
            f"result, and {place} failed after"
        )
        return Observation("parameter-rebound", (name,), events, note, cause=place)

    def failed(self, seen: AppliedEvent, saved: Collection[str] | None) -> Iterator[Observation]:  # noqa: ARG002 - as in GraphRule
        """Yield the fact that a failed Backward shows."""
        message, loss = seen.outcome.message, seen.operation_target()
        if FREED not in message and CHANGED not in message:
            return
        notices = self._noticed_at(seen.index, loss, _CARRIED)
        if notices:
            yield _carried(notices, seen.index, is_freed=FREED in message)
            return
        if FREED in message:
            yield Observation("graph-freed", (loss,), (seen.index,))
            return
        reason = message.partition(f"{CHANGED}: ")[2].partition(". Hint")[0]
        events = tuple(event for event in (self._forward.get(loss, 0), seen.index) if event)
        changed = lines_of_loss(self._script.files, seen.operation.at).in_place
        cause = f"Look at {changed} first, which changes a tensor in place. " if changed else ""
        note = reason or "a saved tensor"
        yield Observation("inplace-after-save", (loss,), events, note, cause=cause)

    def unconnected(self, loss: str, index: int, at: str) -> Observation:
        """Return the fact that no gradient leads from a loss to a parameter, and why if known.

        Args:
            loss: The loss.
            index: The Backward that failed.
            at: Its line.
        """
        notices = self._noticed_at(index, loss, frozenset(("rebound",)))
        if not notices:
            return not_connected(self._script, loss, index, at, self._disabled)
        names = tuple(sorted(notice.name for notice in notices))
        note = f"it requires no gradient, and no parameter was reached from {loss} by Backward"
        return Observation("parameter-rebound", names, (index,), note)

    def _noticed_at(self, index: int, loss: str, what: Collection[str]) -> list[Notice]:
        """Return what the agent noticed before the Backward of a loss."""
        since = max(self._forward.get(loss, 0), index - 1)  # its Forward, if that came at once
        return [
            notice
            for notice in self._script.notices
            if since <= notice.event <= index and notice.what in what
        ]

    def end(self, seen: AppliedEvent) -> Iterable[Observation]:  # noqa: ARG002 - as in GraphRule
        """Return nothing: whether a graph is kept for nothing, is not known."""
        return ()

    def set_value(self, seen: AppliedEvent, values: object) -> None:
        """Do nothing: a script sets no value by an Operation."""

    def _on_forward(self, seen: AppliedEvent) -> tuple[()]:
        self._forward[seen.operation_target()] = seen.index
        return ()

    def _on_call(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, ScriptCall)
        if operation.call == "forward" and not operation.has_grad:
            called = operation.name, operation.at
            if called not in self._disabled:
                self._disabled.append(called)
        return ()

    def _on_backward(self, _: AppliedEvent) -> tuple[()]:
        self._disabled.clear()
        return ()


_CARRIED = frozenset(("carried", "kept"))
_WITHOUT_GRADIENT = (
    "it requires no gradient, its .grad is None, and the script ended with an error after"
)
_OF_ERRORS = frozenset(("result", "in_place", "outside"))


def _explains_end(notice: Notice, last: int) -> bool:
    is_of_error = notice.what == "rebound" and not notice.target
    return (is_of_error or notice.what in _OF_ERRORS) and notice.event == last + 1


def _carried(notices: Sequence[Notice], index: int, *, is_freed: bool) -> Observation:
    """Return the observation that variables brought an earlier graph into a Backward.

    Args:
        notices: What was noticed of these variables.
        index: The Event of the Backward, which failed.
        is_freed: Whether it failed because the graph was freed; else what it had saved had changed.
    """
    first = notices[0]
    names = tuple(sorted(notice.name for notice in notices))
    named = joined_names(names)
    note = f"{'that Backward had freed' if is_freed else 'a Step had changed'} what it had saved"
    if first.what == "kept":
        remedy = (
            f"Compute {named} again before each Backward, or take the detach() of it where what "
            "made it is not trained"
        )
    elif first.name == first.target:
        remedy = (
            f"Call backward() on the loss of one iteration instead of {named}, and add to {named} "
            "only its detach()"
        )
    else:
        remedy = (
            f"Detach {named} after each Backward, so that the next iteration begins a graph of its "
            "own"
        )
    return Observation("graph-carried", names, (index,), note, cause=remedy)
