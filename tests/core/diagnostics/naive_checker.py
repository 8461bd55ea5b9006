"""A naive checker of the facts: decides each from its definition, from records and bytes alone.

It shares no code with `gradstep.diagnostics`. It keeps no state between Events: for each Event it
looks through everything that was recorded before it. That is slow and easy to read.

What it reads: the Events (Operation, outcome, iteration, reads, writes), and the captured state of
the program after each of them. The definitions stand in
`gradstep/diagnostics/tables/fact_table.py`; each function here repeats one in code.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from math import isclose
from typing import Any

import numpy as np

from gradstep.debugger import Debugger
from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    LoadState,
    RebuildModule,
    SchedulerStep,
    SetMode,
    SetValue,
    Step,
    ZeroGrad,
)

STALE = " (stale)"
CITED = 12


@dataclass
class Moment:
    """The program after an Event, in plain data."""

    data: dict[str, np.ndarray]
    grad: dict[str, np.ndarray | None]
    frozen: dict[str, bool]
    held: dict[str, list[str]]
    losses: dict[str, Any]
    state: Any
    iteration: int
    training: dict[str, bool]
    totals: dict[str, int]


@dataclass
class Recording:
    """The Events and Moments of one branch, collected while it was recorded or by seeking."""

    document: dict[str, Any]
    spec: Any
    events: list[Any] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)

    def op(self, event: int) -> Any:
        return self.events[event - 1].operation

    def ok(self, event: int, kind: type) -> bool:
        return isinstance(self.op(event), kind) and self.events[event - 1].outcome.ok

    def writes(self, event: int) -> tuple[str, ...]:
        return self.events[event - 1].writes

    def reads(self, event: int) -> tuple[str, ...]:
        return self.events[event - 1].reads

    def iteration(self, event: int) -> int:
        return self.events[event - 1].iteration

    def completes(self, event: int) -> bool:
        return self.moments[event].iteration != self.moments[event - 1].iteration


def unpacked(packed: Any) -> np.ndarray | None:
    """Return an array of a captured state; lists hold its memory order."""
    if packed is None:
        return None
    if isinstance(packed, list):
        array, axes = packed
        return array.transpose(np.argsort(axes))
    return packed


def moment(debugger: Debugger) -> Moment:
    """Copy what the program holds now."""
    program = debugger.program
    state = program.capture()

    def address(key: str) -> str:
        head, _, rest = key.partition(".")
        name, _, generation = head.partition("~")
        return f"{name}.{rest}{STALE}" if generation else key

    data, grad, frozen = {}, {}, {}
    for key, (values, gradient, _, _, requires_grad) in state.tensors.items():
        data[address(key)] = unpacked(values)
        grad[address(key)] = unpacked(gradient)
        frozen[address(key)] = not requires_grad
    return Moment(
        data=data,
        grad=grad,
        frozen=frozen,
        held={
            name: [address(key) for group in saved["groups"] for key in group["params"]]
            for name, saved in state.optimizers.items()
        },
        losses={name: saved["value"] for name, saved in state.losses.items()},
        state=state,
        iteration=state.cursor[0],
        training={name: any(modes) for name, _, modes in state.modules},
        totals={name: graphs for name, (graphs, _) in state.totals.items()},
    )


# -- gradients: who wrote them, and since when ---------------------------------------------------


def renamed(recording: Recording, address: str, at: int, back: int) -> str:
    """Return the address that a tensor had at Event `back`, given that at Event `at`."""
    name = address.removesuffix(STALE)
    rebuilt = [
        event
        for event in range(1, at + 1)
        if recording.ok(event, RebuildModule) and name in recording.writes(event)
    ]
    if not rebuilt:
        return address
    if address.endswith(STALE):
        return address if back >= rebuilt[-1] else name
    return address if back >= rebuilt[-1] else ""


def touches(
    recording: Recording, event: int, kind: type, name: str, at: int, *, read: bool = False
):
    """Whether an Event's Operation wrote, or read, the gradient that has a name at Event `at`."""
    if not recording.ok(event, kind):
        return False
    then = renamed(recording, name, at, event)
    addresses = recording.reads(event) if read else recording.writes(event)
    return bool(then) and f"{then}.grad" in addresses


