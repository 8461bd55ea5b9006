"""Build the optimizers and schedulers of a program from their specifications."""

from __future__ import annotations

import warnings
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from gradstep.errors import GradStepError, ProgramError
from gradstep.program.constructor_errors import program_error
from gradstep.program.expressions.schedule_language import schedule_function
from gradstep.program.schema.optimizers import (
    COMPOSED_SCHEDULERS,
    FUNCTION_SCHEDULERS,
    OPTIMIZERS,
    SCHEDULERS,
    checked_options,
    constructor_options,
    kind_class,
    trial_optimizer,
)
from gradstep.program.schema.program_spec import GroupSpec
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gradstep.autograd.tensor import Tensor
    from gradstep.optim import Optimizer
    from gradstep.program.schema.program_spec import OptimizerSpec, SchedulerSpec

__all__ = ["build_optimizer", "build_schedulers", "copy_scheduler_options", "optimizer_of_kind"]


def build_optimizer(name: str, spec: OptimizerSpec, tensors: Mapping[str, Tensor]) -> Optimizer:
    """Return an optimizer of a program.

    Args:
        name: Its name.
        spec: Its specification in the document.
        tensors: The tensors that it may hold, by name.

    Raises:
        ProgramError: If a pattern matches nothing, a tensor is named in two groups, or the class
            rejects an option.
    """
    place = f"$.optimizers.{name}"
    cls = kind_class(spec.kind, OPTIMIZERS, f"{place}.kind")
    options = checked_options(cls, spec.options, place, lambda given: trial_optimizer(cls, given))
    if not spec.params:
        raise ProgramError(
            f"{place}.params", "optimizer got an empty parameter list", 'name tensors: "model.*"'
        )
    groups: list[dict[str, Any]] = []
    plain = [item for item in spec.params if isinstance(item, str)]
    taken: dict[str, str] = {}
    if plain:
        places = [f"{place}.params[{spec.params.index(item)}]" for item in plain]
        groups.append({"params": _matches(zip(plain, places, strict=True), tensors, taken)})
    for index, item in enumerate(spec.params):
        if isinstance(item, GroupSpec):
            inner = f"{place}.params[{index}]"
            own = checked_options(
                cls, item.options, inner, lambda given: trial_optimizer(cls, {**options, **given})
            )
            places = [f"{inner}.params[{number}]" for number in range(len(item.params))]
            held = _matches(zip(item.params, places, strict=True), tensors, taken)
            groups.append({"params": held, **own})
    try:
        made: Optimizer = cls(groups, **options)
    except GradStepError as error:
        raise program_error(place, error) from None
    return made


def _matches(
    patterns: Iterable[tuple[str, str]], tensors: Mapping[str, Tensor], taken: dict[str, str]
) -> list[Tensor]:
    """Return the tensors that patterns match; `taken` maps each tensor's name to its place."""
    held: dict[str, Tensor] = {}
    places: dict[str, str] = {}
    for pattern, place in patterns:
        names = [name for name in tensors if fnmatchcase(name, pattern)]
        if not names:
            raise ProgramError(place, f"{pattern!r} matches no tensor", nearest(pattern, tensors))
        for name in names:
            if name in taken:
                raise ProgramError(
                    place,
                    f"{name} is also in the group of {taken[name]}",
                    "list it in one group only",
                )
            held[name] = tensors[name]
            places[name] = place
    taken.update(places)
    return list(held.values())


def build_schedulers(
    specs: Mapping[str, SchedulerSpec], optimizers: Mapping[str, Optimizer]
) -> dict[str, Any]:
    """Return the schedulers of a program; those that another one names are built before it.

    Raises:
        ProgramError: If there is no such optimizer or scheduler, or the class rejects an option.
    """
    made: dict[str, Any] = {}

    def make(name: str, users: tuple[str, ...]) -> Any:  # noqa: ANN401 - of any scheduler class
        if name in users:
            way = " -> ".join([*users[users.index(name) :], name])
            place = f"$.schedulers.{name}.schedulers"
            raise ProgramError(place, f"the scheduler names itself: {way}", "remove one of them")
        if name not in made:
            spec = specs[name]
            named = _member_names(name, spec, specs)
            members = [make(member, (*users, name)) for member in named]
            made[name] = _scheduler(name, spec, optimizers, members)
        return made[name]

    return {name: make(name, ()) for name in specs}


