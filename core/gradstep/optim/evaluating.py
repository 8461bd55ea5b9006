"""Evaluating: a closure called within a step, or walked through where somebody looks inside."""

from __future__ import annotations

from contextlib import closing
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from gradstep.optim.optimizer import call_with_grad

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

__all__ = ["EVALUATING", "evaluated"]

EVALUATING = "evaluating"
"""Is yielded in place of a term, with what a closure that is walked through gives."""


def evaluated(closure: Callable[[], Any]) -> Generator[tuple[str, Any], None, Any]:
    """Call a closure; one that is a generator is walked through.

    Args:
        closure: As a step takes it.

    Yields:
        `EVALUATING`, and what the generator gives.

    Returns:
        What the closure returns.

    Example:
        >>> list(evaluated(lambda: 1.5))
        []
        >>> def walked():
        ...     yield "forward"
        ...     return 1.5
        >>> list(evaluated(walked))
        [('evaluating', 'forward')]
    """
    found = call_with_grad(closure)
    if not isinstance(found, GeneratorType):
        return found
    with closing(found):
        while True:
            try:
                step = next(found)
            except StopIteration as end:
                return end.value
            yield EVALUATING, step