def life(recording: Recording, name: str, at: int) -> tuple[list[int], list[int], int]:
    """Return Backwards, Steps and the last clear of a gradient before Event `at`.

    Returns:
        The Backwards that wrote it since it was last cleared; the Steps that used it since the
        first of them; the Event that cleared it, 0 for none.
    """
    cleared = 0
    for event in range(at - 1, 0, -1):
        if touches(recording, event, ZeroGrad, name, at):
            cleared = event
            break
    backwards = [
        event for event in range(cleared + 1, at) if touches(recording, event, Backward, name, at)
    ]
    steps = [
        event
        for event in range((backwards or [at])[0] + 1, at)
        if touches(recording, event, Step, name, at, read=True)
    ]
    return backwards, steps, cleared


def gradients(addresses: tuple[str, ...]) -> list[str]:
    """Return the names in addresses of gradients."""
    return [item.removesuffix(".grad") for item in addresses if item.endswith(".grad")]


# -- intentions and structure --------------------------------------------------------------------


def accumulates(document: dict[str, Any]) -> bool:
    every = [line.get("every", 1) for line in document["loop"] if line["op"] == "step"]
    return "gradient_accumulation" in document["intent"] or (bool(every) and min(every) > 1)


def leaves_out(document: dict[str, Any]) -> bool:
    return bool({"adversarial", "frozen_backbone"} & set(document["intent"]))


def used_tensors(document: dict[str, Any], names: list[str], only: str = "") -> set[str]:
    """Return the tensors that some loss is computed from, or only one of them."""
    used = set()
    names = [name for name in names if not name.endswith(STALE)]
    for loss in [document["losses"][only]] if only else document["losses"].values():
        for module in loss.get("chain", ()):
            used |= {name for name in names if name.startswith(f"{module}.")}
        words = set(re.findall(r"[A-Za-z_]\w*", loss.get("expression", "")))
        used |= {name for name in names if name in words}
    return used


# -- the facts -----------------------------------------------------------------------------------


def grad_accumulated(rec: Recording, at: int):
    if accumulates(rec.document):
        return
    is_late = leaves_out(rec.document) or len(rec.document["optimizers"]) > 1
    if rec.ok(at, Backward) and not is_late:
        found = {}
        for name in gradients(rec.writes(at)):
            backwards, _, _ = life(rec, name, at)
            if backwards and rec.iteration(backwards[0]) != rec.iteration(at):
                found[name] = backwards[0]
        if found:
            yield tuple(found), (min(found.values()), at)
    if rec.ok(at, Step) and is_late:
        found = {}
        for name in gradients(rec.reads(at)):
            backwards, _, _ = life(rec, name, at)
            if len({rec.iteration(event) for event in backwards}) > 1:
                found[name] = backwards[0], backwards[-1]
        if found:
            yield tuple(found), (*min(found.values()), at)


def grad_reused(rec: Recording, at: int):
    if rec.ok(at, Step):
        found = {}
        for name in gradients(rec.reads(at)):
            backwards, steps, _ = life(rec, name, at)
            if backwards and steps:
                found[name] = backwards[0], steps[-1]
        if found:
            yield tuple(found), (*min(found.values()), at)


def grad_discarded(rec: Recording, at: int):
    if rec.ok(at, ZeroGrad) and not leaves_out(rec.document):
        found = {}
        for name in gradients(rec.writes(at)):
            backwards, steps, _ = life(rec, name, at)
            unread = [event for event in backwards if event > max(steps, default=0)]
            lost = [event for event in unread if not is_read(rec, event, at)]
            if lost:
                found[name] = lost[-1]
        if found:
            yield tuple(found), (min(found.values()), at)


