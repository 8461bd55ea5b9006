"""The functions of `torch.nn.init` that set the initial values of a program's parameters."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from gradstep.nn import init

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["INITIALIZERS"]

INITIALIZERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {name: getattr(init, name) for name in init.__all__ if name.endswith("_")}
)
"""The functions by name, as in torch."""
