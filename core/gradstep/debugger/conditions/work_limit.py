"""WorkLimit: bounds the work of an expression that may come from a stranger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradstep.errors import ExpressionError
from gradstep.program.schema.limits import MAX_ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["WorkLimit"]

WORK = 4 * MAX_ELEMENTS
"""Elements that one evaluation may touch: about half a second of work."""


class WorkLimit:
    """Counts the elements that an evaluation touches, and raises when there are too many.

    Example:
        >>> limit = WorkLimit()
        >>> limit.spend(np.zeros(10))
        >>> WORK - limit.left
        10
    """

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = WORK

    def begin(self) -> None:
        """Reset the count, at the start of an evaluation."""
        self.left = WORK

    def spend(self, *values: Any) -> None:  # noqa: ANN401 - arrays count, numbers do not
        """Count what an operation on these values will touch.

        Raises:
            ExpressionError: The limit is exceeded.
        """
        shapes = [value.shape for value in values if isinstance(value, np.ndarray)]
        if not shapes:
            return
        try:
            self.left -= int(np.prod(np.broadcast_shapes(*shapes), dtype=np.float64))
        except ValueError:
            return  # the operation itself reports the shapes better
        if self.left < 0:
            raise ExpressionError(
                f"it would touch more than {WORK:,} numbers", "use fewer or smaller tensors"
            )

    def metered(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that counts what it touches before it runs."""

        def metered(*values: Any) -> Any:  # noqa: ANN401 - arrays and numbers alike
            self.spend(*values)
            return call(*values)

        return metered
