"""Modules with uninitialized parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradstep.errors import ArgumentError
from gradstep.nn.module import Module
from gradstep.random import default_generator

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["skip_init"]


def skip_init(module_cls: Callable[..., Module], *args: Any, **kwargs: Any) -> Module:
    """Return a module without drawing random numbers; set its parameters before use.

    Args:
        module_cls: The class.
        args: Passed to its constructor.
        kwargs: Likewise.

    Raises:
        ArgumentError: `module_cls` is not a class of modules.

    Example:
        >>> from gradstep_torch import nn
        >>> skip_init(nn.Linear, 5, 1)
        Linear(in_features=5, out_features=1, bias=True)
    """
    if not isinstance(module_cls, type) or not issubclass(module_cls, Module):
        raise ArgumentError(f"Expected a Module; got {module_cls}")
    state = default_generator.get_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        default_generator.set_state(state)
