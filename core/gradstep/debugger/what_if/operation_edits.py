"""Edits of the recorded Operations that remedies try: what is moved, added or skipped."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from gradstep.debugger.what_if.loop_repair import LoopRepair
from gradstep.debugger.what_if.plan import numbered_operations
from gradstep.history.records.what_if import Edits
from gradstep.program.operation import (
    AddLoss,
    Backward,
    ClipGradNorm,
    ClipGradValue,
    Forward,
    Freeze,
    LoadState,
    Operation,
    RebuildModule,
    ReplaceOptimizer,
    SchedulerStep,
    SetMode,
    SetValue,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program

    _Make = Callable[[Finding, EventLog, Program], Edits | None]

__all__ = [
    "add_numbers",
    "clip_after_backward",
    "clip_before_step",
    "clip_once",
    "free_graphs",
    "freeze_after_step",
    "leave_unfrozen",
    "load_state_with_optimizers",
    "load_whole_state",
    "rebind_optimizers",
    "remove_second_backward",
    "repair_loop",
    "replace_once",
    "skip_cited",
    "skip_kinds",
    "skip_scheduler_steps",
    "step_idle_schedulers",
    "step_schedulers_last",
    "stop_at_lowest",
    "switch_to_evaluation",
    "switch_to_training",
    "write_before_forward",
    "zero_before_forward",
    "zero_to_none",
]

# --- the order of the loop --------------------------------------------------------------------


def repair_loop(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Add the missing Zero Grad, Backward and Step, from the first cited Event on."""
    return LoopRepair(log, program, min(finding.events)).edits()


