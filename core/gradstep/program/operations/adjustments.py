"""What the Operations outside the four buttons do: clip, schedule, edit, freeze, rebuild."""

from __future__ import annotations

import warnings
from fnmatch import fnmatchcase
from math import isinf, isnan
from typing import TYPE_CHECKING, Any

from gradstep.errors import GradStepError, OperationError
from gradstep.nn.clip_grad import clip_grad_norm_, clip_grad_value_
from gradstep.program.operation import ClipGradValue
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.runtime.descriptions import held_tensors
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep.program.operation import (
        ClipGradNorm,
        Freeze,
        RebuildModule,
        SchedulerStep,
        SetBatchSize,
        SetHyperparameter,
        SetMode,
        Skip,
    )
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = [
    "clip_grad_norm",
    "clip_grad_value",
    "clipped",
    "freeze",
    "rebuild_module",
    "scheduler_step",
    "set_batch_size",
    "set_hyperparameter",
    "set_mode",
    "skip",
]

_NOTHING = "nothing to clip: every .grad is None"


def clip_grad_norm(live: LiveObjects, operation: ClipGradNorm) -> OperationEffect:
    """Scale an optimizer's gradients to a total norm."""
    held, addresses = clipped(live, operation)
    if not held:
        return OperationEffect(message=_NOTHING)
    total = float(clip_grad_norm_(held, operation.max_norm, operation.norm_type).item())
    if isnan(total):
        outcome = "so every gradient is NaN now"
    elif isinf(total):
        outcome = "so every gradient is 0 or NaN now"
    elif total > operation.max_norm:
        outcome = f"now {operation.max_norm:.6g}"
    else:
        outcome = "nothing to clip"
    return OperationEffect(
        addresses, addresses, message=f"the total norm was {total:.6g}, {outcome}"
    )


def clip_grad_value(live: LiveObjects, operation: ClipGradValue) -> OperationEffect:
    """Clamp an optimizer's gradients element by element."""
    held, addresses = clipped(live, operation)
    clip_grad_value_(held, operation.clip_value)
    return OperationEffect(addresses, addresses, message="" if held else _NOTHING)


def scheduler_step(live: LiveObjects, operation: SchedulerStep) -> OperationEffect:
    """Let a scheduler set the next learning rate."""
    name = operation.scheduler
    scheduler = live.scheduler(name)
    optimizer = next(key for key, held in live.optimizers.items() if held is scheduler.optimizer)
    reads = [f"{optimizer}/lr"]
    metric: tuple[Any, ...] = ()
    if live.watches_metric(name):
        if operation.metric is None:
            raise OperationError(f"{name} watches a metric", "name a loss as `metric`")
        live.loss(operation.metric)
        value = live.loss_values[operation.metric]
        if value is None:
            raise OperationError(f"{operation.metric} was not computed yet", "apply Forward first")
        metric = (value._array.item(),)
        reads.append(operation.metric)
    groups = scheduler.optimizer.param_groups
    before, state = [dict(group) for group in groups], dict(vars(scheduler))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            scheduler.step(*metric)
        except (GradStepError, ArithmeticError) as error:
            vars(scheduler).update(state)
            for group, held in zip(groups, before, strict=True):
                group.update(held)
            if isinstance(error, GradStepError):
                raise
            raise OperationError(
                f"{name} cannot compute its next learning rate: {error}", "check its options"
            ) from None
    changes = [
        f"lr {_short(old['lr'])} -> {_short(new['lr'])}"
        for old, new in zip(before, groups, strict=True)
    ]
    notes = [str(warning.message).split(". ")[0] for warning in caught]
    writes = (*_moved(live, optimizer, before), name)
    # The very tuples again, as what they stand for is looked up by identity.
    read, written = live.effect_cache.setdefault(
        (operation, *reads, *writes), (tuple(reads), writes)
    )
    return OperationEffect(read, written, message="; ".join([*changes, *notes]))


def set_hyperparameter(live: LiveObjects, operation: SetHyperparameter) -> OperationEffect:
    """Change a hyper-parameter of one group, by the optimizer's own rules."""
    optimizer = live.optimizer(operation.optimizer)
    groups = optimizer.param_groups
    if not 0 <= operation.group < len(groups):
        raise OperationError(
            f"{operation.optimizer} has no group {operation.group}", f"it has {len(groups)}, from 0"
        )
    group = groups[operation.group]
    options = [name for name in optimizer.defaults if name in group]
    if operation.name not in options:
        raise OperationError(
            f"{operation.optimizer} has no hyper-parameter {operation.name!r}",
            nearest(operation.name, options),
        )
    old = group[operation.name]
    new: Any = operation.value
    if isinstance(old, tuple) != isinstance(new, list) or isinstance(old, bool) != (
        isinstance(new, bool)
    ):
        raise OperationError(
            f"{operation.name} is {old!r}, so it cannot become {new!r}", "give the same type"
        )
    if isinstance(old, tuple):
        if len(new) != len(old):
            raise OperationError(f"{operation.name} needs {len(old)} numbers", f"as in {old}")
        new = tuple(new)
    new = _like(old, new)
    optimizer.check_options({name: group[name] for name in options} | {operation.name: new})
    group[operation.name] = new
    live.effect_cache.clear()
    address = f"{operation.optimizer}/{operation.name}"
    return OperationEffect(
        (address,), (address,), message=f"{operation.name} {_short(old)} -> {_short(new)}"
    )


