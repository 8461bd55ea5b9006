"""Facts about the gradients of a script: what wrote each, which Step used it, what cleared it.

A script does not say what it intends. Several Backwards before a Step may be meant to add up, and
gradients may be computed only to be looked at. So what a program's document settles is here proved
by a Step: one that used a gradient again, or found none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradstep.diagnostics.backward_pass import BackwardPass
from gradstep.diagnostics.cut_graphs import lines_of_loss, not_connected, what_cut
from gradstep.diagnostics.missing_step import WITHOUT_STEP, step_missing
from gradstep.diagnostics.observation import Observation, joined_names
from gradstep.diagnostics.script_edits.by_hand import rebound_item
from gradstep.diagnostics.script_edits.freezing import freezing_line
from gradstep.diagnostics.script_edits.modules import plain_tensors
from gradstep.diagnostics.script_edits.optimizers import late_assignment
from gradstep.diagnostics.script_edits.step_calls import closure_without_backward
from gradstep.diagnostics.script_edits.syntax import statement_in
from gradstep.names import unnumbered
from gradstep.program.operation import Backward, Forward, ScriptCall, SetMode, Step, ZeroGrad

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from gradstep.diagnostics.script_outline import ScriptOutline
    from gradstep.history.log.applied_event import AppliedEvent
    from gradstep.program.operation import Operation

__all__ = ["ScriptGradientRule"]

MADE_ANEW = 3
"""How often a parameter is another one by the same name before that is told."""

LEFT_OUT = 5
"""Steps that leave a gradient alone before that is told: another optimizer may be yet to come."""

_UNUSED = (
    "the parameters keep their values: in each iteration gradients are written, and cleared before "
    "anything is updated, as in"
)

_NO_GRADIENT = ".grad was None, or zero, for every parameter that it holds"

_SETS = frozenset(
    ("zero_grad", "clear_by_hand", "gradient_by_hand", "update_by_hand", "load_state_dict")
)
"""Calls by which a script itself sees to tensors or their gradients."""

UNREACHED = 20
"""Iterations of an optimizer before it is told what no Backward has reached, and half as many
Backwards of which is known what they reached."""


class _Gradient:
    """One `.grad` that a Backward wrote, and nothing has cleared since.

    `latest` is the last Backward that wrote to it, of `loss`, in the pass `iteration`; `first` the
    first one of its next update: after it was used, or after another loss that only another
    optimizer's Step has used, as a generator's; `used_by` the last Step that read it, of the
    optimizer `user`, which is empty for an update by hand; `clipped` the last clipping that changed
    it, and `limited` the last clipping of it, 0 for none.
    """

    __slots__ = (
        "clipped",
        "first",
        "iteration",
        "latest",
        "limited",
        "loss",
        "used_by",
        "user",
    )

    def __init__(self) -> None:
        self.latest = BackwardPass(0)
        self.first = self.iteration = self.used_by = self.clipped = self.limited = 0
        self.loss = self.user = ""


class _LeftOut:
    """A parameter that no optimizer holds, and that Backwards reach.

    `first` is the first of these Backwards; `steps` counts the Steps since, of an optimizer of
    other parameters of the model; `place` is the list that hides it from PyTorch, if one does.
    """

    __slots__ = ("first", "place", "steps")

    def __init__(self, first: int, place: str) -> None:
        self.first = first
        self.place = place
        self.steps = 0


class ScriptGradientRule:
    """Follows every `.grad` of a script from Backward to Step to Zero Grad.

    Args:
        script: What is known of the script.

    Attributes:
        misplaced: The number of clippings in the wrong place, even if they changed nothing.
    """

    __slots__ = (
        "_apart",
        "_beside",
        "_by_hand",
        "_computed",
        "_connected",
        "_entries",
        "_inferred",
        "_left_out",
        "_line",
        "_lost",
        "_made",
        "_misbound",
        "_modes",
        "_reached",
        "_recorded",
        "_replaced",
        "_script",
        "_seen",
        "_set_by_script",
        "_since",
        "_stepped",
        "_unstepped",
        "_written",
        "misplaced",
    )

    def __init__(self, script: ScriptOutline) -> None:
        self._script = script
        self.misplaced = 0
        self._entries: dict[str, _Gradient] = {}
        self._lost: dict[str, tuple[int, int, int]] = {}
        self._misbound: set[str] = set()  # what is told to be held by no optimizer
        self._replaced: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._by_hand: set[str] = set()
        self._seen: set[str] = set()  # whose gradient an Event has written or cleared
        self._reached: set[str] = set()
        self._recorded = 0  # Backwards of which is known what they reached
        self._since: dict[str, tuple[int, int]] = {}
        self._written: dict[str, int] = {}
        self._stepped: set[str] = set()
        self._left_out: dict[str, _LeftOut] = {}
        self._beside: dict[str, tuple[int, int]] = {}  # Backwards in a row, and the last one
        self._set_by_script: set[str] = set()  # loaded, changed, or its gradient cleared
        self._modes: dict[str, bool] = {}  # of modules that were put in one
        self._made: dict[str, int] = {}
        self._unstepped: dict[str, tuple[int, int]] = {}
        self._computed = False
        self._connected = True
        self._inferred = False
        self._apart = False  # whether gradients were computed apart from .grad since then
        self._line = ""  # of the last Backward

    def handlers(self) -> dict[type[Operation], Callable[[AppliedEvent], Iterable[Observation]]]:
        """Return what handles a successful Event and yields the facts that it shows, by kind."""
        return {
            Forward: self._forward,
            Backward: self._backward,
            Step: self._step,
            ZeroGrad: self._zero_grad,
            ScriptCall: self._script_call,
            SetMode: self._set_mode,
        }

    def _forward(self, _: AppliedEvent) -> tuple[()]:
        self._computed = True
        return ()

    def _backward(self, seen: AppliedEvent) -> Iterator[Observation]:
        done, names = BackwardPass(seen.index), seen.reads_writes.written_gradients
        loss = seen.operation_target()
        self._computed, self._connected = True, bool(names)
        self._inferred = self._script.infers(seen.index)
        self._line, self._apart = seen.operation.at, False
        self._seen.update(names)
        self._recorded += not self._inferred
        self._reached.update(names)
        clipped: dict[str, int] = {}
        for name in names:
            entry = self._entries.setdefault(name, _Gradient())
            if entry.limited > entry.used_by:
                self.misplaced += 1
            if entry.clipped > entry.used_by:
                clipped[name] = entry.clipped
            before = entry.latest
            if before.index <= entry.used_by or (before.is_used and entry.loss != loss):
                entry.first = seen.index
            entry.latest, entry.loss, entry.iteration = done, loss, seen.iteration
            self._lost.pop(name, None)
            self._written[name] = seen.index
        if not names and not seen.reads_writes.written_tensors:  # else Steps inside of it used them
            yield not_connected(self._script, loss, seen.index, self._line, ())
        if clipped:
            events = (min(clipped.values()), seen.index)
            yield Observation("clip-per-microbatch", tuple(clipped), events)

    # -- clearing ------------------------------------------------------------------------------

    def _zero_grad(self, seen: AppliedEvent) -> Iterable[Observation]:
        lost, optimizer = self._clear(seen), seen.operation_target()
        if not lost or optimizer in self._stepped:
            return ()
        return self._without_step(optimizer, lost, seen)

    def _clear(self, seen: AppliedEvent) -> dict[str, int]:
        """Forget gradients that were cleared; return the Backwards of those that nothing used."""
        lost = {}
        self._seen.update(seen.reads_writes.written_gradients)
        for name in seen.reads_writes.written_gradients:
            entry = self._entries.pop(name, None)
            self._by_hand.discard(name)
            if entry is not None and not entry.latest.is_used:
                lost[name] = entry.latest.index
                self._lost[name] = entry.latest.index, seen.index, entry.iteration
        return lost

    def _without_step(
        self, optimizer: str, lost: dict[str, int], seen: AppliedEvent
    ) -> Iterator[Observation]:
        """Yield the fact that gradients are cleared again and again, and never used.

        A script may combine the gradients of several losses by hand before its first Step.
        """
        backward = max(lost.values())
        first, iteration = self._unstepped.setdefault(optimizer, (backward, seen.iteration))
        if seen.iteration - iteration >= WITHOUT_STEP:
            events = (first, backward, seen.index)
            names = tuple(lost)
            if optimizer in self._script.optimizers:
                yield step_missing(self._script, optimizer, names, events)
            else:
                note = f"{joined_names(names)} {'was' if len(names) == 1 else 'were'} not updated"
                cause = "Update the parameters after the Backward"
                yield Observation("step-missing", names, events, note, cause=cause)

    def _set_mode(self, seen: AppliedEvent) -> tuple[()]:
        operation = seen.operation
        assert isinstance(operation, SetMode)
        for address in seen.reads_writes.writes:
            self._modes[address.removesuffix(".training")] = operation.training
        return ()

    def _script_call(self, seen: AppliedEvent) -> Iterable[Observation]:
        operation, names = seen.operation, seen.reads_writes.written_gradients
        assert isinstance(operation, ScriptCall)
        if operation.call in _SETS:
            self._set_by_script.update((*names, *seen.reads_writes.written_tensors))
        match operation.call:
            case "forward":
                self._computed = True
            case "autograd_grad":
                self._apart = True
            case "zero_grad" | "clear_by_hand":
                return self._cleared_without_optimizer(seen)
            case "update_by_hand":
                return self._update(seen)
            case "gradient_by_hand":
                self._forget(names)
                self._seen.update(names)
                self._by_hand.update(names)
            case "new_tensors":  # the names belong to others now
                self._forget(names)
                for name in names:
                    self._made[name] = self._made.get(name, 0) + 1
            case "scaler_step":  # it found infinities, and left the Step out on purpose
                self._forget([*self._entries, *self._lost])
                self._stepped.update(self._script.optimizers)
        return ()

    def _cleared_without_optimizer(self, seen: AppliedEvent) -> Iterable[Observation]:
        """Handle gradients that are cleared by a module or by hand.

        Where a module has them, a script may have computed them only to be read; so its lines must
        show that they were to be used.
        """
        lost = self._clear(seen)
        if not lost or self._script.optimizers or "" in self._stepped:
            return ()
        free = {name: lost[name] for name in lost if "." not in name}
        if free:
            return self._without_step("", free, seen)
        found = statement_in(self._script.files, self._line)
        variable = rebound_item(*found) if found is not None else ""
        return [
            Observation("parameter-rebound", (variable,), fact.events[1:], _UNUSED)
            for fact in (self._without_step(variable, lost, seen) if variable else ())
        ]

    def _forget(self, names: Iterable[str]) -> None:
        for name in names:
            self._entries.pop(name, None)
            self._lost.pop(name, None)
            self._written.pop(name, None)

    # -- using ---------------------------------------------------------------------------------

    def _update(self, seen: AppliedEvent) -> Iterable[Observation]:
        """Handle an update by hand: where no optimizer holds a tensor, that is its Step.

        Not where `autograd.grad` has returned gradients since the last Backward: it uses these.
        """
        names = seen.reads_writes.written_tensors
        self._stepped.add("")
        self._stepped.update(name for item in names for name in self._script.holders(item))
        if self._apart:
            return ()
        return self._use([name for name in names if not self._script.holders(name)], "", seen.index)

    def _step(self, seen: AppliedEvent) -> Iterator[Observation]:
        optimizer, index = seen.operation_target(), seen.index
        self._stepped.add(optimizer)
        held = self._script.held(optimizer)
        if self._script.has_computed_gradients(seen):
            for name in held:
                self._entries.pop(name, None)
                self._lost.pop(name, None)
                self._written[name] = index
            return
        read = seen.reads_writes.read_gradients
        ready = [name for name in read if name in self._entries or name in self._by_hand]
        if held and not ready:
            if self._seen.issuperset(read):  # else they had a gradient when they were met
                yield from self._without_gradient(optimizer, held, seen)
        elif held:
            yield from self._use(ready, optimizer, index)
            yield from self._skipped(optimizer, held, frozenset(read), index)
            yield from self._leaving_out(optimizer, held, index)
        yield from self._made_anew(optimizer, held, index)
        yield from self._unreached(optimizer, held, seen)
        self._computed = False
        for name in held:
            self._lost.pop(name, None)

    def _use(self, names: Sequence[str], optimizer: str, index: int) -> Iterator[Observation]:
        added: dict[str, tuple[int, int]] = {}
        again: dict[str, tuple[int, int]] = {}
        shared: dict[str, tuple[int, int]] = {}
        users: dict[str, None] = {}
        for name in names:
            entry = self._entries.get(name)
            if entry is None:
                continue
            if entry.used_by > entry.latest.index:
                found = again if entry.user == optimizer else shared
                found[name] = entry.latest.index, entry.used_by
                users[entry.user] = None
            elif entry.used_by:
                added[name] = entry.used_by, entry.first
            entry.used_by, entry.user = index, optimizer
            entry.latest.is_used = True
            self._left_out.pop(name, None)
        if not (added or again or shared):
            return
        call = f"{unnumbered(optimizer)}.zero_grad()" if optimizer else f"{names[0]}.grad.zero_()"
        kind = "Step" if optimizer else "The update by hand"
        if added:
            by_hand = f"set .grad of {joined_names(tuple(added))} to None"  # it may be None already
            advice = f"call {call}" if optimizer else by_hand
            events = (*min(added.values()), index)
            yield Observation("grad-accumulated", tuple(added), events, advice, cause=kind)
        if again:
            first, used = min(again.values())
            other = self._unstepped_of(first)
            cause = f". {other} was not stepped: it may be meant instead" if other else ""
            events = (first, used, index)
            yield Observation("grad-reused", tuple(again), events, call, cause=cause)
        if shared:
            events = (*min(shared.values()), index)
            note = f"by {' and '.join(dict.fromkeys((*users, optimizer)))}"
            yield Observation("optimizer-duplicate", tuple(shared), events, note)

    def _unstepped_of(self, backward: int) -> str:
        """Return the one optimizer that a Backward has reached and that never stepped; "" if none.

        Or if there are several.
        """
        reached = [name for name, entry in self._entries.items() if entry.latest.index == backward]
        found = {holder for name in reached for holder in self._script.holders(name)}
        found -= self._stepped
        return found.pop() if len(found) == 1 else ""

    def _without_gradient(
        self, optimizer: str, held: Sequence[str], seen: AppliedEvent
    ) -> Iterator[Observation]:
        """Yield why a Step found no gradient at all."""
        script, index = self._script, seen.index
        closure = script.read(closure_without_backward, seen.operation.at)
        if not script.is_known(optimizer) and not (closure and script.kind(optimizer) == "LBFGS"):
            return
        lost = {name: self._lost[name] for name in held if name in self._lost}
        if self._inferred and not lost:
            return  # Backward may have reached other tensors than its line had before
        orphans = self._orphans()
        backward, clear, iteration = max(lost.values(), default=(0, 0, -1))
        if lost and iteration == seen.iteration:  # else the Step comes before its own Backward
            yield Observation("grad-discarded", tuple(lost), (backward, clear, index), optimizer)
        elif orphans and not set(self._last_written()).intersection(held):
            events = (max(self._written[name] for name in orphans), index)
            replaced = any(script.is_nameless(name) for name in held)
            replaced |= any(unnumbered(name) in held for name in orphans)
            self._misbound.update(orphans)
            if replaced:
                yield self._stale(orphans, events, optimizer)
            else:
                cause = what_cut(script, orphans, self._line)
                yield Observation("optimizer-foreign", orphans, events, optimizer, cause=cause)
        elif closure:
            advice = f"Call backward() on the loss in {closure}(), before it returns the loss"
            yield Observation(
                "step-without-grad", (optimizer,), (index,), _NO_GRADIENT, cause=advice
            )
        elif self._computed and self._connected:
            advice = f"Call backward() on the loss before {unnumbered(optimizer)}.step()"
            others = dict.fromkeys(
                holder for name in self._last_written() for holder in script.holders(name)
            )
            frozen = self._freezing_line(held)
            if others and optimizer not in others and frozen:
                advice = (
                    f"{frozen} sets requires_grad to False, so that no Backward reaches what "
                    f"{optimizer} holds. Set it to True again where that is to learn; else leave "
                    "out its Step"
                )
            elif others and optimizer not in others:
                reached = joined_names(tuple(others))
                advice = (
                    f"Check which parameters {optimizer} was given: the last Backward reached only "
                    f"those of {reached}. If they are right, look for a detach() or no_grad() "
                    "between them and its loss, or call backward() on their own loss first"
                )
            yield Observation(
                "step-without-grad", (optimizer,), (index,), _NO_GRADIENT, cause=advice
            )

    def _freezing_line(self, held: Sequence[str]) -> str:
        """Return the line that freezes the one module of an optimizer; "" if none is known."""
        modules = set(map(self._script.module_of, held))
        return self._script.read(freezing_line, modules.pop()) if len(modules) == 1 else ""

    def _orphans(self) -> tuple[str, ...]:
        """Return what has a gradient and is held by no optimizer, of the last Backward."""
        return tuple(
            name
            for name in self._last_written()
            if name in self._entries and not self._script.holders(name)
        )

    def _last_written(self) -> tuple[str, ...]:
        """Return what the last Backward gave a gradient."""
        last = max(self._written.values(), default=0)
        return tuple(name for name, event in self._written.items() if event == last)

    def _skipped(
        self, optimizer: str, held: Sequence[str], read: Collection[str], index: int
    ) -> Iterator[Observation]:
        """Yield that a Step skipped tensors whose place in the model others have taken."""
        skipped = [name for name in held if name not in read]
        if not skipped:
            return
        orphans = self._orphans()
        old = [name for name in skipped if self._script.is_nameless(name)]
        fresh = tuple(name for name in orphans if unnumbered(name) in skipped)
        if old and orphans and self._written.keys().isdisjoint(old):
            fresh = orphans
        if fresh:
            self._misbound.update(fresh)
            events = (max(self._written[name] for name in fresh), index)
            yield self._stale(fresh, events, optimizer)

    def _stale(
        self, names: tuple[str, ...], events: tuple[int, ...], optimizer: str
    ) -> Observation:
        """Return that an optimizer holds the tensors before these.

        It is one finding where a script replaces them again and again, as for each fold.
        """
        known = self._replaced.setdefault((optimizer, *map(unnumbered, names)), names)
        cause = self._assigned_late(optimizer, known)
        return Observation("optimizer-stale", known, events, optimizer, cause=cause)

    def _assigned_late(self, optimizer: str, names: Sequence[str]) -> str:
        """Return what is assigned after the optimizer is created, as a sentence; "" if unknown."""
        found = self._script.read(late_assignment, optimizer, tuple(names))
        return f"{found[1]} assigns {found[0]} after {optimizer} is created. " if found else ""

    def _made_anew(self, optimizer: str, held: Sequence[str], index: int) -> Iterator[Observation]:
        """Yield which parameters of a module are other tensors in each iteration."""
        module_of = self._script.module_of
        anew = [name for name in self._orphans() if self._made.get(name, 0) >= MADE_ANEW]
        stepped = {module_of(name) for name in held} - {""} if anew else set()
        names = tuple(name for name in anew if module_of(name) in stepped)
        if names:
            owners = dict.fromkeys(name.rpartition(".")[0] for name in names)
            events = (max(self._written[name] for name in names), index)
            cause = joined_names(tuple(owners))
            yield Observation("made-anew", names, events, optimizer, cause=cause)

    def _leaving_out(
        self, optimizer: str, held: Sequence[str], index: int
    ) -> Iterator[Observation]:
        """Yield which parameters Steps leave alone.

        Not before a second Backward has reached them: the script may update them by hand.
        """
        script = self._script
        orphans = [
            name
            for name in self._orphans()
            if not self._entries[name].used_by
            and self._made.get(name, 0) < MADE_ANEW
            and name not in self._misbound
            and unnumbered(name) not in held  # else the optimizer holds the one before
        ]
        if not orphans:
            self._beside.clear()
            return
        latest = self._written[orphans[0]]
        stepped = {script.module_of(name) for name in held} - {""}
        yield from self._beside_them(optimizer, held, orphans, index)
        hidden, others = [], []
        for name in orphans:
            if script.module_of(name) in stepped:
                known = self._left_out.get(name)
                if known is None:
                    known = _LeftOut(latest, script.unregistered_in(name))
                    self._left_out[name] = known
                known.steps += 1
                if known.place and known.first < latest:
                    hidden.append(name)
                elif known.steps >= LEFT_OUT and known.first < latest:
                    others.append(name)
        if hidden:
            first = max(self._left_out[name].first for name in hidden)
            cause = joined_names(
                tuple(dict.fromkeys(self._left_out[name].place for name in hidden))
            )
            yield Observation(
                "optimizer-orphan", tuple(hidden), (first, index), optimizer, cause=cause
            )
        if others:
            names = script.modules_without_optimizer(others)
            modules = joined_names(tuple(dict.fromkeys(map(script.module_of, others))))
            events = latest, index
            cause = f"other parameters of {modules}{self._why_left_out(optimizer, names)}"
            yield Observation("parameters-left-out", names, events, optimizer, cause=cause)

    def _why_left_out(self, optimizer: str, names: tuple[str, ...]) -> str:
        """Return what in the text left parameters out, as the end of a sentence; "" if unknown."""
        if late := self._assigned_late(optimizer, names):
            return f": {late.removesuffix('. ')}"
        plain = self._script.read(plain_tensors, names)
        return f": {plain} makes a tensor of {names[0]}, and no nn.Parameter" if plain else ""

    def _beside_them(
        self, optimizer: str, held: Sequence[str], orphans: Sequence[str], index: int
    ) -> Iterator[Observation]:
        """Yield which modules every Step leaves alone that are applied to what it trains.

        A criterion with parameters, or a head. Not where the script sees to them itself, where
        they are in evaluation mode, or where its text has their `parameters()`: an optimizer that
        has not stepped yet may hold them.
        """
        script = self._script
        stepped = dict.fromkeys(module for name in held if (module := script.module_of(name)))
        before, self._beside, latest = self._beside, {}, self._written[orphans[0]]
        for name in orphans:
            if script.module_of(name) not in {"", *stepped}:
                count, last = before.get(name, (0, 0))
                self._beside[name] = count + (last != latest), latest
        often = [name for name, (count, _) in self._beside.items() if count >= LEFT_OUT]
        applied = script.applied_to(stepped, index) if often else ()
        names = [
            name
            for name in often
            if (module := script.module_of(name)) in applied
            and self._modes.get(module, not script.is_met_in_evaluation(module))
            and not script.gives_parameters_of(module)
        ]
        if names:
            seen_to = set(map(script.module_of, self._set_by_script))
            names = [name for name in names if script.module_of(name) not in seen_to]
        if names:
            events, found = (latest, index), script.modules_without_optimizer(names)
            cause = f"parameters of {joined_names(tuple(stepped))}"
            yield Observation("parameters-left-out", found, events, optimizer, cause=cause)

    def _unreached(
        self, optimizer: str, held: Sequence[str], seen: AppliedEvent
    ) -> Iterator[Observation]:
        """Yield which parameters of an optimizer no Backward has reached in many iterations."""
        first, before = self._since.setdefault(optimizer, (seen.iteration, self._recorded))
        count = seen.iteration - first
        if count < UNREACHED or self._recorded - before < UNREACHED // 2:
            return
        trains, reached = self._script.trains, self._reached
        names = tuple(name for name in held if name not in reached and trains(name))
        if names and len(names) < len(held):
            cut = lines_of_loss(self._script.files, self._line).cut
            yield Observation(
                *("unreached-parameter", names, (seen.index,), optimizer),
                value=float(count),
                threshold=UNREACHED,
                cause=f"{cut.advice}If that is not the reason: " if cut is not None else "",
            )

    # -- clipping ------------------------------------------------------------------------------

    def clip(self, seen: AppliedEvent, changed: Collection[str] | None) -> Iterator[Observation]:
        """Handle a clipping.

        Args:
            seen: Its Event.
            changed: The gradients that it changed; None if that is not known.
        """
        held = {
            name: entry
            for name in seen.reads_writes.written_gradients
            if (entry := self._entries.get(name)) is not None
        }
        if held and all(entry.used_by > entry.latest.index for entry in held.values()):
            self.misplaced += 1
            if changed and not held.keys().isdisjoint(changed):
                step = max(entry.used_by for entry in held.values())
                yield Observation("clip-after-step", (seen.operation_target(),), (step, seen.index))
        for name, entry in held.items():
            entry.limited = seen.index
            if changed and name in changed:
                entry.clipped = seen.index