def zero_before_forward(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each Zero Grad between a Backward and its Step before the Forward of that Backward."""
    moved: list[tuple[int, int]] = []
    forwards: dict[str, int] = {}
    begun, cleared = 0, dict[str, tuple[int, int]]()
    for event, operation in numbered_operations(log):
        if log.failed(event):
            continue
        match operation:
            case Forward(loss=loss):
                forwards[loss] = event
            case Backward(loss=loss):
                begun, cleared = begun or forwards.get(loss, event), {}
            case ZeroGrad(optimizer=name) if begun:
                cleared[name] = event, begun
            case Step(optimizer=name):
                if name in cleared:
                    moved.append(cleared[name])
                begun, cleared = 0, {}
            case _:
                pass
    return _edits(move=moved)


def remove_second_backward(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each Backward through a freed graph; where no gradient is left, run Forward before."""
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    is_clear = True
    for event, operation in numbered_operations(log):
        failed = log.failed(event)
        if isinstance(operation, Backward):
            if failed and operation.loss in finding.subjects and event >= finding.events[0]:
                if is_clear:
                    inserted.append((event, Forward(operation.loss)))
                    is_clear = False
                else:
                    skipped.append(event)
            elif not failed:
                is_clear = False
        elif isinstance(operation, Step | ZeroGrad) and not failed:
            # A Step leaves a gradient, but no use for it.
            is_clear = isinstance(operation, ZeroGrad)
    return _edits(skipped, inserted)


def write_before_forward(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each Backward before the Step that breaks it, and each other write before its Forward.

    A write through `.data` becomes visible to autograd there.
    """
    names = frozenset(finding.subjects)
    skipped: dict[int, None] = {}
    inserted: dict[tuple[int, Operation], None] = {}
    forwards: dict[str, int] = {}
    for event, operation in numbered_operations(log):
        if log.failed(event) and not isinstance(operation, Backward):
            continue
        if isinstance(operation, Forward):
            forwards[operation.loss] = event
        if not isinstance(operation, Backward) or operation.loss not in forwards:
            continue
        first = forwards[operation.loss]
        for write in range(first + 1, event):
            written = log.operation(write)
            touches = not names.isdisjoint(log.reads_writes(write).written_tensors)
            if not touches or log.failed(write) or write in skipped:
                continue
            if isinstance(written, Step) and finding.id == "inplace-after-save":
                skipped[event] = inserted[write, operation] = None
                break
            if isinstance(written, SetValue):
                visible = msgspec.structs.replace(written, through_data=False)
                skipped[write] = inserted[first, visible] = None
    return _edits(skipped, inserted)


def free_graphs(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Run each Backward that kept its graph for nothing without retain_graph."""
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    last: dict[str, int] = {}
    for event, operation in numbered_operations(log):
        if log.failed(event) or not isinstance(operation, Forward | Backward):
            continue
        if operation.loss not in finding.subjects:
            continue
        if isinstance(operation, Backward):
            last[operation.loss] = event
        else:
            _free_last(log, last.pop(operation.loss, 0), skipped, inserted)
    for event in last.values():
        _free_last(log, event, skipped, inserted)
    return _edits(skipped, inserted)


def _free_last(
    log: EventLog, event: int, skipped: list[int], inserted: list[tuple[int, Operation]]
) -> None:
    """Run the last Backward of a graph without retain_graph."""
    operation = log.operation(event) if event else None
    if isinstance(operation, Backward) and operation.retain_graph:
        skipped.append(event)
        inserted.append((event, msgspec.structs.replace(operation, retain_graph=False)))


def step_schedulers_last(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Move each Scheduler Step after the Step of its optimizer that follows in the iteration."""
    moved: list[tuple[int, int]] = []
    pending: dict[str, list[int]] = {}
    for event, operation in numbered_operations(log):
        if isinstance(operation, SchedulerStep) and operation.scheduler in finding.subjects:
            owner = program.spec.schedulers[operation.scheduler].optimizer
            pending.setdefault(owner, []).append(event)
        elif isinstance(operation, Step):
            moved += [(item, event + 1) for item in pending.pop(operation.optimizer, [])]
    if moved:
        return _edits(move=moved)
    return _edits([event for events in pending.values() for event in events])


def step_idle_schedulers(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Step each idle scheduler after every Step of its optimizer."""
    spec = program.spec
    training = [name for name, loss in spec.losses.items() if loss.rows == "training"]
    idle = {name: spec.schedulers[name] for name in finding.subjects if name in spec.schedulers}
    inserted: list[tuple[int, Operation]] = []
    for event, operation in numbered_operations(log):
        if isinstance(operation, Step) and not log.failed(event):
            for name, item in idle.items():
                if item.optimizer == operation.optimizer:
                    metric = training[0] if item.kind == "ReduceLROnPlateau" else None
                    inserted.append((event + 1, SchedulerStep(name, metric)))
    return _edits(insert=inserted)


# --- which tensors take part ------------------------------------------------------------------


def leave_unfrozen(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each Freeze."""
    frozen = [
        event
        for event, operation in numbered_operations(log)
        if isinstance(operation, Freeze) and operation.frozen
    ]
    return _edits(frozen)


def rebind_optimizers(_finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Create each optimizer again after its module was rebuilt, on the current tensors."""
    kinds = {name: item.kind for name, item in program.spec.optimizers.items()}
    held: dict[str, set[str]] = {}
    for item in program.optimizer_tensors:
        held.setdefault(item.optimizer, set()).add(item.address.partition(".")[0])
    inserted: list[tuple[int, Operation]] = []
    for event, operation in numbered_operations(log):
        if isinstance(operation, ReplaceOptimizer):
            kinds[operation.optimizer] = operation.kind
        elif isinstance(operation, RebuildModule):
            inserted += [
                (event + 1, ReplaceOptimizer(kinds[name], name, rebind=True))
                for name, modules in held.items()
                if operation.module in modules
            ]
    return _edits(insert=inserted)


def replace_once(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each replacement of an optimizer by one of the same kind after the first."""
    skipped: list[int] = []
    kinds: dict[str, str] = {}
    for event, operation in numbered_operations(log):
        if isinstance(operation, ReplaceOptimizer) and operation.optimizer in finding.subjects:
            if kinds.get(operation.optimizer) == operation.kind:
                skipped.append(event)
            kinds[operation.optimizer] = operation.kind
    return _edits(skipped)


def zero_to_none(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Zero the gradients to None, and skip each Step that then finds none at all."""
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    cleared: set[str] = set()
    for event, operation in numbered_operations(log):
        if isinstance(operation, ZeroGrad):
            cleared.add(operation.optimizer)
            if not operation.set_to_none:
                skipped.append(event)
                inserted.append((event, ZeroGrad(operation.optimizer)))
        elif isinstance(operation, Backward) and not log.failed(event):
            cleared.clear()
        elif isinstance(operation, Step) and operation.optimizer in cleared:
            skipped.append(event)
    return _edits(skipped, inserted)


def freeze_after_step(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Freeze after the Step that uses the last gradient, and zero the gradients to None then."""
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    freezes: list[int] = []
    for event, operation in numbered_operations(log):
        if isinstance(operation, Freeze) and operation.frozen:
            freezes.append(event)
        elif isinstance(operation, Backward):
            freezes = []
        elif isinstance(operation, Step) and freezes and _reads_subjects(finding, log, event):
            skipped += freezes
            inserted += [(event + 1, log.operation(item)) for item in freezes]
            inserted.append((event + 1, ZeroGrad(operation.optimizer)))
            freezes = []
    zeros = zero_to_none(finding, log, program)
    if zeros is None:
        return _edits(skipped, inserted)
    if any(isinstance(log.operation(event), Step) for event in zeros.skip):
        return zeros
    return _edits([*skipped, *zeros.skip], [*inserted, *zeros.insert])


def _reads_subjects(finding: Finding, log: EventLog, event: int) -> bool:
    return not frozenset(finding.subjects).isdisjoint(log.reads_writes(event).read_gradients)


# --- clipping ---------------------------------------------------------------------------------


def clip_before_step(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each clipping before the first Step that used the gradients."""
    moved: list[tuple[int, int]] = []
    used: dict[str, int] = {}
    for event, operation in numbered_operations(log):
        if isinstance(operation, Step):
            used.setdefault(operation.optimizer, event)
        elif isinstance(operation, Backward):
            written = frozenset(log.reads_writes(event).written_gradients)
            used = {
                name: step
                for name, step in used.items()
                if written.isdisjoint(log.reads_writes(step).read_gradients)
            }
        elif isinstance(operation, (ClipGradNorm, ClipGradValue)):
            step = used.get(operation.optimizer)
            if step is not None and log.iteration(step) >= log.iteration(finding.events[0]) - 1:
                moved.append((event, step))
    return _edits(move=moved)


def clip_after_backward(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each clipping that a Backward follows before the next Step."""
    moved: list[tuple[int, int]] = []
    waiting: dict[str, tuple[int, bool]] = {}
    for event, operation in numbered_operations(log):
        if isinstance(operation, ClipGradNorm | ClipGradValue):
            waiting[operation.optimizer] = event, False
        elif isinstance(operation, Backward) and not log.failed(event):
            waiting = {name: (clip, True) for name, (clip, _) in waiting.items()}
        elif isinstance(operation, Step):
            clip, is_early = waiting.pop(operation.optimizer, (0, False))
            if is_early and event >= finding.events[0]:
                moved.append((clip, event))
    return _edits(move=moved)


def clip_once(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each clipping that another Backward follows before the next Step."""
    skipped, pending = [], []
    for event, operation in numbered_operations(log, finding.events[0]):
        if isinstance(operation, (ClipGradNorm, ClipGradValue)):
            pending.append(event)
        elif isinstance(operation, Backward):
            skipped += pending
            pending = []
        elif isinstance(operation, Step):
            pending = []
    return _edits(skipped)


def switch_to_training(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Switch to training mode before each training loss, from the first cited Event on."""
    return _in_mode(finding.subjects, log, program, finding.events[0], training=True)


def switch_to_evaluation(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Switch to evaluation mode for each loss on held-out rows, from the first cited Event on."""
    return _in_mode(finding.subjects, log, program, finding.events[0], training=False)


def _in_mode(
    modules: tuple[str, ...], log: EventLog, program: Program, first: int, *, training: bool
) -> Edits | None:
    losses = {
        name for name, loss in program.spec.losses.items() if (loss.rows == "training") == training
    }
    inserted = []
    for event, operation in numbered_operations(log, first):
        if not isinstance(operation, Forward | Step):
            continue
        # A Step of an optimizer such as LBFGS computes losses too.
        if not losses.isdisjoint(log.reads_writes(event).written_losses):
            inserted += [(event, SetMode(training, module)) for module in modules]
            if not training:
                inserted += [(event + 1, SetMode(training=True, module=name)) for name in modules]
    return _edits(insert=inserted)


def add_numbers(finding: Finding, log: EventLog, _program: Program) -> Edits:
    """Add each loss as a number, from the first cited Event on."""
    skipped, inserted = [], []
    for event, operation in numbered_operations(log, finding.events[0]):
        if isinstance(operation, AddLoss) and operation.tensor in finding.subjects:
            skipped.append(event)
            inserted.append((event, msgspec.structs.replace(operation, item=True)))
    return Edits(skip=tuple(skipped), insert=tuple(inserted))


def load_whole_state(finding: Finding, log: EventLog, _program: Program) -> Edits:
    """Load every part of the state, each time."""
    loads = [
        (event, operation)
        for event, operation in numbered_operations(log, finding.events[0])
        if isinstance(operation, LoadState) and not log.failed(event)
    ]
    return Edits(
        skip=tuple(event for event, _ in loads),
        insert=tuple((event, LoadState(operation.event)) for event, operation in loads),
    )


def load_state_with_optimizers(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Bring back the optimizers that a state belongs to, then load every part of it."""
    whole = load_whole_state(finding, log, program)
    inserted: list[tuple[int, Operation]] = []
    for event, load in whole.insert:
        assert isinstance(load, LoadState)
        then, now = (
            _kinds_of_optimizers(log, program, load.event),
            _kinds_of_optimizers(log, program, event - 1),
        )
        inserted += [
            (event, ReplaceOptimizer(kind, name))
            for name, kind in then.items()
            if kind != now[name]
        ]
        inserted.append((event, load))
    return replace(whole, insert=tuple(inserted)) if len(inserted) > len(whole.insert) else None


def _kinds_of_optimizers(log: EventLog, program: Program, event: int) -> dict[str, str]:
    """Return the kind that each optimizer had after an Event."""
    kinds = {name: item.kind for name, item in program.spec.optimizers.items()}
    for at in range(1, event + 1):
        operation = log.operation(at)
        if isinstance(operation, ReplaceOptimizer) and not log.failed(at):
            kinds[operation.optimizer] = operation.kind
    return kinds


def stop_at_lowest(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip every Event after the iteration in which a held-out loss was lowest."""
    lowest, last = math.inf, 0
    for event, operation in numbered_operations(log):
        if isinstance(operation, Forward) and operation.loss in finding.subjects:
            loss = log.event(event).loss
            if loss is not None and loss < lowest:
                lowest, last = loss, event
    end = next(
        (
            event
            for event in range(last, len(log))
            if log.iteration(event + 1) > log.iteration(last)
        ),
        len(log),
    )
    return Edits(skip=tuple(range(end + 1, len(log) + 1))) if last and end < len(log) else None


def skip_kinds(*kinds: type[Operation]) -> _Make:
    """Return a remedy that skips every Operation of these kinds that is not a line of the loop."""

    def make(_finding: Finding, log: EventLog, program: Program) -> Edits | None:
        in_loop = {type(line.operation) for line in program.written_loop}
        skipped = [
            event
            for event, operation in numbered_operations(log)
            if isinstance(operation, kinds) and type(operation) not in in_loop
        ]
        return _edits(skipped)

    return make


def skip_cited(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip the Events that a finding cites, where it cites all of its occurrences."""
    skipped = [event for event in finding.events if 0 < event <= len(log)]
    return _edits(skipped) if finding.last in skipped else None


def skip_scheduler_steps(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each Scheduler Step."""
    return _edits(
        [event for event, done in numbered_operations(log) if isinstance(done, SchedulerStep)]
    )


def _edits(
    skip: Iterable[int] = (),
    insert: Iterable[tuple[int, Operation]] = (),
    move: Iterable[tuple[int, int]] = (),
) -> Edits | None:
    """Return edits; None without any."""
    edits = Edits(skip=tuple(skip), insert=tuple(insert), move=tuple(move))
    return edits if edits.skip or edits.insert or edits.move else None