def is_read(rec: Recording, backward: int, at: int) -> bool:
    """Whether a Step before Event `at` has read any gradient that a Backward wrote."""
    for step in range(backward + 1, at):
        if rec.ok(step, Step):
            for name in gradients(rec.reads(step)):
                if backward in life(rec, name, step)[0]:
                    return True
    return False


CLIPS = (ClipGradNorm, ClipGradValue)


def changed(rec: Recording, at: int, name: str, what: str) -> bool:
    """Whether an Event changed the bytes of a tensor's data or gradient."""
    old, new = (getattr(rec.moments[index], what).get(name) for index in (at - 1, at))
    return (old is None) != (new is None) or (old is not None and old.tobytes() != new.tobytes())


def clip_after_step(rec: Recording, at: int):
    if not rec.ok(at, CLIPS):
        return
    lives = {name: life(rec, name, at) for name in gradients(rec.writes(at))}
    lives = {name: (backs, steps) for name, (backs, steps, _) in lives.items() if backs}
    if (
        lives
        and all(steps and steps[-1] > backs[-1] for backs, steps in lives.values())
        and any(changed(rec, at, name, "grad") for name in lives)
    ):
        step = max(steps[-1] for _, steps in lives.values())
        yield (rec.op(at).optimizer,), (step, at)


def clip_before_backward(rec: Recording, at: int):
    """A clipping without anything to clip, then a Backward, then a Step, with no clipping between.

    What there is to clip: gradients that a Backward has written since they were last cleared.
    """
    if not rec.ok(at, Step):
        return
    optimizer = rec.op(at).optimizer
    clips = [
        event
        for event in range(1, at)
        if rec.ok(event, (*CLIPS, Step)) and rec.op(event).optimizer == optimizer
    ]
    if not clips or not rec.ok(clips[-1], CLIPS):
        return
    clip = clips[-1]
    full = any(life(rec, name, clip)[0] for name in gradients(rec.writes(clip)))
    if full or rec.iteration(clip) != rec.iteration(at):
        return
    used = [
        event
        for event in range(clip + 1, at)
        if rec.ok(event, Backward)
        and set(gradients(rec.writes(event))) & set(gradients(rec.reads(at)))
    ]
    if used:
        yield (optimizer,), (clip, used[-1], at)


def clip_per_microbatch(rec: Recording, at: int):
    if not rec.ok(at, Backward):
        return
    found = {}
    for name in gradients(rec.writes(at)):
        backwards, steps, _ = life(rec, name, at)
        since = max(steps, default=0) if backwards else at
        clips = [
            event
            for event in range(max(since, (backwards or [at])[0]) + 1, at)
            if touches(rec, event, CLIPS, name, at)
            and changed(rec, event, renamed(rec, name, at, event), "grad")
        ]
        if clips:
            found[name] = clips[-1]
    if found:
        yield tuple(found), (min(found.values()), at)


def step_without_grad(rec: Recording, at: int):
    if rec.ok(at, Step):
        before = rec.moments[at - 1]
        held = before.held[rec.op(at).optimizer]
        if held and all(before.grad[name] is None for name in held):
            yield (rec.op(at).optimizer,), (at,)
        elif held:
            emptied = []
            for name in held:
                if before.grad[name] is not None:
                    backwards, _, cleared = life(rec, name, at)
                    if before.grad[name].any() or backwards or not cleared or STALE in name:
                        return
                    emptied.append(cleared)
            if not any(changed(rec, at, name, "data") for name in held):
                yield (rec.op(at).optimizer,), (max(emptied), at)


def step_partly_without_grad(rec: Recording, at: int):
    if rec.ok(at, Step):
        before = rec.moments[at - 1]
        held = list(dict.fromkeys(before.held[rec.op(at).optimizer]))
        used = used_tensors(rec.document, list(before.data))
        missing = [name for name in held if before.grad[name] is None]
        if len(missing) < len(held):
            missing = [name for name in missing if not before.frozen[name] and name in used]
            if missing:
                yield tuple(missing), (at,)


