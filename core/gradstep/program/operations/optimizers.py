"""Optimizers made anew while a program runs: of another kind, over the same tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.errors import GradStepError, OperationError, ProgramError
from gradstep.program.operation_effect import OperationEffect
from gradstep.program.schema.optimizers import (
    OPTIMIZERS,
    checked_options,
    constructor_options,
    kind_class,
    trial_optimizer,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gradstep.optim import Optimizer
    from gradstep.program.operation import ReplaceOptimizer
    from gradstep.program.runtime.live_objects import LiveObjects

__all__ = ["keep_schedule", "optimizer_of_kind", "replace_optimizer", "take_place"]


def replace_optimizer(live: LiveObjects, operation: ReplaceOptimizer) -> OperationEffect:
    """Put an optimizer of another kind in the place of one, with the hyper-parameters they share.

    Schedulers go on with it.

    Raises:
        OperationError: There is no such optimizer or kind, it refuses an option or a tensor, or a
            scheduler cycles something that it does not have.
    """
    name = operation.optimizer
    old = live.optimizer(name)
    try:
        cls = kind_class(operation.kind, OPTIMIZERS, "kind")
        options = checked_options(
            cls, operation.options, name, lambda given: trial_optimizer(cls, given)
        )
        groups = [{**_shared(old, cls, group), **options} for group in old.param_groups]
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
                f"{kind} cycles the momentum of {name}, and {operation.kind} has it otherwise",
                "set cycle_momentum to false in the program",
            )
    keep_schedule(old, fresh)
    written = tuple(f"{name}/{option}" for option in fresh.defaults)
    message = f"{name} was {type(old).__name__}, is {operation.kind}"
    take_place(live, name, fresh)
    live.refresh()
    return OperationEffect((), written, message=message)


def optimizer_of_kind(kind: str, groups: Iterable[Mapping[str, Any]]) -> Optimizer:
    """Return an optimizer of a kind; what its class does not take is left out of the groups."""
    cls = OPTIMIZERS[kind]
    known = {*constructor_options(cls), "params"}
    made: Optimizer = cls([{key: group[key] for key in group if key in known} for group in groups])
    return made


def keep_schedule(old: Optimizer, fresh: Optimizer) -> None:
    """Give another optimizer what schedulers keep in the groups, such as `initial_lr`."""
    own = {*old.defaults, "params", "param_names"}
    for before, group in zip(old.param_groups, fresh.param_groups, strict=True):
        group.update({key: before[key] for key in before if key not in own})


def take_place(live: LiveObjects, name: str, fresh: Optimizer) -> None:
    """Put an optimizer in the place of the one of this name, for schedulers too."""
    old = live.optimizers[name]
    live.optimizers[name] = fresh
    for scheduler in live.schedulers.values():
        if scheduler.optimizer is old:
            scheduler.optimizer = fresh


def _shared(old: Optimizer, cls: type[Any], group: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a group keeps: tensors, `lr`, and what was set and another class has too."""
    usual, known = constructor_options(type(old)), constructor_options(cls)
    kept = {"params": group["params"]}
    for key, value in group.items():
        if key not in known or key not in usual:
            continue
        alike = isinstance(known[key].default, tuple) == isinstance(value, tuple)
        if alike and (key == "lr" or value != usual[key].default):
            kept[key] = value
    return kept
