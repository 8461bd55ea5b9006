"""A scheduler that lowers the learning rate when a metric stops improving."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, SupportsFloat

from gradstep.autograd.tensor import Tensor
from gradstep.errors import ArgumentError, ArgumentTypeError
from gradstep.optim.lr_scheduler.scheduler import LRScheduler, warn_of_epoch
from gradstep.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the rate by `factor` if a metric has not improved for over `patience` steps.

    Args:
        optimizer: The optimizer whose learning rates are set.
        mode: "min" if lower is better, "max" if higher is.
        factor: The factor, below 1.
        patience: Number of steps without improvement that are tolerated.
        threshold: Smallest change that counts as an improvement.
        threshold_mode: "rel" for a share of the best value, "abs" for a difference.
        cooldown: Number of steps after a reduction that are not counted as bad.
        min_lr: The lowest rate, or one for each group.
        eps: Smallest change of the rate that is applied.

    Example:
        >>> import gradstep
        >>> optimizer = gradstep.optim.SGD([gradstep.ones(1, requires_grad=True)], lr=1.0)
        >>> scheduler = ReduceLROnPlateau(optimizer, patience=0, factor=0.5)
        >>> for loss in (3.0, 2.0, 2.0):
        ...     scheduler.step(loss)
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1:
            raise ArgumentError(f"Factor should be < 1.0, got {factor}")
        if not isinstance(optimizer, Optimizer):
            raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in {"min", "max"}:
            raise ArgumentError(f"mode {mode} is unknown!", 'use "min" or "max"')
        if threshold_mode not in {"rel", "abs"}:
            raise ArgumentError(
                f"threshold mode {threshold_mode} is unknown!", 'use "rel" or "abs"'
            )
        groups = len(optimizer.param_groups)
        self.min_lrs = (
            list(min_lr) if isinstance(min_lr, list | tuple) else [float(min_lr)] * groups  # type: ignore[arg-type]  # one number here
        )
        if len(self.min_lrs) != groups:
            raise ArgumentError(f"expected {groups} min_lrs, got {len(self.min_lrs)}")
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self.best = inf if mode == "min" else -inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self._last_lr = self._current_rates()

    @property
    def in_cooldown(self) -> bool:
        """Whether bad steps are not counted now."""
        return self.cooldown_counter > 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]  # as in torch
        """Compare the metric with the best, and reduce the learning rates if it is time.

        Args:
            metrics: A number, or a tensor of one element.
            epoch: Deprecated: the index of this step.
        """
        current = float(metrics.detach() if isinstance(metrics, Tensor) else metrics)
        if epoch is not None:
            warn_of_epoch()
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = self._current_rates()

    def _is_better(self, current: float) -> bool:
        relative = self.threshold_mode == "rel"
        if self.mode == "min":
            limit = self.best * (1 - self.threshold) if relative else self.best - self.threshold
            return current < limit
        limit = self.best * (1 + self.threshold) if relative else self.best + self.threshold
        return current > limit

    def _reduce(self) -> None:
        for group, lowest in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            current = float(group["lr"])
            lower = max(current * self.factor, lowest)
            if current - lower > self.eps:
                group["lr"] = lower