def _member_names(
    name: str, spec: SchedulerSpec, specs: Mapping[str, SchedulerSpec]
) -> Sequence[str]:
    if spec.kind not in COMPOSED_SCHEDULERS:
        return ()
    place, members = f"$.schedulers.{name}.schedulers", spec.options.get("schedulers")
    if not isinstance(members, list) or not members:
        raise ProgramError(
            place, f"{spec.kind} needs a list of schedulers", 'write ["warmup", "decay"]'
        )
    for index, member in enumerate(members):
        if member not in specs:
            raise ProgramError(
                f"{place}[{index}]", f"no scheduler {member!r}", nearest(str(member), specs)
            )
    return members


def _scheduler(
    name: str, spec: SchedulerSpec, optimizers: Mapping[str, Optimizer], members: Sequence[Any]
) -> Any:  # noqa: ANN401 - of any scheduler class
    place = f"$.schedulers.{name}"
    cls = kind_class(spec.kind, SCHEDULERS, f"{place}.kind")
    if spec.optimizer not in optimizers:
        raise ProgramError(
            f"{place}.optimizer",
            f"no optimizer {spec.optimizer!r}",
            nearest(spec.optimizer, optimizers),
        )
    optimizer, options = optimizers[spec.optimizer], dict(spec.options)
    if spec.kind in COMPOSED_SCHEDULERS:
        return _composed_scheduler(cls, options, place, optimizer, members)
    if spec.kind in FUNCTION_SCHEDULERS:
        options["lr_lambda"] = _function(options.get("lr_lambda"), f"{place}.lr_lambda")
    # A scheduler sets the learning rate on construction, so trials use a throwaway optimizer.
    kind = type(optimizer)
    known = constructor_options(kind)
    taken = {key: value for key, value in optimizer.param_groups[0].items() if key in known}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = checked_options(
            cls, options, place, lambda given: cls(trial_optimizer(kind, taken), **given)
        )
        try:
            return cls(optimizer, **options)
        except GradStepError as error:
            raise program_error(place, error) from None


def _composed_scheduler(
    cls: type[Any],
    options: Mapping[str, Any],
    place: str,
    optimizer: Optimizer,
    members: Sequence[Any],
) -> Any:  # noqa: ANN401 - of one of two classes
    known = constructor_options(cls)
    for option in options:
        if option not in known:
            raise ProgramError(f"{place}.{option}", "no such field", nearest(option, known))
    given: dict[str, Any] = {"optimizer": optimizer, "schedulers": members}
    if "milestones" in known:
        milestones = options.get("milestones")
        if not _increases(milestones):
            raise ProgramError(
                f"{place}.milestones",
                f"{milestones!r:.60} is not a list of increasing whole numbers",
                "write the steps at which the next scheduler starts: [5, 20]",
            )
        given["milestones"] = milestones
    try:
        return cls(**given)
    except GradStepError as error:
        raise program_error(place, error) from None


def _increases(milestones: object) -> bool:
    """Whether a value is a list of increasing whole numbers from 1."""
    return (
        isinstance(milestones, list)
        and all(type(step) is int and step > 0 for step in milestones)
        and milestones == sorted(set(milestones))
    )


def _function(text: object, place: str) -> Callable[[int], float]:
    """Return the function that an expression of `epoch` is, after a trial."""
    if not isinstance(text, str):
        raise ProgramError(place, f"{text!r:.60} is not an expression", 'write "0.95 ** epoch"')
    try:
        function = schedule_function(text)
        function(0)
    except GradStepError as error:
        raise ProgramError(place, error.message, error.remedy) from None
    return function


def optimizer_of_kind(kind: str, groups: Iterable[Mapping[str, Any]]) -> Optimizer:
    """Return an optimizer of a kind over groups, without the options that its class rejects."""
    cls = OPTIMIZERS[kind]
    known = {*constructor_options(cls), "params"}
    made: Optimizer = cls([{key: group[key] for key in group if key in known} for group in groups])
    return made


def copy_scheduler_options(old: Optimizer, fresh: Optimizer) -> None:
    """Copy the entries that schedulers add to groups, such as `initial_lr`, to `fresh`."""
    own = {*old.defaults, "params", "param_names"}
    for before, group in zip(old.param_groups, fresh.param_groups, strict=True):
        group.update({key: before[key] for key in before if key not in own})
