"""Remedies: what each finding's remedy changes, in the recorded Operations or in the document."""

from __future__ import annotations

import math
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from gradstep.debugger.what_if import data_edits, design_edits, document_edits, rate_edits
from gradstep.debugger.what_if.loop_repair import LoopRepair
from gradstep.errors import OperationError
from gradstep.history.records.what_if import Edits, Remedy
from gradstep.program.document.layout import format_document
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
    SetHyperparameter,
    SetMode,
    SetValue,
    Step,
    ZeroGrad,
)
from gradstep.program.schema.layers.activations import LeakyReLU, ReLU

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import Intent, ProgramSpec

    _Make = Callable[[Finding, EventLog, Program], Edits | ProgramSpec | None]

__all__ = ["NO_REMEDY", "by_hand", "declares_intent", "is_last_resort", "no_remedy", "remedies_of"]


def remedies_of(finding: Finding, log: EventLog, program: Program) -> tuple[Remedy, ...]:
    """Return the remedies that a finding may have, likelier ones first; none was tried yet.

    Args:
        finding: The finding.
        log: What was recorded.
        program: The program.
    """
    ways = (*_REMEDIES.get(finding.id, ()), *_INTENTS.get(finding.id, ()))
    if finding.id in _AVOIDABLE:
        ways = (*ways, _WITHOUT)
    found = (_remedy(way, finding, log, program) for way in ways)
    return tuple(remedy for remedy in found if remedy is not None)


def declares_intent(remedy: Remedy) -> bool:
    """Return whether a remedy declares an intent, and changes no number."""
    return remedy.title.startswith(_DECLARED)


def is_last_resort(remedy: Remedy) -> bool:
    """Return whether a remedy only skips what went wrong."""
    return remedy.title == _WITHOUT.title


def no_remedy(finding: Finding) -> OperationError:
    """Return the error that says why a finding has no remedy to try."""
    why = NO_REMEDY.get(finding.id)
    if why is None:
        why = _WHERE_NONE.get(finding.id, "no edit of the operations or of the document fits it")
    return OperationError(f"{finding.id} has no remedy to try here: {why}", by_hand(finding))


def by_hand(finding: Finding) -> str:
    """Return the advice of a finding as the end of an error: a clause that begins in lower case."""
    advice = finding.remedy.partition(" There is no what-if to try")[0].removesuffix(".")
    return advice[:1].lower() + advice[1:]


def _remedy(way: _Way, finding: Finding, log: EventLog, program: Program) -> Remedy | None:
    made = way.make(finding, log, program)
    title = way.title or finding.trial
    if made is None:
        return None
    if isinstance(made, Edits):
        return Remedy(finding.id, title, edits=replace(made, name=title))
    before, after = format_document(program.spec), format_document(made)
    return Remedy(finding.id, title, document=(before, after))


# --- the order of the loop --------------------------------------------------------------------


