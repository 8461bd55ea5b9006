"""Misuse, as scripts have it: what to do on gradstep and on torch alike, and what must be raised.

Each case names the built-in type that torch raises and the phrase that people search for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Misuse:
    """A misuse: `call(torch)` raises `error` with `phrase`."""

    name: str
    error: type[Exception]
    phrase: str
    call: Callable[[Any], Any]


def leaf(t: Any, *shape: int) -> Any:
    return t.ones(*shape, requires_grad=True)
