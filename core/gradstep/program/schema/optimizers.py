"""The optimizers and schedulers of program documents: their classes and the checks of options."""

from __future__ import annotations

import inspect
import json
from typing import TYPE_CHECKING, Any, TypeVar

import gradstep
from gradstep import optim
from gradstep.errors import GradStepError, ProgramError
from gradstep.optim import lr_scheduler
from gradstep.program.constructor_errors import program_error
from gradstep.program.suggestions import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "COMPOSED_SCHEDULERS",
    "FUNCTION_SCHEDULERS",
    "OPTIMIZERS",
    "SCHEDULERS",
    "checked_options",
    "constructor_options",
    "kind_class",
    "trial_optimizer",
]

_Kind = TypeVar("_Kind", bound="Callable[..., Any]")

_BASES = {"LRScheduler", "Optimizer"}

FUNCTION_SCHEDULERS = frozenset({"LambdaLR", "MultiplicativeLR"})
"""Schedulers whose option `lr_lambda` is an expression of `epoch`."""

COMPOSED_SCHEDULERS = frozenset({"ChainedScheduler", "SequentialLR"})
"""Schedulers whose option `schedulers` names other schedulers of the document."""


def _classes(module: Any, base: type[Any]) -> dict[str, type[Any]]:  # noqa: ANN401 - a module
    return {
        name: getattr(module, name)
        for name in dir(module)
        if name not in _BASES
        and inspect.isclass(getattr(module, name))
        and issubclass(getattr(module, name), base)
    }


OPTIMIZERS: Mapping[str, type[Any]] = _classes(optim, optim.Optimizer)
"""The optimizers that a program may use, by class name."""

SCHEDULERS: Mapping[str, type[Any]] = _classes(lr_scheduler, object)
"""The schedulers that a program may use, by class name."""


def kind_class(kind: str, known: Mapping[str, _Kind], place: str) -> _Kind:
    """Return the class or function of a kind; raise a ProgramError that suggests the nearest one.

    Example:
        >>> kind_class("Adm", {"Adam": object}, "$.optimizers.o.kind")
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.optimizers.o.kind: no kind 'Adm'; did you mean 'Adam'?
    """
    if kind not in known:
        raise ProgramError(place, f"no kind {kind!r}", nearest(kind, known))
    return known[kind]


def checked_options(
    cls: Callable[..., Any],
    options: Mapping[str, Any],
    place: str,
    make: Callable[[dict[str, Any]], Any],
) -> dict[str, Any]:
    """Return options as the constructor expects them, after a trial construction.

    Args:
        cls: An optimizer's or a scheduler's class, or a function of `nn.init`.
        options: The options in the document.
        place: Their place in the document, for error messages.
        make: Constructs a trial object from options; raises if they are invalid.

    Raises:
        ProgramError: If an option is unknown, of the wrong type, or rejected by the class; names
            the option if a single one is at fault.

    Example:
        >>> from functools import partial
        >>> checked_options(optim.SGD, {"lr": -1}, "$.o", partial(trial_optimizer, optim.SGD))
        Traceback (most recent call last):
        gradstep.errors.ProgramError: $.o.lr: Invalid learning rate: -1...
    """
    known = constructor_options(cls)
    for name in options:
        if name not in known:
            raise ProgramError(f"{place}.{name}", "no such field", nearest(name, known))
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in options:
            raise ProgramError(place, f"{cls.__name__} needs {name!r}", f'add "{name}": ...')
    given = {
        name: _checked_type(value, known[name].default, f"{place}.{name}")
        for name, value in options.items()
    }
    required = {
        name: given[name] for name in given if known[name].default is inspect.Parameter.empty
    }
    error = _constructor_error(make, given)
    if error is None:
        return given
    required_error = _constructor_error(make, required)
    for name, value in given.items():
        single = required_error or _constructor_error(make, {**required, name: value})
        # A required option cannot be tried alone, so it is blamed only if the message names it.
        if single is not None and (required_error is None or name in single.message):
            raise program_error(f"{place}.{name}", single)
    raise program_error(place, error)


def trial_optimizer(cls: type[Any], options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of cls
    """Return an optimizer of a dummy tensor, to check whether the class accepts options."""
    return cls([gradstep.zeros(1, 1, requires_grad=True)], **options)


def constructor_options(cls: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a constructor, or of a function of `nn.init`, that options set."""
    named = inspect.signature(cls).parameters
    objects = {"optimizer", "params", "tensor", "generator"}
    return {name: named[name] for name in named if name not in objects}


def _checked_type(value: Any, default: object, place: str) -> Any:  # noqa: ANN401 - as the class takes it
    """Check a value against the default's type; return it as the constructor expects it."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if callable(value):
        return value  # compiled and checked before
    if isinstance(default, bool):
        fits, wanted = isinstance(value, bool), "true or false"
    elif isinstance(default, (int, float)):
        fits, wanted = number, "a number"
    elif isinstance(default, str):
        fits, wanted = isinstance(value, str), "a string"
    elif isinstance(default, tuple):
        fits, wanted = _is_number_list(value, len(default)), f"a list of {len(default)} numbers"
        value = tuple(value) if fits else value
    else:
        fits = number or isinstance(value, bool) or value is None or _is_number_list(value, None)
        wanted = "a number or a list of numbers"
        fits = fits or (isinstance(value, str) and default is None)
    if not fits:
        raise ProgramError(place, f"{json.dumps(value):.60} is not {wanted}", f"write {wanted}")
    return value


def _is_number_list(value: object, length: int | None) -> bool:
    return (
        isinstance(value, list)
        and (len(value) == length if length is not None else 0 < len(value) <= 1000)  # noqa: PLR2004
        and all(
            item is None or (isinstance(item, (int, float)) and not isinstance(item, bool))
            for item in value
        )
    )


def _constructor_error(
    make: Callable[[dict[str, Any]], Any], options: dict[str, Any]
) -> GradStepError | None:
    try:
        make(dict(options))
    except GradStepError as error:
        return error
    except (ArithmeticError, TypeError, ValueError, AttributeError, IndexError) as error:
        return GradStepError(f"{error}", "check the value")
    return None