def _repair_loop(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Add the missing Zero Grad, Backward and Step, from the first cited Event on."""
    return LoopRepair(log, program, min(finding.events)).edits()


def _zero_before_forward(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each Zero Grad between a Backward and its Step before the Forward of that Backward."""
    moved: list[tuple[int, int]] = []
    forwards: dict[str, int] = {}
    begun, cleared = 0, dict[str, tuple[int, int]]()
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
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
    return Edits(move=tuple(moved)) if moved else None


def _remove_second_backward(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each Backward through a freed graph; where no gradient is left, run Forward before."""
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    is_clear = True
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
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


def _write_before_forward(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each Backward before the Step that breaks it, and each other write before its Forward.

    A write through `.data` becomes visible to autograd there.
    """
    names = frozenset(finding.subjects)
    skipped: dict[int, None] = {}
    inserted: dict[tuple[int, Operation], None] = {}
    forwards: dict[str, int] = {}
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
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
    return _edits([*skipped], [*inserted])


def _free_graphs(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Run each Backward that kept its graph for nothing without retain_graph."""
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    last: dict[str, int] = {}
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
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


def _step_schedulers_last(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Move each Scheduler Step after the Step of its optimizer that follows in the iteration."""
    moved: list[tuple[int, int]] = []
    pending: dict[str, list[int]] = {}
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, SchedulerStep) and operation.scheduler in finding.subjects:
            owner = program.spec.schedulers[operation.scheduler].optimizer
            pending.setdefault(owner, []).append(event)
        elif isinstance(operation, Step):
            moved += [(item, event + 1) for item in pending.pop(operation.optimizer, [])]
    if moved:
        return Edits(move=tuple(moved))
    return _edits([event for events in pending.values() for event in events], [])


def _step_idle_schedulers(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Step each idle scheduler after every Step of its optimizer."""
    spec = program.spec
    training = [name for name, loss in spec.losses.items() if loss.rows == "training"]
    idle = {name: spec.schedulers[name] for name in finding.subjects if name in spec.schedulers}
    inserted: list[tuple[int, Operation]] = []
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, Step) and not log.failed(event):
            for name, item in idle.items():
                if item.optimizer == operation.optimizer:
                    metric = training[0] if item.kind == "ReduceLROnPlateau" else None
                    inserted.append((event + 1, SchedulerStep(name, metric)))
    return _edits([], inserted)


# --- which tensors take part ------------------------------------------------------------------


def _leave_unfrozen(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each Freeze."""
    frozen = [
        event
        for event in range(1, len(log) + 1)
        if isinstance(operation := log.operation(event), Freeze) and operation.frozen
    ]
    return _edits(frozen, [])


def _rebind_optimizers(_finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Create each optimizer again after its module was rebuilt, on the current tensors."""
    kinds = {name: item.kind for name, item in program.spec.optimizers.items()}
    held: dict[str, set[str]] = {}
    for item in program.optimizer_tensors:
        held.setdefault(item.optimizer, set()).add(item.address.partition(".")[0])
    inserted: list[tuple[int, Operation]] = []
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, ReplaceOptimizer):
            kinds[operation.optimizer] = operation.kind
        elif isinstance(operation, RebuildModule):
            inserted += [
                (event + 1, ReplaceOptimizer(kinds[name], name, rebind=True))
                for name, modules in held.items()
                if operation.module in modules
            ]
    return _edits([], inserted)


def _replace_once(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each replacement of an optimizer by one of the same kind after the first."""
    skipped: list[int] = []
    kinds: dict[str, str] = {}
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, ReplaceOptimizer) and operation.optimizer in finding.subjects:
            if kinds.get(operation.optimizer) == operation.kind:
                skipped.append(event)
            kinds[operation.optimizer] = operation.kind
    return _edits(skipped, [])


def _zero_to_none(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Zero the gradients to None, and skip each Step that then finds none at all."""
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    cleared: set[str] = set()
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
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


def _freeze_after_step(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Freeze after the Step that uses the last gradient, and zero the gradients to None then."""
    skipped: list[int] = []
    inserted: list[tuple[int, Operation]] = []
    freezes: list[int] = []
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, Freeze) and operation.frozen:
            freezes.append(event)
        elif isinstance(operation, Backward):
            freezes = []
        elif isinstance(operation, Step) and freezes and _reads_subjects(finding, log, event):
            skipped += freezes
            inserted += [(event + 1, log.operation(item)) for item in freezes]
            inserted.append((event + 1, ZeroGrad(operation.optimizer)))
            freezes = []
    zeros = _zero_to_none(finding, log, program)
    if zeros is None:
        return _edits(skipped, inserted)
    if any(isinstance(log.operation(event), Step) for event in zeros.skip):
        return zeros
    return _edits([*skipped, *zeros.skip], [*inserted, *zeros.insert])


def _reads_subjects(finding: Finding, log: EventLog, event: int) -> bool:
    return not frozenset(finding.subjects).isdisjoint(log.reads_writes(event).read_gradients)


# --- clipping ---------------------------------------------------------------------------------


def _clip_before_step(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each clipping before the first Step that used the gradients."""
    moved: list[tuple[int, int]] = []
    used: dict[str, int] = {}
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
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
    return Edits(move=tuple(moved)) if moved else None


def _clip_after_backward(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Move each clipping that a Backward follows before the next Step."""
    moved: list[tuple[int, int]] = []
    waiting: dict[str, tuple[int, bool]] = {}
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, ClipGradNorm | ClipGradValue):
            waiting[operation.optimizer] = event, False
        elif isinstance(operation, Backward) and not log.failed(event):
            waiting = {name: (clip, True) for name, (clip, _) in waiting.items()}
        elif isinstance(operation, Step):
            clip, is_early = waiting.pop(operation.optimizer, (0, False))
            if is_early and event >= finding.events[0]:
                moved.append((clip, event))
    return Edits(move=tuple(moved)) if moved else None


def _clip_once(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each clipping that another Backward follows before the next Step."""
    skipped, pending = [], []
    for event in range(finding.events[0], len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, (ClipGradNorm, ClipGradValue)):
            pending.append(event)
        elif isinstance(operation, Backward):
            skipped += pending
            pending = []
        elif isinstance(operation, Step):
            pending = []
    return Edits(skip=tuple(skipped)) if skipped else None


def _switch_to_training(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Switch to training mode before each training loss, from the first cited Event on."""
    return _in_mode(finding.subjects, log, program, finding.events[0], training=True)


def _switch_to_evaluation(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Switch to evaluation mode for each loss on held-out rows, from the first cited Event on."""
    return _in_mode(finding.subjects, log, program, finding.events[0], training=False)


def _in_mode(
    modules: tuple[str, ...], log: EventLog, program: Program, first: int, *, training: bool
) -> Edits | None:
    losses = {
        name for name, loss in program.spec.losses.items() if (loss.rows == "training") == training
    }
    inserted = []
    for event in range(first, len(log) + 1):
        operation = log.operation(event)
        if not isinstance(operation, Forward | Step):
            continue
        # A Step of an optimizer such as LBFGS computes losses too.
        if not losses.isdisjoint(log.reads_writes(event).written_losses):
            inserted += [(event, SetMode(training, module)) for module in modules]
            if not training:
                inserted += [(event + 1, SetMode(training=True, module=name)) for name in modules]
    return Edits(insert=tuple(inserted)) if inserted else None


def _add_numbers(finding: Finding, log: EventLog, _program: Program) -> Edits:
    """Add each loss as a number, from the first cited Event on."""
    skipped, inserted = [], []
    for event in range(finding.events[0], len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, AddLoss) and operation.tensor in finding.subjects:
            skipped.append(event)
            inserted.append((event, msgspec.structs.replace(operation, item=True)))
    return Edits(skip=tuple(skipped), insert=tuple(inserted))


def _load_whole_state(finding: Finding, log: EventLog, _program: Program) -> Edits:
    """Load every part of the state, each time."""
    loads = [
        (event, operation)
        for event in range(finding.events[0], len(log) + 1)
        if isinstance(operation := log.operation(event), LoadState) and not log.failed(event)
    ]
    return Edits(
        skip=tuple(event for event, _ in loads),
        insert=tuple((event, LoadState(operation.event)) for event, operation in loads),
    )


def _load_state_with_optimizers(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Bring back the optimizers that a state belongs to, then load every part of it."""
    whole = _load_whole_state(finding, log, program)
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


def _stop_at_lowest(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip every Event after the iteration in which a held-out loss was lowest."""
    lowest, last = math.inf, 0
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
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


def _skip_kinds(*kinds: type[Operation]) -> _Make:
    """Return a remedy that skips every Operation of these kinds that is not a line of the loop."""

    def make(_finding: Finding, log: EventLog, program: Program) -> Edits | None:
        in_loop = {type(line.operation) for line in program.spec.loop or ()}
        skipped = [
            event
            for event in range(1, len(log) + 1)
            if isinstance(operation := log.operation(event), kinds)
            and type(operation) not in in_loop
        ]
        return _edits(skipped, [])

    return make


def _skip_cited(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip the Events that a finding cites, where it cites all of its occurrences."""
    skipped = [event for event in finding.events if 0 < event <= len(log)]
    return _edits(skipped, []) if finding.last in skipped else None


def _skip_scheduler_steps(_finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Skip each Scheduler Step."""
    steps = range(1, len(log) + 1)
    return _edits([at for at in steps if isinstance(log.operation(at), SchedulerStep)], [])


def _edits(skipped: list[int], inserted: list[tuple[int, Operation]]) -> Edits | None:
    if not skipped and not inserted:
        return None
    return Edits(skip=tuple(skipped), insert=tuple(inserted))


class _Way(NamedTuple):
    """One way to carry out a remedy.

    Attributes:
        make: Returns what it changes; None where it does not apply.
        title: Its title; that of the diagnostic when empty.
    """

    make: _Make
    title: str = ""


def _rates(*factors: float) -> tuple[_Way, ...]:
    return tuple(
        _Way(rate_edits.multiply_rates(factor), _RATE_TITLES[factor]) for factor in factors
    )


_RATE_TITLES: Mapping[float, str] = MappingProxyType(
    {
        0.1: "with a tenth of the learning rate from the start",
        0.01: "with a hundredth of the learning rate from the start",
        0.001: "with a thousandth of the learning rate from the start",
        10.0: "with ten times the learning rate from the start",
        100.0: "with a hundred times the learning rate from the start",
        1000.0: "with a thousand times the learning rate from the start",
        10_000.0: "with ten thousand times the learning rate from the start",
        100_000.0: "with a hundred thousand times the learning rate from the start",
        1_000_000.0: "with a million times the learning rate from the start",
    }
)

_AS_DECLARED = _Way(
    _skip_kinds(SetHyperparameter, ReplaceOptimizer),
    "with the optimizers as declared, without what was set during the run",
)
_NO_VALUES_SET = _Way(_skip_kinds(SetValue), "without the values that were set")
_UNSCHEDULED = _Way(_skip_scheduler_steps, "without the steps of the schedulers")
_SMALLER_RATES = (*_rates(0.1, 0.01, 0.001), _AS_DECLARED, _UNSCHEDULED)
_LARGER = (10.0, 100.0, 1000.0, 10_000.0, 100_000.0, 1_000_000.0)
_NO_MOMENTUM = _Way(rate_edits.limit_option("momentum", 0.0), "without momentum")

_HOLD_USED = _Way(
    document_edits.hold_used_parameters, "with the optimizers holding the parameters of the losses"
)
_HOLD_ORPHANS = _Way(
    document_edits.hold_orphans, "with an optimizer that holds each parameter with a gradient"
)
_SHARE_OUT = _Way(document_edits.share_out_parameters, "with each parameter held once")
_REBIND = _Way(_rebind_optimizers, "with the optimizer created again after each rebuild")
_REPAIR = _Way(_repair_loop)
_ZERO_FIRST = _Way(_zero_before_forward, "with each Zero Grad before Forward")
_CLIPPED = _Way(rate_edits.clip_to_norm, "with the gradients clipped to norm 1 before each step")
_SCALED = _Way(design_edits.scale_weights, "with Kaiming's initial weights")
_OWN_INIT = _Way(design_edits.remove_init, "with the initial values of the layers")
_STANDARDIZED = _Way(data_edits.standardize_data, "with standardized inputs")
_RESCALED = _Way(data_edits.rescale_data, "with standardized inputs, and the targets divided")
_RELU = _Way(
    design_edits.replace_activations(("Sigmoid", "Tanh"), ReLU()), "with ReLU between the layers"
)
_RELU_SCALED = _Way(
    design_edits.use_scaled_relu, "with ReLU between the layers, and Kaiming's initial weights"
)
_LEAKY = _Way(design_edits.replace_activations(("ReLU",), LeakyReLU()), "with LeakyReLU for ReLU")

_WITHOUT = _Way(_skip_cited, "without the events that the finding cites")

_AVOIDABLE = frozenset(
    (
        *("step-without-grad", "grad-accumulated", "grad-reused", "grad-discarded"),
        *("backward-missing", "step-missing", "graph-freed", "inplace-after-save", "data-bypass"),
        *("frozen-but-moved", "moved-without-gradient", "scheduler-first"),
    )
)
"""Facts about Operations in the wrong order or place, which need not have been applied."""

_REMEDIES: Mapping[str, tuple[_Way, ...]] = MappingProxyType(
    {
        "step-without-grad": (_HOLD_USED, _REBIND, _ZERO_FIRST, _REPAIR),
        "grad-accumulated": (_HOLD_USED, _REBIND, _HOLD_ORPHANS, _REPAIR),
        "grad-reused": (_SHARE_OUT, _REPAIR),
        "grad-discarded": (_ZERO_FIRST, _REPAIR),
        "backward-missing": (_REPAIR,),
        "step-missing": (_REPAIR,),
        "graph-freed": (_Way(_remove_second_backward),),
        "not-connected": (
            _Way(document_edits.connect_losses, "with no detach in the formula of the loss"),
            _Way(_leave_unfrozen, "with no parameter frozen"),
        ),
        "inplace-after-save": (_Way(_write_before_forward),),
        "data-bypass": (_Way(_write_before_forward),),
        "graph-retained": (_Way(_free_graphs),),
        "total-keeps-graphs": (_Way(_add_numbers),),
        "optimizer-orphan": (_REBIND, _HOLD_USED, _Way(document_edits.hold_orphans)),
        "optimizer-stale": (_REBIND,),
        "optimizer-foreign": (_HOLD_USED,),
        "optimizer-duplicate": (_SHARE_OUT,),
        "frozen-but-moved": (_Way(_freeze_after_step),),
        "moved-without-gradient": (_Way(_zero_to_none),),
        "scheduler-first": (_Way(_step_schedulers_last),),
        "clip-after-step": (_Way(_clip_before_step),),
        "clip-per-microbatch": (_Way(_clip_once),),
        "clip-before-backward": (_Way(_clip_after_backward),),
        "optimizer-rebuilt": (_Way(_replace_once),),
        "scheduler-idle": (_Way(_step_idle_schedulers),),
        "frozen-but-held": (_Way(_leave_unfrozen),),
        "loss-idle": (_Way(document_edits.remove_idle_losses),),
        "accumulation-scale": (_Way(document_edits.divide_loss),),
        "mode-left-eval": (_Way(_switch_to_training),),
        "mode-left-train": (_Way(_switch_to_evaluation),),
        "resume-incomplete": (
            _Way(_load_whole_state),
            _Way(
                _load_state_with_optimizers,
                "with the optimizers of that time, and the whole state loaded",
            ),
        ),
        "broadcast-loss": (_Way(document_edits.match_target_shape),),
        "non-finite": (
            _Way(document_edits.reduce_to_mean, "with the mean over the rows"),
            *_SMALLER_RATES,
            _CLIPPED,
            _Way(rate_edits.clip_values, "with the gradients clipped to -1 to 1 before each step"),
            _STANDARDIZED,
            _RESCALED,
            _NO_VALUES_SET,
        ),
        "loss-not-decreasing": (*_rates(*_LARGER, 0.1, 0.01), _AS_DECLARED, _SCALED),
        "poor-initialisation": (_NO_VALUES_SET, _OWN_INIT, _SCALED, _STANDARDIZED),
        "exploding-gradient": (_CLIPPED, *_SMALLER_RATES, _OWN_INIT, _SCALED),
        "learning-rate": (
            *(*_SMALLER_RATES, _NO_MOMENTUM, _NO_VALUES_SET),
            *(_STANDARDIZED, _RESCALED, _OWN_INIT, _SCALED),
        ),
        "loss-diverging": (*_SMALLER_RATES, _NO_MOMENTUM, _CLIPPED),
        "loss-oscillating": (*_SMALLER_RATES, _NO_MOMENTUM),
        "dead-relu": (*_SMALLER_RATES, _NO_VALUES_SET, _OWN_INIT, _STANDARDIZED, _LEAKY),
        "saturated-activation": (
            *_SMALLER_RATES,
            _NO_VALUES_SET,
            _OWN_INIT,
            _STANDARDIZED,
            _SCALED,
            _RELU,
        ),
        "unchanged-parameter": (
            *(
                _Way(
                    rate_edits.multiply_rates_of_subjects(factor),
                    f"with {factor:,.0f} times the learning rate for it",
                )
                for factor in (100.0, 10_000.0, 1_000_000.0, 100_000_000.0)
            ),
            *(_NO_VALUES_SET, _OWN_INIT, _STANDARDIZED, _SCALED, _RELU_SCALED),
        ),
        "update-ratio": (
            *(
                _Way(
                    rate_edits.change_small_updates(factor, is_small=factor > 1),
                    _RATE_TITLES[factor],
                )
                for factor in (*_LARGER, 0.1, 0.01, 0.001)
            ),
            _AS_DECLARED,
        ),
        "small-steps": (
            _Way(rate_edits.without_falling_schedules, _UNSCHEDULED.title),
            *_rates(*_LARGER[1:], *_LARGER[:1]),
            _AS_DECLARED,
            _Way(rate_edits.raise_zero_rates(0.01), "with a learning rate of 0.01 for 0"),
            _UNSCHEDULED,
        ),
        "weight-decay": (
            _Way(rate_edits.limit_option("weight_decay", 0.01)),
            _Way(rate_edits.limit_option("weight_decay", 0.0), "without weight decay"),
            _AS_DECLARED,
        ),
        "clipping-too-tight": (_Way(rate_edits.clip_to_usual_norm),),
        "overfitting": (
            _Way(_stop_at_lowest),
            *(
                _Way(
                    rate_edits.raise_option("weight_decay", decay),
                    f"with a weight decay of {decay:g} from the start",
                )
                for decay in (0.01, 0.1)
            ),
        ),
        "maximized-loss": (_Way(document_edits.minimize),),
        "sorted-rows": (_Way(data_edits.shuffle_rows),),
        "sum-reduction": (_Way(document_edits.reduce_to_mean),),
        "bias-before-batchnorm": (_Way(document_edits.remove_bias),),
        "dropout-before-batchnorm": (_Way(document_edits.move_dropout),),
        "criterion-mismatch": (
            _Way(data_edits.squeeze_targets, "with the targets from 0 to 1"),
            _Way(design_edits.fit_last_layer, "with the last layer that is expected"),
            _Way(design_edits.replace_criterion, "with the criterion that takes logits"),
            _Way(design_edits.remove_last_activation, "with the last activation removed"),
        ),
        "input-scale": (
            _Way(data_edits.standardize_inputs, "with standardized inputs"),
            _Way(data_edits.divide_targets, "with the targets divided"),
            _RESCALED,
        ),
        "class-imbalance": (_Way(data_edits.weigh_classes),),
        "labels-from-one": (_Way(data_edits.count_labels_from_zero),),
        "constant-inputs": (_Way(data_edits.drop_constant_columns),),
        "duplicated-inputs": (_Way(data_edits.drop_repeated_columns),),
        "vanishing-gradient": (
            *(_NO_VALUES_SET, _RELU, _OWN_INIT, _RELU_SCALED, _SCALED),
            _Way(
                design_edits.start_elsewhere(0.1, 0.0),
                "with a tenth of the initial values of its tensors",
            ),
            _Way(
                design_edits.start_elsewhere(1.0, 0.1),
                "with 0.1 added to the initial values of its tensors",
            ),
        ),
    }
)
"""By diagnostic, the ways to carry out its remedy, in the order in which they are tried."""

_DECLARED = "with the intent declared: "


def _intents(*names: Intent) -> tuple[_Way, ...]:
    return tuple(_Way(document_edits.declare(name), f"{_DECLARED}{name}") for name in names)


_INTENTS: Mapping[str, tuple[_Way, ...]] = MappingProxyType(
    {
        "grad-accumulated": _intents("gradient_accumulation", "adversarial"),
        "step-missing": _intents("gradient_accumulation"),
        "grad-discarded": _intents("adversarial", "frozen_backbone"),
        "not-connected": _intents("frozen_backbone", "adversarial"),
        "optimizer-orphan": _intents("frozen_backbone", "adversarial"),
        "mode-left-eval": _intents("frozen_backbone"),
        "frozen-but-held": _intents("frozen_backbone"),
        "maximized-loss": _intents("adversarial"),
        "loss-not-decreasing": _intents("adversarial"),
    }
)
"""By diagnostic, the intents that explain it."""

NO_REMEDY: Mapping[str, str] = MappingProxyType(
    {
        "step-partly-without-grad": "nothing is wrong if the loss does not use the parameters",
        "replay-diverged": "the recording was made with another machine or library",
        "chance-level-loss": "no setting makes labels belong to their rows",
        "backwards-per-step": "only the script can step in another place",
        "gradients-of-two-losses": "only the script can clear its gradients in another place",
        "unshuffled-batches": "only the script can load its batches in another order",
    }
)
"""The diagnostics that have no remedy to try, and why."""

_DATA = "the document does not hold these columns or labels; edit the file that does"

_WHERE_NONE: Mapping[str, str] = MappingProxyType(
    {
        "constant-inputs": f"{_DATA}, and leave at least one column that varies",
        "duplicated-inputs": _DATA,
        "labels-from-one": _DATA,
        "class-imbalance": "the criterion takes no weights of classes; collect more rows",
        "vanishing-gradient": "the loss has no layer to change; start its tensors elsewhere",
        "not-connected": "no parameter is frozen, and no formula has detach to remove",
        "broadcast-loss": "the shapes follow from the data; reshape one of them",
    }
)
"""Why a remedy that others have may not exist in a program."""
