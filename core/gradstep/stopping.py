"""When a task that takes long is to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ShouldStop", "never"]

ShouldStop: TypeAlias = "Callable[[], bool]"
"""Called now and then by a task; returns whether the user has asked it to stop."""


def never() -> bool:
    """Return False: nobody asks the task to stop.

    Example:
        >>> never()
        False
    """
    return False