def frozen_but_moved(rec: Recording, at: int):
    if rec.ok(at, Step):
        before = rec.moments[at - 1]
        moved = tuple(
            name
            for name in dict.fromkeys(before.held[rec.op(at).optimizer])
            if before.frozen[name] and not name.endswith(STALE) and changed(rec, at, name, "data")
        )
        if moved:
            yield moved, (at,)


def moved_without_gradient(rec: Recording, at: int):
    if rec.ok(at, Step):
        before, found = rec.moments[at - 1], {}
        for name in dict.fromkeys(before.held[rec.op(at).optimizer]):
            grad = before.grad[name]
            if before.frozen[name] or name.endswith(STALE) or grad is None or grad.any():
                continue
            backwards, _, cleared = life(rec, name, at)
            if cleared and not backwards and changed(rec, at, name, "data"):
                found[name] = cleared
        if found:
            yield tuple(found), (min(found.values()), at)


def optimizer_orphan(rec: Recording, at: int):
    if rec.ok(at, Backward) and not leaves_out(rec.document):
        held = {name for names in rec.moments[at].held.values() for name in names}
        orphans = tuple(name for name in gradients(rec.writes(at)) if name not in held)
        if orphans and not list(not_connected(rec, at)):
            yield orphans, (at,)


def optimizer_stale(rec: Recording, at: int):
    if rec.ok(at, Step):
        holder, rebuilt = rec.op(at).optimizer, set()
        stale = [name for name in rec.moments[at - 1].held[holder] if name.endswith(STALE)]
        for name in stale:
            since = at - 1
            while name in rec.moments[since - 1].held[holder]:
                since -= 1
            rebuilt.add(since)
        if stale:
            yield tuple({name.removesuffix(STALE) for name in stale}), (*sorted(rebuilt), at)


def optimizer_bindings(rec: Recording, at: int):
    """Yield foreign and duplicate ones that were not so before, with their ids."""
    now = set(binding_facts(rec, at))
    before = set(binding_facts(rec, at - 1)) if at else set()
    for id_, names, holder in now - before:
        yield id_, names, (at,) if at else (), holder


def binding_facts(rec: Recording, at: int):
    here = rec.moments[at]
    used = used_tensors(rec.document, list(here.data))
    places = [(holder, name) for holder, names in here.held.items() for name in names]
    wrong = defaultdict(list)
    for holder, names in here.held.items():
        foreign = [n for n in names if used and n not in used and not n.endswith(STALE)]
        if foreign:
            wrong[frozenset(foreign)].append(holder)
    for found, holders in wrong.items():
        yield "optimizer-foreign", tuple(found), tuple(holders)
    shared = defaultdict(list)
    for name in dict.fromkeys(name for _, name in places):
        holders = tuple(holder for holder, other in places if other == name)
        if len(holders) > 1:
            shared[holders].append(name)
    for holders, names in shared.items():
        yield "optimizer-duplicate", tuple(names), holders


def graph_freed(rec: Recording, at: int):
    operation = rec.op(at)
    if isinstance(operation, Backward) and not rec.events[at - 1].outcome.ok:
        forward = last_forward(rec, operation.loss, at)
        freed = any(
            rec.ok(event, Backward)
            and rec.op(event).loss == operation.loss
            and not rec.op(event).retain_graph
            for event in range(forward + 1, at)
        )
        if forward and freed:
            assert "second time" in rec.events[at - 1].outcome.message
            yield (operation.loss,), (at,)


def not_connected(rec: Recording, at: int):
    operation = rec.op(at)
    if not isinstance(operation, Backward):
        return
    outcome = rec.events[at - 1].outcome
    if outcome.ok:
        reached = set(gradients(rec.writes(at)))
        here = rec.moments[at]
        held = {name for names in here.held.values() for name in names}
        used = used_tensors(rec.document, list(here.data), operation.loss)
        besides = bool(held & used) and not held & reached and not leaves_out(rec.document)
        if not reached or besides:
            yield (operation.loss,), (at,)
    if not outcome.ok and "does not require grad" in outcome.message:
        yield (operation.loss,), (at,)


