"""The names without an underscore that initialisations once had, and old programs still use."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["former_names"]

_FORMER = (
    "uniform",
    "normal",
    "constant",
    "eye",
    "dirac",
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "orthogonal",
    "sparse",
)


def former_names(functions: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return, under each former name, a function that warns and does what its successor does.

    Args:
        functions: The successors by name; each ends with an underscore.

    Example:
        >>> sorted(former_names({f"{name}_": print for name in _FORMER}))[:2]
        ['constant', 'dirac']
    """
    return {name: _former(name, functions[f"{name}_"]) for name in _FORMER}


def _former(name: str, successor: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(successor)
    def called(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=2,
        )
        return successor(*args, **kwargs)

    return called
