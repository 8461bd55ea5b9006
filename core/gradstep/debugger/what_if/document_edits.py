"""Remedies that edit the program's document: what its losses, optimizers and layers declare."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from gradstep.debugger.what_if.plan import numbered_operations
from gradstep.diagnostics.facts.accumulation import divisor_of
from gradstep.history.records.snapshot import STALE
from gradstep.program.operation import Step, ZeroGrad
from gradstep.program.schema.gradient_paths import gradient_sources, without_detach
from gradstep.program.schema.layers import basic as kinds
from gradstep.program.schema.program_spec import GroupSpec, LossSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from gradstep.history.log.event_log import EventLog
    from gradstep.history.records.finding import Finding
    from gradstep.program.program import Program
    from gradstep.program.schema.program_spec import Intent, OptimizerSpec, ProgramSpec

__all__ = [
    "connect_losses",
    "declare",
    "divide_loss",
    "hold_orphans",
    "hold_used_parameters",
    "match_target_shape",
    "minimize",
    "move_dropout",
    "reduce_to_mean",
    "remove_bias",
    "remove_idle_losses",
    "share_out_parameters",
]

_NORMS = (kinds.BatchNorm1d, kinds.BatchNorm2d)


# --- optimizers -----------------------------------------------------------------------------


def hold_orphans(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Add the parameters of a finding that no optimizer holds to the one that steps first."""
    held = {item.address.removesuffix(STALE) for item in program.optimizer_tensors}
    orphans = [name for name in finding.subjects if name not in held]
    stepped = (log.operation(event) for event in range(1, len(log) + 1))
    names = [item.optimizer for item in stepped if isinstance(item, Step)] or program.optimizers
    name = next(iter(names), None)
    if name is None or not orphans:
        return None
    spec = program.spec
    optimizer = spec.optimizers[name]
    first = next(
        (at for at, item in enumerate(optimizer.params) if isinstance(item, GroupSpec)),
        len(optimizer.params),
    )
    params = list(optimizer.params)
    params[first:first] = _patterns(orphans, program)
    return _with_optimizer(spec, name, replace(optimizer, params=params))


