"""SWALR: to one learning rate in the end, for weights that are averaged."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradstep.errors import ArgumentError
from gradstep.optim.lr_scheduler.scheduler import LRScheduler, each_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gradstep.optim.optimizer import Optimizer

__all__ = ["SWALR"]


class SWALR(LRScheduler):
    """Moves each learning rate to a constant one, over some steps.

    Args:
        optimizer: Whose learning rates to set.
        swa_lr: Where to go; one for all groups or one for each.
        anneal_epochs: In how many steps.
        anneal_strategy: "cos" along half a cosine, or "linear".
        last_epoch: The index of the last step; -1 to begin.

    Raises:
        ArgumentError: An argument is out of its range.

    Example:
        >>> import gradstep
        >>> optimizer = gradstep.optim.SGD([gradstep.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     scheduler.step()
        ...     print(scheduler.get_last_lr())
        [0.75]
        [0.5]
        [0.5]

    References:
        Izmailov et al., Averaging weights leads to wider optima and better generalization, UAI
        2018 (arXiv 1803.05407).
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        if anneal_strategy not in {"cos", "linear"}:
            raise ArgumentError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ArgumentError(
                f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            )
        groups = optimizer.param_groups
        for group, rate in zip(groups, each_group("swa_lr", swa_lr, groups), strict=True):
            group["swa_lr"] = rate
        self.anneal_epochs = anneal_epochs
        self._anneal_strategy = anneal_strategy
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the next learning rates: where the present ones came from is computed back."""
        step = self._step_count - 1
        if not self.anneal_epochs:
            step = max(1, step)
        before, share = self._share(step - 1), self._share(step)
        found = []
        for group in self.optimizer.param_groups:
            rate, goal = float(group["lr"]), group["swa_lr"]
            start = goal if before == 1 else (rate - before * goal) / (1 - before)
            found.append(goal * share + start * (1 - share))
        return found

    def _share(self, step: int) -> float:
        """Return how much of the way is behind after so many steps."""
        way = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return way if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * way)) / 2
