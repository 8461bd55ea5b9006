"""Operations on optimizers: step a scheduler, set a hyperparameter, replace an optimizer."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from gradstep.errors import GradStepError, OperationError, ProgramError
from gradstep.program.builder.optimizers import copy_scheduler_options, optimizer_of_kind
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.runtime.descriptions import STALE
from gradstep.program.schema.optimizers import (
    OPTIMIZERS,
    checked_options,
    constructor_options,
    kind_class,
    trial_optimizer,
)
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.program.operation import ReplaceOptimizer, SchedulerStep, SetHyperparameter
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["replace_optimizer", "scheduler_step", "set_hyperparameter"]


def scheduler_step(live: LiveObjects, operation: SchedulerStep) -> OperationEffect:
    """Let a scheduler set the next learning rate."""
    name = operation.scheduler
    scheduler = live.scheduler(name)
    optimizer = next(key for key, held in live.optimizers.items() if held is scheduler.optimizer)
    reads = [f"{optimizer}/lr"]
    metric: tuple[Any, ...] = ()
    if live.watches_metric(name):
        if operation.metric is None:
            raise OperationError(f"{name} needs a metric", 'give the name of a loss as "metric"')
        live.loss(operation.metric)
        value = live.loss_values[operation.metric]
        if value is None:
            raise OperationError(
                f"{operation.metric} has not been computed yet", "apply Forward first"
            )
        metric = (value._array.item(),)
        reads.append(operation.metric)
    groups = scheduler.optimizer.param_groups
    before = [dict(group) for group in groups]
    states = [(part, dict(vars(part))) for part in _with_members(scheduler)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            scheduler.step(*metric)
        except (GradStepError, ArithmeticError) as error:
            for part, state in states:
                vars(part).update(state)
            for group, held in zip(groups, before, strict=True):
                group.update(held)
            if isinstance(error, GradStepError):
                raise
            raise OperationError(
                f"{name} cannot compute its next learning rate: {error}", "check its options"
            ) from None
    changes = [
        f"lr {_format_value(old['lr'])} -> {_format_value(new['lr'])}"
        for old, new in zip(before, groups, strict=True)
    ]
    notes = [str(warning.message).split(". ")[0] for warning in caught]
    writes = (*_written_options(live, optimizer, before), name)
    # Reuse the same tuples, since they are looked up by identity.
    read, written = live.effect_cache.setdefault(
        (operation, *reads, *writes), (tuple(reads), writes)
    )
    return OperationEffect(read, written, message="; ".join([*changes, *notes]))


def set_hyperparameter(live: LiveObjects, operation: SetHyperparameter) -> OperationEffect:
    """Change a hyperparameter of one group, checked by the optimizer's own rules."""
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
            f"{operation.optimizer} has no hyperparameter {operation.name!r}",
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
    new = _with_type_of(old, new)
    optimizer.check_options({name: group[name] for name in options} | {operation.name: new})
    group[operation.name] = new
    live.effect_cache.clear()
    address = f"{operation.optimizer}/{operation.name}"
    return OperationEffect(
        (address,),
        (address,),
        message=f"{operation.name} {_format_value(old)} -> {_format_value(new)}",
    )


def _with_members(scheduler: Any) -> Iterator[Any]:  # noqa: ANN401 - of any class
    """Yield a scheduler and those that it is composed of."""
    yield scheduler
    for member in getattr(scheduler, "_schedulers", ()):
        yield from _with_members(member)


def replace_optimizer(live: LiveObjects, operation: ReplaceOptimizer) -> OperationEffect:
    """Replace an optimizer by one of another kind, with the hyperparameters that they share.

    Its schedulers continue with the new one. With `rebind`, a tensor that a rebuilt module has
    replaced gives way to the present tensor of the same name.

    Raises:
        OperationError: If there is no such optimizer or kind, it rejects an option or a tensor, or
            a scheduler cycles an option that it does not have.
    """
    name = operation.optimizer
    old = live.optimizer(name)
    try:
        cls = kind_class(operation.kind, OPTIMIZERS, "kind")
        options = checked_options(
            cls, operation.options, name, lambda given: trial_optimizer(cls, given)
        )
        groups = [{**_shared_options(old, cls, group), **options} for group in old.param_groups]
        if operation.rebind:
            for group in groups:
                group["params"] = _present_tensors(live, group["params"])
        fresh = optimizer_of_kind(operation.kind, groups)
    except ProgramError as error:
        raise OperationError(error.message, error.remedy) from None
    except GradStepError as error:
        raise OperationError(f"{name}: {error.message}", error.remedy) from None
    for scheduler in (held for held in live.schedulers.values() if held.optimizer is old):
        cycles = getattr(scheduler, "cycle_momentum", False)
        if cycles and ("betas" if scheduler.use_beta1 else "momentum") not in fresh.defaults:
            kind = type(scheduler).__name__
            raise OperationError(
                f"{kind} cycles the momentum of {name}, and {operation.kind} has no such option",
                'set "cycle_momentum": false on the scheduler',
            )
    copy_scheduler_options(old, fresh)
    written = tuple(f"{name}/{option}" for option in fresh.defaults)
    message = f"{name}: {type(old).__name__} -> {operation.kind}"
    live.replace_optimizer(name, fresh)
    if operation.rebind:
        live.drop_unused_modules()
        message += " on the current tensors"
    live.refresh()
    return OperationEffect((), written, message=message)


def _present_tensors(live: LiveObjects, held: Sequence[Tensor]) -> list[Tensor]:
    """Return the tensors that now have the names of some tensors, each once."""
    names = [live.addresses[tensor].removesuffix(STALE) for tensor in held]
    return list(dict.fromkeys(live.tensors[name] for name in names))


def _shared_options(old: Optimizer, cls: type[Any], group: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a group that another class takes over.

    These are the tensors, `lr`, and each option of both classes that is not at its default.
    """
    usual, known = constructor_options(type(old)), constructor_options(cls)
    kept = {"params": group["params"]}
    for key, value in group.items():
        if key not in known or key not in usual:
            continue
        alike = isinstance(known[key].default, tuple) == isinstance(value, tuple)
        if alike and (key == "lr" or value != usual[key].default):
            kept[key] = value
    return kept


def _written_options(
    live: LiveObjects, optimizer: str, before: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return the options that a scheduler wrote: the learning rate, and momentum if it cycles."""
    held = live.optimizers[optimizer]
    pairs = list(zip(before, held.param_groups, strict=True))
    changed = [
        option
        for option in held.defaults
        if option != "lr" and any(old[option] != new[option] for old, new in pairs)
    ]
    if any(bool(old[option]) != bool(new[option]) for option in changed for old, new in pairs):
        live.effect_cache.clear()  # a Step reads only the options that are not 0
    return (f"{optimizer}/lr", *(f"{optimizer}/{option}" for option in changed))


def _with_type_of(old: object, new: Any) -> Any:  # noqa: ANN401 - a value of a hyperparameter
    """Return a number in the type of the old one, since JSON does not distinguish 1 from 1.0."""
    if type(old) is float and type(new) is int:
        return float(new)
    return int(new) if type(old) is int and type(new) is float and new.is_integer() else new


def _format_value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
