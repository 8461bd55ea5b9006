"""Optimizers that a script creates again in each iteration, which lose what they remember."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gradstep_agent.registry import Registry
    from gradstep_agent.tracked import KnownOptimizer

_IN_A_ROW = 3


class _Made(NamedTuple):
    """One optimizer: what is known of it, what it holds, and when it was first used."""

    known: KnownOptimizer
    held: tuple[Any, ...]
    iteration: int
    times: int


class RenewedOptimizers:
    """Counts how many iterations in a row an optimizer of the same tensors was made again."""

    def __init__(self) -> None:
        self._made: dict[str, _Made] = {}

    def look(
        self, registry: Registry, optimizer: Any, known: KnownOptimizer, iteration: int
    ) -> bool:
        """Return whether this is one too many.

        Args:
            registry: The tensors.
            optimizer: One whose Step or Zero Grad is called.
            known: What is known of it.
            iteration: The present iteration.
        """
        before = self._made.get(known.name)
        if (before is not None and before.known is known) or not _remembers(optimizer):
            return False
        held = tuple(
            registry.find(parameter)
            for group in optimizer.param_groups
            for parameter in group["params"]
        )
        passed = 0 if before is None else iteration - before.iteration
        times = 1
        if before is not None and before.held == held and passed <= 1:
            times = before.times + passed  # it may be made twice in an iteration
        self._made[known.name] = _Made(known, held, iteration, times)
        return passed == 1 and times == _IN_A_ROW


def _remembers(optimizer: Any) -> bool:
    """Return whether an optimizer uses earlier gradients: SGD without momentum does not."""
    groups = optimizer.param_groups
    return type(optimizer).__name__ != "SGD" or any(group.get("momentum") for group in groups)
