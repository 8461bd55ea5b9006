"""Remedies: what each finding's remedy changes, in the recorded Operations or in the document."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from gradstep.debugger.what_if import document_edits
from gradstep.debugger.what_if.loop_repair import LoopRepair
from gradstep.diagnostics.tables.registry import REGISTRY
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
    SetMode,
    SetValue,
    Step,
    ZeroGrad,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import ProgramSpec

    _Make = Callable[[Finding, EventLog, Program], Edits | ProgramSpec | None]

__all__ = ["NO_REMEDY", "remedy_of"]

_NORM = 1.0
_SHARE = 0.1
_DECAY = 0.01


def remedy_of(finding: Finding, log: EventLog, program: Program) -> Remedy:
    """Return what a finding's remedy changes.

    Args:
        finding: One whose `trial` is not empty.
        log: What was recorded.
        program: The program.

    Raises:
        OperationError: The remedy cannot be tried.
    """
    for make in _REMEDIES.get(finding.id, ()):
        made = make(finding, log, program)
        title = REGISTRY[_OWNERS[make]].trial if make in _OWNERS else finding.trial
        if isinstance(made, Edits):
            return Remedy(finding.id, title, edits=replace(made, name=title))
        if made is not None:
            before, after = format_document(program.spec), format_document(made)
            return Remedy(finding.id, title, document=(before, after))
    raise OperationError(f"the remedy of {finding.id} cannot be tried", "apply it by hand")


# --- the order of the loop --------------------------------------------------------------------


def _repair_loop(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Add the missing Zero Grad, Backward and Step, from the first cited Event on."""
    return LoopRepair(log, program, min(finding.events)).edits()


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
    """Create each optimizer again after its module was rebuilt, on the present tensors."""
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
    """Move each clipping before the Step that it followed."""
    moved, last = [], {}
    for event in range(1, len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, Step):
            last[operation.optimizer] = event
        elif isinstance(operation, (ClipGradNorm, ClipGradValue)):
            step = last.get(operation.optimizer)
            if step is not None and log.iteration(step) >= log.iteration(finding.events[0]) - 1:
                moved.append((event, last.pop(operation.optimizer)))
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


def _clip(finding: Finding, log: EventLog, _program: Program) -> Edits | None:
    """Clip before each Step, from the first cited Event on."""
    inserted = []
    for event in range(finding.events[0], len(log) + 1):
        operation = log.operation(event)
        if isinstance(operation, Step):
            inserted.append((event, ClipGradNorm(_NORM, operation.optimizer)))
    return Edits(insert=tuple(inserted)) if inserted else None


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
    """Switch to training mode before each training Forward, from the first cited one on."""
    return _in_mode(finding.subjects, log, program, finding.events[0], training=True)