def last_forward(rec: Recording, loss: str, at: int) -> int:
    """Return the last Forward of a loss before an Event; 0 for none."""
    found = [
        event for event in range(1, at) if rec.ok(event, Forward) and rec.op(event).loss == loss
    ]
    return found[-1] if found else 0


def needed(rec: Recording, forward: int, loss: str, at: int) -> list[str]:
    """Return what a Backward right after a Forward would have needed, by the names at Event `at`.

    Another Debugger is built and does the same up to the Forward, then that Backward.
    """
    twin = Debugger(rec.spec)
    for event in range(1, forward + 1):
        twin.apply(rec.op(event))
    backward = twin.apply(Backward(loss))
    assert backward.outcome.ok
    names = [item for item in backward.reads if item in twin.program.tensors or STALE in item]
    rebuilt = {
        name
        for event in range(forward + 1, at)
        if rec.ok(event, RebuildModule)
        for name in rec.writes(event)
    }
    return [f"{name}{STALE}" if name in rebuilt else name for name in names]


def inplace_after_save(rec: Recording, at: int):
    operation = rec.op(at)
    outcome = rec.events[at - 1].outcome
    if not isinstance(operation, Backward) or outcome.ok or "inplace op" not in outcome.message:
        return
    forward = last_forward(rec, operation.loss, at)
    needs = needed(rec, forward, operation.loss, at)
    for event in range(forward + 1, at):
        silent = isinstance(rec.op(event), SetValue) and rec.op(event).through_data
        if silent or not rec.ok(event, (Step, SetValue, LoadState)):
            continue
        written = tuple(
            name for name in needs if renamed(rec, name, at, event) in rec.writes(event)
        )
        if written:
            yield written, (forward, event, at)
            return
    raise AssertionError(f"nothing explains why Backward {at} failed")


def data_bypass(rec: Recording, at: int):
    if not rec.ok(at, Backward):
        return
    forward = last_forward(rec, rec.op(at).loss, at)
    found = {}
    for name in rec.reads(at):
        then = renamed(rec, name, at, forward)
        old, new = rec.moments[forward].data.get(then), rec.moments[at - 1].data.get(name)
        if old is None or new is None or old.tobytes() == new.tobytes():
            continue
        writes = [
            event
            for event in range(forward + 1, at)
            if rec.ok(event, SetValue)
            and rec.op(event).through_data
            and rec.op(event).tensor == renamed(rec, name, at, event)
            and changed(rec, event, rec.op(event).tensor, "data")
        ]
        if writes:
            found[name] = writes[-1]
    if found:
        yield tuple(found), (forward, max(found.values()), at)


def graph_retained(rec: Recording, at: int):
    for loss in rec.document["losses"]:
        forward = last_forward(rec, loss, at)
        backwards = [
            event
            for event in range(forward + 1, at)
            if rec.ok(event, Backward) and rec.op(event).loss == loss
        ]
        if not forward or not backwards or not rec.op(backwards[-1]).retain_graph:
            continue
        replaced = rec.ok(at, Forward) and rec.op(at).loss == loss
        used = rec.ok(at, Backward) and rec.op(at).loss == loss
        left = rec.completes(at) and rec.iteration(backwards[-1]) < rec.iteration(at)
        if replaced or (left and not used):
            yield (loss,), (forward, backwards[-1], at)


def total_keeps_graphs(rec: Recording, at: int):
    if rec.ok(at, AddLoss):
        total = rec.op(at).tensor
        grew = [
            event
            for event in range(1, at + 1)
            if rec.ok(event, AddLoss)
            and rec.op(event).tensor == total
            and rec.moments[event].totals.get(total, 0)
            > rec.moments[event - 1].totals.get(total, 0)
        ]
        if grew and grew[-1] == at and rec.iteration(at) > rec.iteration(grew[0]):
            yield (total,), (grew[0], at)


