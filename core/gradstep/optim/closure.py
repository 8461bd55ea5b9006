"""Calling a closure within a step: with grad enabled, or walked through if it is a generator."""

from __future__ import annotations

from contextlib import closing
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from gradstep.autograd import grad_mode
from gradstep.autograd.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

__all__ = ["EVALUATING", "as_number", "call_with_grad", "walk_closure"]

EVALUATING = "evaluating"
"""Yielded in place of a term's key, with what a closure that is a generator yields."""


def call_with_grad(closure: Callable[[], Any]) -> Any:  # noqa: ANN401 - the closure's own
    """Return what the closure returns, called with grad enabled."""
    with grad_mode.enable_grad():
        return closure()


def walk_closure(closure: Callable[[], Any]) -> Generator[tuple[str, Any], None, Any]:
    """Call a closure; if it is a generator, pass on what it yields.

    Args:
        closure: As `Optimizer.step` takes it.

    Yields:
        `EVALUATING`, and what the generator yields.

    Returns:
        What the closure returns.

    Example:
        >>> list(walk_closure(lambda: 1.5))
        []
        >>> def walked():
        ...     yield "forward"
        ...     return 1.5
        >>> list(walk_closure(walked))
        [('evaluating', 'forward')]
    """
    result = call_with_grad(closure)
    if not isinstance(result, GeneratorType):
        return result
    with closing(result):
        while True:
            try:
                step = next(result)
            except StopIteration as end:
                return end.value
            yield EVALUATING, step


def as_number(loss: Tensor | float) -> float:
    """Return a loss, a tensor or a number, as a number."""
    return float(loss.item() if isinstance(loss, Tensor) else loss)
