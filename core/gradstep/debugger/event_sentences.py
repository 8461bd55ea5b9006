"""The sentence of what an Operation has just done, made from its Event and a few values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradstep.debugger.change_names import kind_name
from gradstep.pluralize import clause, listed, pluralize
from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    EditLoop,
    Forward,
    Freeze,
    LoadState,
    Operation,
    RebuildModule,
    ReplaceOptimizer,
    SchedulerStep,
    ScriptCall,
    SetBatchSize,
    SetHyperparameter,
    SetMode,
    SetValue,
    Skip,
    Step,
    ZeroGrad,
)
from gradstep.short_number import short_number

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from gradstep.history.reads_writes import ReadsWrites
    from gradstep.history.records.event import Event
    from gradstep.program.micro_step import MicroStep

__all__ = ["MOST_NAMED", "TINY", "EventFacts", "Value", "event_sentence", "inside_sentence"]

Value: TypeAlias = "NDArray[Any] | None"
"""An array, or None for a `.grad` that is None."""

TINY = 4
"""Tensors with up to this many elements are written out; of others the shape is given."""

MOST_NAMED = 2
"""Up to this many tensors are named; of more the number is given."""

_CHANGE = re.compile(r"(\S+) (.+) -> (.+)")
_NOTHING_MOVED = "No parameter moved."


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EventFacts:
    """The facts from which the sentence on an Event is made.

    Attributes:
        event: The Event; None at the start.
        reads_writes: The addresses that it read and wrote; None at the start.
        after: Values after it by address, of the tensors that are named.
        before: The same values before it; empty when they are not known.
        state: The names of what the optimizer stores for the first tensor of a Step.
        trainable: The names of the tensors that autograd tracks.
        buffers: The names of the tensors that are buffers.
        losses: How many losses the program has, without metrics.
        optimizers: How many optimizers it has.
    """

    event: Event | None = None
    reads_writes: ReadsWrites | None = None
    after: Mapping[str, Value] = field(default_factory=_nothing)
    before: Mapping[str, Value] = field(default_factory=_nothing)
    state: tuple[str, ...] = ()
    trainable: Collection[str] = ()
    buffers: Collection[str] = ()
    losses: int = 1
    optimizers: int = 1


def event_sentence(facts: EventFacts) -> str:
    """Return what an Event did and what it left alone, in one or two short sentences.

    Args:
        facts: The Event, and the values around it.

    Example:
        >>> from gradstep.history.reads_writes import reads_writes_of
        >>> from gradstep.history.records.event import Event
        >>> wrote = reads_writes_of(1, ("x", "x.grad"), ("x",), ("loss",))
        >>> event_sentence(EventFacts(
        ...     Event(3, 0, Step()), wrote, {"x": np.array([0.9, 1.9]), "x.grad": np.ones(2)},
        ...     {"x": np.array([1.0, 2.0])}))
        'Step moved x from [1, 2] to [0.9, 1.9]. x.grad is still there.'
    """
    event, reads_writes = facts.event, facts.reads_writes
    if event is None or reads_writes is None:
        return _start(facts)
    operation, outcome = event.operation, event.outcome
    if not outcome.ok:
        return f"{_title(operation, facts)} failed: {clause(outcome.message)}. Nothing changed."
    if isinstance(operation, Skip):
        return f"{_title(operation.operation, facts)} was skipped. Nothing changed."
    return _Sentence(facts, event, reads_writes).of(operation)


def inside_sentence(operation: Operation, step: MicroStep) -> str:
    """Return what a micro-step inside an Operation did.

    Args:
        operation: The Operation that was stepped into.
        step: The micro-step.

    Example:
        >>> from gradstep.program.micro_step import MicroStep, array_copies
        >>> step = MicroStep("node", "MulBackward0", outputs=array_copies([("x", [100.0, 100.0])]))
        >>> inside_sentence(Backward(), step)
        'Inside Backward: MulBackward0 passed the gradient [100, 100] on to x.'
    """
    return f"Inside {_words(step.within or operation)}: {_micro_step(step)}."


class _Sentence:
    """The sentence of an Event that succeeded."""

    def __init__(self, facts: EventFacts, event: Event, reads_writes: ReadsWrites) -> None:
        self._facts = facts
        self._event = event
        self._wrote = reads_writes
        self._note = event.outcome.message

    def of(self, operation: Operation) -> str:  # noqa: C901, PLR0911, PLR0912 - one case a kind
        """Return the sentence."""
        title = _title(operation, self._facts)
        match operation:
            case Forward():
                return self._forward(operation)
            case Backward():
                return f"{title} {self._wrote_gradients()}. {self._unmoved()}"
            case Step():
                return self._step(title)
            case ZeroGrad():
                return self._zero_grad(title, operation)
            case ClipGradNorm() | ClipGradValue():
                return self._clip(title, operation)
            case SchedulerStep():
                return f"{title} {self._options()} {_NOTHING_MOVED}"
            case SetHyperparameter():
                return self._set_option()
            case Freeze(frozen=frozen):
                return self._freeze(frozen=frozen)
            case SetMode(training=training, module=module):
                mode = "training" if training else "evaluation"
                return f"Set Mode put {module or 'all modules'} in {mode} mode. No value changed."
            case RebuildModule(module=module):
                fresh = pluralize(len(self._wrote.written_tensors), "new tensor")
                note = f"; {self._note}" if self._note else ""
                return f"Rebuild Module replaced {module} by one with {fresh}{note}."
            case ReplaceOptimizer(optimizer=optimizer, kind=kind):
                return (
                    f"Replace Optimizer replaced {optimizer} by {kind}, whose state is empty. "
                    f"{_NOTHING_MOVED}"
                )
            case SetBatchSize(data=data, size=size):
                rows = "all rows" if size is None else pluralize(size, "row")
                return f"Set Batch Size: the next batches of {data} have {rows}."
            case SetValue(tensor=tensor):
                return f"Set Value changed {self._moved((tensor,))}. Nothing else changed."
            case AddLoss(loss=loss, tensor=tensor):
                value = self._now(tensor)
                _, _, kept = self._note.partition("; ")
                then = f" It {kept}." if kept else ""
                return f"Add Loss added {loss} to {tensor}, which is now {value}.{then}"
            case LoadState(event=event, parts=parts):
                some = len(parts) < len(LoadState(0).parts)
                what = listed(part.replace("_", " ") for part in parts) if some else "everything"
                return f"Load State brought {what} back to the state after Event {event:,}."
            case EditLoop():
                return f"Edit Loop: {self._note}. No value changed."
            case ScriptCall():
                return self._script_call(operation)
        return f"{title}: {self._note}."

    # -- the four calls ------------------------------------------------------------------------

    def _forward(self, operation: Forward) -> str:
        value = "" if self._event.loss is None else f" = {short_number(self._event.loss)}"
        text = f"Forward computed {operation.loss}{value}"
        if self._event.rows is not None:
            same = {"held": "the same ", "current": "the current "}.get(operation.batch, "")
            text += f" from {same}{pluralize(len(self._event.rows), 'row')}"
        if f"{operation.loss}.graph" in self._wrote.writes:
            text += " and recorded its graph"
        followed = self._wrote.written_tensors
        if followed:
            return f"{text}. It updated {_counted(followed, 'buffer')}. {_NOTHING_MOVED}"
        names = tuple(self._facts.trainable)
        if len(names) == 1:
            return f"{text}. {names[0]} and {names[0]}.grad did not change."
        return f"{text}. No parameter and no gradient changed."

    def _wrote_gradients(self) -> str:
        """Return the clauses on the gradients that were written, and those that were added to."""
        present = set(self._wrote.read_gradients)
        written = self._wrote.written_gradients
        fresh = [name for name in written if name not in present]
        added = [name for name in written if name in present]
        if fresh and added:
            several = pluralize(len(fresh), "parameter")
            others = f"{len(added):,} other{'s' if len(added) > 1 else ''}"
            return f"wrote the gradients of {several} and added to the gradients of {others}"
        if added:
            return f"added {self._additions(added)}"
        return f"wrote {self._gradients(fresh)}" if fresh else "wrote no gradient"

    def _gradients(self, names: Sequence[str]) -> str:
        if len(names) > MOST_NAMED:
            return f"the gradients of {self._of_trainable(names)}"
        return listed(self._valued(f"{name}.grad") for name in self._in_order(names))

    def _additions(self, names: Sequence[str]) -> str:
        if len(names) > MOST_NAMED:
            return f"to the gradients of {self._of_trainable(names)}"
        return listed(self._addition(f"{name}.grad") for name in self._in_order(names))

    def _in_order(self, names: Sequence[str]) -> list[str]:
        """Return names in the order of the program, in which a Backward does not reach them."""
        places = {name: place for place, name in enumerate(self._facts.trainable) if name in names}
        return sorted(names, key=lambda name: places.get(name, 0))

    def _addition(self, address: str) -> str:
        now, before = self._facts.after.get(address), self._facts.before.get(address)
        if now is None or not self._is_written_out(now):
            return f"to {address}"
        what = "" if before is None else f"{_array(now - before)} "
        return f"{what}to {address}, which is now {_array(now)}"

    def _of_trainable(self, names: Sequence[str]) -> str:
        """Return how many parameters an Event concerns, and of how many if not of all."""
        total = len(self._facts.trainable)
        if len(names) < total:
            return f"{len(names):,} of {pluralize(total, 'parameter')}"
        return pluralize(len(names), "parameter")

    def _unmoved(self) -> str:
        names = self._wrote.written_gradients
        return f"{names[0]} did not move." if len(names) == 1 else _NOTHING_MOVED

    def _step(self, title: str) -> str:
        moved = [name for name in self._wrote.written_tensors if name not in self._facts.buffers]
        losses = self._wrote.written_losses
        if not moved:
            return self._without_effect(f"{title} moved nothing")
        text = f"{title} computed {listed(losses)} and the gradients itself, and " if losses else ""
        text = (text or f"{title} ") + self._moves(moved)
        if self._facts.state:
            owner = "its" if len(moved) == 1 else "their"
            text += f", and updated {owner} {listed(self._facts.state)}"
        sentences = [text]
        if self._note:
            sentences.append(self._note)
        kept = self._wrote.read_gradients
        if kept and not losses:
            sentences.append(
                f"{kept[0]}.grad is still there"
                if len(kept) == 1
                else "The gradients are still there"
            )
        return ". ".join(sentences) + "."

    def _moves(self, names: Sequence[str]) -> str:
        """Return that tensors moved, or that they did not although they were written."""
        if len(names) > MOST_NAMED:
            return f"moved {pluralize(len(names), 'parameter')}"
        if all(self._is_unchanged(name) for name in names):
            return "left " + listed(f"{name} at {self._now(name)}" for name in names)
        return f"moved {self._moved(names)}"

    def _moved(self, names: Sequence[str]) -> str:
        return listed(self._from_to(name) for name in names)

    def _from_to(self, address: str) -> str:
        now, before = self._facts.after.get(address), self._facts.before.get(address)
        if now is None or not self._is_written_out(now):
            return address
        start = "" if before is None else f" from {_array(before)}"
        return f"{address}{start} to {_array(now)}"

    def _is_unchanged(self, address: str) -> bool:
        now, before = self._facts.after.get(address), self._facts.before.get(address)
        if now is None or before is None or not self._is_written_out(now):
            return False
        return bool(np.array_equal(now, before, equal_nan=True))

    def _zero_grad(self, title: str, operation: ZeroGrad) -> str:
        cleared = self._wrote.written_gradients
        if not cleared:
            return self._without_effect(f"{title} changed nothing")
        value = "None" if operation.set_to_none else "zeros"
        if len(cleared) > MOST_NAMED:
            what = f"the gradients of {pluralize(len(cleared), 'parameter')}"
        else:
            what = listed(f"{name}.grad" for name in cleared)
        return f"{title} set {what} to {value}. Nothing else changed."

    # -- other Operations ----------------------------------------------------------------------

    def _clip(self, title: str, operation: ClipGradNorm | ClipGradValue) -> str:
        clipped = self._wrote.written_gradients
        norm, _, then = self._note.partition(", ")
        if not clipped:
            return self._without_effect(f"{title} changed nothing")
        if then == "nothing to clip":
            limit = short_number(getattr(operation, "max_norm", np.nan))
            return f"{title} changed nothing: {norm}, which is not above {limit}."
        verb = "scaled" if isinstance(operation, ClipGradNorm) else "clamped"
        if len(clipped) > MOST_NAMED:
            what = f"the gradients of {pluralize(len(clipped), 'parameter')}"
        else:
            what = self._moved([f"{name}.grad" for name in clipped])
        note = f": {self._note}" if self._note else ""
        return f"{title} {verb} {what}{note}. {self._unmoved()}"

    def _without_effect(self, text: str) -> str:
        """Return that nothing happened, and why, if that is known; for a script it is not."""
        reason = self._note.partition(": ")[2] or self._note
        return f"{text}: {reason}." if reason else f"{text}."

    def _options(self) -> str:
        """Return which hyperparameters changed, and from what to what; then other notes."""
        owner = self._wrote.written_options[0].optimizer if self._wrote.written_options else ""
        whose = f" of {owner}" if owner else ""
        changes, notes = [], []
        for part in filter(None, self._note.split("; ")):
            found = _CHANGE.fullmatch(part)
            if found is None:
                notes.append(f"{part}.")
            elif found[2] == found[3]:
                changes.append(f"left {found[1]}{whose} at {found[2]}")
            else:
                changes.append(f"changed {found[1]}{whose} from {found[2]} to {found[3]}")
        return " ".join([f"{listed(changes) or 'changed no hyperparameter'}.", *notes])

    def _set_option(self) -> str:
        """Return the change of a hyperparameter that was set by hand."""
        found, options = _CHANGE.fullmatch(self._note), self._wrote.written_options
        if found is None or not options:
            return f"Set changed a hyperparameter: {self._note}. Nothing else changed."
        name = f"{found[1]} of {options[0].optimizer}"
        if found[2] == found[3]:
            return f"{name} was set to {found[3]}, which it was already. Nothing changed."
        return f"{name} was set from {found[2]} to {found[3]}. Nothing else changed."

    def _freeze(self, *, frozen: bool) -> str:
        names = self._wrote.written_tensors
        verb = "Freeze set" if frozen else "Thaw set"
        then = "no longer writes" if frozen else "writes"
        whose = f"{names[0]}.grad" if len(names) == 1 else "their .grad"
        return (
            f"{verb} requires_grad of {_counted(names, 'tensor')} to {not frozen}: "
            f"Backward {then} {whose}."
        )

    def _script_call(self, operation: ScriptCall) -> str:  # noqa: C901, PLR0911 - one case a kind
        wrote = self._wrote
        moved = self._moves(wrote.written_tensors) if wrote.written_tensors else ""
        cleared = wrote.written_gradients
        match operation.call:
            case "update_by_hand" if moved:
                return f"The script {moved} by hand."
            case "gradient_by_hand" if cleared:
                return f"The script wrote {self._gradients(cleared)} by hand. {self._unmoved()}"
            case "clear_by_hand" if cleared:
                what = self._gradients(cleared)
                return f"The script cleared {what} by hand. Nothing else changed."
            case "update_by_hand" | "gradient_by_hand" | "clear_by_hand":
                return "The script wrote by hand. No parameter and no gradient changed."
            case "options_by_hand":
                options = [_of(option.key, option.optimizer) for option in wrote.written_options]
                what = _counted(options, "hyperparameter") or "hyperparameters"
                return f"The script set {what} by hand. {_NOTHING_MOVED}"
            case "new_tensors":
                return "The script made new tensors."
            case "new_optimizer":
                made = f"The script created {operation.name} again: it has no state yet."
                return f"{made} {_NOTHING_MOVED}"
            case "pause":
                return "The script called gradstep_agent.pause(). Nothing changed."
            case "forward":
                return f"The script called {operation.name}. No parameter and no gradient changed."
            case "autograd_grad":
                return "autograd.grad returned gradients and wrote no .grad."
        called = operation.call.replace("scaler_", "scaler.")
        name = f"{called} of {operation.name}" if operation.name else called
        clauses = [moved, f"wrote {self._gradients(cleared)}" if cleared else ""]
        text = " and ".join(filter(None, clauses))
        if not text:
            return f"The script called {name}. No parameter and no gradient changed."
        return f"The script called {name}. It {text}."

    # -- values --------------------------------------------------------------------------------

    def _now(self, address: str) -> str:
        now = self._facts.after.get(address)
        if now is None:
            return "None"
        return _array(now) if self._is_written_out(now) else _shape(now)

    def _is_written_out(self, array: NDArray[Any]) -> bool:
        """Whether an array is tiny, together with the others that are named."""
        named = {*self._wrote.written_tensors, *self._wrote.written_gradients}
        shown = (self._facts.after.get(name) for name in named)
        total = sum(value.size for value in shown if value is not None)
        return array.size <= TINY and total <= TINY

    def _valued(self, address: str) -> str:
        """Return an address with its value, if that is tiny, or else its shape and norm."""
        now = self._facts.after.get(address)
        if now is None:
            return address
        if self._is_written_out(now):
            return f"{address} = {_array(now)}"
        norm = float(np.linalg.norm(np.ravel(now).astype(np.float64, copy=False)))
        return f"{address} ({_shape(now)}, norm {short_number(norm)})"


def _start(facts: EventFacts) -> str:
    names = tuple(facts.trainable)
    if len(names) == 1 and facts.after.get(f"{names[0]}.grad", names) is None:
        value = facts.after.get(names[0])
        if value is not None and value.size <= TINY:
            return f"This is the start: {names[0]} is {_array(value)}, and {names[0]}.grad is None."
    return "This is the start: no Operation has been applied yet."


def _micro_step(step: MicroStep) -> str:  # noqa: PLR0911 - one case a kind
    if step.error:
        return f"it fails at {step.title}: {clause(step.error)}"
    tiny = [(name, _array(value)) for name, value in step.outputs.items() if value.size <= TINY]
    only = tiny[0] if len(tiny) == len(step.outputs) == 1 else None
    owner = step.path[-1] if step.path else ""
    match step.kind:
        case "op":
            return f"{step.title} computed" + (f" {only[1]}" if only else " its output")
        case "module":
            return f"{step.title} returned {only[1]}" if only else f"{step.title} was called"
        case "node":
            targets = listed(dict.fromkeys(name.partition(" #")[0] for name in step.outputs))
            what = f"the gradient {only[1]}" if only else "gradients"
            return f"{step.title} passed {what} on to {targets or 'no one'}"
        case "accumulate":
            after = f"{step.title}" + (f", which is now {only[1]}" if only else "")
            return f"it {'wrote' if 'before' in step.none[0] else 'added to'} {after}"
        case "term":
            verb, name = (
                ("is now", owner) if step.title == "param" else ("is", _of(step.title, owner))
            )
            return f"{name} {verb} {only[1]}" if only else f"{name} was computed"
        case "parameter" if "grad" in step.none[1]:
            return f"{step.title}.grad is now None"
        case "parameter":
            return f"next comes {step.title}"
        case "group":
            rate = step.inputs.get("lr")
            options = "" if rate is None else f", lr = {_array(rate)}"
            return f"it begins with {step.title}{options}"
    return step.title


def _title(operation: Operation, facts: EventFacts) -> str:
    """Return the name of an Operation, with what it acts on where the program has several."""
    name = _words(operation)
    target = ""
    if isinstance(operation, (ZeroGrad, Step, ClipGradNorm, ClipGradValue)):
        target = operation.optimizer if facts.optimizers > 1 else ""
    elif isinstance(operation, Backward):
        target = operation.loss if facts.losses > 1 else ""
    return f"{name} of {target}" if target else name


def _words(operation: Operation) -> str:
    match operation:
        case ScriptCall(call=call):
            return call.replace("_", " ").title()
        case SetHyperparameter(name=name):
            return f"Set {name}"
        case Freeze(frozen=False):
            return "Thaw"
    return kind_name(operation)


def _of(name: str, owner: str) -> str:
    return f"{name} of {owner}" if owner else name


def _counted(names: Sequence[str], noun: str) -> str:
    return listed(names) if len(names) <= MOST_NAMED else pluralize(len(names), noun)


def _shape(array: NDArray[Any]) -> str:
    sizes = " × ".join(f"{size:,}" for size in array.shape)
    return sizes if array.ndim > 1 else f"{sizes} elements"


def _array(array: NDArray[Any]) -> str:
    """Return the elements of a small array on one line; a single one without brackets.

    Example:
        >>> _array(np.array([[1.0, -0.0], [1 / 3, np.nan]])), _array(np.array([[2.0]]))
        ('[[1, 0], [0.3333, NaN]]', '2')
    """
    return short_number(array.item()) if np.size(array) == 1 else _elements(array)


def _elements(array: NDArray[Any]) -> str:
    if np.ndim(array) == 0:
        return short_number(float(array))
    return "[" + ", ".join(_elements(row) for row in array) + "]"