def begins(rec: Recording, at: int) -> int:
    """Return the first Event of the iteration that Event `at` belongs to."""
    event = at
    while event > 1 and not rec.completes(event - 1):
        event -= 1
    return event


def held_out(rec: Recording, loss: str) -> bool:
    return rec.document["losses"][loss].get("rows") == "validation"


def backward_missing(rec: Recording, at: int):
    """A Forward again, of a loss that an iteration that has ended computed without a Backward."""
    if not rec.ok(at, Forward) or held_out(rec, rec.op(at).loss):
        return
    loss = rec.op(at).loss
    forwards = [
        event for event in range(1, at) if rec.ok(event, Forward) and rec.op(event).loss == loss
    ]
    ends = [event for event in range(1, at) if forwards and rec.completes(event)]
    ends = [event for event in ends if event >= forwards[-1]]
    if ends:
        within = range(begins(rec, ends[0]), ends[0] + 1)
        later = range(ends[0] + 1, at)
        if not any(isinstance(rec.op(event), Backward) for event in within) and not any(
            isinstance(rec.op(event), Backward) and rec.op(event).loss == loss for event in later
        ):
            yield (loss,), (forwards[-1], at)


def left_unused(rec: Recording, end: int) -> dict[str, int]:
    """Return the last Backward of each loss, if no Step followed in the iteration that ended."""
    within = range(begins(rec, end), end + 1)
    forwards = {
        rec.op(event).loss: event
        for event in within
        if rec.ok(event, Forward) and not held_out(rec, rec.op(event).loss)
    }
    backwards = {rec.op(event).loss: event for event in within if rec.ok(event, Backward)}
    first = min((*forwards.values(), *backwards.values()), default=0)
    if any(rec.ok(event, Step) and event > first for event in within):
        return {}
    return backwards


def all_cleared(rec: Recording, at: int) -> bool:
    """Whether every gradient that a Backward wrote since the last Step was cleared after it."""
    steps = [event for event in range(1, at + 1) if rec.ok(event, Step)]
    since = steps[-1] if steps else 0
    for event in range(since + 1, at + 1):
        if rec.ok(event, Backward):
            for then in gradients(rec.writes(event)):
                now = then
                if any(
                    rec.ok(other, RebuildModule) and then in rec.writes(other)
                    for other in range(event + 1, at + 1)
                ):
                    now = f"{then}{STALE}"
                if not any(
                    touches(rec, other, ZeroGrad, now, at) for other in range(event + 1, at + 1)
                ):
                    return False
    return True


def step_missing(rec: Recording, at: int):
    if accumulates(rec.document):
        return
    for end in range(1, at + 1):
        left = left_unused(rec, end) if rec.completes(end) else {}
        if left and shown_at(rec, end) == at:
            yield tuple(left), (*left.values(), at)


def shown_at(rec: Recording, end: int) -> int:
    """Return the Event from which on no Step can use what an iteration left; 0 for none."""
    if all_cleared(rec, end):
        return end
    for event in range(end + 1, len(rec.events) + 1):
        if rec.ok(event, Step):
            return 0
        if isinstance(rec.op(event), Backward):
            return event
        if rec.ok(event, ZeroGrad) and all_cleared(rec, event):
            return event
    return 0


def scheduler_first(rec: Recording, at: int):
    if rec.ok(at, SchedulerStep):
        name = rec.op(at).scheduler
        optimizer = rec.document["schedulers"][name].get("optimizer", "optimizer")
        if not any(
            rec.ok(event, Step) and rec.op(event).optimizer == optimizer for event in range(1, at)
        ):
            yield (name,), (at,)


def two_moded(rec: Recording, loss: str) -> list[str]:
    """Return the modules of a loss that compute something else in evaluation mode."""
    return [
        module
        for module in rec.document["losses"][loss].get("chain", ())
        if any(
            layer["kind"].startswith("BatchNorm")
            or (layer["kind"].startswith("Dropout") and layer.get("p", 0.5) > 0)
            for layer in rec.document["modules"][module]
        )
    ]