def _switch_to_evaluation(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Switch to evaluation mode for each Forward on held-out rows, from the first cited one on."""
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
        if isinstance(operation, Forward) and operation.loss in losses:
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


def _lower_rates(_finding: Finding, _log: EventLog, program: Program) -> Edits:
    """Start with a tenth of the learning rates in the program's document."""
    rates = {
        f"{name}[{number}].lr": _SHARE * group.get("initial_lr", group["lr"])
        for name, optimizer in program.optimizers.items()
        for number, group in enumerate(optimizer.param_groups)
    }
    return Edits(at=1, set=rates)


def _raise_rates(finding: Finding, log: EventLog, program: Program) -> Edits:
    """Start with ten times the learning rates in the program's document."""
    edits = _lower_rates(finding, log, program)
    return replace(edits, set={key: value / _SHARE**2 for key, value in edits.set.items()})


def _raise_rates_much(finding: Finding, log: EventLog, program: Program) -> Edits:
    """Start with a hundred times the learning rates in the program's document."""
    edits = _raise_rates(finding, log, program)
    return replace(edits, set={key: value / _SHARE for key, value in edits.set.items()})


def _option_everywhere(name: str, value: float) -> _Make:
    """Return a remedy that sets an option of every group that has another value from the start."""

    def make(_finding: Finding, _log: EventLog, program: Program) -> Edits | None:
        places = {
            f"{optimizer}[{number}].{name}": value
            for optimizer, held in program.optimizers.items()
            for number, group in enumerate(held.param_groups)
            if group.get(name, value) > value
        }
        return Edits(at=1, set=places) if places else None

    return make


def _raise_or_lower_rates(finding: Finding, log: EventLog, program: Program) -> Edits | None:
    """Start with ten times the learning rate where updates are too small, else with a tenth."""
    is_small = finding.value is not None and finding.value < _SMALL_UPDATES
    return (_raise_rates if is_small else _lower_rates)(finding, log, program)


_SMALL_UPDATES = -4.0
"""log10 of |update| / |weight| below which `update-ratio` reports updates as too small."""


def _edits(skipped: list[int], inserted: list[tuple[int, Operation]]) -> Edits | None:
    if not skipped and not inserted:
        return None
    return Edits(skip=tuple(skipped), insert=tuple(inserted))


_REMEDIES: Mapping[str, tuple[_Make, ...]] = MappingProxyType(
    {
        "step-without-grad": (document_edits.hold_used_parameters, _repair_loop),
        "grad-accumulated": (document_edits.hold_used_parameters, _repair_loop),
        "grad-reused": (document_edits.share_out_parameters, _repair_loop),
        "grad-discarded": (_repair_loop,),
        "backward-missing": (_repair_loop,),
        "step-missing": (_repair_loop,),
        "graph-freed": (_remove_second_backward,),
        "not-connected": (_leave_unfrozen,),
        "inplace-after-save": (_write_before_forward,),
        "data-bypass": (_write_before_forward,),
        "graph-retained": (_free_graphs,),
        "total-keeps-graphs": (_add_numbers,),
        "optimizer-orphan": (_rebind_optimizers, document_edits.hold_orphans),
        "optimizer-stale": (_rebind_optimizers,),
        "optimizer-foreign": (document_edits.hold_used_parameters,),
        "optimizer-duplicate": (document_edits.share_out_parameters,),
        "frozen-but-moved": (_freeze_after_step,),
        "moved-without-gradient": (_zero_to_none,),
        "scheduler-first": (_step_schedulers_last,),
        "clip-after-step": (_clip_before_step,),
        "clip-per-microbatch": (_clip_once,),
        "clip-before-backward": (_clip_after_backward,),
        "optimizer-rebuilt": (_replace_once,),
        "scheduler-idle": (_step_idle_schedulers,),
        "frozen-but-held": (_leave_unfrozen,),
        "accumulation-scale": (document_edits.divide_loss,),
        "mode-left-eval": (_switch_to_training,),
        "mode-left-train": (_switch_to_evaluation,),
        "resume-incomplete": (_load_whole_state,),
        "broadcast-loss": (document_edits.match_target_shape,),
        "exploding-gradient": (_clip,),
        "learning-rate": (_lower_rates,),
        "loss-diverging": (_lower_rates,),
        "loss-oscillating": (_lower_rates,),
        "dead-relu": (_lower_rates,),
        "saturated-activation": (_lower_rates,),
        "update-ratio": (_raise_or_lower_rates,),
        "small-steps": (_raise_rates_much,),
        "weight-decay": (_option_everywhere("weight_decay", _DECAY),),
        "maximized-loss": (document_edits.minimize,),
        "sorted-rows": (document_edits.shuffle_rows,),
        "sum-reduction": (document_edits.reduce_to_mean,),
        "bias-before-batchnorm": (document_edits.remove_bias,),
        "dropout-before-batchnorm": (document_edits.move_dropout,),
        "criterion-mismatch": (document_edits.remove_last_activation,),
        "input-scale": (document_edits.standardize_inputs,),
        "vanishing-gradient": (document_edits.use_relu,),
    }
)
"""By diagnostic, the ways to carry out its remedy; the first that applies is offered."""

_OWNERS: Mapping[_Make, str] = MappingProxyType(
    {
        _rebind_optimizers: "optimizer-stale",
        document_edits.hold_used_parameters: "optimizer-foreign",
        document_edits.share_out_parameters: "optimizer-duplicate",
    }
)
"""The diagnostics whose remedies others share, and which name them."""

NO_REMEDY: Mapping[str, str] = MappingProxyType(
    {
        "step-partly-without-grad": "nothing is wrong if the loss does not use the parameters",
        "loss-idle": "only its author knows whether something is to be learned from it",
        "non-finite": "it has many causes; the Event before it shows which",
        "replay-diverged": "the recording was made with another machine or library",
        "loss-not-decreasing": "it has many causes, of which the learning rate is one",
        "poor-initialisation": "which initialisation fits depends on the layers",
        "clipping-too-tight": "the norm to clip at is that of the usual gradient",
        "chance-level-loss": "it has many causes; the data show which",
        "class-imbalance": "the weights of the classes depend on what errors cost",
        "constant-inputs": "the columns are to be removed where the data come from",
        "duplicated-inputs": "the columns are to be removed where the data come from",
        "labels-from-one": "the labels are to be changed where the data come from",
        "overfitting": "the run is to end where the held-out loss was lowest",
        "unchanged-parameter": "it has many causes; the gradient shows which",
    }
)
"""The diagnostics whose remedy a what-if cannot try, and why."""