def freeze(live: LiveObjects, operation: Freeze) -> OperationEffect:
    """Set `requires_grad` of the tensors that a pattern matches."""
    names = [
        name
        for name in live.tensors
        if name not in live.buffers and fnmatchcase(name, operation.pattern)
    ]
    if not names:
        raise OperationError(
            f"no tensor matches {operation.pattern!r}", nearest(operation.pattern, live.tensors)
        )
    live.save_graph_settings()
    for name in names:
        live.tensors[name].requires_grad = not operation.frozen
    live.refresh()
    verb = "frozen" if operation.frozen else "thawed"
    return OperationEffect((), tuple(names), message=f"{verb}: {', '.join(names)}")


def set_mode(live: LiveObjects, operation: SetMode) -> OperationEffect:
    """Put modules in training or evaluation mode."""
    names = list(live.modules) if operation.module is None else [operation.module]
    chosen = [live.module(name) for name in names]
    live.save_graph_settings()
    for module in chosen:
        module.train(operation.training)
    live.refresh()
    return OperationEffect((), tuple(names))


def set_batch_size(live: LiveObjects, operation: SetBatchSize) -> OperationEffect:
    """Let the next batches have another size; the epoch goes on where it is."""
    feed = live.batch_iterator(operation.data)
    if operation.size is not None and operation.size < 1:
        raise OperationError(f"the batch size is {operation.size}", "use a number from 1 on")
    old = feed.batch_size
    feed.batch_size = operation.size
    address = f"data.{operation.data}"
    return OperationEffect((address,), (address,), message=f"batch size {old} -> {feed.batch_size}")


def skip(_live: LiveObjects, _operation: Skip) -> OperationEffect:
    """Do nothing."""
    return OperationEffect()


def rebuild_module(live: LiveObjects, operation: RebuildModule) -> OperationEffect:
    """Replace a module by a fresh one, as `model.part = ...` does in a script."""
    name = operation.module
    old = live.module(name)
    live.save_graph_settings()
    live.random_stream.load()
    fresh = live.make_module(name)
    live.random_stream.store()
    live.replaced_modules[name, live.generations[name]] = old
    live.modules[name] = fresh
    live.generations[name] += 1
    live.drop_unused_modules()
    live.refresh()
    written = tuple(key for key in live.tensors if key.startswith(f"{name}."))
    stale = sorted({binding.optimizer for binding in held_tensors(live) if binding.stale})
    message = f"{', '.join(stale)} still holds the old tensors" if stale else ""
    return OperationEffect(("generator",), (*written, "generator"), message=message)


def clipped(
    live: LiveObjects, operation: ClipGradNorm | ClipGradValue
) -> tuple[list[Tensor], tuple[str, ...]]:
    """Return what an Operation clips: tensors that have a gradient, and the gradients' addresses.

    Raises:
        OperationError: A number of the Operation makes no sense.
    """
    live.optimizer(operation.optimizer)
    present = [t for t in dict.fromkeys(live.held[operation.optimizer]) if t.grad is not None]
    if isinstance(operation, ClipGradValue):
        if not operation.clip_value >= 0:
            raise OperationError(f"clip_value is {operation.clip_value}", "use a number from 0 on")
    elif not operation.max_norm >= 0:
        raise OperationError(f"max_norm is {operation.max_norm}", "use a number from 0 on")
    elif not operation.norm_type > 0:
        raise OperationError(f"norm_type is {operation.norm_type}", "use 2.0, 1.0 or infinity")
    return present, tuple(f"{live.addresses[tensor]}.grad" for tensor in present)


def _moved(
    live: LiveObjects, optimizer: str, before: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return what a scheduler has written: the learning rate, and momentum where it cycles that."""
    held = live.optimizers[optimizer]
    pairs = list(zip(before, held.param_groups, strict=True))
    moved = [
        option
        for option in held.defaults
        if option != "lr" and any(old[option] != new[option] for old, new in pairs)
    ]
    if any(bool(old[option]) != bool(new[option]) for option in moved for old, new in pairs):
        live.effect_cache.clear()  # a Step reads of the options those that are not 0
    return (f"{optimizer}/lr", *(f"{optimizer}/{option}" for option in moved))


def _like(old: object, new: Any) -> Any:  # noqa: ANN401 - a value of a hyper-parameter
    """Return a number as the kind of number it was; a document tells 1 and 1.0 not apart."""
    if type(old) is float and type(new) is int:
        return float(new)
    return int(new) if type(old) is int and type(new) is float and new.is_integer() else new


def _short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