def mode_left_train(rec: Recording, at: int):
    if rec.ok(at, Forward) and held_out(rec, rec.op(at).loss):
        training = rec.moments[at - 1].training
        names = tuple(name for name in two_moded(rec, rec.op(at).loss) if training[name])
        if names:
            yield names, (at,)


def mode_left_eval(rec: Recording, at: int):
    if not rec.ok(at, Step) or leaves_out(rec.document):
        return
    for loss in rec.document["losses"]:
        forward = last_forward(rec, loss, at)
        if not forward or held_out(rec, loss):
            continue
        training = rec.moments[forward - 1].training
        modules = [name for name in two_moded(rec, loss) if not training[name]]
        reached = set()
        for name in gradients(rec.reads(at)):
            backwards, _, _ = life(rec, name, at)
            if any(event > forward and rec.op(event).loss == loss for event in backwards):
                reached.add(name)
        names = tuple(
            module
            for module in modules
            if any(name.startswith(f"{module}.") and not name.endswith(STALE) for name in reached)
        )
        since = []
        for name in names:
            modes = [
                event
                for event in range(1, forward)
                if rec.ok(event, SetMode) and rec.op(event).module in {None, name}
            ]
            while (
                len(modes) > 1
                and not rec.op(modes[-2]).training
                and not rebuilt_between(rec, name, modes[-2], modes[-1])
            ):
                modes.pop()
            since.append(modes[-1])
        if names:
            yield names, (min(since), forward, at)


def rebuilt_between(rec: Recording, module: str, after: int, before: int) -> bool:
    return any(
        rec.ok(event, RebuildModule) and rec.op(event).module == module
        for event in range(after + 1, before)
    )


def broadcast_loss(rec: Recording, at: int):
    if rec.ok(at, Forward) and rec.op(at).loss in rec.document.get("broadcasts", ()):
        yield (rec.op(at).loss,), (at,)


def accumulation_scale(rec: Recording, at: int):
    if not rec.ok(at, Step) or not accumulates(rec.document):
        return
    wrong = {}
    for name in gradients(rec.reads(at)):
        backwards, steps, _ = life(rec, name, at)
        since = max(steps, default=0)
        for loss, divisor in rec.document["divisors"].items():
            mine = [b for b in backwards if b > since and rec.op(b).loss == loss]
            rows = [len(rec.events[last_forward(rec, loss, b) - 1].rows or ()) for b in mine]
            if mine and (not isclose(len(mine), divisor, rel_tol=0.01) or min(rows) != max(rows)):
                wrong.setdefault(loss, (mine[0], mine[-1], at))
    for loss, events in wrong.items():
        yield (loss,), events