def hold_used_parameters(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Give optimizers the parameters of the losses, in place of those that no loss uses."""
    del log
    if finding.id == "step-without-grad" and not _holds_none_used(finding, program):
        return None
    if finding.id == "grad-accumulated" and _is_held(finding, program):
        return None
    used = {name for loss in program.losses for name in program.reaches(loss)}
    foreign = {item.address for item in program.optimizer_tensors} - used
    held = {item.address for item in program.optimizer_tensors}
    missing = [
        name
        for name, tensor in program.tensors.items()
        if name in used - held and name not in program.buffers and tensor.requires_grad
    ]
    spec = program.spec
    for name in program.optimizers:
        own = _held(program, name)
        if any(foreign.intersection(group) for group in own):
            groups = [[item for item in group if item not in foreign] for group in own]
            groups[0] += missing
            missing = []
            spec = _hold(spec, program, name, groups)
    return spec if spec != program.spec and spec.optimizers else None


def _holds_none_used(finding: Finding, program: Program) -> bool:
    """Whether the optimizers of a finding hold no parameter of any loss."""
    used = {name for loss in program.losses for name in program.reaches(loss)}
    held = {name for item in finding.subjects for group in _held(program, item) for name in group}
    return bool(held) and used.isdisjoint(held)


def _is_held(finding: Finding, program: Program) -> bool:
    """Whether an optimizer holds a parameter of a finding."""
    held = {item.address for item in program.optimizer_tensors}
    return not held.isdisjoint(finding.subjects)


def share_out_parameters(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Let only the first holder keep a parameter that is held more than once."""
    del finding, log
    spec, seen = program.spec, set[str]()
    for name in program.optimizers:
        groups = []
        for group in _held(program, name):
            groups.append([item for item in dict.fromkeys(group) if item not in seen])
            seen |= set(group)
        if groups != _held(program, name):
            spec = _hold(spec, program, name, groups)
    return spec if spec != program.spec else None


def minimize(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Remove "maximize" from every optimizer."""
    del finding, log
    spec = program.spec
    for name, optimizer in spec.optimizers.items():
        params = [
            replace(item, options=_without_maximize(item.options))
            if isinstance(item, GroupSpec)
            else item
            for item in optimizer.params
        ]
        options = _without_maximize(optimizer.options)
        spec = _with_optimizer(spec, name, replace(optimizer, params=params, options=options))
    return spec if spec != program.spec else None


def _without_maximize(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != "maximize"}


def _held(program: Program, optimizer: str) -> list[list[str]]:
    """Return the names that each group of an optimizer holds."""
    groups: list[list[str]] = [[] for _ in program.optimizers[optimizer].param_groups]
    for item in program.optimizer_tensors:
        if item.optimizer == optimizer:
            groups[item.group].append(item.address)
    return groups


def _hold(
    spec: ProgramSpec, program: Program, name: str, groups: Sequence[Sequence[str]]
) -> ProgramSpec:
    """Let an optimizer hold these names; remove it when none is left."""
    optimizer = spec.optimizers[name]
    own = [item for item in optimizer.params if isinstance(item, GroupSpec)]
    params: list[Any] = []
    if len(groups) > len(own):
        params += _patterns(groups[0], program)
    params += [
        replace(item, params=_patterns(held, program))
        for item, held in zip(own, groups[len(groups) - len(own) :], strict=True)
        if held
    ]
    if not params:
        return _without_optimizer(spec, name)
    return _with_optimizer(spec, name, replace(optimizer, params=params))


def _patterns(names: Sequence[str], program: Program) -> list[str]:
    """Return patterns that match these names alone, such as "model.*" for a whole module."""
    wanted = dict.fromkeys(names)
    found: dict[str, None] = {}
    for name in wanted:
        module = name.partition(".")[0]
        whole = [
            item
            for item in program.tensors
            if item.startswith(f"{module}.") and item not in program.buffers
        ]
        complete = module in program.modules and all(item in wanted for item in whole)
        found[f"{module}.*" if complete else name] = None
    return list(found)


def _with_optimizer(spec: ProgramSpec, name: str, optimizer: OptimizerSpec) -> ProgramSpec:
    return replace(spec, optimizers={**spec.optimizers, name: optimizer})


def _without_optimizer(spec: ProgramSpec, name: str) -> ProgramSpec:
    """Remove an optimizer, its schedulers and its lines of the loop."""
    removed = {key for key, item in spec.schedulers.items() if item.optimizer == name}
    loop = spec.loop and [
        line
        for line in spec.loop
        if getattr(line.operation, "optimizer", "") != name
        and getattr(line.operation, "scheduler", "") not in removed
    ]
    return replace(
        spec,
        optimizers={key: item for key, item in spec.optimizers.items() if key != name},
        schedulers={key: item for key, item in spec.schedulers.items() if key not in removed},
        loop=loop or None,
    )


# --- losses ---------------------------------------------------------------------------------


def divide_loss(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Divide a loss by the number of batches between two steps; make all batches equal."""
    (name,) = finding.subjects
    spec = program.spec
    loss = spec.losses[name]
    divisor = divisor_of(loss)
    count = _batches_between_steps(name, log)
    if divisor is None or not count:
        return None
    data = dict(spec.data)
    if loss.data is not None and len(set(_rows(name, log))) > 1:
        data[loss.data] = replace(data[loss.data], drop_last=True)
    losses = dict(spec.losses)
    if loss.expression is None:
        undivided = f"{name}_of_batch"
        if undivided in losses:
            return None
        losses = {
            key: item
            for old, kept in losses.items()
            for key, item in (
                ((undivided, kept), (name, LossSpec(expression=f"{undivided} / {count}")))
                if old == name
                else ((old, kept),)
            )
        }
        losses[name] = LossSpec(data=loss.data, expression=f"{undivided} / {count}")
    elif count != divisor:
        text = loss.expression if divisor == 1 else f"({loss.expression}) * {divisor:g}"
        losses[name] = replace(loss, expression=f"{text} / {count}")
    return replace(spec, data=data, losses=losses)


def _batches_between_steps(loss: str, log: EventLog) -> int:
    """Return how many Backwards of a loss most Steps add up."""
    counts: Counter[int] = Counter()
    backwards = 0
    for event, operation in numbered_operations(log):
        if log.failed(event):
            continue
        if getattr(operation, "loss", "") == loss and type(operation).__name__ == "Backward":
            backwards += 1
        elif isinstance(operation, Step | ZeroGrad):
            if isinstance(operation, Step) and backwards:
                counts[backwards] += 1
            backwards = 0
    return max(counts, key=lambda count: (counts[count], count), default=0)


def _rows(loss: str, log: EventLog) -> list[int]:
    return [
        log.rows(event)
        for event in range(1, len(log) + 1)
        if loss in log.reads_writes(event).written_losses
    ]


def match_target_shape(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Take the last dimension of length 1 off the output of a loss, which its target lacks."""
    del log
    losses = dict(program.spec.losses)
    for name in finding.subjects:
        loss = losses[name]
        _, targets = program.examples(name)
        if targets is None or targets.ndim != 1 or not loss.chain or loss.output is not None:
            return None
        output = "input"
        for module in loss.chain:
            output = f"{module}({output})"
        losses[name] = replace(loss, chain=[], output=f"{output}[:, 0]")
    return replace(program.spec, losses=losses)


def connect_losses(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Remove detach from the formulas of a loss, and of the losses that it is the sum of."""
    del log
    spec = program.spec
    if all(_is_connected(name, program) for name in finding.subjects):
        return None
    parts = {part for name in finding.subjects for part in (name, *spec.components_of(name))}
    losses = {
        name: replace(
            loss,
            output=loss.output and without_detach(loss.output),
            expression=loss.expression and without_detach(loss.expression),
        )
        if name in parts
        else loss
        for name, loss in spec.losses.items()
    }
    edited = replace(spec, losses=losses)
    return edited if edited != spec else None


def _is_connected(loss: str, program: Program) -> bool:
    """Whether the formulas of a loss pass a gradient on to a tensor that an optimizer holds."""
    sources = gradient_sources(program.spec, loss)
    held = {item.address for item in program.optimizer_tensors}
    used = held.intersection(program.reaches(loss))
    return any(name in sources or name.partition(".")[0] in sources for name in used)


# --- modules and data -----------------------------------------------------------------------


def remove_bias(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Set "bias": false for the layers before a BatchNorm."""
    del log
    modules = {name: list(layers) for name, layers in program.spec.modules.items()}
    for subject in finding.subjects:
        name, number, _ = subject.split(".")
        modules[name][int(number)] = replace(modules[name][int(number)], bias=False)
    spec = replace(program.spec, modules=modules)
    removed = set(finding.subjects)
    for name, optimizer in spec.optimizers.items():
        params = [
            replace(item, params=[key for key in item.params if key not in removed])
            if isinstance(item, GroupSpec)
            else item
            for item in optimizer.params
            if item not in removed
        ]
        spec = _with_optimizer(spec, name, replace(optimizer, params=params))
    return spec


def move_dropout(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Move the Dropouts of a module after its last BatchNorm."""
    del log
    modules = dict(program.spec.modules)
    for subject in finding.subjects:
        name = subject.partition(".")[0]
        layers = list(modules[name])
        last = max(at for at, layer in enumerate(layers) if isinstance(layer, _NORMS))
        moved = [layer for layer in layers[:last] if _is_dropout(layer)]
        kept = [layer for layer in layers[: last + 1] if not _is_dropout(layer)]
        modules[name] = [*kept, *moved, *layers[last + 1 :]]
    return None if _names_layers(program, modules) else replace(program.spec, modules=modules)


def _is_dropout(layer: object) -> bool:
    return type(layer).__name__.startswith("Dropout")


def _names_layers(program: Program, modules: Collection[str]) -> bool:
    """Whether an optimizer names a layer of a module by its number, which an edit would change."""
    patterns = [
        pattern
        for optimizer in program.spec.optimizers.values()
        for item in optimizer.params
        for pattern in (item.params if isinstance(item, GroupSpec) else [item])
    ]
    return any(
        pattern.startswith(f"{name}.") and pattern != f"{name}.*"
        for pattern in patterns
        for name in modules
    )


def reduce_to_mean(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Set "reduction": "mean" on the criteria of a finding."""
    del log
    losses = {
        name: replace(loss, criterion=replace(loss.criterion, reduction="mean"))
        if name in finding.subjects and loss.criterion is not None
        else loss
        for name, loss in program.spec.losses.items()
    }
    spec = replace(program.spec, losses=losses)
    return spec if spec != program.spec else None


def remove_idle_losses(finding: Finding, log: EventLog, program: Program) -> ProgramSpec | None:
    """Remove the losses that are never computed."""
    del log
    losses = {
        name: loss for name, loss in program.spec.losses.items() if name not in finding.subjects
    }
    return replace(program.spec, losses=losses) if losses else None


# --- intent ---------------------------------------------------------------------------------


def declare(intent: Intent) -> Callable[[Finding, EventLog, Program], ProgramSpec | None]:
    """Return a remedy that declares an intent, which changes no number.

    Args:
        intent: What looks like a mistake, and is meant.
    """

    def make(finding: Finding, _log: EventLog, program: Program) -> ProgramSpec | None:
        spec = program.spec
        if intent in spec.intent or not _IS_PLAUSIBLE[intent](finding, program):
            return None
        return replace(spec, intent=[*spec.intent, intent])

    return make


def _may_accumulate(finding: Finding, program: Program) -> bool:
    """Whether the gradients of a finding are ever used."""
    return finding.id != "grad-accumulated" or _is_held(finding, program)


def _may_have_frozen(finding: Finding, program: Program) -> bool:
    """Whether a part of the model may be meant to stay as it is."""
    if finding.id in {"mode-left-eval", "frozen-but-held"}:
        return True
    if finding.id == "optimizer-orphan":  # where no other part learns, nothing does
        held = {item.address for item in program.optimizer_tensors}
        return any(not held.isdisjoint(program.reaches(loss)) for loss in program.losses)
    parameters = program.tensors.keys() - program.buffers
    return any(
        not program.tensors[name].requires_grad
        for name in parameters
        if name.partition(".")[0] in program.modules
    )


def _may_contend(finding: Finding, program: Program) -> bool:
    """Whether models may work against each other: there are two, or a loss is maximized."""
    return finding.id == "maximized-loss" or len(program.optimizers) > 1


_IS_PLAUSIBLE: Mapping[Intent, Callable[[Finding, Program], bool]] = MappingProxyType(
    {
        "gradient_accumulation": _may_accumulate,
        "frozen_backbone": _may_have_frozen,
        "adversarial": _may_contend,
    }
)
"""Whether a program may have an intent."""
