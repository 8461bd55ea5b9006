"""Set the initial values of parameters as the document says."""

from __future__ import annotations

from fnmatch import fnmatchcase
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

import gradstep
from gradstep.errors import GradStepError, ProgramError
from gradstep.program.schema.initializers import INITIALIZERS
from gradstep.program.schema.optimizers import checked_options, kind_class
from gradstep.program.suggestions import nearest
from gradstep.random import Generator

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from gradstep import nn
    from gradstep.program.schema.program_spec import InitSpec

__all__ = ["check_patterns", "initialize"]


def initialize(name: str, module: nn.Module, init: Mapping[str, InitSpec]) -> None:
    """Set the values of a new module's parameters that a pattern matches, pattern by pattern.

    Args:
        name: The module's name.
        module: The module; its parameters are drawn from the default generator.
        init: The functions by pattern.

    Raises:
        ProgramError: If there is no such function, or it rejects an argument or a parameter.
    """
    for pattern, spec in init.items():
        place = f"$.init.{pattern}"
        function = kind_class(spec.kind, INITIALIZERS, f"{place}.kind")
        options = checked_options(function, spec.options, place, _try_on_a_matrix(function))
        for inner, parameter in module.named_parameters():
            if not fnmatchcase(f"{name}.{inner}", pattern):
                continue
            try:
                function(parameter, **options)
            except GradStepError as error:
                raise ProgramError(
                    place, f"{name}.{inner}: {error.message}", error.remedy
                ) from None
            if not np.isfinite(parameter._array).all():
                raise ProgramError(
                    place, f"{name}.{inner} would not be finite", "use smaller numbers"
                )


def _try_on_a_matrix(function: Callable[..., Any]) -> Callable[[dict[str, Any]], Any]:
    """Return a trial call that draws nothing from the program's generator."""
    own = {"generator": Generator()} if "generator" in signature(function).parameters else {}
    return lambda given: function(gradstep.empty(2, 2), **given, **own)


def check_patterns(init: Mapping[str, InitSpec], names: Collection[str]) -> None:
    """Reject a pattern that matches no parameter of a module."""
    for pattern in init:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ProgramError(
                f"$.init.{pattern}", f"{pattern!r} matches no parameter", nearest(pattern, names)
            )