def comparable(value: Any) -> Any:
    """Return nested data with arrays as bytes."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: comparable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [comparable(item) for item in value]
    return repr(value)


def resume_incomplete(rec: Recording, at: int):
    operation = rec.op(at)
    if not rec.ok(at, LoadState) or "modules" not in operation.parts:
        return
    now, then = rec.moments[at].state, rec.moments[operation.event].state
    missing = []
    if "optimizers" not in operation.parts and held_state(now) != held_state(then):
        missing.append("optimizers")
    if "schedulers" not in operation.parts and comparable(now.schedulers) != comparable(
        then.schedulers
    ):
        missing.append("schedulers")
    shuffles = any(data.get("shuffle") for data in rec.document["data"].values())
    drops = any(
        layer["kind"].startswith("Dropout")
        for loss in rec.document["losses"].values()
        for module in loss.get("chain", ())
        for layer in rec.document["modules"][module]
    )
    if (
        "generator" not in operation.parts
        and (shuffles or drops)
        and comparable(now.generator) != comparable(then.generator)
    ):
        missing.append("generator")
    if "data_order" not in operation.parts and any(
        next_batch(rec, name, now.feeds[name]) != next_batch(rec, name, then.feeds[name])
        for name in now.feeds
    ):
        missing.append("data_order")
    if missing:
        yield tuple(missing), (operation.event, at) if operation.event else (at,)


def held_state(state: Any) -> Any:
    """Return hyperparameters and state of all optimizers, in the order of what they hold."""
    return comparable(
        [
            [
                [
                    {key: value for key, value in group.items() if key != "params"},
                    [saved["state"].get(key, {}) for key in group["params"]],
                ]
                for group in saved["groups"]
            ]
            for saved in state.optimizers.values()
        ]
    )


def next_batch(rec: Recording, name: str, feed: list[Any]) -> Any:
    """Return which rows come next: none if the next batch begins another epoch."""
    epoch, position, order, *_ = feed
    data = rec.document["data"][name]
    rows = rec.document["training_rows"][name]
    least = min(data.get("batch_size", rows), rows) if data.get("drop_last") else 1
    if epoch == 0 or rows - position < least:
        return "the next epoch"
    return position, comparable(order)


def finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(finite, value))
    return value is None or isinstance(value, str) or bool(np.isfinite(value).all())


def not_finite(here: Moment) -> tuple[str, ...]:
    """Return what is not finite: losses, or else gradients, or data, or optimizer state."""
    present = [name for name in here.data if not name.endswith(STALE)]
    found = [name for name, value in here.losses.items() if not finite(value)]
    found = found or [name for name in present if not finite(here.grad[name])]
    found = found or [name for name in present if not finite(here.data[name])]
    for saved in here.state.optimizers.values():
        keys = [key for key, entries in saved["state"].items() if not finite(entries)]
        found = found or [key for key in keys if "~" not in key]
    return tuple(found)


def non_finite(rec: Recording):
    for event in range(1, len(rec.events) + 1):
        names = not_finite(rec.moments[event])
        if names:
            yield names, (event,)
            return


BY_EVENT = {
    "grad-accumulated": grad_accumulated,
    "grad-reused": grad_reused,
    "grad-discarded": grad_discarded,
    "clip-after-step": clip_after_step,
    "clip-before-backward": clip_before_backward,
    "clip-per-microbatch": clip_per_microbatch,
    "step-without-grad": step_without_grad,
    "step-partly-without-grad": step_partly_without_grad,
    "frozen-but-moved": frozen_but_moved,
    "moved-without-gradient": moved_without_gradient,
    "optimizer-stale": optimizer_stale,
    "optimizer-orphan": optimizer_orphan,
    "graph-freed": graph_freed,
    "not-connected": not_connected,
    "inplace-after-save": inplace_after_save,
    "data-bypass": data_bypass,
    "graph-retained": graph_retained,
    "total-keeps-graphs": total_keeps_graphs,
    "backward-missing": backward_missing,
    "step-missing": step_missing,
    "scheduler-first": scheduler_first,
    "mode-left-train": mode_left_train,
    "mode-left-eval": mode_left_eval,
    "broadcast-loss": broadcast_loss,
    "accumulation-scale": accumulation_scale,
    "resume-incomplete": resume_incomplete,
}


def check(rec: Recording) -> dict[tuple[str, frozenset[str]], tuple[tuple[int, ...], int]]:
    """Return every fact: the Events cited and the number of occurrences, by id and names."""
    found = defaultdict(list)
    for id_, names, events, _ in optimizer_bindings(rec, 0):
        found[id_, frozenset(names)].append(events)
    for at in range(1, len(rec.events) + 1):
        for id_, rule in BY_EVENT.items():
            for names, events in rule(rec, at):
                found[id_, frozenset(names)].append(events)
        for id_, names, events, _ in optimizer_bindings(rec, at):
            found[id_, frozenset(names)].append(events)
    for names, events in non_finite(rec):
        found["non-finite", frozenset(names)].append(events)
    return {
        key: (
            tuple(sorted({event for events in shown[:CITED] for event in events})),
            len({max(events, default=0) for events in shown}),
        )
        for key, shown in found.items()
    }


__all__ = ["Moment", "Recording", "check", "moment"]
